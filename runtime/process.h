/* process: the one pointer of the process, and what every wrapper does on entry and exit.
 *
 * ft_self is NULL when the program runs natively (without ftrun); then each wrapper is the native
 * call. Otherwise it points to the rank's own state, which lies in the image (at a fixed address)
 * and rolls back with it. What belongs to this OS process and not to the rank is in ft_life.
 *
 * Thread rule: the program calls MPI from one thread at a time (at most MPI_THREAD_SERIALIZED is
 * granted), so the rooms below take no locks. ft_depth is per thread. */
#ifndef FT_PROCESS_H
#define FT_PROCESS_H

#include <stdint.h>
#include "base/base.h"
#include "ft.h"
#include "recorder/recorder.h"
#include "wire/wire.h"

struct ft_handles;      /* runtime/handle: communicators, datatypes, ... */
struct ft_patterns;     /* runtime/pattern: counts of iterations */
struct ft_trace;        /* runtime/trace: what a verification writes down */
struct ft_requests;     /* runtime/request: requests, messages, drained messages */
struct ft_streams;      /* runtime/stream: streams and logs */
struct ft_said;         /* runtime/stream: what was heard of messages (notices.c) */
struct ft_determinants; /* runtime/determinant: outcomes that are given again */
struct ft_trail;        /* runtime/determinant: what is compared when it is done again */
struct ft_contents;     /* runtime/stream: likewise, the data of messages */
struct ft_libc;         /* runtime/libc */
struct ft_files;        /* runtime/files */
struct ft_os_context;   /* runtime/os */

enum {                       /* what is noted of each message to another cluster */
       FT_NOTED_CONTENT = 1, /* hashes are of its data, too (--check-content) */
       FT_NOTED_PLACE = 2,   /* its pattern and iteration, and a hash of its data (--trust) */
       FT_NOTED_AGAIN = 4    /* the rank may be repeating what it did (ft_stream_sends_again) */
};

/* --protocol spbc: which ranks roll back together, and what the containment of failures needs. */
struct ft_spbc {                /* in the image */
    int32_t clusters, mine;     /* how many there are; this rank's, from 0 */
    int32_t *of;                /* [size] cluster of each world rank */
    uint8_t *foreign;           /* [size] 1: of another cluster: messages are counted and logged */
    struct ft_streams *streams; /* runtime/stream */
    struct ft_determinants *determinants; /* runtime/determinant */
    struct ft_trail *trail;               /* likewise */
    struct ft_contents *contents;         /* runtime/stream */
    uint64_t told;    /* sum of hashes of the messages to other clusters on the lanes */
    uint32_t open;    /* collectives whose end the program has not seen */
    uint32_t devices; /* 1: the program has opened a random device */
    uint32_t noted;   /* FT_NOTED_* */
    uint32_t replaying;  /* ranks that messages of an earlier epoch are still sent to, and 1 more
                            while `hearing` */
    uint32_t identified; /* 1: the rank has gone back, with --trust: who sends to it says the place
                            of the message (stream/notices.h) */
    uint32_t hearing;    /* 1: it listens for that, in this epoch */
    struct ft_said *said; /* what it has heard, by stream */
};

struct ft_rank {                  /* in the image */
    struct ft_recorder *recorder; /* mapped at the same address in every life */
    int32_t rank, size;           /* in MPI_COMM_WORLD */
    uint64_t hooks;               /* hooks executed */
    uint64_t calls;               /* MPI calls entered */
    uint64_t polls;               /* of them, those that are polls */
    uint64_t kill_call;   /* value of calls at which a kill order fires; UINT64_MAX: never; 0: kinds
                             of calls are counted, or may not be made now */
    uint64_t kill_hook;   /* likewise for hooks */
    uint64_t every_hook;  /* next hook that asks for a checkpoint; UINT64_MAX: none */
    uint32_t order_seen;  /* the recorder's order that was answered last */
    int32_t in_callback;  /* > 0: the library calls user code; no safe point */
    int32_t mpi_state;    /* 0 before MPI_Init, 1 initialized, 2 finalized */
    int32_t thread_level; /* granted by MPI_Init_thread */
    double wtime_offset;  /* seconds added to PMPI_Wtime, so that time never goes back */
    uint64_t *sent;       /* [size] messages posted to each world rank since the start */
    uint64_t *received;   /* [size] messages received or drained from each */
    struct ft_handles *handles;
    struct ft_requests *requests;
    struct ft_spbc *spbc;         /* NULL: not that protocol */
    struct ft_trace *trace;       /* of a verification (ftrun --verify), not in the image; or NULL */
    uint32_t mark;                /* FT_SITE before the call that was entered last; 0: none */
    struct ft_patterns *patterns; /* NULL until the first iteration begins */
    struct ft_libc *libc;
    struct ft_files *files;
    struct ft_os_context *context; /* where a restored life continues; on the program's stack */
    int32_t context_depth;         /* ft_depth at that place */
    double wtime_saved;            /* the program's MPI_Wtime when the image was taken */
    double moment_saved;           /* ft_os_now at that time */
};

struct ft_life {              /* of this OS process; not in the image */
    int control;              /* the socket to ftrun */
    struct ft_wire_boot boot; /* what ftrun told at the start */
    int finalizing;           /* FINALIZING was sent */
    int finalize;             /* FINALIZE has arrived */
    int32_t *clusters;        /* [size] cluster of each rank; NULL: not --protocol spbc */
    int torn;                 /* 1: a transfer from a dead rank was answered as if it were done */
    uint64_t lingered;        /* nanoseconds that sends of this life were made later (adversary) */
    int signal;               /* by which ftrun calls a rank that computes; 0: none */
    int interrupted;          /* 1: the rank is at the gate because of it */
};

extern struct ft_rank *ft_self;
extern struct ft_life ft_life;

/* 0: the thread executes program code, and malloc answers from the image; > 0: the MPI library or
 * the runtime. Starts at 1, so threads born inside the library stay inside, and a program that runs
 * natively has libc's malloc. */
extern __thread int ft_depth __attribute__((tls_model("initial-exec")));

/* Memory of the image, whatever the depth: for all state that recovery depends on. Never NULL
 * (panics when the heap is full). Not before the image is in. */
void *ft_image_alloc(size_t bytes); /* zeroed */
void *ft_image_room(size_t bytes);  /* with any content */
void *ft_image_realloc(void *block, size_t bytes);
void ft_image_free(void *block);
/* Likewise whole pages (bytes: a multiple of 4096): fresh and zeroed; given back. */
void *ft_image_pages(size_t bytes);
void ft_image_pages_free(void *pages, size_t bytes);
/* A part of them is about to be written for the first time: costs up to half less than page by page. */
void ft_image_pages_touch(void *pages, size_t bytes);
/* What a part of them holds is of no use for now: it stays in memory, but a clone that writes an
 * image finds zeros there, and leaves them out. Until ft_image_pages_use. */
void ft_image_pages_skip(void *pages, size_t bytes);
void ft_image_pages_use(void *pages, size_t bytes);
/* The same for good and for this process, too: the memory goes, the addresses stay. */
void ft_image_pages_drop(void *pages, size_t bytes);
/* A clone does not get them, so they stay as quick to write as they are; what belongs in an image it
 * reads out of this process (image/apart.h). */
void ft_image_pages_apart(void *pages, size_t bytes);

/* The gate (runtime/checkpoint/gate.c). ft_gate_enter holds the rank at a safe point until ftrun
 * releases it, taking a checkpoint where told. Called from a wait loop, requests may have
 * been completed by the drain when it returns: look at the virtual request, not at the real
 * one. After a restore it returns, too, in the new process, with all real handles made new. */
void ft_gate_enter(struct ft_rank *self, enum ft_waiting waiting);
/* In a wait loop that is no MPI call, on its pass number `pass`: a safe point, which drives the MPI
 * library and the runtime's own collectives, and then lets other processes run; from some passes on
 * it sleeps 50 us. */
void ft_gate_pass(struct ft_rank *self, unsigned pass);
/* ft_gate_enter in a call of libc that returns to `site`, if the program's own code made it, and
 * sending of what others lack; of a rank that has gone back, a turn of collectives, too
 * (ft_outside_point). */
void ft_gate_outside(struct ft_rank *self, const void *site);
/* Before MPI_Init or behind MPI_Finalize: ends the process as MPICH does, unless the call is one of
 * the few that may be made then. */
void ft_outside(struct ft_rank *self);
/* Counts a call of its kind, and carries out the kill orders that are due at it; at a hook. */
void ft_fault_call(struct ft_rank *self);
void ft_fault_hook(struct ft_rank *self);

/* Every wrapper of a call that the runtime carries:
 *     struct ft_rank *self = ft_self;
 *     if (ft_unlikely(!self)) return PMPI_X(...);       // native
 *     ft_enter(self, FT_CALL_MPI_X, __builtin_return_address(0));
 *     ... return ft_leave(self, code);
 * ft_enter is a safe point: the caller's real handles must be looked up after it. */
static inline void ft_enter(struct ft_rank *self, uint32_t call, const void *site)
{
    struct ft_recorder *recorder = self->recorder;

#ifdef FT_SLOW_WRAPPERS /* a slowdown that benchmarks/selftest must find; in no normal build */
    for (int i = 0; i < FT_SLOW_WRAPPERS; i++)
        __asm__ volatile("");
#endif
    ft_depth++;
    recorder->call = call;
    recorder->site = (uint64_t)(uintptr_t)site;
    recorder->calls = ++self->calls;
    self->mark = ft_site;
    ft_site = 0; /* a stale mark must not reach another call */
    recorder->where = FT_WHERE_CALL;
    if (ft_unlikely(self->calls >= self->kill_call))
        ft_fault_call(self);
    if (ft_unlikely(__atomic_load_n(&recorder->order, __ATOMIC_RELAXED) != self->order_seen))
        ft_gate_enter(self, FT_WAITING_NOT);
}

/* The same for polls (Test*, Iprobe, Improbe, Request_get_status): they do not count as progress
 * (ft_progress_of), because how often a program polls differs from run to run. */
static inline void ft_enter_poll(struct ft_rank *self, uint32_t call, const void *site)
{
    self->recorder->polls = ++self->polls;
    ft_enter(self, call, site);
}

static inline int ft_leave(struct ft_rank *self, int code)
{
    self->recorder->where = FT_WHERE_USER;
    ft_depth--;
    return code;
}

/* In every wait loop, between two polls of the library: */
static inline void ft_wait_point(struct ft_rank *self, enum ft_waiting waiting)
{
    if (ft_unlikely(__atomic_load_n(&self->recorder->order, __ATOMIC_RELAXED) != self->order_seen))
        ft_gate_enter(self, waiting);
}

/* In the calls of libc by which a program waits without MPI (a look at a file, a sleep), before
 * they begin: who waits for a file comes to no other safe point, and its maker may be held, or
 * dead, or need messages of an earlier epoch, or this rank's part of a collective, if it has gone
 * back (`behind`). */
static inline void ft_outside_point(const void *site)
{
    struct ft_rank *self = ft_self;
    struct ft_recorder *recorder;

    if (self == NULL || ft_depth != 0 || self->mpi_state != 1 || self->in_callback)
        return;
    recorder = self->recorder;
    if (ft_unlikely(__atomic_load_n(&recorder->order, __ATOMIC_RELAXED) != self->order_seen ||
                    recorder->owing || recorder->behind))
        ft_gate_outside(self, site);
}

/* Around a native call that may block for another rank (blocking collectives, communicator
 * creation): tells ftrun which collective of which communicator the rank is inside. */
static inline void ft_block_begin(struct ft_rank *self, uint64_t comm, uint64_t clock)
{
    self->recorder->block_comm = comm;
    self->recorder->block_clock = clock;
    __atomic_store_n(&self->recorder->where, FT_WHERE_BLOCK, __ATOMIC_RELEASE);
}

static inline void ft_block_end(struct ft_rank *self)
{
    __atomic_store_n(&self->recorder->where, FT_WHERE_CALL, __ATOMIC_RELEASE);
}

/* What calls of MPI inside a function of the program change, and the call around it still needs:
 * errors and outcomes are those of the call that the program made. */
struct ft_upcall {
    int depth;
    uint32_t where, call; /* of the recorder */
    uint64_t site;        /* likewise */
    uint32_t mark;
    unsigned place; /* ft_site */
};

static inline struct ft_upcall ft_upcall_save(const struct ft_rank *self)
{
    const struct ft_recorder *recorder = self->recorder;

    return (struct ft_upcall){ft_depth,       recorder->where, recorder->call,
                              recorder->site, self->mark,      ft_site};
}

static inline void ft_upcall_restore(struct ft_rank *self, struct ft_upcall upcall)
{
    struct ft_recorder *recorder = self->recorder;

    recorder->where = upcall.where;
    recorder->call = upcall.call;
    recorder->site = upcall.site;
    self->mark = upcall.mark;
    ft_site = upcall.place;
    ft_depth = upcall.depth;
}

/* Around a callback into user code from inside the library (operations). How often the library
 * calls it, and in which of the program's calls, differs from run to run: nothing in it is an
 * outcome that is given again. */
static inline struct ft_upcall ft_callback_begin(struct ft_rank *self)
{
    struct ft_upcall upcall = ft_upcall_save(self);

    ft_depth = 0;
    self->in_callback++;
    return upcall;
}

static inline void ft_callback_end(struct ft_rank *self, struct ft_upcall upcall)
{
    self->in_callback--;
    ft_upcall_restore(self, upcall);
}

/* Around a function of the program that a wrapper calls (attribute functions, error handlers). No
 * frame of the library lies below, so calls of MPI in it are safe points: the wrapper may hold no
 * real handle meanwhile. The function may also never return, by a jump. */
static inline struct ft_upcall ft_upcall_begin(struct ft_rank *self)
{
    struct ft_upcall upcall = ft_upcall_save(self);

    self->recorder->where = FT_WHERE_USER;
    ft_depth = 0;
    return upcall;
}

static inline void ft_upcall_end(struct ft_rank *self, struct ft_upcall upcall)
{
    ft_upcall_restore(self, upcall);
}

/* Ends the run with "rank R: CALL at FILE:LINE: reason" (ftrun finds the line from the address). */
_Noreturn void ft_refuse(const char *call, const void *site, const char *reason);

/* Ends the run likewise at the MPI call that was entered last: the rank does not do again what it
 * did before its cluster went back; `what` says in which way. */
_Noreturn void ft_differs(const struct ft_rank *self, const char *what);
/* The same where a belief is wrong (--trust); `what` is all that is said. */
_Noreturn void ft_disbelieve(const struct ft_rank *self, const char *what);

#endif
