/* recorder: a page per rank in a memfd shared with ftrun. Values that the rank stores here survive
 * its SIGKILL; values that ftrun stores here are orders to the rank. With clusters a ring of
 * determinants (determinant/determinant.h) lies behind it, of which ftrun gives the memory back
 * that is needed no more, behind that a ring of marks (determinant/trail.h), and behind that one of
 * hashes of messages (stream/contents.h), and behind that one of phases (stream/phases.h). All
 * fields are written with plain or relaxed stores by exactly one side, so the fast path pays a
 * store and never a system call.
 *
 * This is also a format between two programs of one build: FT_RECORDER_VERSION changes with it. */
#ifndef FT_RECORDER_H
#define FT_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#define FT_RECORDER_VERSION 18
#define FT_RECORDER_BYTES 4096
#define FT_RECORDER_RING ((uint64_t)1 << 24) /* determinants behind the page, with clusters */
#define FT_RECORDER_ENTRY 16                 /* bytes of each */
#define FT_RECORDER_RING_BYTES (FT_RECORDER_RING * FT_RECORDER_ENTRY)
#define FT_RECORDER_TRAIL ((uint64_t)1 << 22) /* marks of 4 bytes behind the determinants */
#define FT_RECORDER_TRAIL_BYTES (FT_RECORDER_TRAIL * 4)
#define FT_RECORDER_CONTENTS ((uint64_t)1 << 22) /* hashes of messages behind the marks */
#define FT_RECORDER_CONTENT 16                   /* bytes of each */
#define FT_RECORDER_CONTENTS_BYTES (FT_RECORDER_CONTENTS * FT_RECORDER_CONTENT)
#define FT_RECORDER_PHASES ((uint64_t)1 << 22) /* of 4 bytes, behind the hashes */
#define FT_RECORDER_RINGS_BYTES                                                                    \
    (FT_RECORDER_RING_BYTES + FT_RECORDER_TRAIL_BYTES + FT_RECORDER_CONTENTS_BYTES +               \
     FT_RECORDER_PHASES * 4)
#define FT_RECORDER_SITES 64  /* a power of two */
#define FT_RECORDER_KINDS 100 /* of calls that are told apart */
#define FT_RECORDER_FAULTS 64 /* orders of a fault plan for a rank */
#define FT_RECORDER_LIBC 1    /* address that stands for what is read outside MPI calls */

enum ft_phase {                       /* where the rank is in its life */
                FT_PHASE_START = 0,   /* before MPI_Init was entered */
                FT_PHASE_RUNNING = 1, /* MPI_Init has returned in this or an earlier life */
                FT_PHASE_FINALIZED =
                    2 /* MPI_Finalize has returned: nobody needs this rank's library */
};

enum ft_where {                    /* what the rank is doing now */
                FT_WHERE_USER = 0, /* the program's own code */
                FT_WHERE_CALL = 1, /* in a wrapper, outside blocking native calls */
                FT_WHERE_BLOCK =
                    2, /* inside a blocking call of the MPI library (block_comm, block_clock) */
                FT_WHERE_GATE = 3 /* held at a safe point */
};

enum ft_interrupt_why {                         /* value of the signal to a rank that computes */
                        FT_INTERRUPT_LEAVE = 1, /* come to the gate: the epoch ends */
                        FT_INTERRUPT_SERVE = 2  /* send on what others lack */
};

struct ft_recorder_site { /* whose outcomes were recorded as determinants */
    uint64_t address;     /* return address of the MPI call; 0: a free entry */
    uint64_t count;       /* of its determinants, in all lives */
};

struct ft_recorder_kind { /* of MPI calls; counted for --call-events alone */
    uint64_t count;       /* calls entered, in all lives */
    uint32_t call;        /* enum ft_call; 0: a free entry */
    uint32_t pad;
};

struct ft_recorder {
    uint32_t version;     /* FT_RECORDER_VERSION, written by ftrun */
    uint32_t phase;       /* enum ft_phase, by the rank */
    uint64_t hooks;       /* hooks executed (logical: rolls back with the image), by the rank */
    uint64_t calls;       /* MPI calls entered (logical), by the rank */
    uint64_t polls;       /* of them, those that are polls (logical), by the rank */
    uint64_t site;        /* return address of the MPI call entered last, by the rank */
    uint32_t call;        /* enum ft_call of that call, by the rank */
    uint32_t where;       /* enum ft_where, by the rank */
    uint64_t block_comm;  /* identity of the communicator of the blocking collective, by the rank */
    uint64_t block_clock; /* and its collective clock, counted including this call, by the rank */
    uint64_t phased;      /* phases written since the start of the job (phases.h), by the rank */
    uint64_t determinants; /* recorded since the start of the job (determinant.h), by the rank */
    uint64_t trail;        /* marks made since the start of the job (trail.h), by the rank */
    uint64_t logged;       /* bytes copied into the log in all lives, by the rank */
    uint64_t log_dropped;  /* bytes taken out of it, likewise */
    uint64_t log_most;     /* the most it had held in memory when it lost something, bytes, by the
                              rank; ft_log_most_of has what it holds now, too */
    uint64_t log_spilled;  /* bytes moved from there to files, in all lives, by the rank */
    uint32_t signal;       /* by which ftrun may call the rank while it computes
                              (checkpoint/interrupt.c); 0: none, by the rank */
    uint32_t owing;        /* ranks that it sends messages of an earlier epoch to, by the rank */
    uint32_t order;        /* generation of the checkpoint order; differs from what the rank has
                              answered: go to the gate at the next safe point. By ftrun, whose
                              fields start a new cache line */
    uint32_t committed;    /* 1 + number of the newest committed checkpoint, 0: none. By ftrun */
    uint64_t determinants_kept; /* those before this one belong to no kept checkpoint. By ftrun */
    uint64_t behind;            /* the most calls that a life before this one has made. By ftrun */
    uint32_t taken;     /* 1 + number of the newest checkpoint of all ranks at one moment whose
                           images are all taken, or which was given up; 0: none. By ftrun */
    uint32_t unsettled; /* 1: ranks that rolled back are not where they were (files/settle.h). By
                           ftrun */
    uint64_t longest;   /* the most of ft_progress_of that a life before this one had. By ftrun */
    uint64_t reached;   /* the same of the lives that the rank repeats; 0 after all ranks rolled
                           back to one moment. By ftrun */
    uint64_t reached_changes; /* ft_changes_of at that place. By ftrun */
    uint64_t pad_line[1];     /* what follows is the rank's own again */
    uint64_t starting;        /* 1: from PMPI_Init_thread on until the runtime has
                               made its own and all old handles in the library, by
                               the rank; ftrun clears it before a life begins */
    uint64_t lacks_site;      /* return address of the oldest trusted receive that is held, */
    uint32_t lacks_pattern;   /* and the place whose message it waits for; 0: there is none */
    uint32_t lacks_iteration;
    uint64_t sites_beyond; /* determinants of sites for which there was no entry */
    uint64_t log_held;     /* bytes of messages in the log's memory, by the rank */
    uint32_t draining;     /* 1: in a drain (request/drain.c), by the rank */
    uint32_t drained;      /* how often something has moved in its drains, by the rank */
    uint64_t changes;      /* the lower half: paths that were changed since an MPI call; the
                              upper half: 1 + ft_progress_of there, by the rank */
    uint32_t believed; /* FT_SITE's number of the call whose outcome was left unrecorded last, in
                          all lives (--trust); 0: none, by the rank */
    uint32_t pad_believed;
    uint64_t contents; /* hashes written since the start of the job (contents.h), by the rank */
    uint64_t spared;   /* receives of proved sites whose outcome was not recorded (logical), by the
                          rank */
    uint64_t trail_from; /* marks before this one are not in the ring: the rank began with an image
                            of its other copy, which was further, by the rank */
    struct ft_recorder_site sites[FT_RECORDER_SITES]; /* hashed by address, by the rank */
    struct ft_recorder_kind kinds[FT_RECORDER_KINDS]; /* in the order of their first calls */
    uint32_t
        fault_met[FT_RECORDER_FAULTS]; /* passes of the point of order i of BOOT, by the rank */
    uint32_t fault_done[FT_RECORDER_FAULTS]; /* how often order i was carried out, by the rank */
};

/* MPI calls entered that are no polls (logical): names a place. */
static inline uint64_t ft_progress_of(const struct ft_recorder *recorder)
{
    return recorder->calls - recorder->polls;
}

/* How many paths the rank has changed since its last MPI call that was no poll: a place between two
 * calls. (How often it looks at paths depends on other ranks.) */
static inline uint32_t ft_changes_of(const struct ft_recorder *recorder)
{
    uint64_t changes = __atomic_load_n(&recorder->changes, __ATOMIC_ACQUIRE);

    return changes >> 32 == (uint32_t)(ft_progress_of(recorder) + 1) ? (uint32_t)changes : 0;
}

/* Has the rank done again what it had done before it rolled back? */
static inline int ft_is_where_it_was(const struct ft_recorder *recorder)
{
    uint64_t progress = ft_progress_of(recorder);

    return progress != recorder->reached ? progress > recorder->reached
                                         : ft_changes_of(recorder) >= recorder->reached_changes;
}

/* The most that the log has ever held in memory, bytes. */
static inline uint64_t ft_log_most_of(const struct ft_recorder *recorder)
{
    return recorder->log_held > recorder->log_most ? recorder->log_held : recorder->log_most;
}

_Static_assert(sizeof(struct ft_recorder) <= FT_RECORDER_BYTES, "one page");
_Static_assert(offsetof(struct ft_recorder, order) == 128 &&
                   offsetof(struct ft_recorder, starting) == 192,
               "ftrun's own cache line");

#endif
