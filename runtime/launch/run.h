/* run: the state of one job in ftrun, and what its parts call of each other.
 *
 *     main.c        signals, the loop, the end
 *     prepare.c     command line, store, the parts
 *     restart.c     the store of an earlier run
 *     rank.c        one rank's process; hello.c its first words, message.c all others
 *     pipes.c       what it prints
 *     epoch.c       one life of the MPI library: start of all, end of all
 *     recover.c     deaths, and where to go back to
 *     settle.c      files that were put back, until they are what they were
 *     turns.c       who goes back accesses them in the old order
 *     leave.c       the survivors of a death leave their epoch (--protocol spbc)
 *     interrupt.c   those that compute are called by a signal
 *     still.c       nothing moves while ranks are called to the gate
 *     lack.c        or while a trusted receive waits
 *     cluster.c     the ranks that take checkpoints and go back together
 *     join.c        clusters that use the same files become one, or all do for one checkpoint
 *     whole.c       checkpoints of all ranks at one moment, which --restart can continue
 *     putback.c     files of clusters that go back
 *     checkpoint.c  a checkpoint: from the order to the freeze
 *     commit.c      writers, commit, and when the next one is due
 *     ring.c        what a rank's recorder keeps of determinants (--protocol spbc)
 *     account.c     what the recorders have counted, at the end
 *     finish.c      the end of the run, and its last words
 *     verify_runs.c --verify: several runs, compared
 *
 * Invariant: state says what the reaping of the last process leads to. Thread rule: one thread. */
#ifndef FT_RUN_H
#define FT_RUN_H

#include <jansson.h>
#include <limits.h>
#include <stdint.h>
#include <sys/types.h>
#include "launch/events.h"
#include "launch/gather.h"
#include "launch/input.h"
#include "launch/loop.h"
#include "launch/options.h"
#include "launch/output.h"
#include "launch/plan.h"
#include "launch/program.h"
#include "launch/verify_runs.h"
#include "launch/shm.h"
#include "launch/still.h"
#include "launch/slots.h"
#include "launch/zygote.h"
#include "recorder/recorder.h"
#include "store/store.h"
#include "wire/wire.h"

enum ft_run_state {
    FT_RUN_STARTING, /* an epoch begins: not all ranks are back in user code */
    FT_RUN_RUNNING,
    FT_RUN_LEAVING,  /* a cluster is being killed; the other ranks leave the epoch */
    FT_RUN_CLEARING, /* all are being killed; then the next epoch starts */
    FT_RUN_ENDING    /* all are being killed; then the run ends */
};

enum ft_checkpoint_state {
    FT_CHECKPOINT_NONE,
    FT_CHECKPOINT_GATHERING, /* ranks come to the gate */
    FT_CHECKPOINT_FREEZING,  /* FREEZE is sent; images are being taken */
    FT_CHECKPOINT_WRITING    /* all ranks run on; writers write */
};

struct ft_interrupt { /* of a survivor that computes */
    double next;      /* ft_loop_now from which on it may be called by a signal */
    double wait;      /* seconds until the signal behind the next one */
    long switches;    /* its voluntary context switches at the last look */
    int sent;         /* signals, at the present failure */
};

struct ft_member { /* a rank, as ftrun sees it */
    struct ft_run *run;
    struct ft_cluster *cluster;
    int rank, place;              /* in the world, in its cluster */
    pid_t pid;                    /* 0: no process */
    pid_t group;                  /* process group of the present or last life; 0: none */
    int control;                  /* socket, -1: none */
    int out[2];                   /* read ends of its stdout and stderr, -1: none */
    struct ft_recorder *recorder; /* shared with the rank */
    int recorder_fd;
    int hello, told_pmi, inited, back, finalizing; /* this life's progress */
    double life_began;                             /* ft_loop_now; 0: it is the first one */
    int ended;                                     /* its process has ended by itself, rightly */
    int code;                                      /* with this exit code */
    double first_sign; /* of its death: when its socket closed; 0: none */
    int pmi_fd;        /* from its slot, until it is passed on; -1: none */
    char *pmi;         /* variables, likewise */
    size_t pmi_length;
    uint32_t pmi_count;
    struct ft_wire_traffic *traffic; /* [size] what it has sent, in the end; NULL: not told */
    char *backtrace;                 /* of its last crash; NULL: none */
    uint64_t fired;                  /* kill orders carried out in earlier lives, bit by bit */
    struct ft_plan plan;             /* its deaths */
    pid_t writer;                    /* of the checkpoint that is being taken; 0: none or ended */
    int snapshot, written;           /* got for the checkpoint that is being taken */
    double launcher_seconds;         /* parts of its return: until its slot came */
    int image_fd;          /* memfd with its image, when it has left the last epoch; -1: none */
    int continued;         /* the present life is that of a process of the last epoch */
    struct ft_timer abort; /* it has called MPI_Abort with abort_code */
    int abort_code;
    double quiet; /* while leaving: ft_loop_now of the last sign of work, */
    double used;  /* and the processor's time that the rank had used then (ft_proc_used) */
    struct ft_interrupt interrupt;
};

struct ft_checkpoint { /* of a cluster: the one that is being taken, and when the next is due */
    enum ft_checkpoint_state state;
    struct ft_manifest *manifest; /* being filled */
    double begun, frozen;         /* ft_loop_now: order, FREEZE */
    double pause;                 /* longest drain and fork of a rank, seconds */
    int failed;
    char why[256];      /* why it failed */
    int failures;       /* checkpoints in a row that were not taken */
    int wanted;         /* another one is wanted as soon as possible */
    int behind;         /* likewise, when no other cluster wants one */
    int ticks;          /* since it was begun */
    int still;          /* it was said that nobody moves */
    int holding;        /* GATHERING: all are held, and so many have not answered HOLD */
    int shares;         /* 1: another cluster has a file without a name open, too (nameless.c) */
    int owed;           /* 1: an image is of a rank to which something is still to be given again */
    uint64_t requested; /* hooks / every of the newest request that was heard */
    struct ft_timer tick, due;
    double cost;    /* measured cost of the last one, seconds */
    double writing; /* how long its writers took, seconds */
};

struct ft_cut { /* a committed checkpoint, kept or dropped */
    uint32_t checkpoint;
    double frozen;
};

struct ft_cluster { /* ranks that take checkpoints and go back together */
    struct ft_run *run;
    int number;                     /* from 0; of joined ones the lowest */
    int count;                      /* of its ranks */
    struct ft_member **members;     /* [count], rising ranks */
    const char **undo;              /* [count] folders of their undo records */
    struct ft_gather *gather;       /* by place */
    struct ft_gather_block *blocks; /* [count] scratch for the gatherer */
    enum ft_gather_order *orders;   /* [count] likewise */
    struct ft_checkpoint checkpoint;
    struct ft_manifest **kept; /* committed checkpoints, oldest first */
    int kept_count;
    int dropped;   /* a checkpoint was dropped: "from main" is not possible */
    int restored;  /* checkpoint that it goes or went back to; -1: main */
    int fallen;    /* goes back at the present failure (at the start: begins) */
    double ending; /* ft_loop_now at which its ranks were told to END at it; 0: not told */
    double saved;  /* freeze of the newest committed checkpoint */
    uint32_t drained; /* what has moved in drains of its ranks, while they are to leave */
    double drains;    /* ft_loop_now of the last look at which that was another number */
    struct ft_cut *cuts; /* since which there are undo records, oldest first */
    int cut_count;
    struct ft_cluster *part[2]; /* what it was joined of, until its first commit (join.c) */
    int whole;                  /* it was joined of all, for one checkpoint (whole.c) */
};

struct ft_listed;
struct ft_settle { /* files that were put back (settle.c) */
    char *text;    /* their paths, each between two zeros; owned */
    size_t length, room;
    struct ft_listed *listed; /* hash of them */
    int files;
    int failed;      /* there was no memory for all */
    uint32_t number; /* of the newest list */
    double begun;    /* ft_loop_now of the first of them */
    struct ft_timer timer;
    double pause; /* seconds before the next look */
};

struct ft_undo_access;
struct ft_access; /* of a file, by a rank that went back */
struct ft_turns { /* in which order they were (turns.c) */
    struct ft_access **access; /* [count], owned; numbers begin with 1 */
    size_t count, room;
    struct ft_access **sorted; /* by path and time */
    struct ft_access *known;   /* hash */
    int afresh;                /* all went back to one moment last: they need not do again what
                                  they did behind it */
};

struct ft_leave { /* of the survivors */
    struct ft_gather *gather;
    struct ft_gather_block *blocks; /* [size] scratch */
    enum ft_gather_order *orders;   /* [size] likewise */
    struct ft_timer tick;
    int ticks;
    int told;           /* LEAVE was sent */
    double begun, held; /* ft_loop_now: the death, all at the gate */
    uint64_t input;     /* standard input that rank 0 had consumed */
};

enum { FT_RUN_STRAYS = 64 };
enum { FT_RANK_CONTROL = 3, FT_RANK_RECORDER = 4 }; /* descriptors of a new process */

struct ft_run {
    struct ft_options options;
    struct ft_program program;
    int size;        /* ranks */
    int32_t *of;     /* [size] cluster of each rank at the start; ranks know no others */
    int32_t *oldest; /* [parts] scratch: the oldest kept checkpoint of each */
    int parts;       /* clusters at the start */
    struct ft_cluster **part;     /* [parts] the cluster that each of them belongs to now */
    struct ft_cluster **clusters; /* [cluster_count] */
    int cluster_count;
    char shared[FT_WIRE_PATH]; /* the file for which clusters were joined last */
    char node[64]; /* name of this machine */
    int topology;  /* memfd for what rank 0 of the first epoch finds out about the machine */
    struct ft_loop *loop;
    struct ft_store *store;
    struct ft_shm *shm;
    struct ft_slots *slots;
    struct ft_zygote *zygote; /* NULL: ranks are started directly */
    struct ft_events *events;
    struct ft_output *output;
    struct ft_input *input;
    struct ft_verify_runs *verify_runs; /* NULL: this is a run like any other */
    struct ft_mark *marks;              /* [2 * size] mapped from the store */
    int output_fds[2];                  /* where stdout and stderr go: 1 and 2 */
    uint64_t input_position;            /* of standard input, for the next life of rank 0 */
    struct ft_leave leave;
    struct ft_settle settle;
    struct ft_turns turns;
    struct ft_still *still;   /* while ranks are called to the gate */
    struct ft_still *lacking; /* while a trusted receive is held (lack.c) */
    struct ft_manifest **old; /* what --restart found, oldest first, until clusters have it */
    int old_count;
    struct ft_manifest **whole; /* [keep + 1] checkpoints of all clusters, oldest first (whole.c) */
    int whole_count;
    int whole_wanted;          /* the next checkpoint is to be one */
    int parted;                /* checkpoints of clusters since the last one, or the last attempt */
    int whole_missed;          /* attempts in a row for which a rank came too late */
    double whole_at;           /* ft_loop_now of the last one; 0: there was none */
    int restarting;            /* --restart: not all ranks are back yet */
    struct ft_member *members; /* [size] */
    enum ft_run_state state;
    uint32_t epoch;
    uint32_t generation;  /* newest order */
    uint32_t next;        /* number of the next checkpoint */
    uint64_t build;       /* hash of the program's build id; 0: not known */
    uint32_t trusted;     /* --trust: entries of pattern[] */
    uint32_t pattern[FT_WIRE_PATTERNS]; /* identities of those that are believed */
    int finalized;        /* FINALIZE was sent in this epoch */
    int launch_failures;  /* launchers in a row that ended too early */
    int fruitless;        /* epochs in a row in which not all came back */
    double started;       /* ft_loop_now of the launch */
    double epoch_started; /* of this epoch */
    double died;          /* of the death that led to this epoch; 0: none */
    struct ft_timer clear, idle, limit, patience, progress, launch;
    struct ft_timer serve; /* ranks that compute, and have messages for others */
    struct ft_timer lack;  /* the next look for receives that wait for ever */
    struct ft_timer last;  /* the next look whether the last checkpoint can be taken */
    struct {
        pid_t pid;
        int status;
    } stray[FT_RUN_STRAYS];         /* children reaped before anything was known about them */
    struct {
        pid_t pid; /* of the child that removes checkpoints, 0: none */
        int more;  /* there is something since it was started */
    } removal;
    int served; /* position of the cluster that had the last turn to take a checkpoint */
    int strays;                     /* entries made so far; the table is a ring */
    int signals;                    /* signalfd */
    int progress_shown;             /* a line of progress stands on the terminal */
    int stopping;                   /* a last checkpoint, then exit 75 */
    int output_lost;                /* something could not be written */
    int interrupted;                /* signals that end the run so far */
    int keep_store;                 /* the store is worth keeping */
    int done;                       /* the loop ends */
    int code;                       /* exit code of the run */
    uint32_t failures, checkpoints; /* for the summary */
    uint64_t bytes;                 /* written in checkpoints */
    uint64_t rolled_back;           /* ranks that went back, over all failures */
    double lost;                    /* seconds of work done again, and of recovery */
};

/* Prints "ftrun: ..." on stderr, in one write. */
void ft_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same before the run begins; returns `code`, which ftrun exits with. */
int ft_say_and(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Are there checkpoints, and does a death lead back to one? Not with --verify, and not with
 * --protocol none. */
static inline int ft_run_recovers(const struct ft_run *run)
{
    return !run->verify_runs && run->options.protocol != FT_PROTOCOL_NONE;
}

/* Do the ranks of other clusters keep what they have done? */
static inline int ft_run_contains(const struct ft_run *run)
{
    return run->options.protocol == FT_PROTOCOL_SPBC;
}

/* Does the rank's present or next life begin with the image that it left the last epoch with? */
static inline int ft_member_survives(const struct ft_member *member)
{
    return member->image_fd >= 0;
}

/* prepare.c */
int ft_prepare(struct ft_run *run); /* 0, or the exit code after a message */

/* restart.c */
int ft_restart_open(struct ft_run *run);  /* likewise: the store, its checkpoints, the program */
int ft_restart_has_clusters(const struct ft_run *run); /* had the job? */
int ft_restart_clusters(struct ft_run *run);           /* likewise: then they are what they were */
int ft_restart_trust(struct ft_run *run); /* likewise: and the ranks believe what they did */
int ft_restart_take(struct ft_run *run);  /* likewise: the clusters have its checkpoints */
/* An image of the checkpoint that is continued is damaged: all clusters have the one before it, if
 * there is one. 0 or -errno. */
int ft_restart_older(struct ft_run *run);
void ft_restart_end(struct ft_run *run); /* all are back: what is older, or newer, is forgotten */

/* rank.c */
int ft_rank_start(struct ft_member *member, char *why, size_t size); /* 0 or -errno */
void ft_rank_continue(struct ft_member *member); /* EXEC: the process begins its next life */
void ft_rank_listen(struct ft_member *member);   /* handles all messages that are there */
void ft_rank_close(struct ft_member *member);    /* its process is gone: descriptors, messages */
void ft_rank_order(struct ft_member *member, uint32_t generation); /* to the gate */
void ft_rank_release(struct ft_member *member);
/* What its recorder shows at this moment. */
struct ft_gather_block ft_rank_block(const struct ft_member *member);
int ft_rank_any_ended(const struct ft_run *run); /* has a rank ended by itself, rightly? */

/* message.c */
void ft_message_handle(struct ft_member *member, const char *buffer, size_t length, int *fd);
void ft_message_finalize_all(struct ft_run *run); /* sends FINALIZE when all wait for it */

/* pipes.c */
void ft_pipes_watch(struct ft_member *member); /* reads what it prints */
void ft_pipes_drain(struct ft_member *member); /* takes all output that is there */
void ft_pipes_close(struct ft_member *member);
void ft_output_watch(struct ft_run *run); /* after output was fed: slow readers, idle lines */

/* hello.c */
void ft_hello_answer(struct ft_member *member); /* answers HELLO */
void ft_hello_pmi(void *context, int rank, const char *tail, size_t length, uint32_t count, int fd);
void ft_hello_pass_pmi(struct ft_member *member);   /* when both the slot and the rank are there */
void ft_hello_forget_pmi(struct ft_member *member); /* its slot is gone */

/* removal.c: in the store they are gone at once; the next checkpoint waits until their files are,
 * too. */
void ft_removal_drop(struct ft_run *run, uint32_t checkpoint);    /* a committed one */
void ft_removal_discard(struct ft_run *run, uint32_t checkpoint); /* one that is given up */
int ft_removal_reaped(struct ft_run *run, pid_t pid); /* was it the child that removes? */
void ft_removal_end(struct ft_run *run);              /* nothing is set aside any more */

/* cluster.c */
int ft_clusters_make(struct ft_run *run); /* from run->of; 0 or -ENOMEM */
void ft_clusters_free(struct ft_run *run);
/* One without ranks, with room for so many, in no list; NULL: no memory. */
struct ft_cluster *ft_cluster_create(struct ft_run *run, int number, int ranks);
/* folders: the names in its undo, too. NULL is allowed. */
void ft_cluster_destroy(struct ft_cluster *cluster, int folders);
int ft_cluster_position(const struct ft_cluster *cluster); /* in run->clusters */
struct ft_manifest *ft_cluster_newest(const struct ft_cluster *cluster); /* kept, or NULL */
void ft_cluster_drop_newest(struct ft_cluster *cluster); /* from the store, too */
int ft_clusters_dropped(const struct ft_run *run); /* has one of them dropped a checkpoint? */
void ft_cluster_forget(struct ft_cluster *cluster);  /* drops its checkpoints from the store */
int ft_clusters_fallen(const struct ft_run *run);    /* how many go back */
/* Has one of these no checkpoint? From main all begin together. */
int ft_clusters_need_main(const struct ft_run *run);
void ft_cluster_kill(struct ft_cluster *cluster);    /* all processes of its ranks */
int ft_cluster_is_clear(struct ft_cluster *cluster); /* are all of them gone? */
/* What its ranks printed since the checkpoint that it goes back to is undone; emits the events. */
void ft_cluster_go_back(struct ft_cluster *cluster);

/* join.c */
/* The cluster whose checkpoint is to be begun: `cluster`, or a new one of it and of all others that
 * use the same files, in their place. */
struct ft_cluster *ft_join_sharers(struct ft_cluster *cluster);
int ft_join_is_joined(const struct ft_cluster *cluster); /* is it made of several? */
void ft_join_keep(struct ft_cluster *joined); /* it has a checkpoint: its parts are gone */
void ft_join_undo(struct ft_run *run); /* the one that has none ends; its parts are back */

/* Likewise, of all clusters there are, for one checkpoint (whole.c). */
struct ft_cluster *ft_join_all(struct ft_cluster *cluster);

/* whole.c */
/* With clusters: are these all ranks? Then its checkpoints are such ones. */
int ft_whole_is(const struct ft_cluster *cluster);
int ft_whole_is_due(const struct ft_run *run); /* has the next checkpoint to be of all ranks? */
/* Is one being gathered for which a rank keeps all others waiting too long? Then it is no more:
 * the clusters are as they were, and `cluster` is gone. */
int ft_whole_give_up(struct ft_cluster *cluster);
/* One could not be taken: clusters take their own first, and it is tried half as often. */
void ft_whole_missed(struct ft_run *run);
int ft_whole_is_up_to_date(const struct ft_run *run); /* does nobody do again what he has done? */
/* All its images are taken, or it is given up: if it is one of all ranks, they may go on. */
void ft_whole_taken(const struct ft_cluster *cluster, uint32_t checkpoint);
/* Before the commit: files of messages that the images refer to. 0 or -errno. */
int ft_whole_save_logs(const struct ft_run *run, const struct ft_manifest *manifest);
/* It is committed, and the clusters that were joined for it are as they were: each has its part. */
void ft_whole_share(struct ft_run *run, const struct ft_manifest *whole);
/* The same of a cluster that all ranks belong to. */
void ft_whole_note(const struct ft_cluster *cluster);
/* It stays in the store, if the job can be continued from it. Takes the manifest. */
void ft_whole_keep(struct ft_run *run, struct ft_manifest *whole);
int ft_whole_continues(const struct ft_run *run); /* can --restart do anything with the store? */
/* The job is continued from it, which it takes. 0 or -errno. */
int ft_whole_take(struct ft_run *run, struct ft_manifest *whole);
/* Drops the checkpoint from the store, unless somebody else keeps it. */
void ft_whole_release(struct ft_run *run, uint32_t checkpoint);

/* putback.c */
/* Because of files: takes back more clusters, or to older checkpoints. 1: more go back than before;
 * 0: no; -1 after a message: that is not possible. */
int ft_files_fit(struct ft_run *run);
int ft_files_undo(struct ft_run *run); /* of all that have fallen; 0 or -errno after a message */
/* Another cluster to which this moment (ft_loop_now) would not fit, as a checkpoint of `cluster`,
 * because of the file `path` (FT_WIRE_PATH bytes); or NULL. */
struct ft_cluster *ft_files_partner(const struct ft_cluster *cluster, double moment, char *path);

/* nameless.c */
/* Another cluster that has a file without a name open, too, which one of the two may write, or
 * NULL. path: what it was called (FT_WIRE_PATH bytes). */
struct ft_cluster *ft_nameless_partner(const struct ft_cluster *cluster, char *path);
int ft_nameless_crosses(const struct ft_run *run); /* have ranks of two clusters such a file? */
struct ft_undo_party;
struct ft_undo_misfit;
/* Has a rank that stays a file without a name open that one which goes back has changed since its
 * checkpoint, while it had one? Or does a cluster go back alone to a checkpoint that only all can
 * go back to? parties: [cluster_count]. 1: *misfit is one; 0; or -errno. */
int ft_nameless_fit(const struct ft_run *run, const struct ft_undo_party *parties,
                    struct ft_undo_misfit *misfit);
/* settle.c */
/* To the list of the run `context`; stayed: as ft_undo_apply tells it. */
void ft_settle_add(void *context, const char *path, int stayed);
int ft_settle_publish(struct ft_run *run); /* for the ranks of the next epoch; 0 or -errno */
uint32_t ft_settle_number(const struct ft_run *run); /* of the list; 0: there is none */
void ft_settle_watch(struct ft_run *run); /* the epoch runs: until all are where they were */
void ft_settle_free(struct ft_run *run);

/* turns.c */
int ft_turns_add(struct ft_turns *turns, int rank, const struct ft_undo_access *access);
/* Behind all that were added: what those who died in the middle of one have not done (doubt.c). 0
 * or -ENOMEM. */
int ft_turns_doubt(struct ft_run *run);
int ft_turns_sort(struct ft_turns *turns); /* before the next two; 0 or -errno */
void ft_turns_read(const struct ft_turns *turns, void (*each)(void *context, const char *path),
                   void *context); /* each path that was read */
/* All ranks go back to that moment: what they do behind it need not be in the old order. */
void ft_turns_forget(struct ft_turns *turns, uint64_t time);
int ft_turns_publish(struct ft_run *run); /* for the ranks of the next epoch; 0 or -errno */
enum ft_turns_found { FT_TURNS_NONE, FT_TURNS_WAITING, FT_TURNS_GRANTED };
enum ft_turns_found ft_turns_look(struct ft_run *run); /* whose turn is it? Who waits is told */
void ft_turns_free(struct ft_turns *turns);

/* putback.c, again: which records are kept. */
void ft_files_note_cut(struct ft_cluster *cluster, const struct ft_manifest *manifest);
void ft_files_drop(struct ft_run *run); /* records that nobody can need any more */

/* epoch.c */
void ft_epoch_start(struct ft_run *run); /* fallen clusters begin where they go back to */
void ft_epoch_clear(struct ft_run *run, enum ft_run_state state); /* kills everything */
void ft_epoch_check(struct ft_run *run);      /* something was reaped: is all cleared? */
void ft_epoch_back(struct ft_member *member); /* a rank is back in user code */
int ft_epoch_next(struct ft_run *run);        /* starts the next epoch's launcher; 0 or -errno */

/* recover.c */
void ft_recover_reap(struct ft_run *run);                  /* SIGCHLD */
void ft_recover_abort(struct ft_member *member, int code); /* ABORT */
/* error: ESTALE where the image fits another process, whatever is in it. */
void ft_recover_bad_image(struct ft_member *member, int error, const char *reason);
void ft_recover_launcher(struct ft_run *run); /* has mpiexec ended although it is needed? */
void ft_recover_next(struct ft_run *run);     /* the dead are gone: go back and start */

/* leave.c */
void ft_leave_begin(struct ft_run *run);   /* clusters have fallen: the other ranks leave */
void ft_leave_regroup(struct ft_run *run); /* all leave, although nobody has died: REGROUP */
void ft_leave_gate(struct ft_member *member, const struct ft_wire_gate *gate);
void ft_leave_left(struct ft_member *member, const struct ft_wire_left *left, const char *reason,
                   int *fd);
void ft_leave_fall(struct ft_cluster *cluster); /* it goes back; images of its ranks are dropped */
void ft_leave_condemn(struct ft_member *member, const char *why); /* a survivor cannot leave */
void ft_leave_nobody(struct ft_run *run, const char *why);        /* all clusters go back */
void ft_leave_check(struct ft_run *run); /* something was reaped, or a rank has left */
int ft_afford_survivors(const struct ft_run *run); /* is there memory for that? Says so if not */
void ft_leave_end(struct ft_run *run);   /* the epoch runs, or all is over: images are dropped */

/* interrupt.c */
void ft_interrupt_begin(struct ft_member *member); /* from now on the rank is expected */
/* Has it to be called by a signal now? */
void ft_interrupt_look(struct ft_member *member, enum ft_interrupt_why why);
void ft_interrupt_end(struct ft_member *member); /* kills it if it is in the program's own code */
void ft_interrupt_serve(struct ft_run *run);     /* the epoch runs: until nobody lacks a message */

/* lack.c */
/* From now on: ends the run when a trusted receive waits and nothing can move any more. */
void ft_lack_start(struct ft_run *run);

/* checkpoint.c */
void ft_checkpoint_begin(struct ft_cluster *cluster); /* now, or as soon as possible */
/* Of all ranks; with clusters at one moment. */
void ft_checkpoint_begin_all(struct ft_run *run);
void ft_checkpoint_begin_last(struct ft_run *run); /* the same, and the run stops behind it */
/* It waits: a job cannot be continued from a rank that does again what it has done (whole.c). */
void ft_checkpoint_wait_for_last(struct ft_run *run);
/* REQUEST: `why`, and `count` clusters */
void ft_checkpoint_request(struct ft_member *member, int64_t why, const void *clusters,
                           size_t count);
void ft_checkpoint_order(struct ft_cluster *cluster); /* from the start of an epoch from main */
void ft_checkpoint_gate(struct ft_member *member, const struct ft_wire_gate *gate);
void ft_checkpoint_held(struct ft_member *member); /* HELD */
void ft_checkpoint_ungather(struct ft_cluster *cluster); /* lets the ranks go that have stopped */
void ft_checkpoint_fail(struct ft_cluster *cluster, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* the one being taken; the first reason is kept */
int ft_checkpoint_is_open(const struct ft_run *run); /* is a cluster being gathered or frozen? */

/* commit.c */
void ft_commit_snapshot(struct ft_member *member, const struct ft_wire_snapshot *snapshot,
                        const char *reason); /* "": none was given */
void ft_commit_written(struct ft_member *member, const struct ft_wire_written *written);
void ft_commit_writer(struct ft_member *member, int status); /* its writer was reaped */
void ft_commit_abort(struct ft_cluster *cluster); /* its ranks are dead: nothing is being taken */
void ft_commit_schedule(struct ft_cluster *cluster); /* arms the timer of the next one */
/* Begins the checkpoint of the next cluster behind this one that wants one, if any. Clusters may be
 * joined by this, and `cluster` with them. */
void ft_commit_next(const struct ft_cluster *cluster);

/* ring.c */
off_t ft_ring_bytes(const struct ft_run *run);                /* behind the page of each recorder */
void ft_ring_drop(struct ft_member *member, uint64_t before); /* determinants needed no more */

/* account.c */
void ft_account_determinants(const struct ft_run *run); /* says where they were recorded */
void ft_account_calls(const struct ft_run *run);        /* --call-events */

/* profile.c */
void ft_profile_note(struct ft_member *member, const void *traffic, size_t bytes);
int ft_profile_write(const struct ft_run *run); /* --profile: 0, or -1 after saying why */

/* finish.c */
void ft_finish(struct ft_run *run, int code);     /* kills what runs, then ends with code; the
                                                     store stays if it is of any use */
void ft_finish_own(struct ft_run *run, int code); /* the program's own end: the store goes */
void ft_finish_clear(struct ft_run *run);         /* all are dead: the last words */
void ft_finish_refused(struct ft_member *member, const char *call, const char *reason,
                       uint64_t site);
void ft_finish_stop(struct ft_run *run, const char *why); /* exit 75 after a last checkpoint */
void ft_finish_stopped(struct ft_run *run);               /* the last checkpoint is committed */
void ft_finish_store(struct ft_run *run, int remove);     /* closes it; the folder may go, too */

#endif
