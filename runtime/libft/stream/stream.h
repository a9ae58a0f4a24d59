/* stream: what --protocol spbc keeps of the messages between clusters, so that a cluster can roll
 * back alone.
 *
 * A stream is all messages of one (source, destination, communicator, tag), in order. Both ends
 * count it, so no header travels; the sender keeps a copy of each message in its log, in its image.
 * Within an epoch nothing else happens. In a new epoch each receiver tells each sender which
 * messages of each stream it has; the sender resends, in the order of the log, what is missing, and
 * leaves out what it would send a second time.
 *
 * Invariant: a message of another cluster is in the receiver's image (as received) or in the
 * sender's log, at every moment at which an image may be taken. So what the library holds of
 * messages between clusters may be forgotten at any time.
 *
 * Peers are world ranks of other clusters here; messages of the own cluster are no streams. All of
 * it lies in the image; what of a log does not fit into memory, in files that images refer to.
 * Thread rule: single threaded. */
#ifndef FT_STREAM_H
#define FT_STREAM_H

#include "library/library.h"
#include "handle/handle.h"
#include "image/apart.h"
#include "determinant/trail.h"
#include "process.h"

/* Called once at the end of the program's MPI_Init, when self->spbc. */
void ft_streams_start(struct ft_rank *self);
/* In a new epoch, before ft_handles_rebuild: what waited to be resent holds no communicator any
 * more. */
void ft_streams_forget(struct ft_rank *self);
/* In a new epoch, after ft_handles_rebuild and before ft_requests_rebuild: the exchange. Collective
 * over all ranks. Panics when the numbers of a stream cannot be. */
void ft_streams_rebuild(struct ft_rank *self);
/* Sends again what is still missing, as far as the window allows. For wait loops, while
 * self->spbc->replaying; harmless otherwise. */
void ft_streams_progress(struct ft_rank *self);

/* Does the rank repeat what it had done before its cluster rolled back, up to the call in which
 * that was? */
static inline int ft_stream_repeats(const struct ft_rank *self)
{
    const struct ft_recorder *recorder = self->recorder;

    if (ft_likely(!recorder->behind))
        return 0;
    if (!(self->spbc->noted & FT_NOTED_PLACE))
        return self->calls < recorder->behind;
    /* polls at proved sites come less often than before (request/repeat.h) */
    return self->calls - self->polls < recorder->longest || ft_trail_repeats(self);
}

/* Would a send to another cluster be one that the rank made before? Behind the last of them that
 * need not be asked any more. */
static inline int ft_stream_sends_again(struct ft_rank *self)
{
    if (ft_likely(!(self->spbc->noted & FT_NOTED_AGAIN)) || ft_stream_repeats(self))
        return self->spbc->noted & FT_NOTED_AGAIN;
    self->spbc->noted &= ~(uint32_t)FT_NOTED_AGAIN;
    return 0;
}

/* With --adversary: does a message to the own cluster go as late as possible? While the rank
 * repeats what it had done: what other clusters have logged comes first then, also to receives that
 * could take either (Ropars et al., theorem 1). ft_stream_linger waits. */
static inline int ft_stream_lingers(const struct ft_rank *self)
{
    return ft_unlikely(ft_life.boot.adversary) && ft_stream_repeats(self);
}
void ft_stream_linger(struct ft_rank *self);

/* Writes what this rank has sent to each other one into traffic[size]; zeros for the own cluster.
 */
void ft_streams_traffic(const struct ft_rank *self, struct ft_wire_traffic *traffic);
/* Writes to fd which communicators this rank has not freed (ft_census_write), and the receiver's
 * end of all streams: what it has of what was sent to it. For the clone that writes an image: raw
 * calls only. 0 or -errno. */
int ft_streams_write(const struct ft_rank *self, int fd);
/* The other end: fd is what ft_streams_write wrote for world rank `world`, any one, at the
 * oldest checkpoint that it may roll back to. Log entries that it has there are dropped, and
 * what it has freed there is heard (ft_tombs_hear). 0; or -errno (-EBADMSG: damaged), and
 * nothing is done. */
int ft_streams_drop(struct ft_rank *self, int world, int fd);
/* Writes to fd which streams this rank has retired (stones.c). For the same clone. 0 or -errno. */
int ft_streams_write_stones(const struct ft_rank *self, int fd);
/* The receiver's end: fd is what ft_streams_write_stones wrote for world rank `world` at
 * `checkpoint`, the oldest that it may roll back to. 0; or -errno, and nothing is learned. */
int ft_streams_learn(struct ft_rank *self, int world, int32_t checkpoint, int fd);
/* The image of `checkpoint` is about to be taken, and nothing more is dropped or learned before it.
 * Streams are retired. Files of the log that neither it nor an image from `oldest` on needs are
 * removed; oldest: of the own cluster's checkpoints that are kept, -1: none. */
void ft_streams_settle(struct ft_rank *self, int32_t checkpoint, int32_t oldest);
/* Calls visit for the log's memory (ft_apart.each). rank: struct ft_rank. Between
 * ft_streams_settle and the clone nothing may be logged. */
int ft_streams_pages(const void *rank, ft_apart_visit *visit, void *closure);
/* An image is about to be written by this process itself, which does nothing behind it: memory of
 * the log that holds nothing is given up, but what a clone still reads. */
void ft_streams_leave(struct ft_rank *self);
/* Has the log's files on disk. For the clone that writes an image. 0 or -errno. */
int ft_streams_sync(const struct ft_rank *self);
/* Forgets the streams of communicators that all members have freed for good. */
void ft_streams_retire(struct ft_rank *self);

/* The first fault in streams and log, in a few words; NULL: none. At a safe point. */
const char *ft_streams_wrong(const struct ft_rank *self);

/* The library has met a rank that is gone (ft_life.torn): waits until ftrun calls the rank to the
 * gate, or ends it. Panics when neither happens in 5 seconds: that was no death. */
void ft_streams_mourn(struct ft_rank *self);

/* Called by ft_streams_progress while self->spbc->following (request/follow.h). */
extern void (*ft_streams_follow)(struct ft_rank *self);

/* One turn of a wait loop. */
static inline void ft_streams_turn(struct ft_rank *self)
{
    if (ft_unlikely(self->spbc != NULL) && ft_unlikely(self->spbc->replaying))
        ft_streams_progress(self);
}

/* Is `peer`, a rank that messages on comm are sent to or received from, of another cluster? Answers
 * 0 for MPI_PROC_NULL, wildcards and ranks that do not exist. */
static inline int ft_stream_foreign(const struct ft_rank *self, const struct ft_comm *comm,
                                    int peer)
{
    return self->spbc != NULL && (unsigned)peer < (unsigned)comm->peers &&
           self->spbc->foreign[comm->world[peer]];
}

/* A message to another cluster. */
struct ft_message {
    struct ft_comm *comm;
    const void *buffer;
    int count, dest, tag;
    MPI_Datatype type; /* the library's */
    int plain;         /* 1: made by the program, and its data are a run of bytes */
};

/* The sender's end is in stream/quick.h. */

/* Right behind a send whose request the library has not ended: the memory of the log that it
 * sends out of, to be given to ft_stream_returned when it has; NULL: it sends out of the
 * program's. A rank that begins a new epoch gives it back, too. */
void *ft_stream_lent(struct ft_rank *self);
void ft_stream_returned(struct ft_rank *self, void *lent);

/* A hash of the message that was logged last for world rank `world`: its stream and length, and
 * with FT_NOTED_CONTENT its data. Not its number: a retired stream begins anew. Right behind
 * ft_stream_log. */
uint64_t ft_stream_told(const struct ft_rank *self, int world);

/* With --trust, right behind ft_stream_log: keeps the place of the message that was logged last for
 * world rank `world`, and tells it where that rank wants to know (stream/notices.h). */
void ft_stream_placed(struct ft_rank *self, const struct ft_comm *comm, int world);

/* A message in the log that nobody is known to have received, and whose synchronous send is not in
 * the library: the send ends with it. Owned by the caller; NULL: it has ended. */
struct ft_landing;
struct ft_landing *ft_landing_await(struct ft_rank *self, const struct ft_comm *comm, int dest,
                                    int tag, uint64_t number);
int ft_landing_ended(const struct ft_landing *landing);
void ft_landing_release(struct ft_rank *self, struct ft_landing *landing);

/* The receiver's end. A receive that only this stream can answer was posted: its message's number,
 * from 1. */
uint64_t ft_stream_posted(struct ft_rank *self, const struct ft_comm *comm, int source, int tag);
/* A message was received. number: what ft_stream_posted said; 0: it gets the next one. */
void ft_stream_received(struct ft_rank *self, const struct ft_comm *comm, int source, int tag,
                        uint64_t number);
/* A posted receive was cancelled: its number, and all above it, move down by one. The caller moves
 * those of pending receives. */
void ft_stream_withdrawn(struct ft_rank *self, const struct ft_comm *comm, int source, int tag,
                         uint64_t number);

#endif
