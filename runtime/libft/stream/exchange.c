/* The exchange at the beginning of an epoch.
 *
 * Each rank tells each rank of another cluster what it has of each stream between them, as words
 * of 64 bits: once, 1 + the checkpoint up to which what was retired is not counted (stones.c);
 * then for each stream communicator, tag and the count c of numbers beyond the prefix, prefix,
 * those c numbers. A receiver has nothing of a stream that it does not mention: it was rolled
 * back, or is rolled back to the beginning. The sender compares with its log, and stops the run
 * where the two cannot be of one execution: better no result than a wrong one. */
#include <sched.h>
#include <stdlib.h>

#include "stream/carried.h"
#include "stream/orphans.h"
#include "stream/phases.h"
#include "stream/streams.h"

struct exchange {               /* not in the image */
    int *counts, *places;       /* [size] words to each rank, and where */
    int *in_counts, *in_places; /* [size] words from each rank, and where */
    uint64_t *out, *in;         /* the words */
};

enum { HEARS = 32 }; /* bit of the first word: the receiver hears the places of messages */
enum { FIXED = 3 };  /* words of a stream without its numbers beyond the prefix */

static void *get(size_t count, size_t bytes)
{
    void *block = calloc(count ? count : 1, bytes);

    if (!block)
        ft_panic("out of memory in the exchange of streams");
    return block;
}

static void exchange_create(struct exchange *x, int size)
{
    int *block = get(4 * (size_t)size, sizeof *block);

    *x = (struct exchange){block, block + size, block + 2 * size, block + 3 * size, NULL, NULL};
}

static void exchange_destroy(struct exchange *x)
{
    free(x->counts);
    free(x->out);
    free(x->in);
}

static int words_of(const struct ft_stream *stream)
{
    int tells = stream->have.prefix > stream->base || stream->have.count > 0;

    return tells ? FIXED + (int)stream->have.count : 0;
}

/* Sets where each rank's words begin; answers how many there are. */
static size_t lay_out(const int *counts, int *places, int size)
{
    size_t total = 0;

    for (int i = 0; i < size; i++) {
        places[i] = (int)total;
        total += (size_t)counts[i];
    }
    return total;
}

static void write_stream(uint64_t *to, const struct ft_stream *stream)
{
    if (words_of(stream) == 0)
        return;
    to[0] = stream->key.comm;
    to[1] = (uint64_t)(uint32_t)stream->key.tag << 32 | stream->have.count;
    to[2] = stream->have.prefix - stream->base;
    for (uint32_t i = 0; i < stream->have.count; i++)
        to[FIXED + i] = stream->have.beyond[i] - stream->base;
}

static void write_all(struct ft_rank *self, struct exchange *x)
{
    struct ft_stream *stream, *next;

    for (int i = 0; i < self->size; i++)
        x->counts[i] = self->spbc->foreign[i];
    DL_FOREACH_SAFE (self->spbc->streams->in.first, stream, next)
        x->counts[stream->key.world] += words_of(stream);
    x->out = get(lay_out(x->counts, x->places, self->size), sizeof *x->out);
    for (int i = 0; i < self->size; i++)
        if (self->spbc->foreign[i])
            x->out[x->places[i]++] = (uint64_t)(self->spbc->streams->peer[i].learned + 1) |
                                     (uint64_t)self->spbc->identified << HEARS;
    DL_FOREACH_SAFE (self->spbc->streams->in.first, stream, next) {
        write_stream(x->out + x->places[stream->key.world], stream);
        x->places[stream->key.world] += words_of(stream);
    }
    lay_out(x->counts, x->places, self->size);
}

/* Not by the blocking calls: they never yield, and ranks may be more than cores. */
static void end(int code, MPI_Request *request)
{
    int flag = 0;

    while (code == MPI_SUCCESS && !flag) {
        code = PMPI_Test(request, &flag, MPI_STATUS_IGNORE);
        sched_yield();
    }
    if (code != MPI_SUCCESS)
        ft_panic("the exchange of streams failed with code %d", code);
}

static void talk(struct ft_rank *self, struct exchange *x)
{
    MPI_Comm comm = ft_comm_runtime(self);
    MPI_Request request;

    end(PMPI_Ialltoall(x->counts, 1, MPI_INT, x->in_counts, 1, MPI_INT, comm, &request), &request);
    x->in = get(lay_out(x->in_counts, x->in_places, self->size), sizeof *x->in);
    end(PMPI_Ialltoallv(x->out, x->counts, x->places, MPI_UINT64_T, x->in, x->in_counts,
                        x->in_places, MPI_UINT64_T, comm, &request),
        &request);
}

/* A receiver cannot have what was never sent, unless the sender was rolled back to before it, or
 * has two copies: then the receiver may begin with an image of its other one, which was ahead. */
static void check_known(const struct ft_stream *stream)
{
    uint64_t last = ft_numbers_last(&stream->have);
    uint64_t sent = stream->last > stream->known ? stream->last : stream->known;

    if (last > sent && ft_life.boot.survivor && !ft_life.pair)
        ft_panic("rank %d has message %llu of communicator %llx, tag %d, but only %llu were sent",
                 stream->key.world, (unsigned long long)last, (unsigned long long)stream->key.comm,
                 stream->key.tag, (unsigned long long)sent);
}

/* Every state that the receiver may be in has the retired messages. */
static void check_retired(const struct ft_stream *stream, uint64_t prefix)
{
    if (prefix < stream->owed)
        ft_panic("rank %d has %llu messages of communicator %llx, tag %d, of which it had %llu for "
                 "good",
                 stream->key.world, (unsigned long long)prefix,
                 (unsigned long long)stream->key.comm, stream->key.tag,
                 (unsigned long long)stream->owed);
}

/* The first word: the receiver does not count what was retired up to this checkpoint. */
static void read_learned(struct ft_rank *self, int world, uint64_t word)
{
    int32_t learned = (int32_t)(uint32_t)word - 1;

    self->spbc->streams->peer[world].hears = (uint32_t)(word >> HEARS);
    if (learned > self->spbc->streams->checkpoint)
        ft_panic("it rolls back to before checkpoint %d, after which rank %d has forgotten streams",
                 learned, world);
    ft_stones_owe_all(self, world, learned);
}

static void read_from(struct ft_rank *self, int world, const uint64_t *words, int count)
{
    const uint64_t *end_of = words + count;

    if (count > 0)
        read_learned(self, world, *words++);
    while (words < end_of) {
        uint32_t beyond = (uint32_t)words[1];
        struct ft_stream *stream =
            ft_stream_out(self, words[0], world, (int)(uint32_t)(words[1] >> 32));

        check_retired(stream, words[2]);
        ft_numbers_set(&stream->have, words[2], words + FIXED, beyond);
        ft_numbers_lower(&stream->have, stream->owed);
        stream->owed = 0;
        check_known(stream);
        if (ft_numbers_last(&stream->have) > stream->known)
            stream->known = ft_numbers_last(&stream->have);
        words += FIXED + beyond;
    }
}

static void read_all(struct ft_rank *self, const struct exchange *x)
{
    struct ft_stream *stream, *next;

    DL_FOREACH_SAFE (self->spbc->streams->out.first, stream, next) {
        ft_numbers_set(&stream->have, 0, NULL, 0);
        stream->owed = 0;
        stream->lost = stream->gone;
    }
    for (int i = 0; i < self->size; i++)
        read_from(self, i, x->in + x->in_places[i], x->in_counts[i]);
    DL_FOREACH_SAFE (self->spbc->streams->out.first, stream, next)
        check_retired(stream, 0);
}

static struct ft_comm *comm_find(struct ft_rank *self, const struct ft_stream *stream)
{
    struct ft_comm *comm = stream->comm ? stream->comm : ft_comm_known(self, stream->key.comm);

    if (!comm)
        ft_panic("rank %d lacks messages of communicator %llx, tag %d, which was freed here",
                 stream->key.world, (unsigned long long)stream->key.comm, stream->key.tag);
    return comm;
}

/* `count` messages of the stream are missing. */
static void missing_note(struct ft_rank *self, struct ft_stream *stream, uint64_t count)
{
    struct ft_comm *comm = comm_find(self, stream);

    stream->lost = comm->real == MPI_COMM_NULL && !comm->ahead;
    if (!stream->lost)
        ft_replay_expect(self, stream, comm->ahead ? NULL : comm, count);
}

static void look_through_run(struct ft_rank *self, const struct ft_run *run)
{
    for (uint32_t i = 0; i < run->spans; i++) {
        uint64_t lacks = ft_span_lacks(&run->span[i]);

        if (lacks > 0)
            missing_note(self, run->span[i].stream, lacks);
    }
}

/* Finds what is missing in the log of one destination. */
static void look_through(struct ft_rank *self, struct ft_peer *peer)
{
    for (const struct ft_run *run = peer->run; run; run = run->next)
        look_through_run(self, run);
    for (struct ft_entry *entry = ft_replay_next(peer->first); entry;
         entry = ft_replay_next(entry->next))
        missing_note(self, entry->stream, 1);
    peer->again_run = ft_run_lacking(peer->run);
    peer->again = peer->again_run ? NULL : ft_replay_next(peer->first);
}

/* A message that was sent and is not there must be in the log. */
static void check_log(const struct ft_stream *stream)
{
    uint64_t lacks = stream->last - ft_numbers_until(&stream->have, stream->last);

    if (lacks != stream->missing && !stream->lost)
        ft_panic("rank %d lacks %llu of %llu messages of communicator %llx, tag %d; the log has "
                 "%llu of them",
                 stream->key.world, (unsigned long long)lacks, (unsigned long long)stream->last,
                 (unsigned long long)stream->key.comm, stream->key.tag,
                 (unsigned long long)stream->missing);
}

static uint64_t bytes_held(const struct ft_rank *self)
{
    const struct ft_entry *entry;
    uint64_t bytes = 0;

    for (int i = 0; i < self->size; i++)
        LL_FOREACH (self->spbc->streams->peer[i].first, entry)
            bytes += entry->bytes;
    return bytes;
}

void ft_streams_rebuild(struct ft_rank *self)
{
    struct ft_stream *stream, *next;
    struct exchange x;

    self->recorder->log_held = bytes_held(self); /* it is another life's in a rolled-back rank */
    ft_runs_begin(self);
    ft_log_marks(self);
    ft_replay_forget(self);
    ft_streams_retire(self);
    ft_phases_restore(self);
    ft_carried_start();
    ft_fault_point(FT_POINT_RECOVERY_EXCHANGE, ft_life.boot.epoch);
    exchange_create(&x, self->size);
    write_all(self, &x);
    talk(self, &x);
    read_all(self, &x);
    exchange_destroy(&x);
    for (int i = 0; i < self->size; i++)
        look_through(self, &self->spbc->streams->peer[i]);
    for (int i = 0; i < self->size; i++)
        ft_landings_settle(&self->spbc->streams->peer[i]);
    DL_FOREACH_SAFE (self->spbc->streams->out.first, stream, next)
        check_log(stream);
    ft_replay_start(self);
    if (self->spbc->noted & FT_NOTED_DOUBTED)
        ft_orphans_look(self);
    if (ft_life.boot.adversary)
        ft_streams_progress(self);
}
