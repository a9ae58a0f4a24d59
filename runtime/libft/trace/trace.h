/* trace: a verification (ftrun --verify), seen from a rank: what it writes down of its messages,
 * and the choices it makes in place of chance.
 *
 * self->trace is NULL in every other run, and the callers look at it first: each fast path pays for
 * one comparison. A verification takes no checkpoints, so nothing here is in the image.
 *
 * Every choice is one that MPI permits: which of several sources' messages an anonymous receive or
 * probe meets first, which of the completed requests a completion call names, how long a call
 * takes, when a poll sees what has happened.
 *
 * Thread rule: the thread that calls MPI, inside a wrapper. */
#ifndef FT_TRACE_H
#define FT_TRACE_H

#include "library/library.h"
#include "handle/handle.h"
#include "trace/perturb.h"

/* Opens the trace that BOOT names, if it names one. Panics when it cannot. */
void ft_trace_start(struct ft_rank *self);
/* MPI_Finalize: the trace is complete. */
void ft_trace_end(struct ft_rank *self);

/* A send is about to be posted: waits a little, and writes it down. ft_trace_unsend: it failed. */
void ft_trace_send(struct ft_rank *self, const struct ft_comm *comm, const void *buffer, int count,
                   MPI_Datatype type, int dest, int tag);
void ft_trace_unsend(struct ft_rank *self);

/* A receive is about to be posted: waits a little, writes it down, and answers the source to ask
 * the library for: for an anonymous one sometimes one of those that have a message waiting.
 * *index: names it in ft_trace_match; not 0. */
int ft_trace_recv(struct ft_rank *self, const struct ft_comm *comm, int source, int tag,
                  uint64_t *index);
/* The receive took the message of `status`; cancelled: none; NULL: it could not be posted. */
void ft_trace_match(struct ft_rank *self, const struct ft_comm *comm, uint64_t index,
                    const MPI_Status *status, int cancelled);

/* Is this poll answered "nothing yet" without asking the library? */
int ft_trace_skips(struct ft_rank *self);
/* The source that a probe shall ask for in place of `source`. */
int ft_trace_choose(struct ft_rank *self, const struct ft_comm *comm, int source, int tag);
/* A probe found the message of `status`. matched: the message is received by it (Mprobe). */
void ft_trace_probe(struct ft_rank *self, const struct ft_comm *comm, int source, int tag,
                    const MPI_Status *status, int matched);
/* A call of the program's that looks for a message, and does not wait, has found none. */
void ft_trace_poll(struct ft_rank *self);

/* A completion call with a choice took `taken` requests, the first of them `first`; `hash` tells
 * the indices. taken 0: it found nothing. */
void ft_trace_choice(struct ft_rank *self, int taken, int first, uint64_t hash);
/* Which of `count` (> 0). */
int ft_trace_pick(struct ft_rank *self, int count);
/* Waits a little before a completion call; and, sometimes, long enough that several requests may
 * have completed: answers how many more times to look. */
int ft_trace_linger(struct ft_rank *self);
/* The pause between two such looks. */
void ft_trace_nap(struct ft_rank *self);

/* A collective on comm is entered or posted; root -1: none. The buffer is what this process gives
 * (NULL with count 0: nothing that all programs define). */
void ft_trace_collective_note(struct ft_rank *self, const struct ft_comm *comm, int root,
                              const void *buffer, int64_t count, MPI_Datatype type);
static inline void ft_trace_collective(struct ft_rank *self, const struct ft_comm *comm, int root,
                                       const void *buffer, int64_t count, MPI_Datatype type)
{
    if (ft_unlikely(self->trace != NULL))
        ft_trace_collective_note(self, comm, root, buffer, count, type);
}

#endif
