/* run: the state of one job in ftrun, and what only looks at it, or changes one rank or one cluster
 * of it.
 *
 *     member.c      a rank: its orders, and what its recorder shows
 *     process.c     its process, here or on another node
 *     pipes.c       what it prints
 *     ring.c        what its recorder keeps of determinants (--protocol spbc)
 *     cluster.c     the ranks that take checkpoints and roll back together
 *     kept.c        checkpoints leave the store when nobody keeps them,
 *     removal.c     and their files behind that
 *     near.c        who has what of images that lie on the nodes
 *     gather.c      who comes to the gate, and who has to go on before
 *     still.c       nothing moves while ranks are called to the gate
 *     plan.c        what the end of a process means
 *     verify_hang.c where the ranks are that do not go on
 *     account.c     what the recorders have counted, at the end
 *     fault.c       faults of the plan: told, injected at moments, missed
 *     profile.c     what the ranks have sent to each other (--profile)
 *
 * Nothing here decides what the run does next: who does stands on the floors above (commit,
 * recover).
 *
 * Invariant: state says what the reaping of the last process leads to. Thread rule: one thread. */
#ifndef FT_RUN_H
#define FT_RUN_H

#include <jansson.h>
#include <limits.h>
#include <stdint.h>
#include <sys/types.h>
#include "agent/node.h"
#include "agent/pieces.h"
#include "console/events.h"
#include "console/input.h"
#include "console/output.h"
#include "console/say.h"
#include "host/call.h"
#include "host/loop.h"
#include "host/program.h"
#include "host/shm.h"
#include "host/pmi.h"
#include "faults/faults.h"
#include "points/points.h"
#include "recorder/carried.h"
#include "host/start.h"
#include "options/hosts.h"
#include "options/options.h"
#include "recorder/pair.h"
#include "recorder/recorder.h"
#include "run/gather.h"
#include "run/plan.h"
#include "run/still.h"
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

enum ft_lost { /* of a recorder's rings */
               FT_LOST_NOTHING,
               FT_LOST_NODE, /* all but what ftrun has of it */
               FT_LOST_ALL   /* it begins anew together with all others */
};

enum ft_lent { /* the image that a rank on another node has left its epoch with */
               FT_LENT_NOT,
               FT_LENT_ASKED, /* its agent was told to save it for the rank's other copy, */
               FT_LENT_SAVED, /* and has, */
               FT_LENT_FAILED /* or cannot */
};

struct ft_member { /* a rank, as ftrun sees it */
    struct ft_run *run;
    struct ft_cluster *cluster;
    int rank, place;              /* in the world, in its cluster */
    struct ft_node *node;         /* where its process is; NULL: it is ftrun's own child */
    uint32_t life;                /* with a node: of its process, counted over all lives */
    int killed;                   /* likewise: its agent was told to kill this life */
    int left;                     /* likewise: its agent has its image (see image_fd) */
    char told[FT_AGENT_LINE];     /* likewise: ftrun's line of the recorder, as its agent has it */
    double away_used;             /* likewise: seconds of processor, as its agent said last */
    int away_pid;                 /* likewise: its number there */
    int exited, status;           /* likewise: it has ended, and that is not judged yet */
    const char *was;              /* name of the node where that was */
    int records;                  /* likewise: outcomes of its are on its node alone */
    uint64_t made;                /* likewise: ftrun has so many changes of its ring */
    const struct ft_node *counts; /* likewise: on this node */
    uint64_t logged;              /* likewise: ftrun has the determinants before this one, */
    struct ft_logged_marks {
        uint64_t from, end; /* marks that ftrun has */
        uint64_t next;      /* the last one that has arrived, and 1 */
        uint64_t dropped;   /* those before it are needed no more */
    } marks;                /* and these of its trail */
    enum ft_lost lost; /* likewise: what its recorder held, in the life that is about to begin */
    int given;         /* likewise: its next agent gets its determinants */
    int unmarked;      /* likewise: its marks were lost once */
    int uncertain;   /* --protocol optimistic, causal: its outcomes may be lost (recover/orphans.c),
                      */
    int clear, asks; /* it has sent CLEAR; it waits for the answer to FRESH */
    pid_t pid;       /* 0: no process. With a node: FT_AWAY */
    pid_t group;     /* process group of the present or last life; 0: none */
    int control;     /* socket, -1: none */
    int out[2];      /* read ends of its stdout and stderr, -1: none */
    struct ft_recorder *recorder; /* shared with the rank */
    int recorder_fd;
    int hello, back, finalizing;     /* this life's progress */
    double life_began;               /* ft_loop_now; 0: it is the first one */
    int ended;                       /* its process has ended by itself, rightly */
    int code;                        /* with this exit code */
    double first_sign;               /* of its death: when its socket closed; 0: none */
    struct ft_wire_traffic *traffic; /* [size] what it has sent, in the end; NULL: not told */
    char *backtrace;                 /* of its last crash; NULL: none */
    uint32_t phase;                  /* --protocol hydee: of its next orphan (recover/phases.c) */
    struct ft_plan plan;             /* its deaths */
    pid_t writer;                    /* of the checkpoint that is being taken; 0: none or ended */
    int frozen;            /* --protocol coordinated:nonblocking: FREEZE was sent for it */
    int snapshot, written; /* got for the checkpoint that is being taken */
    int image_fd;          /* memfd with its image, when it has left the last epoch; -1: none */
    int continued;         /* the present life is that of a process of the last epoch */
    int mourned;           /* --ulfm: it is dead, and all know */
    int replacement;       /* --ulfm: its process has taken a dead one's place */
    uint32_t gap,
        gap_now; /* likewise: the number of its last GAP; of the one that is looked into */
    struct ft_timer abort; /* it has called MPI_Abort with abort_code */
    int abort_code;
    int doubts;            /* it has not, and only wants to know if somebody has died */
    double aborted;        /* ft_loop_now of that; 0: not in this life */
    double quiet;          /* while leaving: ft_loop_now of the last sign of work, */
    double used;           /* and the processor's time that the rank had used then (ft_proc_used) */
    struct ft_caller call; /* a survivor that computes is called by a signal */
    struct ft_pair *pair;  /* shared with the rank's other copy; NULL: there is none */
    int pair_fd;           /* of copy 0, its memfd */
    enum ft_lent lent;     /* with a node */
    int holds;             /* on another node: its agent has what the copies share (agent/pair.c) */
    int origin;        /* of copy 1: the image that it began with, until it has a checkpoint; -1 */
    uint64_t unneeded; /* determinants before this one it needs no more */
    int crossed;       /* image_fd is of the rank's other copy */
};

struct ft_checkpoint { /* of a cluster: the one that is being taken, and when the next is due */
    enum ft_checkpoint_state state;
    struct ft_manifest *manifest; /* being filled */
    double begun, frozen;         /* ft_loop_now: order (0: none since it rolled back), FREEZE */
    double pause;                 /* longest drain and fork of a rank, seconds */
    int failed;
    char why[256];      /* why it failed */
    int failures;       /* checkpoints in a row that were not taken */
    int wanted;         /* another one is wanted as soon as possible */
    int behind;         /* likewise, when no other cluster wants one */
    int ticks;          /* since it was begun */
    int still;          /* it was said that nobody moves */
    int holding;        /* GATHERING: all are held, and so many have not answered HOLD */
    int shares;         /* 1: another cluster has one of its files without a name open, too */
    int owed;           /* 1: an image is of a rank to which something is still to be given again:
                           the job cannot be continued from it */
    int asked;          /* 1: by SIGUSR1, until it was frozen */
    int spread;         /* 1: other nodes were told to take copies of its images, */
    int spreading;      /* which so many nodes have not sent completely */
    uint64_t requested; /* hooks / every of the newest request that was heard */
    uint64_t acts;      /* ft_ring_acts when it was ordered */
    struct ft_timer tick, due;
    double cost;    /* measured cost of the last one, seconds */
    double writing; /* how long its writers took, seconds */
};

struct ft_cut { /* a committed checkpoint, kept or dropped */
    uint32_t checkpoint;
    double frozen;
};

struct ft_cluster { /* ranks that take checkpoints and roll back together */
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
    int dropped;         /* a checkpoint was dropped: "from main" is not possible */
    int restored;        /* checkpoint that it goes or rolled back to; -1: main */
    int fallen;          /* rolls back at the present failure (at the start: begins) */
    double ending;       /* ft_loop_now at which its ranks were told to END at it; 0: not told */
    double saved;        /* freeze of the newest committed checkpoint */
    uint64_t acts;       /* ft_ring_acts when that one was ordered */
    uint32_t drained;    /* what has moved in drains of its ranks, while they are to leave */
    double drains;       /* ft_loop_now of the last look at which that was another number */
    struct ft_cut *cuts; /* since which there are undo records, oldest first */
    int cut_count;
    struct ft_cluster *part[2]; /* what it was joined of, until its first commit (commit/join.c) */
    int whole;                  /* it was joined of all, for one checkpoint (commit/whole.c) */
};

struct ft_run;
struct ft_settle { /* files of ranks that rolled back (putback/settle.c) */
    int unsettled; /* they are not where they were: others must not use paths */
    int afresh;    /* all rolled back to one moment at the last failure: nothing before counts */
    double begun;  /* ft_loop_now when files became unsettled */
    double moved;  /* ft_loop_now when something has moved since, */
    uint64_t sum;  /* what the recorders had counted then, */
    double used;   /* and seconds of processor of the ranks that are not where they were */
    void (*stuck)(struct ft_run *run); /* what follows when nothing moves any more */
    struct ft_timer timer;
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

struct ft_holding { /* a file of an image on a node */
    uint32_t checkpoint;
    int piece; /* or FT_PIECE_WHOLE */
    struct ft_node *node;
};

struct ft_near {                /* --local */
    char folder[FT_STORE_PATH]; /* on each node; "": there is none */
    struct ft_levels levels;
    struct ft_holdings {
        struct ft_holding *list; /* [count] */
        int count, room;
    } * of;    /* [size] of each rank's images */
    int since; /* checkpoints of all ranks since the last one in the store; -1: there is none */
    int full;  /* so many more go to the store, because one did not fit the nodes */
};

struct ft_old {                /* what --restart found in the store, until clusters have it */
    struct ft_manifest **list; /* [count] oldest first */
    int count;
};

struct ft_whole {              /* checkpoints of all clusters (commit/whole.c) */
    struct ft_manifest **list; /* [keep + 1], oldest first */
    int count;
    int wanted;            /* SIGUSR1 asks for one: the next checkpoint is to be one */
    int parted;            /* checkpoints of clusters since the last one, or the last attempt */
    int missed;            /* attempts in a row for which a rank came too late */
    double at;             /* ft_loop_now of the last one; 0: there was none */
    struct ft_timer later; /* the next look whether one can be continued from */
};

enum { FT_RUN_STRAYS = 64, FT_RUN_REVOKED = 65536 };

struct ft_strays { /* children reaped since a FREEZE, and not known yet */
    struct {
        pid_t pid;
        int status;
        const struct ft_node *node;
    } entry[FT_RUN_STRAYS]; /* a ring */
    int made;               /* entries so far */
};

struct ft_run_deaths {                /* --ulfm */
    uint32_t count;                   /* ranks that are dead (recover/mourn.c) */
    uint64_t looked;                  /* calls of all ranks at the last look, */
    int looks;                        /* and looks in a row at which that was the same */
    uint32_t revoked;                 /* entries of revokes[] */
    uint64_t revokes[FT_RUN_REVOKED]; /* identities of communicators */
    uint32_t healed_revokes;          /* those before this one are of an earlier ft_replace */
    uint32_t renewed;                 /* how often ranks were replaced (recover/replace.c) */
    struct ft_agreeing *agreeing;     /* recover/agree.c */
    struct ft_timer look;
    struct ft_timer gap_look; /* which ranks have been outside of their library (recover/gap.c) */
    uint32_t gap_order;       /* since this order; 0: no rank asks */
};

struct ft_summary { /* of the whole run */
    uint32_t failures, checkpoints;
    uint64_t bytes;       /* written in checkpoints */
    uint64_t rolled_back; /* ranks that rolled back, over all failures */
    double lost;          /* seconds of work done again, and of recovery */
};

enum {
    FT_AWAY = INT_MAX
}; /* the number of no process here: those of another node are never used */

struct ft_run {
    int copy;            /* 0; 1: this is the team of the ranks' second copies (--replicas) */
    struct ft_run *twin; /* the team of the other copies; NULL: each rank has one copy */
    int given_up;        /* this team has ended, and the other one goes on without it */
    struct ft_options options;
    struct ft_faults faults;    /* --kill and --faults */
    struct clock *fault_clocks; /* [faults.clock_count] run/fault.c */
    struct ft_program program;
    int size;                 /* ranks */
    int32_t *of;              /* [size] cluster of each rank at the start; ranks know no others */
    int32_t *oldest;          /* [parts] scratch: the oldest kept checkpoint of each */
    int parts;                /* clusters at the start */
    struct ft_cluster **part; /* [parts] the cluster that each of them belongs to now */
    struct ft_cluster **clusters; /* [cluster_count] */
    int cluster_count;
    char shared[FT_WIRE_PATH]; /* the file for which clusters were joined last */
    char node[64];             /* name of this machine */
    int topology; /* memfd for what rank 0 of the first epoch finds out about the machine */
    struct ft_loop *loop;
    struct ft_store *store;
    struct ft_shm *shm;
    char folder[FT_WIRE_FOLDER]; /* where the ranks' library puts its shared memory */
    struct ft_nodes *nodes;      /* NULL: all ranks are children of this process */
    struct ft_hosts hosts;
    struct ft_hosts others; /* --replicas: those of the second copies, until their team has them */
    int nodeless;           /* likewise: no node is left for this team */
    int *at;                /* [size] number of the node of each rank; NULL: there are none */
    struct ft_near near;
    struct ft_away *away;       /* recover/away.c; NULL: there are no nodes */
    int feed_held;              /* what rank 0 of a node is to read stands still */
    int together;               /* all have to begin at one moment: determinants were lost */
    int exits;                  /* ranks with `exited` */
    int look;                   /* milliseconds between two looks of agents at recorders */
    int paused;                 /* agents do not read what ranks print */
    struct ft_marking *marking; /* recover/marks.c; NULL: not --protocol coordinated:nonblocking */
    int32_t *each; /* [size] with it: the clusters that the ranks know, each one of its own */
    struct ft_phasing *phasing;   /* recover/phases.c; NULL: not --protocol hydee */
    struct ft_doubting *doubting; /* recover/orphans.c; NULL: not --protocol optimistic */
    struct ft_hung *hung;         /* recover/hung.c; NULL: no process was stopped so far */
    struct ft_pmi *pmi;
    struct ft_position *origin; /* of second copies: [2 * size] what had been printed in the images
                                   that they began with, */
    uint64_t origin_input;      /* and read */
    uint64_t *changes; /* of the first team: STORE/changes, mapped; NULL: there is one copy */
    int changes_fd;    /* its descriptor */
    struct ft_starter starter;
    struct ft_events *events;
    char event_file[FT_WIRE_PATH]; /* where they go to; "": none */
    struct ft_output *output;
    struct ft_input *input;
    struct ft_verify_runs *verify_runs; /* NULL: this is a run like any other */
    struct ft_mark_record *marks;       /* [2 * size] mapped from the store */
    int output_fds[2];                  /* where stdout and stderr go: 1 and 2 */
    uint64_t input_position;            /* of standard input, for the next life of rank 0 */
    struct ft_leave leave;
    struct ft_settle settle;
    struct ft_still *still;   /* while ranks are called to the gate */
    struct ft_still *lacking; /* while a trusted receive is held (recover/lack.c) */
    struct ft_old old;
    struct ft_whole whole;
    int restarting;            /* --restart: not all ranks are back yet */
    struct ft_member *members; /* [size] */
    enum ft_run_state state;
    uint32_t epoch;
    uint32_t generation;                /* newest order */
    uint32_t next;                      /* number of the next checkpoint */
    uint64_t build;                     /* hash of the program's build id; 0: not known */
    uint32_t trusted;                   /* --trust: entries of pattern[] */
    uint32_t pattern[FT_WIRE_PATTERNS]; /* identities of those that are believed */
    struct ft_run_deaths deaths;
    int finalized;        /* FINALIZE was sent in this epoch */
    int fruitless;        /* epochs in a row in which not all came back */
    double started;       /* ft_loop_now of the launch */
    double epoch_started; /* of this epoch */
    double died;          /* of the death that led to this epoch; 0: none */
    struct ft_timer clear, idle, limit, patience, progress;
    struct ft_timer second;     /* the next look whether the second copies can begin */
    struct ft_timer heal;       /* the next look for images of the other copies, */
    double healing;             /* which are awaited since this ft_loop_now; 0: they are not */
    int healed;                 /* they were, for the epoch that is about to start */
    struct ft_timer serve;      /* ranks that compute, and have messages for others */
    struct ft_timer lack;       /* the next look for receives that wait for ever */
    struct ft_timer torn;       /* there was no memory for what a rank prints: the run ends */
    struct ft_timer input_lost; /* what rank 0 is to read cannot be had: the run ends */
    struct ft_strays strays;
    struct {
        pid_t pid; /* of the child that removes checkpoints, 0: none */
        int more;  /* there is something since it was started */
    } removal;
    int served;         /* position of the cluster that had the last turn to take a checkpoint */
    int signals;        /* signalfd */
    int progress_shown; /* a line of progress stands on the terminal */
    int stopping;       /* a last checkpoint, then exit 75 */
    int terminated;     /* SIGTERM has come */
    int output_lost;    /* something could not be written */
    int lack_told;      /* that descriptors are short */
    int interrupted;    /* signals that end the run so far */
    int own_end;        /* the program has ended by itself */
    int keep_store;     /* the store is worth keeping */
    int barred;         /* --restart could not continue it either, and that is said */
    int done;           /* the loop ends */
    int code;           /* exit code of the run */
    struct ft_summary summary;
};

/* Are there checkpoints, and does a death lead back to one? Not with --verify, not with --ulfm,
 * and not with --protocol none. */
static inline int ft_run_recovers(const struct ft_run *run)
{
    return !run->verify_runs && !run->options.ulfm && run->options.protocol != FT_PROTOCOL_NONE;
}

/* The team of the first copies, which the job belongs to: its state and its end. */
static inline struct ft_run *ft_run_first(struct ft_run *run)
{
    return run->copy ? run->twin : run;
}

/* The faults injected into the ranks of both teams. */
static inline struct ft_faults *ft_run_faults(struct ft_run *run)
{
    return &ft_run_first(run)->faults;
}

/* Do all ranks of this team of copies lead? Then the other team has done nothing that depends on an
 * outcome which this one does not know. */
int ft_run_leads(const struct ft_run *run);

/* The rank's other copy; NULL: there is none. */
static inline struct ft_member *ft_member_twin(const struct ft_member *member)
{
    return member->run->twin ? &member->run->twin->members[member->rank] : NULL;
}

/* Do the ranks of other clusters keep what they have done? */
static inline int ft_run_contains(const struct ft_run *run)
{
    return run->options.protocol == FT_PROTOCOL_SPBC;
}

/* Does the rank's present or next life begin with the image that it left the last epoch with? */
static inline int ft_member_survives(const struct ft_member *member)
{
    return member->image_fd >= 0 || member->left;
}

/* member.c */
void ft_rank_order(struct ft_member *member, uint32_t generation); /* to the gate */
void ft_rank_release(struct ft_member *member);
/* The state of its recorder at this moment. */
struct ft_gather_block ft_rank_block(const struct ft_member *member);
int ft_rank_any_ended(const struct ft_run *run);   /* has a rank ended by itself, rightly? */
void ft_rank_drop_image(struct ft_member *member); /* with which it has left the last epoch */
/* Forgets the groups of ranks that have ended rightly, as soon as no process of the group is
 * left: the number may become that of another group, which must not be killed. */
void ft_rank_forget_groups(struct ft_run *run);

/* process.c */
/* Sends a message of wire/wire.h to the rank. fd is not passed to another node: its agent has it.
 */
void ft_rank_send(struct ft_member *member, uint32_t type, const void *payload, size_t length,
                  const void *tail, size_t tail_length, int fd);
void ft_rank_tell(struct ft_member *member);   /* ftrun has written to its recorder */
void ft_rank_kill(struct ft_member *member);   /* the process and all that it has started */
int ft_rank_is_gone(struct ft_member *member); /* are all of these dead and reaped? */
void ft_rank_kill_writer(struct ft_member *member);
void ft_run_look(struct ft_run *run,
                 int milliseconds); /* agents look at recorders so often from now on */
int ft_rank_number(const struct ft_member *member);  /* of its process, where that is */
double ft_rank_used(const struct ft_member *member); /* seconds of processor */

/* pipes.c */
void ft_pipes_watch(struct ft_member *member); /* reads what it prints */
void ft_pipes_drain(struct ft_member *member); /* takes all output that is there */
void ft_pipes_close(struct ft_member *member);
void ft_output_watch(struct ft_run *run); /* after output was fed: slow readers, idle lines */

/* ring.c */
off_t ft_ring_bytes(const struct ft_run *run); /* behind the page of each recorder */
/* Determinants before the first number, and marks before the second one, are needed no more. */
void ft_ring_drop(struct ft_member *member, uint64_t before, uint64_t marks);
uint64_t ft_ring_count(const struct ft_member *member); /* determinants recorded so far */
/* On several nodes: OUTCOMES, MARKS and MADE of an agent, which are complete with MADE. */
void ft_ring_take(struct ft_member *member, uint64_t first, const void *entries, size_t length);
void ft_ring_take_marks(struct ft_member *member, uint64_t first, const void *marks, size_t length);
void ft_ring_made(struct ft_member *member, uint64_t changes, const struct ft_agent_made *made,
                  size_t length);
/* --protocol causal: its node is lost, and another rank has these outcomes. */
void ft_ring_carried(struct ft_member *member, const struct ft_carried *carried);
/* Its recorder counts what ftrun has, or no more than the image with these numbers, as `lost` says.
 */
void ft_ring_lose(struct ft_member *member, uint64_t determinants, uint64_t trail);
/* Sends, behind START, what the rank's agent lacks. */
void ft_ring_give(struct ft_member *member);
/* Two copies of the rank, on different nodes: both agents hear what ftrun has changed of the words
 * that they share. */
void ft_ring_tell(const struct ft_member *member);
/* Is its cluster on several nodes? */
int ft_ring_is_spread(const struct ft_member *member);
/* Changes of files that ranks with two copies have begun so far, over all ranks. */
uint64_t ft_ring_acts(const struct ft_run *run);
/* recorder->believed of some rank of the member's cluster but, with `others`, its own; 0: of none
 */
uint32_t ft_ring_believed(const struct ft_member *member, int others);

/* cluster.c */
int ft_clusters_make(struct ft_run *run); /* from run->of; 0 or -ENOMEM */
void ft_clusters_free(struct ft_run *run);
/* One without ranks, with room for so many, in no list; NULL: no memory. */
struct ft_cluster *ft_cluster_create(struct ft_run *run, int number, int ranks);
/* folders: the names in its undo, too. NULL is allowed. */
void ft_cluster_destroy(struct ft_cluster *cluster, int folders);
int ft_cluster_position(const struct ft_cluster *cluster);               /* in run->clusters */
struct ft_manifest *ft_cluster_newest(const struct ft_cluster *cluster); /* kept, or NULL */
void ft_cluster_drop_newest(struct ft_cluster *cluster);                 /* from the store, too */
int ft_clusters_dropped(const struct ft_run *run);  /* has one of them dropped a checkpoint? */
void ft_cluster_forget(struct ft_cluster *cluster); /* drops its checkpoints from the store */
/* Marks the cluster as one that rolls back, and drops the present images of its ranks. */
void ft_cluster_fall(struct ft_cluster *cluster);
void ft_clusters_fall(struct ft_run *run, const char *why); /* all of them roll back */
int ft_clusters_fallen(const struct ft_run *run);           /* how many roll back */
/* Has one of these no checkpoint? From main all begin together. */
int ft_clusters_need_main(const struct ft_run *run);
void ft_cluster_kill(struct ft_cluster *cluster);    /* all processes of its ranks */
int ft_cluster_is_clear(struct ft_cluster *cluster); /* are all of them gone? */
/* Undoes the output of its ranks since the checkpoint to which it rolls back; emits the events.
 * 0 or -ENOMEM: not of all. */
int ft_cluster_go_back(struct ft_cluster *cluster);

/* kept.c */
/* Drops the checkpoint from the store, unless somebody keeps it. */
void ft_kept_release(struct ft_run *run, uint32_t checkpoint);

/* removal.c: in the store they are gone at once; the next checkpoint waits until their files are,
 * too (commit/checkpoint.c). */
void ft_removal_drop(struct ft_run *run, uint32_t checkpoint);    /* a committed one */
void ft_removal_discard(struct ft_run *run, uint32_t checkpoint); /* one that is given up */
int ft_removal_reaped(struct ft_run *run, pid_t pid); /* was it the child that removes? */
void ft_removal_end(struct ft_run *run);              /* nothing is set aside any more */

/* near.c */
int ft_near_create(struct ft_run *run); /* 0 or -ENOMEM */
void ft_near_destroy(struct ft_run *run);
/* The node that takes piece `number` of the images of `node`: living ones behind it, in a ring.
 * NULL: there are not so many. */
struct ft_node *ft_near_target(const struct ft_run *run, const struct ft_node *node, int number);
/* The node has it now. 0 or -ENOMEM. */
int ft_near_add(struct ft_run *run, uint32_t checkpoint, int rank, int piece, struct ft_node *node);
void ft_near_lose(struct ft_run *run, const struct ft_node *node); /* it has nothing any more */
void ft_near_remove(struct ft_run *run, uint32_t checkpoint);      /* from all nodes */
/* A node that has it; `first`, if that is one. NULL: there is none. */
struct ft_node *ft_near_find(const struct ft_run *run, uint32_t checkpoint, int rank, int piece,
                             struct ft_node *first);
/* A rank of the checkpoint whose image the nodes do not have any more, or -1. */
int ft_near_lacks(const struct ft_run *run, const struct ft_manifest *manifest);
/* The path of a rank's image, on its node. */
void ft_near_image(const struct ft_run *run, uint32_t checkpoint, int rank, char *path,
                   size_t size);

/* account.c */
void ft_account_determinants(const struct ft_run *run); /* says where they were recorded */
void ft_account_calls(const struct ft_run *run);        /* --call-events */
/* fault.c */
int ft_fault_start(struct ft_run *run); /* starts the clocks; -1: no memory */
void ft_fault_end(struct ft_run *run);
/* FIRED: a rank, or its writer, is about to inject a fault into itself. */
void ft_fault_fired(struct ft_member *member, const struct ft_wire_fired *fired);
/* ftrun is at a point of its own. */
void ft_fault_pass(struct ft_run *run, enum ft_point point, int64_t argument);
void ft_fault_account(const struct ft_run *run); /* says what did not happen */

/* profile.c */
/* TRAFFIC: to the ranks from `first` on */
void ft_profile_note(struct ft_member *member, int64_t first, const void *traffic, size_t bytes);
int ft_profile_write(const struct ft_run *run); /* --profile: 0, or -1 after saying why */

#endif
