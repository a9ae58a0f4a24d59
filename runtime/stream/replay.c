/* Sending again what receivers lack, straight from the log's memory, in send order, with at most
 * FT_STREAM_WINDOW messages in flight to a rank: a receiver that was rolled back takes them only as
 * fast as it executes.
 *
 * A destination is in replay while peer->again is set or something is in flight; their number is
 * spbc->replaying, the one word that wait loops look at. */
#include <time.h>

#include "stream/streams.h"

#define PATIENCE 5000000000 /* nanoseconds; ftrun needs some milliseconds */
#define NAP 100000          /* nanoseconds */

struct ft_entry *ft_replay_next(struct ft_entry *entry)
{
    while (entry && ft_numbers_have(&entry->stream->have, entry->number))
        entry = entry->next;
    return entry;
}

/* The rank of world rank `world` among those that comm addresses. */
static int peer_rank(const struct ft_comm *comm, int world)
{
    for (int i = 0; i < comm->peers; i++)
        if (comm->world[i] == world)
            return i;
    ft_panic("rank %d is not in communicator %llx, but messages to it are", world,
             (unsigned long long)comm->id);
}

/* The communicator stays while messages on it wait, although the program frees it meanwhile. */
void ft_replay_expect(struct ft_rank *self, struct ft_stream *stream, struct ft_comm *comm)
{
    stream->missing++;
    if (stream->comm)
        return;
    stream->comm = comm;
    stream->peer = peer_rank(comm, stream->key.world);
    ft_comm_hold(self, comm);
}

static void release(struct ft_rank *self, struct ft_stream *stream)
{
    struct ft_comm *comm = stream->comm;

    stream->comm = NULL;
    ft_comm_release(self, comm);
}

void ft_replay_forget(struct ft_rank *self)
{
    struct ft_streams *streams = self->spbc->streams;
    struct ft_stream *stream, *next;

    self->spbc->replaying = 0;
    for (int i = 0; i < self->size; i++) {
        streams->peer[i].again = NULL;
        streams->peer[i].flying = 0;
    }
    HASH_ITER (hh, streams->out, stream, next)
        stream->missing = 0;
}

void ft_replay_start(struct ft_rank *self)
{
    struct ft_streams *streams = self->spbc->streams;
    struct ft_stream *stream, *next;

    HASH_ITER (hh, streams->out, stream, next)
        if (stream->comm && stream->missing == 0)
            release(self, stream);
    for (int i = 0; i < self->size; i++)
        self->spbc->replaying += streams->peer[i].again != NULL;
    ft_log_debug("stream", "messages are sent again to %u ranks", self->spbc->replaying);
}

/* An error is a receiver's death: what it lacks is found again in the next epoch. */
static void meet(int code)
{
    if (code != MPI_SUCCESS)
        ft_life.torn = 1;
}

/* Takes completed requests out of the window. */
static void window_poll(struct ft_peer *peer)
{
    int index[FT_STREAM_WINDOW], done = 0, kept = 0;
    MPI_Status status[FT_STREAM_WINDOW];

    meet(PMPI_Testsome(peer->flying, peer->request, &done, index, status));
    if (done <= 0)
        return;
    for (int i = 0; i < peer->flying; i++)
        if (peer->request[i] != MPI_REQUEST_NULL)
            peer->request[kept++] = peer->request[i];
    peer->flying = kept;
}

static void send_again(struct ft_rank *self, struct ft_peer *peer)
{
    struct ft_entry *entry = peer->again;
    struct ft_stream *stream = entry->stream;
    MPI_Request *request = &peer->request[peer->flying];
    int code = PMPI_Isend_c(entry->data, (MPI_Count)entry->bytes, MPI_BYTE, stream->peer,
                            stream->key.tag, stream->comm->real, request);

    meet(code);
    peer->flying += code == MPI_SUCCESS;
    if (--stream->missing == 0)
        release(self, stream);
    peer->again = ft_replay_next(entry->next);
}

static void peer_progress(struct ft_rank *self, int world)
{
    struct ft_peer *peer = &self->spbc->streams->peer[world];

    if (!peer->again && !peer->flying)
        return;
    if (peer->flying)
        window_poll(peer);
    while (peer->again && peer->flying < FT_STREAM_WINDOW)
        send_again(self, peer);
    if (!peer->again && !peer->flying)
        self->spbc->replaying--;
}

void ft_streams_progress(struct ft_rank *self)
{
    for (int i = 0; self->spbc->replaying && i < self->size; i++)
        peer_progress(self, i);
}

void ft_streams_mourn(struct ft_rank *self)
{
    struct timespec nap = {.tv_nsec = NAP};

    for (int naps = 0; naps < PATIENCE / NAP; naps++) {
        if (__atomic_load_n(&self->recorder->order, __ATOMIC_RELAXED) != self->order_seen)
            return;
        nanosleep(&nap, NULL);
    }
    ft_panic("the MPI library cannot read or write the memory of another rank, which lives");
}
