/* direct: a blocking receive without a request, as long as nobody else has to know of it.
 *
 * With --protocol spbc it fits where the message has its number at the posting, and the wait for it
 * has nothing else to do: a named source and tag, a basic datatype; nothing is given again or
 * resent (a rank that listens counts as one that sends: notices.h), no collective is under way, no
 * earlier receive could take its message. Elsewhere a named source and a basic datatype will do. It
 * becomes a request on the stack where it meets the gate or a death; until then it counts, compares
 * and records what a request would. Between the posting and the wait the rank may send, and passes
 * no gate.
 *
 * The request was a good third of the 970 instructions that an 8-byte receive took more than a
 * native one (benchmarks/run --only instructions). Functions that answer `int` answer an MPI
 * code. */
#ifndef FT_REQUEST_DIRECT_H
#define FT_REQUEST_DIRECT_H

#include "determinant/determinant.h"
#include "determinant/trail.h"
#include "request/virtual.h"
#include "stream/quick.h"

struct ft_direct {
    struct ft_comm *comm;
    void *buffer;
    int count, source, tag;
    MPI_Datatype type;
    MPI_Request real;
    struct ft_stream *stream; /* of its message; NULL: of the own cluster */
    uint64_t number;          /* of it in the stream; 0: likewise */
};

/* A copy that follows (request/follow.h) gives a named receive to the library unless one is held
 * back, which may become free while this one waits. */
static inline int ft_direct_follows(const struct ft_rank *self)
{
    return self->spbc->following && self->requests->held == NULL;
}

static inline int ft_direct_fits(const struct ft_rank *self, MPI_Datatype type, int source, int tag)
{
    const struct ft_requests *requests = self->requests;
    const struct ft_spbc *spbc = self->spbc;

    return spbc != NULL && !self->trace && source >= 0 && tag >= 0 &&
           ft_library_type_is_basic(type) &&
           (requests->unnumbered | requests->kept | requests->drained_count | spbc->resending) ==
               0 &&
           requests->running == NULL &&
           (!ft_determinants_replay(spbc->determinants) || ft_direct_follows(self));
}

/* For a rank without --protocol spbc and --verify. */
static inline int ft_direct_fits_unwatched(const struct ft_rank *self, MPI_Datatype type,
                                           int source)
{
    return source >= 0 && ft_library_type_is_basic(type) && !self->requests->drained_count;
}

/* Posts the receive that *direct describes. */
static inline int ft_direct_post(struct ft_rank *self, struct ft_direct *direct)
{
    const struct ft_comm *comm = direct->comm;
    int code;

    if (ft_likely(self->spbc != NULL) && !ft_comm_is_lanes(comm))
        ft_trail_call(self, comm->id, direct->source, direct->tag, direct->count, direct->type);
    code = PMPI_Irecv(direct->buffer, direct->count, direct->type, direct->source, direct->tag,
                      comm->real, &direct->real);
    if (ft_unlikely(code != MPI_SUCCESS))
        return code;
    direct->stream = NULL;
    direct->number = 0;
    if (ft_stream_foreign(self, comm, direct->source)) {
        direct->stream = ft_stream_post(self, comm, direct->source, direct->tag);
        direct->number = direct->stream->last;
    }
    return MPI_SUCCESS;
}

/* It becomes *request, which is ACTIVE. The status of one that has ended is *status. */
void ft_direct_request(struct ft_rank *self, const struct ft_direct *direct,
                       struct ft_request *request, const MPI_Status *status);
/* The rest of the wait, as a request. ended: the library has completed it with `code`. */
int ft_direct_slowly(struct ft_rank *self, const struct ft_direct *direct, int ended, int code,
                     MPI_Status *status);

/* Waits for it; MPI_STATUS_IGNORE is let pass. */
FT_INLINE int ft_direct_wait(struct ft_rank *self, struct ft_direct *direct, MPI_Status *status)
{
    unsigned polls = 0;
    int flag = 0;
    int code = ft_library_look(&direct->real, &flag, status);

    for (;;) {
        if (ft_unlikely(code != MPI_SUCCESS) || ft_unlikely(ft_life.torn && flag))
            return ft_direct_slowly(self, direct, 1, code, status);
        if (ft_likely(flag))
            break;
        if (ft_unlikely(ft_wait_due(self)))
            return ft_direct_slowly(self, direct, 0, code, status);
        ft_wait_spin(&polls);
        code = PMPI_Test(&direct->real, &flag, status);
    }
    if (direct->stream)
        ft_stream_take(direct->stream, direct->number);
    else
        ft_count_received(self, direct->comm, direct->source);
    return MPI_SUCCESS;
}

#endif
