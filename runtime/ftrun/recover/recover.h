/* recover: the lives of the ranks, from one death to the next, and the end.
 *
 *     rank.c        one rank's process; hello.c its first words, message.c all others
 *     away.c        ranks on other nodes
 *     epoch.c       one life of the MPI library: start of all, end of all
 *     recover.c     deaths, and where to roll back to
 *     source.c      a life that cannot begin with its image
 *     leave.c       the survivors of a death leave their epoch (--protocol spbc)
 *     afford.c      if there is memory for that
 *     interrupt.c   those that compute are called by a signal
 *     copies.c      the second copies of ranks, and which of the two leads
 *     lack.c        nothing moves while a trusted receive waits
 *     marks.c       each rank's image at another moment (--protocol coordinated:nonblocking)
 *     phases.c      who may resend what (--protocol hydee)
 *     orphans.c     who may depend on what a lost node took along (--protocol optimistic)
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
void ft_rank_continue(struct ft_member *member);      /* EXEC: the process begins its next life */
void ft_rank_listen(struct ft_member *member);        /* handles all messages that are there */
int ft_rank_is_heard(const struct ft_member *member); /* is what it says of interest? */
void ft_rank_close(struct ft_member *member); /* its process is gone: descriptors, messages */

/* hello.c */
void ft_hello_answer(struct ft_member *member); /* answers HELLO */

/* message.c */
/* hung.c: a process of the job was stopped; it is killed if that lasts. */
void ft_hung_note(struct ft_run *run, pid_t pid);
void ft_hung_destroy(struct ft_run *run);
/* Is it FIRED? It counts whatever state the run is in. */
int ft_message_is_fault(const char *buffer);
void ft_message_handle(struct ft_member *member, const char *buffer, size_t length, int *fd);

/* epoch.c */
void ft_epoch_start(struct ft_run *run); /* fallen clusters begin where they roll back to */
void ft_epoch_clear(struct ft_run *run, enum ft_run_state state); /* kills everything */
void ft_epoch_check(struct ft_run *run);      /* something was reaped: is all cleared? */
void ft_epoch_back(struct ft_member *member); /* a rank is back in user code */

/* recover.c */
void ft_recover_reap(struct ft_run *run);                  /* SIGCHLD */
void ft_recover_abort(struct ft_member *member, int code); /* ABORT */
void ft_recover_doubt(struct ft_member *member);           /* DOUBT */
void ft_recover_next(struct ft_run *run); /* the dead are gone: roll back and start */

void ft_recover_note(struct ft_member *member,
                     int status); /* on a node: it has ended; reap judges it */
/* A process of the node that is no rank was reaped. */
void ft_recover_child(struct ft_run *run, const struct ft_node *node, pid_t pid, int status);
void ft_recover_begin(struct ft_run *run); /* all is there: the first epoch, or that of --restart */

/* fetch.c: images on the nodes */
/* Chooses checkpoints whose images can be had, before anything else is. 0; 1: more ranks are being
 * ended first; -1: the run ends. */
int ft_fetch_settle(struct ft_run *run);
void ft_fetch_image(struct ft_member *member); /* which has been started on another node */
void ft_fetch_heard(struct ft_member *member, int64_t checkpoint, const char *why); /* FETCHED */
void ft_fetch_ready(struct ft_run *run, struct ft_node *node, const void *body,
                    size_t length); /* READY */

/* away.c: ranks on other nodes; without nodes these do nothing */
int ft_away_create(struct ft_run *run); /* agents may connect; 0 or -errno */
int ft_away_launch(struct ft_run *run); /* agents are started; then ft_recover_begin. 0 or -errno */
void ft_away_destroy(struct ft_run *run);     /* agents end, and all that runs there */
void ft_away_epoch(struct ft_run *run);       /* an epoch begins */
int ft_away_start(struct ft_member *member);  /* a process; 0 or -errno */
void ft_away_close(struct ft_member *member); /* it is gone */
void ft_away_sweep(struct ft_run *run);       /* all are gone: what they left in memory goes, too */
void ft_away_ask(struct ft_run *run);         /* is anybody dead who was not told of? */
int ft_away_is_open(const struct ft_run *run); /* not all agents have answered that */

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

/* copies.c: the second copies of all ranks (--replicas), a team of their own */
void ft_copies_start(
    struct ft_run *run); /* they begin when the first ones have their first checkpoints */
/* A copy has left its epoch, or is dead: the other one leads, if it can. */
void ft_copies_left(const struct ft_member *member);
void ft_copies_died(const struct ft_member *member);
/* No node is left for the ranks of this team. 1: the other one goes on alone. 0: there is none. */
int ft_copies_lose(struct ft_run *run);
/* Before the next epoch of a team starts: asks the living copies of ranks that are dead in it for
 * their present images. 1: they are awaited, and ft_recover_next is called again. */
int ft_copies_heal(struct ft_run *run);
/* Does the team end because a copy has died, and the other one goes on: with --replicas-refill
 * never, or because that one is behind MPI_Finalize, where no image can be taken any more? */
int ft_copies_gives_up(const struct ft_run *run);
/* Ranks that are to go back to a checkpoint, and may not, because files were changed since: the
 * team ends, and the other one goes on alone, or the run ends. Answers 1 then. */
int ft_copies_part(struct ft_run *run);
/* The run is to stop: one team ends, and the other one takes the last checkpoint. */
void ft_copies_stop(struct ft_run *run);
/* Is this the team of second copies, with ranks that have no checkpoint of their own? Then all
 * begin again with the images that they began with. */
int ft_copies_begin_again(struct ft_run *run);

/* lack.c */
/* From now on: ends the run when a trusted receive waits and nothing can move any more. */
void ft_lack_start(struct ft_run *run);

/* marks.c: without --protocol coordinated:nonblocking these do nothing */
int ft_marks_create(struct ft_run *run); /* 0 or -errno */
void ft_marks_destroy(struct ft_run *run);
void ft_marks_path(const struct ft_run *run, char *path, size_t size); /* for ranks to map */
void ft_marks_begin(struct ft_run *run); /* an epoch: nobody has passed a marker */

/* phases.c: without --protocol hydee these do nothing */
int ft_phases_create(struct ft_run *run); /* 0 or -errno */
void ft_phases_destroy(struct ft_run *run);
void ft_phases_path(const struct ft_run *run, char *path, size_t size); /* for ranks to map */
void ft_phases_begin(struct ft_run *run); /* an epoch: who rolls back has told nothing yet */
void ft_phases_note(struct ft_member *member, int64_t phase); /* PHASE */

/* orphans.c: without --protocol optimistic these do nothing */
int ft_orphans_create(struct ft_run *run); /* 0 or -errno */
void ft_orphans_destroy(struct ft_run *run);
void ft_orphans_begin(struct ft_run *run);       /* an epoch: nobody has told or asked anything */
void ft_orphans_clear(struct ft_member *member); /* CLEAR */
void ft_orphans_fresh(struct ft_member *member); /* FRESH */
void ft_orphans_leave(struct ft_run *run); /* ranks that ask cannot leave the epoch: all fall */

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
void ft_finish(struct ft_run *run, int code); /* kills what runs, then ends with code; the
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
