/* Sending again what receivers lack, straight from the log's memory or from a file of it that was
 * read, in send order, with at most a window of messages on their way to a rank: a receiver that
 * was rolled back takes them only as fast as it executes, and the library searches all that nobody
 * has asked for yet at each receive. So they are synchronous, but for the first window of them:
 * they end when a receive has met them. A receiver may want a late one first: while it takes
 * nothing, the window grows. It may pass over again as many as it has passed over once, so as many
 * more may go from then on: a program that does so in every step would find the queue never empty
 * otherwise.
 *
 * A synchronous one goes only when UCX has asked the receiver for its end of the connection, and
 * the sender has taken the answer. A rank that has left its call of MPI, and waits by other means
 * for what the receiver does next, would never take it. So a first window of messages to each rank
 * is not; but those whose send has to wait for their receive are (landing.c).
 *
 * Messages in flight stay where they are: an entry that goes to a file meanwhile, and a file's
 * content, are freed when they have landed. A message for a communicator that is ahead stops the
 * queue until the next epoch: its birth is a meeting, so whatever was sent behind it was received
 * behind it.
 *
 * A destination is in replay while ft_peer_waits or something is in flight; their number is
 * spbc->replaying, the one word that wait loops look at. */
#include <stdlib.h>
#include <time.h>

#include "os/os.h"
#include "stream/notices.h"
#include "stream/marks.h"
#include "stream/phases.h"
#include "stream/streams.h"

#define PATIENCE 5000000000 /* nanoseconds; ftrun needs some milliseconds */
#define NAP 100000          /* nanoseconds */

#define GROWTH 0.005 /* seconds without a landing before another window of them may go */

#define LINGER_FIRST 50000000 /* nanoseconds that the first late message of a life waits */
#define LINGER 2000000        /* each other one */
#define LINGERS 1000000000    /* all of them together */

struct ft_entry *ft_replay_next(struct ft_entry *entry)
{
    while (entry && (entry->stream->lost || ft_numbers_have(&entry->stream->have, entry->number)))
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
void ft_replay_expect(struct ft_rank *self, struct ft_stream *stream, struct ft_comm *comm,
                      uint64_t count)
{
    stream->missing += count;
    if (stream->comm || !comm)
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

int ft_replay_keeps(struct ft_peer *peer, const struct ft_entry *entry)
{
    for (int i = 0; i < peer->flying; i++)
        if (peer->flight[i].entry == entry)
            return peer->flight[i].spilled = 1;
    return 0;
}

/* The page went with the process that had read it. */
static void peer_forget(struct ft_rank *self, struct ft_peer *peer)
{
    for (int i = 0; i < peer->flying; i++)
        if (peer->flight[i].spilled)
            ft_entry_free(self, peer->flight[i].entry);
    peer->flying = peer->window = peer->passed = 0;
    peer->plain = 0;
    peer->full = 0;
    peer->again = NULL;
    peer->again_run = NULL;
    peer->again_at = 0;
    peer->page = NULL;
}

void (*ft_streams_follow)(struct ft_rank *self);

static void owing_tell(struct ft_rank *self)
{
    struct ft_spbc *spbc = self->spbc;

    spbc->resending = spbc->replaying - spbc->following;
    self->recorder->owing = spbc->resending - spbc->hearing;
}

void ft_replay_forget(struct ft_rank *self)
{
    struct ft_streams *streams = self->spbc->streams;
    struct ft_stream *stream, *next;

    self->spbc->replaying = self->spbc->hearing = self->spbc->following = 0;
    owing_tell(self);
    for (int i = 0; i < self->size; i++)
        peer_forget(self, &streams->peer[i]);
    DL_FOREACH_SAFE (streams->out.first, stream, next)
        stream->missing = 0;
}

/* A communicator that the program has freed meanwhile was one of the last epoch's library. */
void ft_streams_forget(struct ft_rank *self)
{
    struct ft_stream *stream, *next;

    ft_segments_begin(self);
    ft_replay_forget(self);
    DL_FOREACH_SAFE (self->spbc->streams->out.first, stream, next) {
        if (!stream->comm)
            continue;
        if (stream->comm->handle == MPI_COMM_NULL)
            stream->comm->real = MPI_COMM_NULL;
        release(self, stream);
    }
}

void ft_replay_add(struct ft_rank *self, struct ft_peer *peer, struct ft_entry *entry)
{
    if (ft_peer_waits(peer))
        return;
    if (!peer->flying) {
        self->spbc->replaying++;
        owing_tell(self);
    }
    peer->again = entry;
}

void ft_replay_start(struct ft_rank *self)
{
    struct ft_streams *streams = self->spbc->streams;
    struct ft_stream *stream, *next;

    DL_FOREACH_SAFE (streams->out.first, stream, next)
        if (stream->comm && stream->missing == 0)
            release(self, stream);
    for (int i = 0; i < self->size; i++)
        self->spbc->replaying += ft_peer_waits(&streams->peer[i]);
    owing_tell(self);
    self->spbc->noted |= FT_NOTED_AGAIN;
    ft_log_debug("stream", "messages are resent to %u ranks", self->spbc->replaying);
}

/* An error is a receiver's death: what it lacks is found again in the next epoch. */
static void meet(int code)
{
    if (code != MPI_SUCCESS)
        ft_life.torn = 1;
}

static void page_release(struct ft_page *page)
{
    if (page->flying > 0 || !page->left)
        return;
    free(page->data);
    free(page);
}

/* Beside a death nobody knows which of them have met a receive, until the next exchange. */
static void flight_end(struct ft_rank *self, struct ft_peer *peer, struct ft_flight *flight)
{
    if (peer->landings && !ft_life.torn)
        ft_landing_meet(peer, flight->stream, flight->number);
    if (flight->spilled)
        ft_entry_free(self, flight->entry);
    if (!flight->page)
        return;
    flight->page->flying--;
    page_release(flight->page);
}

/* Asks about the requests from `first` on; answers how many of them were completed. */
static int part_poll(struct ft_peer *peer, int first)
{
    int index[FT_STREAM_ASKED], done = 0, count = peer->flying - first;
    MPI_Status status[FT_STREAM_ASKED];

    if (count > FT_STREAM_ASKED)
        count = FT_STREAM_ASKED;
    meet(PMPI_Testsome(count, peer->request + first, &done, index, status));
    return done > 0 ? done : 0;
}

/* Takes completed requests out of the window. */
static void window_poll(struct ft_rank *self, struct ft_peer *peer)
{
    int done = 0, kept = 0;

    for (int first = 0; first < peer->flying; first += FT_STREAM_ASKED)
        done += part_poll(peer, first);
    if (done == 0)
        return;
    for (int i = 0; i < peer->flying; i++) {
        if (peer->request[i] == MPI_REQUEST_NULL) {
            flight_end(self, peer, &peer->flight[i]);
            peer->passed = kept > peer->passed ? kept : peer->passed;
            continue;
        }
        peer->flight[kept] = peer->flight[i];
        peer->request[kept++] = peer->request[i];
    }
    peer->flying = kept;
    peer->window = 0;
    peer->full = 0;
}

/* May another message go? */
static int window_open(struct ft_peer *peer)
{
    int window = (int)ft_life.boot.window;
    int most = peer->window ? peer->window : window + peer->passed;
    double now;

    if (ft_life.boot.adversary || peer->flying < most)
        return 1;
    now = ft_os_now();
    if (peer->full == 0)
        peer->full = now;
    if (now - peer->full < GROWTH)
        return 0;
    peer->window = peer->flying + window;
    peer->full = 0;
    return 1;
}

static void flight_add(struct ft_peer *peer, MPI_Request request, struct ft_flight flight)
{
    if (peer->flying == peer->room) {
        peer->room += FT_STREAM_ASKED;
        peer->request = ft_image_realloc(peer->request, (size_t)peer->room * sizeof *peer->request);
        peer->flight = ft_image_realloc(peer->flight, (size_t)peer->room * sizeof *peer->flight);
    }
    peer->request[peer->flying] = request;
    peer->flight[peer->flying++] = flight;
    if (flight.page)
        flight.page->flying++;
}

/* The first window of messages is not synchronous. */
static int post(struct ft_peer *peer, const struct ft_stream *stream, uint64_t number,
                const char *data, uint64_t bytes, MPI_Request *request)
{
    if (peer->plain == ft_life.boot.window || ft_landing_find(peer, stream, number))
        return PMPI_Issend_c(data, (MPI_Count)bytes, MPI_BYTE, stream->peer, stream->key.tag,
                             stream->comm->real, request);
    peer->plain++;
    return PMPI_Isend_c(data, (MPI_Count)bytes, MPI_BYTE, stream->peer, stream->key.tag,
                        stream->comm->real, request);
}

static void fly(struct ft_rank *self, struct ft_peer *peer, struct ft_stream *stream,
                const char *data, uint64_t bytes, struct ft_flight flight)
{
    MPI_Request request;
    int code;

    ft_fault_point(FT_POINT_RECOVERY_REPLAY, stream->key.world);
    code = post(peer, stream, flight.number, data, bytes, &request);

    meet(code);
    if (code == MPI_SUCCESS) {
        flight_add(peer, request, flight);
        if (peer->hears && !ft_comm_is_lanes(stream->comm))
            ft_notice_send(self, stream->comm, stream->key.world, stream->key.tag,
                           ft_stream_place(stream, flight.number));
    }
    if (--stream->missing == 0)
        release(self, stream);
}

/* Has a message to wait? Those behind it in the queue wait, too. */
static int is_held(struct ft_rank *self, const struct ft_stream *stream, uint64_t number)
{
    return ft_phases_wait(stream, number) || ft_marks_hold(self, stream->key.world);
}

/* The message at the head of the queue. Answers 0 when that is for a communicator that is ahead, or
 * is held. */
static int send_entry(struct ft_rank *self, struct ft_peer *peer)
{
    struct ft_entry *entry = peer->again;

    if (!entry->stream->comm || is_held(self, entry->stream, entry->number))
        return 0;
    fly(self, peer, entry->stream, entry->data, entry->bytes,
        (struct ft_flight){.entry = entry, .stream = entry->stream, .number = entry->number});
    peer->again = ft_replay_next(entry->next);
    return 1;
}

/* The page of again_run, which is read when its first message goes. */
static struct ft_page *page_get(struct ft_peer *peer)
{
    if (peer->page)
        return peer->page;
    peer->page = calloc(1, sizeof *peer->page);
    if (!peer->page)
        ft_panic("no memory to send messages again");
    peer->page->data = ft_run_read(peer->again_run);
    peer->page->at = peer->again_at;
    return peer->page;
}

/* The file is done: what comes next is in another one, or in memory. */
static void page_turn(struct ft_peer *peer)
{
    peer->page->left = 1;
    page_release(peer->page);
    peer->page = NULL;
    peer->again_at = 0;
    peer->again_run = ft_run_lacking(peer->again_run->next);
    if (!peer->again_run)
        peer->again = ft_replay_next(peer->first);
}

/* The same for the page's next message, if the receiver lacks it. */
static int send_from_file(struct ft_rank *self, struct ft_peer *peer)
{
    struct ft_page *page = page_get(peer);
    struct ft_run *run = peer->again_run;
    struct ft_stream *stream;
    uint64_t number, bytes;
    const char *data = ft_run_message(run, page->data, page->at, &stream, &number, &bytes);
    int lacks = !stream->lost && !ft_numbers_have(&stream->have, number);

    if (lacks && (!stream->comm || is_held(self, stream, number)))
        return 0;
    if (lacks)
        fly(self, peer, stream, data, bytes,
            (struct ft_flight){.page = page, .stream = stream, .number = number});
    page->at = (uint64_t)(data - page->data) + bytes;
    if (page->at == run->length)
        page_turn(peer);
    return 1;
}

/* Answers whether something went. */
static int window_fill(struct ft_rank *self, struct ft_peer *peer)
{
    int before;

    if (peer->flying)
        window_poll(self, peer);
    before = peer->flying;
    while (ft_peer_waits(peer) && window_open(peer))
        if (!(peer->again_run ? send_from_file(self, peer) : send_entry(self, peer)))
            break;
    return peer->flying > before;
}

static void peer_progress(struct ft_rank *self, int world)
{
    struct ft_peer *peer = &self->spbc->streams->peer[world];

    if (!ft_peer_waits(peer) && !peer->flying)
        return;
    while (window_fill(self, peer) && ft_life.boot.adversary)
        ;
    if (!ft_peer_waits(peer) && !peer->flying) {
        self->spbc->replaying--;
        owing_tell(self);
    }
}

void ft_streams_progress(struct ft_rank *self)
{
    if (self->spbc->ulfm)
        return;
    for (int i = 0; self->spbc->replaying && i < self->size; i++)
        peer_progress(self, i);
    if (self->spbc->hearing)
        ft_notices_turn(self);
    if (self->spbc->following)
        ft_streams_follow(self);
}

void ft_stream_linger(struct ft_rank *self)
{
    struct timespec nap = {.tv_nsec = ft_life.lingered ? LINGER : LINGER_FIRST};

    if (!ft_stream_lingers(self) || ft_life.lingered > LINGERS)
        return;
    if (!ft_life.lingered)
        ft_log_debug("stream", "messages inside the cluster are late up to call %llu",
                     (unsigned long long)self->recorder->behind);
    ft_life.lingered += (uint64_t)nap.tv_nsec;
    nanosleep(&nap, NULL);
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
