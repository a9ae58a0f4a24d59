/* The drain, and its reverse in a new epoch.
 *
 * With --protocol spbc a drain is a matter of one cluster: what other clusters have sent stays
 * where it is, and what is sent to them needs no end (request/foreign.c). A receive that the
 * library has completed ends all the same: the sender of a synchronous message may know that it was
 * met.
 *
 * At the freeze every rank knows how many messages each other one has ever sent to it (one exchange
 * of the `sent` counts); it tests its requests and takes unexpected messages until it has received
 * as many: received[w] == sent by w, for all w. Then nothing is in flight towards it. Its own sends
 * and the non-blocking collectives (all members have posted them: equal clocks) complete in the
 * same loop, because every rank polls until all of its own are done. The barrier at the end keeps a
 * fast rank's next messages out of a slow rank's drain.
 *
 * When a rank of another cluster has died a drain may not end: UCX writes a message into a queue
 * of the receiver, in shared memory, and who dies between the taking of a place there and the
 * end of the writing leaves a gap that the receiver never passes (uct/sm/mm:
 * uct_mm_ep_am_common_send). From here that looks the same as another rank that has much to
 * drain. So ftrun, which sees what moves at all ranks of the cluster, tells the two apart
 * (recover/leave.c). */
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include "request/again.h"
#include "request/foreign.h"
#include "request/meeting.h"
#include "request/overtake.h"
#include "request/packed.h"
#include "request/store.h"
#include "request/trusted.h"

#define PATIENCE 60 /* seconds without any progress until the drain gives up */
#define POLLS_PER_LOOK 64

struct standstill { /* since when nothing has moved */
    struct ft_rank *self;
    int death; /* somebody has died: the rank is to leave */
    unsigned polls;
    double since;
};

/* Receives what Mprobe has matched and the program has not received yet. */
static void messages_receive(struct ft_rank *self)
{
    struct ft_request *message, *next;

    DL_FOREACH_SAFE (self->requests->messages, message, next) {
        message->drained =
            ft_drained_receive(self, message->comm, &message->message, &message->status);
        DL_DELETE(self->requests->messages, message);
    }
}

static int active_poll(struct ft_rank *self)
{
    struct ft_request *request, *next;
    int completed = 0;

    FT_ACTIVE_FOREACH_SAFE (self->requests, request, next) {
        int flag = 0, code;

        if (ft_unlikely(request->kept)) {
            completed += ft_kept_end(self, request);
            continue;
        }
        if (ft_unlikely(request->meeting)) {
            completed += ft_meeting_poll(request);
            continue;
        }
        if (ft_unlikely(request->awaited))
            continue;
        code = PMPI_Test(&request->real, &flag, &request->status);
        if (!flag && code == MPI_SUCCESS)
            continue;
        if (ft_unlikely(code != MPI_SUCCESS))
            code = ft_death_meet(self, request, code);
        if (ft_unlikely(ft_life.torn) && ft_request_withdraw(self, request))
            continue;
        completed++;
        if (ft_likely(!self->spbc) || !ft_recv_keep(self, request, code))
            ft_request_complete(self, request, code);
    }
    return completed;
}

/* Takes the unexpected messages of a source, or of all, that have arrived on one communicator. */
static int source_receive(struct ft_rank *self, struct ft_comm *comm, int source)
{
    int received = 0, flag = 0;
    MPI_Message message;
    MPI_Status status;

    while (PMPI_Improbe(source, MPI_ANY_TAG, comm->real, &flag, &message, &status) == MPI_SUCCESS &&
           flag) {
        struct ft_drained *drained = ft_drained_receive(self, comm, &message, &status);

        if (self->spbc && ft_unlikely(self->spbc->identified) && !ft_comm_is_lanes(comm)) {
            drained->place = ft_notice_drained(self, comm, status.MPI_SOURCE, status.MPI_TAG);
            drained->placed = 1;
        }
        ft_drained_append(self, drained);
        received++;
    }
    return received;
}

static int is_open(const struct ft_rank *self, const uint64_t *expected, int rank)
{
    return self->received[rank] != expected[rank] && !(self->spbc && self->spbc->foreign[rank]);
}

static int comm_receive(struct ft_rank *self, struct ft_comm *comm, const uint64_t *expected)
{
    int received = 0;

    if (!self->spbc)
        return source_receive(self, comm, MPI_ANY_SOURCE);
    for (int i = 0; i < comm->peers; i++)
        if (is_open(self, expected, comm->world[i]))
            received += source_receive(self, comm, i);
    return received;
}

static int unexpected_receive(struct ft_rank *self, const uint64_t *expected)
{
    int received = 0;

    for (struct ft_comm *comm = ft_comm_first(self); comm; comm = comm->next)
        if (!comm->expected)
            received += comm_receive(self, comm, expected);
    for (struct ft_comm *comm = ft_comm_unborn(self); comm; comm = comm->next)
        if (ft_making_made(comm))
            received += comm_receive(self, comm, expected);
    return received;
}

/* The first rank whose messages have not all been received, or -1. */
static int stream_open(const struct ft_rank *self, const uint64_t *expected)
{
    for (int i = 0; i < self->size; i++)
        if (is_open(self, expected, i))
            return i;
    return -1;
}

/* Requests that no image can hold: all but receives that wait for a message not sent yet, and what
 * concerns other clusters. */
static int unfinished(const struct ft_rank *self)
{
    struct ft_request *request;
    int count = 0;

    FT_ACTIVE_FOREACH (self->requests, request)
        if (request->meeting)
            count += ft_meeting_is_open(request);
        else
            count += (request->kind != FT_REQUEST_RECV || request->matched) && !request->foreign &&
                     !request->awaited;
    return count;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

_Noreturn static void drain_stuck(const struct ft_rank *self, const uint64_t *expected)
{
    int from = stream_open(self, expected);

    if (from < 0)
        ft_panic("the drain for a checkpoint does not end: %d sends or collectives stay "
                 "incomplete",
                 unfinished(self));
    ft_panic("the drain for a checkpoint does not end: rank %d has sent %llu messages, %llu have "
             "been received (was a communicator freed with messages on it?)",
             from, (unsigned long long)expected[from], (unsigned long long)self->received[from]);
}

/* The order was answered before the drain, so a newer one says that a rank has died meanwhile. */
static int is_death_known(const struct standstill *still)
{
    return still->death || ft_wait_due(still->self);
}

/* After a poll that has found nothing. 0, or -ETIMEDOUT. */
static int standstill_look(struct standstill *still)
{
    ft_wait_spin(&still->polls);
    if (still->polls == 1)
        still->since = seconds();
    if (still->polls % POLLS_PER_LOOK != 0)
        return 0;
    return seconds() - still->since > PATIENCE ? -ETIMEDOUT : 0;
}

static void standstill_end(struct standstill *still)
{
    still->polls = 0;
    still->self->recorder->drained++;
}

static int drain_loop(struct ft_rank *self, const uint64_t *expected, struct standstill *still)
{
    int code = 0;

    still->polls = 0;
    while (code == 0 && (stream_open(self, expected) >= 0 || unfinished(self))) {
        int moved = active_poll(self);

        ft_makings_turn(self); /* who has the communicator already may have sent on it */
        moved += unexpected_receive(self, expected);
        if (moved)
            standstill_end(still);
        else
            code = standstill_look(still);
    }
    if (code != 0 && !is_death_known(still))
        drain_stuck(self, expected);
    return code;
}

/* Ends a collective of the drain. Not by the blocking call, which never yields: with more ranks
 * than cores each such call would cost time slices. 0, or -ETIMEDOUT. */
static int collective_wait(struct standstill *still, int posted, MPI_Request *request)
{
    int flag = 0, code = 0;

    still->polls = 0;
    while (posted == MPI_SUCCESS && !flag && code == 0) {
        posted = PMPI_Test(request, &flag, MPI_STATUS_IGNORE);
        if (flag)
            break;
        ft_makings_turn(
            still->self); /* one that is not here yet may still receive on what is made */
        code = standstill_look(still);
    }
    if (posted != MPI_SUCCESS) {
        ft_error_await(posted);
        ft_panic("a collective of the drain for a checkpoint failed with code %d", posted);
    }
    if (code != 0 && !is_death_known(still))
        ft_panic("a collective of the drain for a checkpoint does not end");
    standstill_end(still);
    return code;
}

static int all_ended(int count, MPI_Request *requests)
{
    int ended = 0, flag;

    for (int i = 0; i < count; i++) {
        if (PMPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
            ft_error_await(MPI_ERR_OTHER);
            ft_panic("a message of the drain for a checkpoint failed");
        }
        ended += flag;
    }
    return ended == count;
}

/* The same of several messages. */
static int messages_wait(void *context, int count, MPI_Request *requests)
{
    struct standstill *still = context;
    int code = 0;

    still->polls = 0;
    while (code == 0 && !all_ended(count, requests)) {
        ft_makings_turn(still->self); /* as above */
        code = standstill_look(still);
    }
    if (code != 0 && !is_death_known(still))
        ft_panic("a message of the drain for a checkpoint does not come");
    standstill_end(still);
    return code;
}

/* Tells each rank that takes part how much was sent to it, and how many of that are synchronous and
 * have not ended; learns the same of each, and with it expected[]. */
static int counts_exchange(struct ft_rank *self, struct standstill *still, MPI_Comm comm,
                           struct ft_meetings *meetings, uint64_t *expected)
{
    uint64_t *sent = calloc(2 * (size_t)self->size, sizeof *sent), *got = sent + self->size;
    int members = 0, member = 0, code;
    MPI_Request request;

    if (!sent)
        ft_panic("out of memory in the drain for a checkpoint");
    for (int i = 0; i < self->size; i++)
        if (!self->spbc || !self->spbc->foreign[i])
            sent[members++] = self->sent[i] | ft_meetings_to(meetings, i) << FT_MEETINGS_SHIFT;
    code = PMPI_Ialltoall(sent, 1, MPI_UINT64_T, got, 1, MPI_UINT64_T, comm, &request);
    code = collective_wait(still, code, &request);
    if (code != 0)
        return code; /* the library still has the buffers */
    for (int i = 0; i < self->size; i++)
        if (!self->spbc || !self->spbc->foreign[i]) {
            ft_meetings_from(meetings, i, got[member] >> FT_MEETINGS_SHIFT);
            expected[i] = got[member++] & ((1ull << FT_MEETINGS_SHIFT) - 1);
        }
    free(sent);
    return 0;
}

int ft_drain(struct ft_rank *self, int death)
{
    MPI_Comm comm = self->spbc ? ft_comm_cluster(self) : ft_comm_runtime(self);
    uint64_t *expected = calloc((size_t)self->size, sizeof *expected);
    struct standstill still = {.self = self, .death = death};
    struct ft_meetings *meetings = ft_meetings_begin(self);
    MPI_Request request;
    int code;

    if (!expected)
        ft_panic("out of memory in the drain for a checkpoint");
    self->recorder->draining = 1;
    code = counts_exchange(self, &still, comm, meetings, expected);
    if (code == 0) {
        messages_receive(self);
        active_poll(self); /* what was cancelled must not be posted again */
        code = drain_loop(self, expected, &still);
    }
    free(expected);
    if (code == 0) {
        ft_drained_forget(self);
        code = ft_meetings_settle(self, meetings, messages_wait, &still);
    }
    if (code == 0) {
        ft_meetings_release(meetings);
        code = collective_wait(&still, PMPI_Ibarrier(comm, &request), &request);
    }
    self->recorder->draining = 0;
    return code;
}

void ft_progress(struct ft_rank *self)
{
    int flag;

    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, ft_comm_runtime(self), &flag, MPI_STATUS_IGNORE);
    ft_streams_turn(self);
}

static void recv_again(struct ft_rank *self, struct ft_request *request)
{
    int code;

    if (request->keep)
        code = ft_packed_post(self, request);
    else
        code = PMPI_Irecv(request->buffer, request->count, ft_type_real(self, request->type),
                          request->peer, request->tag, request->comm->real, &request->real);
    if (code != MPI_SUCCESS)
        ft_panic("cannot post a pending receive (source %d, tag %d) again, code %d", request->peer,
                 request->tag, code);
    request->withdrawn = 0;
    if (self->spbc && self->spbc->identified)
        ft_trusted_posted(self, request);
    if (request->cancelling)
        PMPI_Cancel(&request->real);
}

void ft_requests_rebuild(struct ft_rank *self)
{
    struct ft_request *request, *next;

    ft_send_done_learn();
    FT_ACTIVE_FOREACH (self->requests, request)
        request->unusual = 1; /* see usual.h: this is another epoch */
    if (self->spbc) {
        ft_foreign_end(self);
        ft_trusted_forget(self);
        ft_kept_rebuild(self);
        ft_held_rebuild(self);
    }
    FT_ACTIVE_FOREACH_SAFE (self->requests, request, next) {
        if (request->awaited) {
            ft_meeting_rebuild(self, request);
            continue;
        }
        if (request->kind != FT_REQUEST_RECV || (request->matched && !request->foreign))
            ft_panic("the image holds a request that cannot be asked again (kind %d)",
                     request->kind);
        if (!self->spbc || !ft_kept_take(self, request))
            recv_again(self, request);
    }
    if (self->spbc) {
        ft_held_post(self);
        ft_trusted_begin(self);
    }
}
