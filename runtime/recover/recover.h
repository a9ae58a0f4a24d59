/* recover: the lives of the ranks, from one death to the next, and the end.
 *
 *     rank.c        one rank's process; hello.c its first words, message.c all others
 *     epoch.c       one life of the MPI library: start of all, end of all
 *     recover.c     deaths, and where to go back to
 *     source.c      a life that cannot begin with its image
 *     leave.c       the survivors of a death leave their epoch (--protocol spbc)
 *     afford.c      if there is memory for that
 *     interrupt.c   those that compute are called by a signal
 *     lack.c        nothing moves while a trusted receive waits
 *     restart.c     the store of an earlier run
 *     verify_runs.c --verify: several runs, compared
 *     finish.c      the end of the run, and its last words
 *
 * All of them kill, and decide what follows when the dead are gone, so each calls the others.
 * Thread rule: one thread. */
#ifndef FT_RECOVER_H
#define FT_RECOVER_H

#include "recover/verify_runs.h"
#include "run/run.h"

/* rank.c */
int ft_rank_start(struct ft_member *member, char *why, size_t size); /* 0 or -errno */
void ft_rank_continue(struct ft_member *member); /* EXEC: the process begins its next life */
void ft_rank_listen(struct ft_member *member);   /* handles all messages that are there */
void ft_rank_close(struct ft_member *member);    /* its process is gone: descriptors, messages */

/* hello.c */
void ft_hello_answer(struct ft_member *member); /* answers HELLO */

/* message.c */
void ft_message_handle(struct ft_member *member, const char *buffer, size_t length, int *fd);

/* epoch.c */
void ft_epoch_start(struct ft_run *run); /* fallen clusters begin where they go back to */
void ft_epoch_clear(struct ft_run *run, enum ft_run_state state); /* kills everything */
void ft_epoch_check(struct ft_run *run);      /* something was reaped: is all cleared? */
void ft_epoch_back(struct ft_member *member); /* a rank is back in user code */

/* recover.c */
void ft_recover_reap(struct ft_run *run);                  /* SIGCHLD */
void ft_recover_abort(struct ft_member *member, int code); /* ABORT */
void ft_recover_next(struct ft_run *run);     /* the dead are gone: go back and start */

/* source.c */
/* BAD_IMAGE: the next older one is tried, in another epoch. error: ESTALE where the image fits
 * another process, whatever is in it; then the run ends. */
void ft_source_damaged(struct ft_member *member, int error, const char *reason);
/* HINDERED: the same is tried again, FT_PLAN_FRUITLESS times; then the run ends, if it could be
 * continued, or the next older one is tried. */
void ft_source_hindered(struct ft_member *member, const char *reason);

/* leave.c */
void ft_leave_begin(struct ft_run *run);   /* clusters have fallen: the other ranks leave */
void ft_leave_regroup(struct ft_run *run); /* all leave, although nobody has died: REGROUP */
void ft_leave_gate(struct ft_member *member, const struct ft_wire_gate *gate);
void ft_leave_left(struct ft_member *member, const struct ft_wire_left *left, const char *reason,
                   int *fd);
void ft_leave_condemn(struct ft_member *member, const char *why); /* a survivor cannot leave */
void ft_leave_check(struct ft_run *run); /* something was reaped, or a rank has left */
void ft_leave_end(struct ft_run *run);   /* the epoch runs, or all is over: images are dropped */

/* afford.c */
/* Is there memory for the survivors twice? Says so if not. */
int ft_afford_survivors(const struct ft_run *run);

/* interrupt.c */
void ft_interrupt_begin(struct ft_member *member); /* from now on the rank is expected */
/* Has it to be called by a signal now? */
void ft_interrupt_look(struct ft_member *member, enum ft_interrupt_why why);
void ft_interrupt_end(struct ft_member *member); /* kills it if it is in the program's own code */
void ft_interrupt_serve(struct ft_run *run);     /* the epoch runs: until nobody lacks a message */

/* lack.c */
/* From now on: ends the run when a trusted receive waits and nothing can move any more. */
void ft_lack_start(struct ft_run *run);

/* restart.c: 0, or the exit code after a message, but for those that say otherwise. */
int ft_restart_open(struct ft_run *run);               /* the store, its checkpoints, the program */
int ft_restart_has_clusters(const struct ft_run *run); /* had the job? */
int ft_restart_clusters(struct ft_run *run);           /* then they are what they were */
int ft_restart_trust(struct ft_run *run);              /* and the ranks believe what they did */
int ft_restart_take(struct ft_run *run);               /* the clusters have its checkpoints */
/* An image of the checkpoint that is continued is damaged: all clusters have the one before it, if
 * there is one. 0 or -errno. */
int ft_restart_older(struct ft_run *run);
/* Files are about to be put back to it: no later ftrun continues the job from a newer one, whatever
 * was wrong with that. 0, or -1 after a message: then none may be put back. */
int ft_restart_renounce(const struct ft_run *run);
void ft_restart_end(struct ft_run *run); /* all are back: what is older, or newer, is forgotten */

/* finish.c */
void ft_finish(struct ft_run *run, int code);     /* kills what runs, then ends with code; the
                                                     store stays if it is of any use */
/* It ends with code, and kills nobody yet: the state, and whether the store stays. */
void ft_finish_mark(struct ft_run *run, int code);
void ft_finish_own(struct ft_run *run, int code); /* the program's own end: the store goes */
void ft_finish_clear(struct ft_run *run);         /* all are dead: the last words */
void ft_finish_refused(struct ft_member *member, const char *call, const char *reason,
                       uint64_t site);
/* Exit 75 after a last checkpoint, 143 without one; what comes first is the reason. */
void ft_finish_stop(struct ft_run *run, const char *why);
void ft_finish_terminate(struct ft_run *run); /* SIGTERM: the same; a second one does not wait */
void ft_finish_stopped(struct ft_run *run);   /* the last checkpoint is committed */

#endif
