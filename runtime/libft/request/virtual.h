/* virtual: the inside of the request room, for its own files and the point-to-point wrappers.
 *
 * A virtual request is what the program waits for; the real one belongs to this epoch and may be
 * gone at any moment that passes the gate: by then the drain has completed the request, or the
 * rebuild has posted it again. So every wait loop looks at `state` after a pause, and at `real`
 * only while the state is FT_REQUEST_ACTIVE.
 *
 * Invariant: the active list holds exactly the requests of the table in state ACTIVE that the
 * library has, in posting order, those on the stack of a blocking call that has met the gate
 * included, the receives that are kept back (overtake.h), and the sends that are awaited;
 * the running list the collectives in state ACTIVE that are made of messages, in starting order;
 * the held list the receives in state ACTIVE that are held back (again.h), in posting order. Those
 * that wait for their cancellation alone are on no list.
 *
 * Functions that answer `int` answer an MPI code, which the wrapper passes through ft_error. */
#ifndef FT_REQUEST_VIRTUAL_H
#define FT_REQUEST_VIRTUAL_H

#include <sched.h>
#include <utlist.h>
#include "pattern/pattern.h"
#include "request/request.h"
#include "stream/stream.h"

enum ft_request_kind {
    FT_REQUEST_SEND,
    FT_REQUEST_RECV,
    FT_REQUEST_COLLECTIVE,
    FT_REQUEST_MESSAGE, /* what Mprobe and Improbe answer: a matched message */
    FT_REQUEST_GENERAL  /* the program ends it (general.h) */
};

enum ft_request_state {
    FT_REQUEST_INACTIVE, /* persistent, not started; or a free entry of the table */
    FT_REQUEST_ACTIVE,   /* the library has it: `real`; or it is on one of the other lists */
    FT_REQUEST_COMPLETE  /* `status` and `code` hold the result, the program has not asked yet */
};

#define FT_GENERAL_CODE (-1) /* of a GENERAL one: its result is asked when it is taken */

enum ft_send_mode { FT_SEND_STANDARD, FT_SEND_SYNCHRONOUS, FT_SEND_BUFFERED };

struct ft_drained; /* a message in the image, see store.h */

struct ft_request {
    MPI_Request real;   /* this epoch's, when ACTIVE */
    MPI_Request handle; /* what the program holds; 0: a blocking call's, on its stack */
    union {
        struct {
            uint8_t kind;  /* enum ft_request_kind */
            uint8_t state; /* enum ft_request_state */
            union {
                struct {
                    uint16_t persistent : 1; /* made by a *_init call */
                    uint16_t detached : 1;   /* nobody will ask: goes back to the table when it
                                                completes */
                    uint16_t cancelling : 1; /* MPI_Cancel was called on this receive */
                    uint16_t matched : 1;    /* a receive of a matched message */
                    uint16_t given : 1;      /* a receive whose outcome is known from the life
                                                before (again.h) */
                    uint16_t unnumbered : 1; /* a receive whose message has no number before its
                                                end */
                    uint16_t kept : 1;       /* a receive that the library has completed is kept
                                                back (overtake.h) */
                    uint16_t withdrawn : 1;  /* a receive that the library completed with a dead
                                                rank's bytes: still pending, posted again in the
                                                next epoch */
                    uint16_t unusual : 1;    /* not of the usual kind (usual.h) */
                    uint16_t awaited : 1;    /* a synchronous send that the library does not have:
                                                one to another cluster ends with its message's
                                                landing (foreign.c), one inside when it is taken
                                                from the store, or with its copy (meeting.h) */
                    uint16_t meeting : 1;    /* one inside that a drain has told of */
                };
                uint16_t special; /* 0: none of them */
            };
        };
        uint32_t sort; /* all three: what usual.h compares in one */
    };
    uint8_t mode;         /* enum ft_send_mode, of a SEND */
    uint8_t foreign;      /* a send to another cluster, or a matched message of one */
    uint8_t counted;      /* this epoch's library has this receive of a rolled-back rank */
    int peer, tag;        /* what was asked, of receives and persistent sends: as the program */
    int count;            /* gave it; elements of type in buffer */
    MPI_Datatype type;    /* the program's handle, held; MPI_DATATYPE_NULL: not described */
    void *buffer;         /* the program's */
    struct ft_comm *comm; /* held */
    uint32_t mark;        /* persistent: the site where it was made */
    uint64_t traced;      /* receive in a verification: its record in the trace; 0: none */
    uint64_t number;      /* of the message in its stream; 0: not known, or of the own cluster. A
                             synchronous send has it while it is ACTIVE; inside the cluster it
                             counts all messages to that rank */
    struct ft_stream *stream; /* of the message, while the receive is usual and has a number */
    uint32_t outcome;         /* a receive's number, by which its end is recorded; 0: it is not */
    uint64_t site;            /* of such a receive: return address of the call that posted it */
    struct ft_pattern_place place; /* of a trusted receive by wildcard; {0, 0}: of others */
    int wanted_peer; /* a persistent receive: as described, when peer and tag are given */
    int wanted_tag;
    struct ft_request *next, *prev; /* active, running or held list; next: free list */
    MPI_Status status;              /* when COMPLETE */
    int code;                       /* when COMPLETE: the result, an MPI code */
    /* Seldom used; zero in a free entry. */
    int charge;                 /* bytes of the attached buffer that this send occupies; < 0: of
                                   `copied` */
    uint32_t met;               /* a synchronous send that is meeting: its number (meeting.h) */
    struct ft_request *partner; /* must be complete, too; owned. Isendrecv: the send. A matched
                                   message of another cluster: what fetches it into drained */
    struct ft_drained *drained; /* MESSAGE: its content, when it is in the image; owned */
    MPI_Message message;        /* MESSAGE: this epoch's, when drained is NULL */
    struct ft_restart *restart; /* a persistent collective: what it starts; owned. Its partner is
                                   the collective that was started last */
    void *keep;                 /* freed at completion (ft_image_free); of a receive: its message
                                   comes here, and is unpacked then (packed.h) */
    void (*done)(struct ft_rank *, void *); /* called at completion */
    void *argument;                         /* of done, and of advance */
    /* COLLECTIVE made of messages: carries it on, and calls ft_request_ran at its end. A receive
     * that is held back, a send that is awaited: somebody waits for it. NULL: the library has it.
     */
    void (*advance)(struct ft_rank *, struct ft_request *);
};

struct ft_restart { /* owned by a request */
    int (*start)(const void *given, MPI_Request *request);
    void *given;   /* owned */
    MPI_Comm comm; /* of its own, so that ranks may start several in different orders */
    void (*drop)(struct ft_rank *, MPI_Comm); /* frees it */
    int count;                                /* handles held: datatypes and operations */
    uint32_t handle[];                        /* their bits */
};

struct ft_batch {                /* scratch of the calls that look at many requests */
    int count, room;             /* entries in use, entries allocated */
    struct ft_request **request; /* [count] the active ones */
    MPI_Request *real;           /* [count] their real handles */
    int *index;                  /* [count] for PMPI_Testsome */
    MPI_Status *status;          /* [count] for PMPI_Testsome */
};

struct ft_requests {
    uint32_t drained_count;      /* messages in the drained store */
    unsigned polls;              /* tests and probes that found nothing */
    uint32_t capacity;           /* entries of table, all of them allocated */
    struct ft_request **table;   /* by index */
    struct ft_request *free;     /* entries not in use */
    struct ft_request active;    /* see the invariant; the list's head: a ring through next and
                                    prev, which a request leaves without a look at its place */
    struct ft_request *running;  /* likewise */
    struct ft_request *held;     /* receives in state ACTIVE that the library does not have */
    struct ft_request *messages; /* matched messages not received yet */
    struct ft_drained *drained;  /* the drained store, in order of arrival */
    struct ft_batch batch;
    uint32_t detached, detached_limit; /* detached requests in the active list; when to look */
    uint32_t unnumbered;               /* receives that are, and are not held */
    uint32_t kept;                     /* receives that are kept back, and awaited sends */
    void *buffer;                      /* of MPI_Buffer_attach; the program's */
    int buffer_size, buffer_used;      /* bytes */
    int64_t copied;    /* bytes of messages that were resent and wait for their receives */
    struct ft_probed { /* a probe by wildcard found a message, and left it */
        const struct ft_comm *comm;
        uint64_t call;      /* self->calls at the probe; the next call may take the message */
        int asked, source;  /* MPI_ANY_SOURCE or a rank; whose it is */
        int asked_tag, tag; /* likewise */
    } probed;
    uint32_t meetings; /* numbers given to synchronous sends that a drain took (meeting.h) */
};

/* Handles are 0x3GIIIIII: a generation of 4 bits against stale handles, an index of 24. The top two
 * bits of an MPICH handle say its kind, and 00 is its "invalid". */
#define FT_REQUEST_TOP 3u
#define FT_REQUEST_INDEX 0xffffffu

/* One entry for all sends that the library has taken at once and that nobody has to describe; it
 * is COMPLETE for ever, as the library itself has one for them (ft_send_done). */
#define FT_REQUEST_SENT ft_handle_of(MPI_Request, FT_REQUEST_TOP << 28)

/* The request of a handle, or NULL: not one of ours (MPI_REQUEST_NULL, stale, foreign). */
static inline struct ft_request *ft_request_find(struct ft_rank *self, MPI_Request handle)
{
    struct ft_requests *requests = self->requests;
    uint32_t index = ft_handle_bits(handle) & FT_REQUEST_INDEX;
    struct ft_request *request;

    if (ft_unlikely(index >= requests->capacity))
        return NULL;
    request = requests->table[index];
    return request->handle == handle ? request : NULL;
}

/* A blocking call's own request, on its stack. Members that are not set here are set where they
 * are used. */
static inline void ft_request_begin(struct ft_request *request, enum ft_request_kind kind,
                                    struct ft_comm *comm, const void *buffer, int count,
                                    MPI_Datatype type, int peer, int tag)
{
    request->real = MPI_REQUEST_NULL;
    request->handle = 0;
    request->kind = (uint8_t)kind;
    request->state = FT_REQUEST_INACTIVE;
    request->mode = FT_SEND_STANDARD;
    request->foreign = 0;
    request->special = 0;
    request->unusual = 1;
    request->peer = peer;
    request->tag = tag;
    request->count = count;
    request->type = type;
    request->buffer = (void *)(uintptr_t)buffer;
    request->comm = comm;
    request->traced = request->number = 0;
    request->outcome = 0;
    request->charge = 0;
    request->partner = NULL;
    request->drained = NULL;
    request->keep = NULL;
    request->done = NULL;
    request->argument = NULL;
    request->advance = NULL;
}

/* Makes free entries. */
void ft_requests_grow(struct ft_requests *requests);
static inline struct ft_request *ft_request_free_one(struct ft_rank *self)
{
    struct ft_requests *requests = self->requests;
    struct ft_request *request;

    if (ft_unlikely(!requests->free))
        ft_requests_grow(requests);
    request = requests->free;
    requests->free = request->next;
    return request;
}
/* A new entry of the table, INACTIVE, with comm held. Never NULL. */
static inline struct ft_request *ft_request_create(struct ft_rank *self, enum ft_request_kind kind,
                                                   struct ft_comm *comm)
{
    struct ft_request *request = ft_request_free_one(self);

    request->kind = (uint8_t)kind;
    request->state = FT_REQUEST_INACTIVE;
    request->mode = FT_SEND_STANDARD;
    request->foreign = 0;
    request->special = 0;
    request->unusual = 1;
    request->outcome = 0;
    request->number = 0;
    request->type = MPI_DATATYPE_NULL;
    request->traced = 0;
    request->comm = comm;
    if (ft_unlikely(kind == FT_REQUEST_COLLECTIVE) && self->spbc)
        self->spbc->open++;
    if (ft_unlikely(comm->handle != MPI_COMM_WORLD))
        ft_comm_hold(self, comm);
    return request;
}

/* A persistent collective has ended, and was taken: what was started goes. */
void ft_request_ended(struct ft_rank *self, struct ft_request *request);
/* Frees all that an entry holds or owns. */
void ft_request_release(struct ft_rank *self, struct ft_request *request);
/* An entry changes its generation when it is freed, so a stale handle finds nothing (until 16
 * reuses later). */
static inline MPI_Request ft_request_handle(uint32_t index)
{
    return ft_handle_of(MPI_Request, FT_REQUEST_TOP << 28 | index);
}
static inline MPI_Request ft_request_handle_next(MPI_Request handle)
{
    return ft_handle_of(MPI_Request, FT_REQUEST_TOP << 28 |
                                         ((ft_handle_bits(handle) + (1u << 24)) & 0x0fffffffu));
}
/* An entry that holds and owns nothing any more is free. */
static inline void ft_request_give_back(struct ft_rank *self, struct ft_request *request)
{
    request->handle = ft_request_handle_next(request->handle);
    LL_PREPEND(self->requests->free, request);
}
/* Gives an entry back that is not ACTIVE, with all it owns. The one of FT_REQUEST_SENT stays. */
static inline void ft_request_destroy(struct ft_rank *self, struct ft_request *request)
{
    if (ft_unlikely(((uintptr_t)request->partner | (uintptr_t)request->drained |
                     (uintptr_t)request->restart) != 0) ||
        ft_unlikely(ft_handle_bits(request->type) >> 24 == FT_TYPE_BYTE) ||
        ft_unlikely(request->kind == FT_REQUEST_COLLECTIVE) ||
        ft_unlikely(request->comm->handle != MPI_COMM_WORLD))
        ft_request_release(self, request);
    if (request->handle != FT_REQUEST_SENT)
        ft_request_give_back(self, request);
}
/* Fills in what was asked, and holds the datatype. */
static inline void ft_request_describe(struct ft_rank *self, struct ft_request *request,
                                       const void *buffer, int count, MPI_Datatype type, int peer,
                                       int tag)
{
    request->buffer = (void *)(uintptr_t)buffer;
    request->count = count;
    request->peer = peer;
    request->tag = tag;
    request->type = type;
    if (ft_unlikely(ft_handle_bits(type) >> 24 == FT_TYPE_BYTE))
        ft_type_hold(self, type);
}

/* Posts an INACTIVE request as described: then it is ACTIVE, or COMPLETE when the library, the
 * drained store or the attached buffer answered at once. A failed call leaves it INACTIVE. */
int ft_send_post(struct ft_rank *self, struct ft_request *request);
int ft_recv_post(struct ft_rank *self, struct ft_request *request);
/* The part of it that asks the drained store and the library, without any record. */
int ft_recv_native(struct ft_rank *self, struct ft_request *request);

/* The handle that the library shares among all sends that are complete when Isend returns, or
 * MPI_REQUEST_NULL when it has no such; learned at the start of each life. Such a request needs
 * neither test nor free, which spares half the cost of a small message. */
extern MPI_Request ft_send_done;
void ft_send_done_learn(void);

/* Do posts and completions of this rank take the long way, by requests? (One branch for both.) */
static inline int ft_rank_watched(const struct ft_rank *self)
{
    return ((uintptr_t)self->trace | (uintptr_t)self->spbc) != 0;
}

/* The active list. */
static inline void ft_active_append(struct ft_requests *requests, struct ft_request *request)
{
    struct ft_request *head = &requests->active, *last = head->prev;

    request->next = head;
    request->prev = last;
    last->next = request;
    head->prev = request;
}
static inline void ft_active_delete(struct ft_request *request)
{
    request->next->prev = request->prev;
    request->prev->next = request->next;
}
#define FT_ACTIVE_FOREACH(requests, request)                                                       \
    for ((request) = (requests)->active.next; (request) != &(requests)->active;                    \
         (request) = (request)->next)
/* `request` may leave the list meanwhile. */
#define FT_ACTIVE_FOREACH_SAFE(requests, request, following)                                       \
    for ((request) = (requests)->active.next, (following) = (request)->next;                       \
         (request) != &(requests)->active; (request) = (following), (following) = (request)->next)

/* Puts a request that was just given to the library into state and list. */
static inline void ft_request_activate(struct ft_rank *self, struct ft_request *request)
{
    request->state = FT_REQUEST_ACTIVE;
    ft_active_append(self->requests, request);
}

/* The library has completed an ACTIVE request with `code`: counts it, lets go of what it kept,
 * takes it off the list, and destroys it when it is detached. */
void ft_request_complete(struct ft_rank *self, struct ft_request *request, int code);
/* The same, its status being there, unless a death was at work, or it must not be seen yet: then it
 * stays ACTIVE. */
void ft_request_end(struct ft_rank *self, struct ft_request *request, int code);
/* Ends a request that the library can never complete, because of a dead process (--ulfm): the
 * runtime asks the library about the request no more, and `code` is the request's result. */
void ft_request_fail(struct ft_rank *self, struct ft_request *request, int code);
/* Asks the library about one ACTIVE request. */
void ft_request_poll(struct ft_rank *self, struct ft_request *request);
/* Waits until an ACTIVE request is complete, passing the gate where asked. */
void ft_request_wait(struct ft_rank *self, struct ft_request *request);
/* An INACTIVE collective is carried on by `advance` from here on. */
void ft_request_run(struct ft_rank *self, struct ft_request *request,
                    void (*advance)(struct ft_rank *, struct ft_request *), void *argument);
/* It has come to its end with `code`. */
void ft_request_ran(struct ft_rank *self, struct ft_request *request, int code);
/* Carries all running collectives on. Answers how many came to their end. */
int ft_running_advance(struct ft_rank *self);
/* In each wait loop and each poll of the program, waits for files included: others may wait for
 * this rank's part of a collective, or for what it has to resend. Both are with --protocol spbc
 * alone. */
static inline void ft_running_turn(struct ft_rank *self)
{
    if (ft_likely(self->spbc == NULL))
        return;
    if (ft_unlikely(self->requests->running != NULL))
        ft_running_advance(self);
    ft_streams_turn(self);
}
/* Lets a request complete on its own; what is not complete goes on in the background. */
void ft_request_detach(struct ft_rank *self, struct ft_request *request);

/* The result of a COMPLETE one, its partner's included; MPI_SUCCESS for an INACTIVE one. */
static inline int ft_request_result(const struct ft_request *request)
{
    if (request->state != FT_REQUEST_COMPLETE)
        return MPI_SUCCESS;
    if (ft_unlikely(request->partner != NULL) && request->code == MPI_SUCCESS)
        return request->partner->code;
    return request->code;
}

/* The end of a completion call with a request that it does not have to wait for: writes the
 * status (MPI_STATUS_IGNORE allowed) without MPI_ERROR; a persistent request is INACTIVE then,
 * any other is destroyed and its handle null. Answers the result. */
int ft_request_take(struct ft_rank *self, struct ft_request *request, MPI_Request *handle,
                    MPI_Status *status);

/* Will a completion call take it? */
static inline int ft_request_ready(const struct ft_request *request)
{
    return request->state == FT_REQUEST_COMPLETE &&
           (!request->partner || request->partner->state == FT_REQUEST_COMPLETE);
}

/* Does a completion call have to wait for it? */
static inline int ft_request_pending(const struct ft_request *request)
{
    return request->state == FT_REQUEST_ACTIVE ||
           (request->partner && request->partner->state == FT_REQUEST_ACTIVE);
}

/* Fills the batch with the ACTIVE ones among n handles; to be repeated after each gate. */
void ft_batch_fill(struct ft_rank *self, int n, const MPI_Request handles[]);
/* Asks the library about all of the batch. Answers how many completed (they leave the batch). */
int ft_batch_poll(struct ft_rank *self);

/* A wait loop yields the processor after this many fruitless polls (a power of two, minus one):
 * often when there are more ranks than cores, seldom otherwise (image writers need a core, too). */
extern unsigned ft_spin_mask;
void ft_spin_tune(const struct ft_rank *self);

/* Is the rank asked to come to the gate? */
static inline int ft_wait_due(const struct ft_rank *self)
{
    return __atomic_load_n(&self->recorder->order, __ATOMIC_RELAXED) != self->order_seen;
}

static inline void ft_wait_spin(unsigned *polls)
{
    if (ft_unlikely((++*polls & ft_spin_mask) == 0))
        sched_yield();
}

/* PMPI_Test for a request that may have ended already. MPICH's turns the progress engine before it
 * looks, PMPI_Testany only where nothing has ended: a receive whose message waits takes 54 ns with
 * it, and 67 with PMPI_Test. */
static inline int ft_library_look(MPI_Request *real, int *flag, MPI_Status *status)
{
    int index;

    return PMPI_Testany(1, real, &index, flag, status);
}

/* The end of a test or probe that does not wait. A program that polls in a loop must let others
 * run, too. */
static inline void ft_poll_end(struct ft_rank *self, int flag)
{
    if (!flag)
        ft_wait_spin(&self->requests->polls);
}

/* One turn of a wait loop. Answers 1 when the rank was at the gate. */
static inline int ft_wait_pause(struct ft_rank *self, unsigned *polls)
{
    ft_wait_spin(polls);
    ft_running_turn(self);
    if (ft_likely(!ft_wait_due(self)))
        return 0;
    ft_wait_point(self, FT_WAITING_MESSAGE);
    return 1;
}

/* A cancelled receive has taken no message. Only one that the program cancelled can be one. */
static inline int ft_request_cancelled(const struct ft_request *request)
{
    int cancelled = 0;

    if (ft_unlikely(request->cancelling))
        PMPI_Test_cancelled(&request->status, &cancelled);
    return cancelled;
}

/* Counts a message that a receive has taken; source as the status says. */
static inline void ft_count_received(struct ft_rank *self, const struct ft_comm *comm, int source)
{
    if (ft_likely(source >= 0))
        self->received[comm->world[source]]++;
}

static inline void ft_count_sent(struct ft_rank *self, const struct ft_comm *comm, int peer)
{
    if (ft_likely(peer >= 0))
        self->sent[comm->world[peer]]++;
}

/* In place of a send's handle: the library does not have it, and it has not ended. */
#define FT_SEND_AWAITED ((MPI_Request)0)

/* The native call of a send; type and comm are the library's. */
static inline int ft_send_library(enum ft_send_mode mode, const void *buffer, int count,
                                  MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                                  MPI_Request *real)
{
    if (ft_unlikely(mode == FT_SEND_SYNCHRONOUS))
        return PMPI_Issend(buffer, count, type, dest, tag, comm, real);
    return PMPI_Isend(buffer, count, type, dest, tag, comm, real);
}

/* Gives a send that the library has just accepted as request->real its state. */
static inline void ft_send_begun(struct ft_rank *self, struct ft_request *request)
{
    if (ft_likely(request->real == ft_send_done)) {
        request->code = MPI_SUCCESS;
        request->state = FT_REQUEST_COMPLETE;
    } else {
        ft_request_activate(self, request);
    }
}

/* The same, and counts it. */
static inline void ft_send_accepted(struct ft_rank *self, struct ft_request *request, int peer)
{
    ft_count_sent(self, request->comm, peer);
    ft_send_begun(self, request);
    if (ft_unlikely(request->state == FT_REQUEST_ACTIVE) && request->mode == FT_SEND_SYNCHRONOUS &&
        peer >= 0)
        request->number = self->sent[request->comm->world[peer]];
}

#endif
