#include "request/failed.h"

#include <errno.h>
#include <signal.h>
#include "os/os.h"
#include "request/again.h"
#include "request/foreign.h"
#include "request/queue.h"

enum { LOOKS = 64 }; /* turns of the library, in which it takes in what had come */

static struct ft_comm *comm_of_lane(struct ft_rank *self, int lane)
{
    struct ft_comm *comm;

    for (comm = ft_comm_first(self); comm; comm = comm->next)
        if (comm->lane == lane && !ft_comm_is_lanes(comm))
            return comm;
    return NULL;
}

/* A message of a collective, or of the making of a communicator. */
static int lane_code(const struct ft_rank *self, int world, int tag)
{
    const struct ft_ulfm *ulfm = self->spbc->ulfm;
    int lane = tag >> FT_LANE_BITS;
    const struct ft_comm *comm = comm_of_lane((struct ft_rank *)(uintptr_t)self, lane);

    if (comm)
        return comm->barred;
    if (ft_is_dead(self, world) ||
        (lane == FT_LANE_MEETING && ft_any_dead(self, ulfm->meeting, ulfm->meeting_size)))
        return MPIX_ERR_PROC_FAILED;
    return MPI_SUCCESS;
}

int ft_failed_peer(const struct ft_rank *self, const struct ft_comm *comm, int peer, int tag)
{
    if (!self->spbc->replaying || peer == MPI_PROC_NULL)
        return comm->revoked ? MPIX_ERR_REVOKED : MPI_SUCCESS;
    if (ft_comm_is_lanes(comm))
        return lane_code(self, peer, tag);
    if (comm->revoked)
        return MPIX_ERR_REVOKED;
    if (peer == MPI_ANY_SOURCE)
        return ft_comm_unacknowledged(self, comm) ? MPIX_ERR_PROC_FAILED : MPI_SUCCESS;
    return peer >= 0 && peer < comm->peers && ft_is_dead(self, comm->world[peer])
               ? MPIX_ERR_PROC_FAILED
               : MPI_SUCCESS;
}

/* The code with which a pending request ends; MPI_SUCCESS: it may still end. */
static int verdict(const struct ft_rank *self, const struct ft_request *request)
{
    int code = ft_failed_peer(self, request->comm, request->peer, request->tag);
    int waits = request->kind == FT_REQUEST_RECV && request->peer == MPI_ANY_SOURCE;

    return waits && request->handle && code == MPIX_ERR_PROC_FAILED ? MPIX_ERR_PROC_FAILED_PENDING
                                                                    : code;
}

/* Takes the receive away from the library. 0: it has ended with a message instead. A receive whose
 * message is under way cannot be cancelled, and may never end; nothing is written any more then,
 * because this process itself reads the other one's memory. */
static int is_withdrawn(struct ft_rank *self, struct ft_request *request)
{
    int flag = 0, cancelled = 0;

    PMPI_Cancel(&request->real);
    for (int i = 0; i < LOOKS && !flag; i++)
        if (PMPI_Test(&request->real, &flag, &request->status) != MPI_SUCCESS)
            return 1;
    (void)self;
    if (flag)
        PMPI_Test_cancelled(&request->status, &cancelled);
    return !flag || cancelled;
}

static void end(struct ft_rank *self, struct ft_request *request, int code)
{
    if (request->kind == FT_REQUEST_RECV && !is_withdrawn(self, request))
        ft_request_end(self, request, MPI_SUCCESS);
    else
        ft_request_fail(self, request, code);
}

static void end_all(struct ft_rank *self)
{
    struct ft_request *request, *next;
    int code;

    FT_ACTIVE_FOREACH_SAFE (self->requests, request, next) {
        if (request->kind == FT_REQUEST_MESSAGE || request->advance)
            continue;
        code = verdict(self, request);
        if (code != MPI_SUCCESS)
            end(self, request, code);
    }
}

static void take_in(struct ft_rank *self)
{
    for (int i = 0; i < LOOKS; i++)
        ft_progress(self);
    ft_requests_look(self);
}

void ft_failed_sweep(struct ft_rank *self)
{
    take_in(self);
    end_all(self);
}

/* A slot that is not filled may be a dead rank's, or that of a living one. When each of those has
 * been outside of its library, it is a dead one's. */
static void gaps_meet(struct ft_rank *self)
{
    struct ft_ulfm *ulfm = self->spbc->ulfm;
    struct ft_wire_number number;

    if (ulfm->asked && __atomic_load_n(&ulfm->told->cleared, __ATOMIC_ACQUIRE) == ulfm->asked)
        ft_queue_fill();
    if (ulfm->searched == ulfm->deaths)
        return;
    ulfm->searched = ulfm->deaths;
    if (!ft_queue_note())
        return;
    number.value = ++ulfm->asked;
    if (ft_wire_send(ft_life.control, FT_WIRE_GAP, &number, sizeof(number), NULL, 0, -1) != 0)
        ft_panic("ftrun is gone");
}

void ft_failed_meet(struct ft_rank *self)
{
    self->order_seen = __atomic_load_n(&self->recorder->order, __ATOMIC_ACQUIRE);
    __atomic_store_n(&self->spbc->ulfm->told->met, self->order_seen, __ATOMIC_RELEASE);
    ft_failure_learn(self);
    gaps_meet(self);
    if (self->spbc->replaying) /* it may have been learnt before this */
        ft_failed_sweep(self);
}

int ft_failed_post(struct ft_request *request, int code)
{
    if (!request->handle)
        return code;
    ft_status_empty(&request->status);
    request->state = FT_REQUEST_COMPLETE;
    request->code = code;
    return MPI_SUCCESS;
}

/* The library's part of a receive that may have nobody to wait for ends at once if its message
 * had come before the death. */
static void await_nobody(struct ft_rank *self, struct ft_request *request)
{
    int code = verdict(self, request);

    if (code == MPI_SUCCESS)
        return;
    ft_request_poll(self, request);
    if (request->state == FT_REQUEST_ACTIVE)
        end(self, request, code);
}

int ft_failed_recv(struct ft_rank *self, struct ft_request *request)
{
    int lanes = ft_comm_is_lanes(request->comm), code = MPI_SUCCESS;

    if (lanes || request->comm->revoked)
        code = ft_failed_peer(self, request->comm, request->peer, request->tag);
    if (code != MPI_SUCCESS)
        return ft_failed_post(request, code);
    request->outcome = request->given = 0;
    request->number = 0;
    request->counted = 0;
    request->place = (struct ft_pattern_place){0};
    code = ft_recv_native(self, request);
    if (code != MPI_SUCCESS)
        return code;
    ft_recv_unnumber(self, request);
    if (request->state == FT_REQUEST_ACTIVE && self->spbc->replaying)
        await_nobody(self, request);
    return MPI_SUCCESS;
}

static int is_parked_on(const struct ft_request *request, const struct ft_comm *comm)
{
    return request->handle && request->kind == FT_REQUEST_RECV && request->comm == comm &&
           ft_request_is_parked(request);
}

void ft_failed_acknowledged(struct ft_rank *self, struct ft_comm *comm)
{
    struct ft_requests *requests = self->requests;

    for (uint32_t i = 0; i < requests->capacity; i++) {
        struct ft_request *request = requests->table[i];
        int code;

        if (!is_parked_on(request, comm))
            continue;
        request->state = FT_REQUEST_INACTIVE;
        code = ft_failed_recv(self, request);
        if (code != MPI_SUCCESS)
            ft_failed_post(request, code);
    }
}

void ft_failed_unpark(struct ft_rank *self)
{
    for (uint32_t i = 0; i < self->requests->capacity; i++) {
        struct ft_request *request = self->requests->table[i];

        if (request->handle && ft_request_is_parked(request))
            request->code = MPIX_ERR_REVOKED;
    }
}

void ft_failed_cancel(struct ft_request *request)
{
    request->cancelling = 1;
    request->code = MPI_SUCCESS;
    PMPI_Status_set_cancelled(&request->status, 1);
}

int ft_failed_code(struct ft_rank *self, const struct ft_request *request, int code)
{
    return ft_failure_code(self, request->comm, code);
}

/* The rank's pid is in the list once ftrun has told of its death. */
static int is_told(const struct ft_ulfm *ulfm, int pid)
{
    for (uint32_t i = ulfm->deaths; i > 0; i--)
        if (ulfm->told->death[i - 1].pid == pid)
            return 1;
    return 0;
}

/* A process that lives has freed the memory, because its send had failed; so has this receive. */
static void torn_settle(struct ft_rank *self)
{
    static const double patience = 2;
    double end = ft_os_now() + patience;

    while (ft_life.torn_pid && !is_told(self->spbc->ulfm, ft_life.torn_pid) && ft_os_now() < end)
        ft_failure_await(self, patience / 100);
    ft_life.torn_pid = 0;
}

int ft_failed_torn(struct ft_rank *self, struct ft_request *request)
{
    const struct ft_comm *comm = request->comm;
    int source = request->peer == MPI_ANY_SOURCE ? request->status.MPI_SOURCE : request->peer;

    if (request->kind != FT_REQUEST_RECV || source < 0 || source >= comm->peers)
        return 0;
    torn_settle(self);
    if (!ft_is_dead(self, comm->world[source]) && !comm->revoked)
        return 0;
    ft_request_fail(self, request, comm->revoked ? MPIX_ERR_REVOKED : MPIX_ERR_PROC_FAILED);
    return 1;
}
