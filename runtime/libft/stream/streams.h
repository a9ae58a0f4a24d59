/* streams: the room's own structures. Nobody outside runtime/libft/stream includes this,
 * but by quick.h. */
#ifndef FT_STREAMS_H
#define FT_STREAMS_H

#include <stddef.h>
#include <utlist.h>
#include "pattern/pattern.h"
#include "stream/numbers.h"
#include "stream/stream.h"

#define FT_STREAM_ASKED 50   /* requests of messages resent that are asked about at a time */
#define FT_STREAM_RECENT 512 /* ends that are found without a search; a power of two */
#define FT_SEGMENT_BITS 24
#define FT_SEGMENTS (1u << FT_SEGMENT_BITS) /* of a log, at most */

struct ft_stream_key {
    uint64_t comm; /* identity */
    int32_t world; /* the other end */
    int32_t tag;
};

/* One end of a stream. The members that a message needs stand first, in 64 bytes: with many
 * streams that take turns each is a miss of the cache. */
struct ft_stream {
    struct ft_stream_key key;
    struct ft_stream *chain; /* made before it, with the same place in the table */
    uint64_t last; /* out: number of the message sent last; in: highest number given to a receive */
    uint64_t known;         /* out: highest number that the receiver was ever known to have */
    struct ft_numbers have; /* in: received; out: what the receiver had when the epoch began */
    struct ft_numbers safe; /* out: what the receiver has in the oldest checkpoint it may go to */
    uint64_t missing;       /* out: messages that wait to be resent */
    struct ft_comm *comm;   /* out, while missing: held; NULL otherwise, and for one that is ahead:
                               its turn comes in another epoch */
    struct ft_places *places; /* out, with --trust: of its messages; owned, NULL: none has any */
    int peer;                 /* out, while missing: the destination's rank in comm */
    uint32_t span;            /* out: its latest one in the run that is being written */
    uint32_t spans;           /* out: in files */
    uint8_t lost; /* out: all members have freed the communicator; nobody will receive what
                     has not been */
    uint8_t gone; /* nobody will ever speak of it again: goes with the next sweep */
    union {
        uint64_t base;            /* in: so many of its messages were retired, and are not told */
        struct ft_places *phases; /* out, with --protocol hydee: of its messages (phases.h), as
                                     `pattern`; owned, NULL: there were none */
    };
    uint64_t owed; /* out, while a receiver's counts are read: so many of them were */
    struct ft_stream *prev, *next; /* made before and after it; prev of the first: the last */
};
_Static_assert(offsetof(struct ft_stream, safe) == 64, "what a message needs stands first");
/* 160 is a size of the allocator; the table has up to 24 bytes more for each, while it grows. */
_Static_assert(sizeof(struct ft_stream) + 24 <= 200, "a live stream takes less than 200 bytes");

/* One kind of ends, by key (table.c). */
struct ft_stream_table {
    struct ft_stream *first;  /* all, in the order of their making (utlist) */
    struct ft_stream **place; /* [1 << bits] chains; owned; NULL: there was no stream yet */
    uint32_t count, bits;
};

/* The patterns and iterations in which messages of a stream were sent. */
struct ft_places {
    uint32_t count, room; /* entries in use, allocated */
    struct {
        uint64_t first; /* from this number on */
        struct ft_pattern_place place;
    } at[]; /* by number; before the first: {0, 0} */
};

/* One message in the log, in memory. */
struct ft_entry {
    struct ft_entry *next;    /* sent after it to the same rank */
    struct ft_stream *stream; /* it belongs to */
    uint64_t number;          /* in its stream, from 1 */
    union {
        struct {
            uint64_t bytes : 64 - FT_SEGMENT_BITS; /* of data */
            uint64_t segment : FT_SEGMENT_BITS;    /* number of the one that it lies in */
        };
        uint64_t extent; /* both, to be set at once */
    };
    char data[]; /* packed */
};

/* Pages that entries to one rank lie in, one behind the other (segments.c). */
struct ft_segment {
    char *data;              /* the pages, owned; NULL: a spare record */
    uint64_t bytes;          /* of them */
    uint64_t used;           /* bytes handed out since it was empty */
    uint64_t ready;          /* bytes that are in memory, as far as is known */
    uint64_t entries;        /* in use, and `lent` */
    uint64_t lent;           /* messages that the library sends out of it */
    uint32_t number;         /* place in the table */
    uint8_t current;         /* 1: the newest entries of a rank go here */
    uint8_t imaged;          /* 1: it had entries when the latest image was taken */
    struct ft_segment *next; /* free, held: freed before it; spare: any */
};

struct ft_segments {
    struct ft_segment **table; /* [count] all; owned */
    uint32_t count;
    struct ft_segment *free;    /* without entries, latest first */
    struct ft_segment *held;    /* the same, but the image that is being written needs them */
    struct ft_segment *spare;   /* records without pages */
    uint64_t mapped, idle;      /* bytes of all, of the free ones */
    uint64_t most, most_before; /* bytes in use at most, since the last checkpoint, and between it
                                   and the one before */
};

/* A stream that was retired, as long as the receiver may roll back to where it does not know. */
struct ft_stone {
    uint64_t comm;
    int32_t tag;
    int32_t checkpoint; /* the first without the stream */
    uint64_t count;     /* messages that were sent on it */
};

/* Messages of the log that lie in a file (spill.c), in send order. */
struct ft_run {
    struct ft_run *next; /* sent after it to the same rank; or dropped before it */
    uint64_t file;       /* its name */
    uint64_t length;     /* bytes of it */
    uint64_t checksum;   /* XXH3-64 of it */
    uint64_t bytes;      /* of the messages */
    int32_t gone;        /* dropped: the first checkpoint without it; -1: the next one */
    uint32_t spans;      /* entries of span */
    struct ft_span {     /* consecutive numbers of one stream */
        struct ft_stream *stream;
        uint64_t first, count;
    } * span; /* owned */
};

/* A run's file while its messages are resent; not in the image. */
struct ft_page {
    char *data;  /* owned */
    uint64_t at; /* of the message that comes next */
    int flying;  /* of its messages */
    int left;    /* the last one was sent */
};

/* See stream.h. It is on the list of its receiver until it has ended. */
struct ft_landing {
    struct ft_stream *stream; /* of the message; NULL: it has ended */
    uint64_t number;          /* in it */
    struct ft_landing *prev, *next;
};

/* A message that is being resent. Where its data lie: one of the two is set. */
struct ft_flight {
    struct ft_entry *entry;
    struct ft_page *page;
    int spilled; /* the entry is in a file by now, and freed when it has landed */
    const struct ft_stream *stream;
    uint64_t number; /* of the message in its stream */
};

/* The state kept for each rank of the world. */
struct ft_peer {
    struct ft_entry *again;         /* next to be resent, when it is in memory */
    struct ft_run *again_run;       /* when it is in a file; both NULL: sends are live */
    struct ft_segment *segment;     /* the newest entries go here; NULL: none yet */
    struct ft_entry *first, *end;   /* the log: what is in memory, in send order, */
    uint64_t memory;                /* bytes of these entries, bookkeeping included */
    uint64_t most, most_before;     /* of them before they were shortened, since the last checkpoint
                                       and between it and the one before */
    uint64_t expected;              /* of them until the next checkpoint */
    struct ft_wire_traffic traffic; /* logged so far */
    struct ft_run *run, *run_end;   /* and before it what is in files, likewise */
    uint64_t again_at;              /* where in again_run's file what comes next begins */
    struct ft_page *page;           /* that file, once it was read */
    struct ft_stone *stone;         /* [stones] of messages to it; owned */
    uint32_t stones, stone_room;    /* in use, allocated */
    uint32_t hears;                 /* it hears the places of messages (stream/notices.h) */
    int32_t learned;                /* its checkpoint whose stones are in `base`; -1 */
    int flying, room;               /* entries of request and flight: in use, allocated */
    int window;                     /* so many at most; 0: as the order says, and `passed` */
    int passed;                     /* the most that a receive left out to meet a later one */
    uint32_t plain;                 /* sent without asking whether a receive has met them */
    double full;                    /* when nothing more was let in, by ft_os_now; 0: it is open */
    struct ft_landing *landings;    /* that are awaited, in send order (utlist) */
    MPI_Request *request;           /* [room] being resent; owned */
    struct ft_flight *flight;       /* [room]; owned */
};

struct ft_streams {
    struct ft_stream_table out, in;
    struct ft_stream *recent_out[FT_STREAM_RECENT], *recent_in[FT_STREAM_RECENT]; /* stream.c */
    struct ft_stream nobody; /* in them where none is remembered: no message has its key */
    struct ft_segments segments;
    struct ft_segment *lending; /* that the library sends the message out of which was given to it
                                   last, and has no request yet; NULL: none */
    struct ft_peer *peer;       /* [size] */
    uint64_t memory;            /* bytes of messages in the log, with the bookkeeping */
    uint64_t alarm;             /* of memory: ft_log_alarm is called; UINT64_MAX: never */
    uint64_t ask, spill;        /* of memory: checkpoints are asked for, a run is written */
    int asked;                  /* they were, since the log was shortened last */
    int full;                   /* it was said that no run can be written */
    int32_t checkpoint;         /* the latest in which streams were retired; -1: none */
    uint64_t files;             /* the next run's name */
    struct ft_run *dropped;     /* kept checkpoints may still need their files */
};

/* An end, or NULL. */
struct ft_stream *ft_stream_known(const struct ft_stream_table *table, uint64_t comm, int world,
                                  int tag);
/* The same, made when it is not there. */
struct ft_stream *ft_stream_find(struct ft_stream_table *table, uint64_t comm, int world, int tag);
/* Takes it out of its table, and does not free it. */
void ft_stream_remove(struct ft_stream_table *table, struct ft_stream *stream);

/* Where an end is remembered. Tags that follow each other do not meet. */
static inline uint32_t ft_recent_place(uint64_t comm, int world, int tag)
{
    return ((uint32_t)comm * 193 + (uint32_t)world * 67 + (uint32_t)tag) & (FT_STREAM_RECENT - 1);
}

/* Many streams take turns in programs. */
static inline struct ft_stream *ft_stream_get(struct ft_stream **recent,
                                              struct ft_stream_table *table, uint64_t comm,
                                              int world, int tag)
{
    struct ft_stream **place = &recent[ft_recent_place(comm, world, tag)], *stream = *place;

    if (ft_likely(stream->key.comm == comm) && ft_likely(stream->key.world == world) &&
        ft_likely(stream->key.tag == tag))
        return stream;
    return *place = ft_stream_find(table, comm, world, tag);
}

/* The end of a stream, made when it is not there. */
static inline struct ft_stream *ft_stream_out(struct ft_rank *self, uint64_t comm, int world,
                                              int tag)
{
    struct ft_streams *streams = self->spbc->streams;

    return ft_stream_get(streams->recent_out, &streams->out, comm, world, tag);
}
static inline struct ft_stream *ft_stream_in(struct ft_rank *self, uint64_t comm, int world,
                                             int tag)
{
    struct ft_streams *streams = self->spbc->streams;

    return ft_stream_get(streams->recent_in, &streams->in, comm, world, tag);
}
/* From message `number` on they have this place; those up to `safe` are asked for no more. */
void ft_places_note(struct ft_places **all, uint64_t safe, uint64_t number,
                    struct ft_pattern_place place);
/* That of a message; {0, 0}: none is known. NULL is let pass. */
struct ft_pattern_place ft_places_find(const struct ft_places *places, uint64_t number);
/* The place of one of its messages that is in the log. */
struct ft_pattern_place ft_stream_place(const struct ft_stream *stream, uint64_t number);
/* Takes it out of its table, and frees it. */
void ft_stream_destroy(struct ft_rank *self, struct ft_stream_table *table,
                       struct ft_stream *stream);

/* Bytes of a segment that an entry with `bytes` of data takes. */
static inline uint64_t ft_entry_room(uint64_t bytes)
{
    return (sizeof(struct ft_entry) + bytes + 7) & ~(uint64_t)7;
}

/* Has `room` bytes ready behind peer->segment->used. */
void ft_segment_turn(struct ft_rank *self, struct ft_peer *peer, uint64_t room);

#define FT_ENTRY_LONG 4096 /* bytes of data that begin at a cache line, for the copy's sake */

/* An entry for `bytes` of data to this rank, on no list: its stream and number are the caller's to
 * set. Never NULL. */
static inline struct ft_entry *ft_entry_alloc(struct ft_rank *self, struct ft_peer *peer,
                                              uint64_t bytes)
{
    uint64_t room = ft_entry_room(bytes), pad = 0;
    struct ft_segment *segment = peer->segment;
    struct ft_entry *entry;

    if (ft_unlikely(!segment || segment->ready - segment->used < room + 64)) {
        ft_segment_turn(self, peer, room + 64);
        segment = peer->segment;
    }
    if (ft_unlikely(bytes >= FT_ENTRY_LONG))
        pad = -(segment->used + sizeof *entry) & 63;
    entry = (struct ft_entry *)(segment->data + segment->used + pad);
    segment->used += room + pad;
    segment->entries++;
    entry->next = NULL;
    entry->extent = bytes | (uint64_t)segment->number << (64 - FT_SEGMENT_BITS);
    return entry;
}

/* Takes one back that is on no list any more. Its data stay where they are while it is lent. */
void ft_entry_free(struct ft_rank *self, struct ft_entry *entry);
/* The library sends the entry's data from where they are: streams->lending. */
void ft_entry_lend(struct ft_rank *self, const struct ft_entry *entry);
/* The entry that was made last has less data than it was made for. */
void ft_entry_cut(struct ft_rank *self, struct ft_entry *entry, uint64_t bytes);
/* The image of a checkpoint is about to be taken by a clone. Nobody reads any more what was
 * written of the one before. */
void ft_segments_settle(struct ft_rank *self);
/* In a new epoch: nothing else is in memory than what the image held, and no clone reads it. */
void ft_segments_begin(struct ft_rank *self);

/* Takes the entries that go out of one destination's log, of which nothing is being resent. */
void ft_log_sweep(struct ft_rank *self, struct ft_peer *peer, int (*goes)(const struct ft_entry *));
/* The memory of the log is about to lose an entry. */
void ft_log_shrunk(struct ft_rank *self, const struct ft_entry *entry);
/* The log's memory has reached `alarm`: asks for checkpoints, writes a run, and sets it anew. */
void ft_log_alarm(struct ft_rank *self);
/* Sets the marks of the log's memory, after it was shortened and at the beginning of a life. */
void ft_log_marks(struct ft_rank *self);

/* Moves the oldest messages to one rank, `room` bytes or a little more, from memory to a file.
 * 0; or -errno, and nothing has changed. */
int ft_run_write(struct ft_rank *self, struct ft_peer *peer, uint64_t room);
/* How many messages of the span the receiver lacks, and may still want; the first of `run` and
 * those behind it of which it lacks any (NULL: none). */
uint64_t ft_span_lacks(const struct ft_span *span);
struct ft_run *ft_run_lacking(struct ft_run *run);
/* Its content, from malloc. Panics when it is not what was written. */
char *ft_run_read(const struct ft_run *run);
/* The message at `at` in a content: answers its data. */
const char *ft_run_message(const struct ft_run *run, const char *content, uint64_t at,
                           struct ft_stream **stream, uint64_t *number, uint64_t *bytes);
/* Takes the runs out of one destination's log of which no recovery needs anything. */
void ft_runs_drop(struct ft_rank *self, struct ft_peer *peer);
/* At the beginning of a life: files that were written after its image are removed. */
void ft_runs_begin(struct ft_rank *self);

/* Retires what can be, in the image of `checkpoint` and from then on. */
void ft_stones_lay(struct ft_rank *self, int32_t checkpoint);
/* Takes out the stones to one rank that `goes` says so of. */
void ft_stones_drop(struct ft_peer *peer, int (*goes)(const void *context, const struct ft_stone *),
                    const void *context);
/* The receiver has learned of stones up to this checkpoint, in all states that it may go to. */
void ft_stones_forget(struct ft_peer *peer, int32_t learned);
/* Sets what each stream owes that `world` counts as if nothing had been retired; 0: nothing. */
void ft_stones_owe(struct ft_rank *self, int world, int owed);
/* The same for a receiver that knows of stones up to `learned`; makes streams that are not there.
 */
void ft_stones_owe_all(struct ft_rank *self, int world, int32_t learned);

/* Are messages to this rank in the queue behind others that are resent? */
static inline int ft_peer_waits(const struct ft_peer *peer)
{
    return peer->again || peer->again_run;
}

/* That of a message, NULL: nobody waits for it. */
struct ft_landing *ft_landing_find(const struct ft_peer *peer, const struct ft_stream *stream,
                                   uint64_t number);
/* The message has met its receive. */
void ft_landing_meet(struct ft_peer *peer, const struct ft_stream *stream, uint64_t number);
/* In a new epoch, when it is known what its receiver has. */
void ft_landings_settle(struct ft_peer *peer);
/* The stream is destroyed: the receiver has all of it, or nobody will ask for it. */
void ft_landings_forget(struct ft_peer *peer, const struct ft_stream *stream);

/* From `entry` on, the first message that the receiver lacks; NULL: none. */
struct ft_entry *ft_replay_next(struct ft_entry *entry);
/* `count` more messages of the stream wait to be resent on comm; NULL: not in this epoch. */
void ft_replay_expect(struct ft_rank *self, struct ft_stream *stream, struct ft_comm *comm,
                      uint64_t count);
/* The entry, the log's last and the expected one of its stream, is to be sent from there. */
void ft_replay_add(struct ft_rank *self, struct ft_peer *peer, struct ft_entry *entry);
/* The entry is in a file now. Answers 1 when it is being sent, and freed behind that; else 0. */
int ft_replay_keeps(struct ft_peer *peer, const struct ft_entry *entry);
/* Forgets all that waits or is in flight: an epoch is over. Communicators stay held. */
void ft_replay_forget(struct ft_rank *self);
/* Everything missing has been expected: lets go of what is not needed any more, and counts. */
void ft_replay_start(struct ft_rank *self);

#endif
