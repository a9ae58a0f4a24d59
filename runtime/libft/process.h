/* process: the one pointer of the process, and what every wrapper does on entry and exit.
 *
 * ft_self is NULL when the program runs natively (without ftrun); then each wrapper is the native
 * call. Otherwise it points to the rank's own state, which lies in the image (at a fixed address)
 * and rolls back with it. State of this OS process that is not the rank's is in ft_life.
 *
 * Thread rule: one thread at a time is in a wrapper, so the rooms below take no locks. The program
 * sees to that itself, unless it was given MPI_THREAD_MULTIPLE: then a wrapper takes a lock, and
 * lets others have it between two polls of a wait, and in a blocking call of the library. ft_depth
 * is per thread. */
#ifndef FT_PROCESS_H
#define FT_PROCESS_H

#include <stdint.h>
#include "base/base.h"
#include "ft.h"
#include "points/points.h"
#include "recorder/pair.h"
#include "recorder/recorder.h"
#include "wire/wire.h"

struct ft_marks;        /* runtime/shared/protocol */
struct ft_phases;       /* likewise */
struct ft_logged;       /* likewise */
struct ft_handles;      /* runtime/libft/handle: communicators, datatypes, ... */
struct ft_patterns;     /* runtime/libft/pattern: counts of iterations */
struct ft_trace;        /* runtime/libft/trace: what a verification writes down */
struct ft_requests;     /* runtime/libft/request: requests, messages, drained messages */
struct ft_streams;      /* runtime/libft/stream: streams and logs */
struct ft_phased;       /* runtime/libft/stream: phases of messages (phases.h) */
struct ft_said;         /* runtime/libft/stream: what was heard of messages (notices.c) */
struct ft_determinants; /* runtime/libft/determinant: outcomes that are given again */
struct ft_trail;        /* runtime/libft/determinant: what is compared when it is done again */
struct ft_contents;     /* runtime/libft/stream: likewise, the data of messages */
struct ft_libc;         /* runtime/libft/libc */
struct ft_files;        /* runtime/libft/files */
struct ft_io;           /* runtime/libft/io: open files of MPI-IO */
struct ft_windows;      /* runtime/libft/window: windows of one-sided communication */
struct ft_os_context;   /* runtime/libft/os */

enum {                       /* what is noted of each message to another cluster */
       FT_NOTED_CONTENT = 1, /* hashes are of its data, too (--check-content) */
       FT_NOTED_PLACE = 2,   /* its pattern and iteration, and a hash of its data (--trust) */
       FT_NOTED_PHASE = 8,   /* its phase (--protocol hydee) */
       FT_NOTED_MARK = 16,   /* others may not have taken the images that it has (stream/marks.h) */
       FT_NOTED_LOGGED = 32, /* it waits for ftrun's copy of outcomes (determinant/logged.h), or
                                carries them (stream/carried.h) */
       FT_NOTED_DOUBTED = 64, /* CLEAR is to be sent (stream/orphans.h) */
       FT_NOTED_AGAIN = 4     /* the rank may be repeating what it did (ft_stream_sends_again) */
};

/* --protocol spbc: which ranks roll back together, and what the containment of failures needs. */
struct ft_spbc {                /* in the image */
    int32_t clusters, mine;     /* how many there are; this rank's, from 0 */
    int32_t *of;                /* [size] cluster of each world rank */
    uint8_t *foreign;           /* [size] 1: of another cluster: messages are counted and logged */
    struct ft_streams *streams; /* runtime/libft/stream */
    struct ft_determinants *determinants; /* runtime/libft/determinant */
    struct ft_trail *trail;               /* likewise */
    struct ft_contents *contents;         /* runtime/libft/stream */
    uint64_t told;       /* sum of hashes of the messages to other clusters on the lanes */
    uint32_t open;       /* collectives whose end the program has not seen */
    uint32_t devices;    /* 1: the program has opened a random device */
    uint32_t noted;      /* FT_NOTED_* */
    uint32_t replaying;  /* ranks that messages of an earlier epoch are still sent to, and 1 more
                            while `hearing`, and while `following`; with --ulfm: 1: a failure or
                            revocation is known */
    uint32_t resending;  /* the same without `following`: what sends and receives ask */
    uint32_t identified; /* 1: the rank has rolled back, or its team of copies has lost one, with
                            --trust: its senders say the place of each message
                            (stream/notices.h) */
    uint32_t hearing;    /* 1: it listens for that, in this epoch */
    uint32_t following;  /* 1: the rank's other copy decides outcomes (request/follow.h) */
    struct ft_phased *phased; /* runtime/libft/stream/phases.h; NULL: not --protocol hydee */
    struct ft_said *said;     /* what it has heard, by stream */
    struct ft_ulfm *ulfm;     /* runtime/libft/handle/failure.h; NULL: not --ulfm */
};

struct ft_rank {                  /* in the image */
    struct ft_recorder *recorder; /* mapped at the same address in every life */
    int32_t rank, size;           /* in MPI_COMM_WORLD */
    uint64_t hooks;               /* hooks executed */
    uint64_t calls;               /* MPI calls entered */
    uint64_t polls;               /* of them, those that are polls */
    uint64_t fault_call;  /* value of calls at which a fault is injected; UINT64_MAX: never; 0: each
                             call is looked at (fault/fault.h) */
    uint64_t fault_hook;  /* likewise for hooks */
    uint64_t every_hook;  /* next hook that asks for a checkpoint; UINT64_MAX: none */
    uint32_t order_seen;  /* the recorder's order that was answered last */
    uint32_t order_never; /* MPI_THREAD_MULTIPLE: a bit that order_seen has and no order, so that
                             each safe point asks ft_gate_enter; otherwise 0 */
    uint32_t lock_times;  /* likewise: how often main has taken the lock, in an image */
    int32_t in_callback;  /* > 0: the library calls user code; no safe point */
    int32_t mpi_state;    /* 0 before MPI_Init, 1 initialized, 2 finalized */
    int32_t thread_level; /* granted by MPI_Init_thread */
    double wtime_offset;  /* seconds added to PMPI_Wtime, so that time never rolls back */
    uint64_t *sent;       /* [size] messages posted to each world rank since the start */
    uint64_t *received;   /* [size] messages received or drained from each */
    struct ft_handles *handles;
    struct ft_requests *requests;
    struct ft_spbc *spbc;   /* NULL: not that protocol */
    struct ft_trace *trace; /* of a verification (ftrun --verify), not in the image; or NULL */
    uint32_t mark;          /* FT_SITE before the call that was entered last; 0: none */
    struct ft_patterns *patterns; /* NULL until the first iteration begins */
    struct ft_libc *libc;
    struct ft_files *files;
    struct ft_io *io;              /* NULL until the first call of MPI-IO */
    struct ft_windows *windows;    /* NULL until there is one */
    struct ft_os_context *context; /* where a restored life continues; on the program's stack */
    int32_t context_depth;         /* ft_depth at that place */
    uint64_t acts;                 /* changes of files of a rank with two copies (request/act.c) */
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
    int torn_pid;             /* with --ulfm: the process of that transfer; 0: its death is known */
    uint64_t lingered;        /* nanoseconds that sends of this life were made later (adversary) */
    int native;               /* 1: --protocol none: ft_self stays NULL (start/native.h) */
    int signal;               /* by which ftrun calls a rank that computes; 0: none */
    int interrupted;          /* 1: the rank is at the gate because of it */
    struct ft_marks *marks;   /* of all ranks (protocol/marks.h); NULL: another protocol */
    struct ft_phases *phases; /* of all clusters (protocol/phases.h); NULL: not --protocol hydee */
    struct ft_logged *logged; /* of this node's ranks (protocol/logged.h); NULL: one machine, or
                                 another protocol */
    void (*heed)(struct ft_rank *self, int world); /* a message of that rank, of another cluster,
                                                      was received; NULL: nobody heeds it */
    struct ft_pair *pair; /* what it shares with the rank's other copy; NULL: there is none */
    uint64_t *changes;    /* of files, begun by each rank's leader; likewise */
    const struct ft_recorder *twin; /* the other copy's, with its rings; likewise */
};

#define FT_ORDER_NEVER ((uint32_t)1 << 31) /* orders are counted from 0 */

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
/* A part of them is about to be written for the first time: costs up to half less than page by
 * page. */
void ft_image_pages_touch(void *pages, size_t bytes);
/* Effect: the content of some of them is of no use for now: it stays in memory, but a clone that
 * writes an image finds zeros there, and leaves them out. Until ft_image_pages_use. */
void ft_image_pages_skip(void *pages, size_t bytes);
void ft_image_pages_use(void *pages, size_t bytes);
/* The same for good and for this process, too: the memory goes, the addresses stay. */
void ft_image_pages_drop(void *pages, size_t bytes);
/* A clone does not get them, so they stay as quick to write as they are; what belongs in an image
 * it reads out of this process (image/apart.h). */
void ft_image_pages_apart(void *pages, size_t bytes);

/* The gate (runtime/libft/checkpoint/gate.c). ft_gate_enter holds the rank at a safe point until
 * ftrun releases it, taking a checkpoint where told. Called from a wait loop, requests may have
 * been completed by the drain when it returns: look at the virtual request, not at the real
 * one. After a restore it returns, too, in the new process, with all real handles made new. */
void ft_gate_enter(struct ft_rank *self, enum ft_waiting waiting);
/* In a wait loop that is no MPI call, on its pass number `pass`: a safe point, which drives the MPI
 * library and the runtime's own collectives, and then lets other processes run; from some passes on
 * it sleeps 50 us. */
void ft_gate_pass(struct ft_rank *self, unsigned pass);
/* ft_gate_enter in a call of libc that returns to `site`, if the program's own code made it, and
 * sending of what others lack; of a rank that has rolled back, a turn of collectives, too
 * (ft_outside_point). */
void ft_gate_outside(struct ft_rank *self, const void *site);
/* A change of files by a rank with two copies (ftrun --replicas; request/act.c): the copy that
 * leads makes it, and the other one takes its outcome. */
struct ft_act {
    int64_t result; /* of the call */
    int64_t offset; /* of the descriptor behind it */
    int64_t error;  /* errno */
};
enum ft_act_part {
    FT_ACT_TAKEN, /* *act is the outcome */
    FT_ACT_MINE,  /* this copy makes the change, and then notes its outcome */
    FT_ACT_DOUBT  /* likewise; a copy that has died began it, and may have made it */
};
/* Waits until both copies have come to this change. Safe points lie in the wait, unless MPI is
 * finalized. Thread rule: the thread that calls MPI, outside of callbacks. */
enum ft_act_part ft_act_meet(struct ft_rank *self, struct ft_act *act);
/* This copy is about to make the change of a file that is there, or not, and has `size` bytes. */
void ft_act_begin(struct ft_rank *self, int64_t there, int64_t size);
void ft_act_note(struct ft_rank *self, const struct ft_act *act);
/* The return address of the program's own call, where `site` lies in libmpichfort: the first frame
 * outside of it. Otherwise, and where the stack cannot be unwound, `site`. (start/fortran.c) */
const void *ft_fortran_caller(const void *site);
/* Before MPI_Init or after MPI_Finalize: ends the process as MPICH does, unless the call is one
 * of the few that may be made then. */
void ft_outside(struct ft_rank *self);
/* Sends ftrun a message without a payload, and waits for ALIVE; the second one only waits. Other
 * messages of ftrun are let go meanwhile: they are for a rank that is about to end. Thread rule:
 * the thread that calls MPI. (process/ask.c) */
void ft_ask(uint32_t question);
void ft_await_answer(void);
/* Injects the faults that are due (fault/fault.c): at the call that was entered; inside of it, or
 * behind it; at a hook; at a point of the runtime. */
void ft_fault_call(struct ft_rank *self);
void ft_fault_moment(struct ft_rank *self, enum ft_moment moment);
void ft_fault_hook(struct ft_rank *self);
uint32_t ft_fault_meet(enum ft_point point, int64_t argument);

extern uint8_t ft_fault_armed[FT_POINTS]; /* 1: an order names the point */
enum {                                    /* bits of ft_fault_pending */
       FT_PENDING_FAULT = 1,              /* an order waits inside of this call, or for its end */
       FT_PENDING_THREADS = 2             /* MPI_THREAD_MULTIPLE */
};

extern uint8_t ft_fault_pending;

/* A point of the runtime. Answers FT_FAULT_FULL or FT_FAULT_CORRUPT when the caller is to act as if
 * that had happened, else 0. */
static inline uint32_t ft_fault_point(enum ft_point point, int64_t argument)
{
    return ft_unlikely(ft_fault_armed[point]) ? ft_fault_meet(point, argument) : 0;
}

/* Notes the call that is entered, in the recorder and the rank. */
static inline void ft_enter_note(struct ft_rank *self, uint32_t call, const void *site,
                                 unsigned mark)
{
    struct ft_recorder *recorder = self->recorder;

    recorder->call = call;
    recorder->site = (uint64_t)(uintptr_t)site;
    recorder->calls = ++self->calls;
    self->mark = mark;
    recorder->where = FT_WHERE_CALL;
}

/* The slow way of ft_enter, ft_leave, ft_block_begin and ft_block_end, where a fault is due, waits
 * for its moment, or the program has MPI_THREAD_MULTIPLE (fault/slow.c). */
void ft_enter_slowly(struct ft_rank *self, uint32_t call, const void *site, int poll);
void ft_leave_slowly(struct ft_rank *self);
void ft_block_slowly(struct ft_rank *self);
void ft_unblock_slowly(struct ft_rank *self);
/* In a wait: threads that wait for the lock have it first. */
void ft_threads_pause(struct ft_rank *self);

/* The lock (process/threads.c). A thread may take it several times. */
void ft_threads_take(void);
void ft_threads_give(void);
/* Gives it away, however often it was taken, and has it again as often. */
uint32_t ft_threads_leave(void);
void ft_threads_return(uint32_t had);
void ft_threads_turn(void);
uint32_t ft_threads_times(void);
/* In a new life: the calling thread has it as often as the image says. */
void ft_threads_again(uint32_t had);

/* Every wrapper of a call that the runtime carries:
 *     struct ft_rank *self = ft_self;
 *     if (ft_unlikely(!self)) return PMPI_X(...);       // native
 *     ft_enter(self, FT_CALL_MPI_X, __builtin_return_address(0));
 *     ... return ft_leave(self, code);
 * ft_enter is a safe point: the caller's real handles must be looked up after it. */
static inline void ft_enter_as(struct ft_rank *self, uint32_t call, const void *site, int poll)
{
#ifdef FT_SLOW_WRAPPERS /* a slowdown that benchmarks/selftest must find; in no normal build */
    for (int i = 0; i < FT_SLOW_WRAPPERS; i++)
        __asm__ volatile("");
#endif
    if (ft_unlikely(self->calls + 1 >= self->fault_call)) {
        ft_enter_slowly(self, call, site, poll);
        return;
    }
    ft_depth++;
    if (poll)
        self->recorder->polls = ++self->polls;
    ft_enter_note(self, call, site, ft_site);
    ft_site = 0; /* a stale mark must not reach another call */
    if (ft_unlikely(__atomic_load_n(&self->recorder->order, __ATOMIC_RELAXED) != self->order_seen))
        ft_gate_enter(self, FT_WAITING_NOT);
}

static inline void ft_enter(struct ft_rank *self, uint32_t call, const void *site)
{
    ft_enter_as(self, call, site, 0);
}

/* The same for polls (Test*, Iprobe, Improbe, Request_get_status): they do not count as progress
 * (ft_progress_of), because how often a program polls differs from run to run. */
static inline void ft_enter_poll(struct ft_rank *self, uint32_t call, const void *site)
{
    ft_enter_as(self, call, site, 1);
}

static inline int ft_leave(struct ft_rank *self, int code)
{
    if (ft_unlikely(ft_fault_pending)) {
        ft_leave_slowly(self);
        return code;
    }
    self->recorder->where = FT_WHERE_USER;
    ft_depth--;
    return code;
}

/* In every wait loop, between two polls of the library: */
static inline void ft_wait_point(struct ft_rank *self, enum ft_waiting waiting)
{
    if (ft_unlikely(ft_fault_pending & FT_PENDING_FAULT))
        ft_fault_moment(self, FT_MOMENT_INSIDE);
    if (ft_unlikely(__atomic_load_n(&self->recorder->order, __ATOMIC_RELAXED) != self->order_seen))
        ft_gate_enter(self, waiting);
}

/* In the calls of libc by which a program waits without MPI (a look at a file, a sleep), before
 * they begin: who waits for a file comes to no other safe point, and its maker may be held, or
 * dead, or need messages of an earlier epoch, or this rank's part of a collective, if it has
 * rolled back (`behind`). */
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
    if (ft_unlikely(ft_fault_pending))
        ft_block_slowly(self);
}

static inline void ft_block_end(struct ft_rank *self)
{
    if (ft_unlikely(ft_fault_pending)) /* two instructions of a call that waits for other ranks */
        ft_unblock_slowly(self);
    __atomic_store_n(&self->recorder->where, FT_WHERE_CALL, __ATOMIC_RELEASE);
}

/* State that calls of MPI inside a function of the program change, and the call around it still
 * needs: errors and outcomes are those of the call that the program made. */
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
    __atomic_fetch_add(&self->in_callback, 1,
                       __ATOMIC_RELAXED); /* in a blocking call no lock is held */
    return upcall;
}

static inline void ft_callback_end(struct ft_rank *self, struct ft_upcall upcall)
{
    __atomic_fetch_sub(&self->in_callback, 1, __ATOMIC_RELAXED);
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

/* Ends the run likewise at the MPI call that was entered last: the rank does not do again what
 * it did before its cluster rolled back; `what` says in which way. */
_Noreturn void ft_differs(const struct ft_rank *self, const char *what);
/* The same where a belief is wrong (--trust); `what` is all that is said. */
_Noreturn void ft_disbelieve(const struct ft_rank *self, const char *what);

#endif
