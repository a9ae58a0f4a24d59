/* streams: the room's own structures. Nobody outside runtime/stream includes this. */
#ifndef FT_STREAMS_H
#define FT_STREAMS_H

#include "stream/numbers.h"
#include "stream/stream.h"

#define uthash_malloc(bytes) ft_image_alloc(bytes)
#define uthash_free(block, bytes) ft_image_free(block)
#include <uthash.h>

#define FT_STREAM_WINDOW 50 /* messages in flight to one rank while they are sent again */

struct ft_stream_key {
    uint64_t comm; /* identity */
    int32_t world; /* the other end */
    int32_t tag;
};

/* One end of a stream. */
struct ft_stream {
    struct ft_stream_key key;
    uint64_t last; /* out: number of the message sent last; in: highest number given to a receive */
    struct ft_numbers have; /* in: received; out: what the receiver had when the epoch began */
    struct ft_numbers safe; /* out: what the receiver has in the oldest checkpoint it may go to */
    uint64_t known;         /* out: highest number that the receiver was ever known to have */
    uint64_t newest;        /* in: order of the latest receive numbered at its completion */
    uint64_t missing;       /* out: messages that wait to be sent again */
    struct ft_comm *comm;   /* out, while missing: held; NULL otherwise */
    int peer;               /* out, while missing: the destination's rank in comm */
    UT_hash_handle hh;
};

/* One message in the log. */
struct ft_entry {
    struct ft_entry *next;    /* sent after it to the same rank */
    struct ft_stream *stream; /* it belongs to */
    uint64_t number;          /* in its stream, from 1 */
    uint64_t bytes;           /* of data */
    char data[];              /* packed */
};

/* What is kept for each rank of the world. */
struct ft_peer {
    struct ft_stream *out, *in;            /* looked up last */
    struct ft_entry *first, *end;          /* the log, in send order */
    struct ft_wire_traffic traffic;        /* logged so far */
    struct ft_entry *again;                /* next to be sent again; NULL: sends are live */
    int flying;                            /* entries of request */
    MPI_Request request[FT_STREAM_WINDOW]; /* being sent again */
};

struct ft_streams {
    struct ft_stream *out, *in; /* uthash tables */
    struct ft_peer *peer;       /* [size] */
    uint64_t order;             /* receives numbered so far */
    uint64_t held;              /* bytes in the log, without its bookkeeping */
};

/* The end of a stream, made when it is not there. */
struct ft_stream *ft_stream_out(struct ft_rank *self, uint64_t comm, int world, int tag);
struct ft_stream *ft_stream_in(struct ft_rank *self, uint64_t comm, int world, int tag);

/* The log has grown by an entry, is about to lose one: counts, for ftrun to see. */
void ft_log_added(struct ft_rank *self, const struct ft_entry *entry);
void ft_log_dropped(struct ft_rank *self, const struct ft_entry *entry);

/* From `entry` on, the first message that the receiver lacks; NULL: none. */
struct ft_entry *ft_replay_next(struct ft_entry *entry);
/* One more message of the stream waits to be sent again on comm. */
void ft_replay_expect(struct ft_rank *self, struct ft_stream *stream, struct ft_comm *comm);
/* Forgets all that waits or is in flight: an epoch is over. Communicators stay held. */
void ft_replay_forget(struct ft_rank *self);
/* Everything missing has been expected: lets go of what is not needed any more, and counts. */
void ft_replay_start(struct ft_rank *self);

#endif
