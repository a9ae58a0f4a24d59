/* Probes and matched receives. The drained store answers first: its messages are older than all
 * that the library holds. A matched message is a virtual one; the drain receives its content when
 * the program has not done so. That of another cluster is no matter of the drain: it is fetched at
 * once into the image, by a receive of the runtime's own, which has its number and its place among
 * the pending receives, and which a new epoch posts again.
 *
 * With --protocol spbc what a probe by wildcard has found, and whether a poll has, is recorded, or
 * a mark of the trail (repeat.h). Given again, it is a probe by name that waits for this message.
 */
#include <limits.h>

#include "determinant/trail.h"
#include "pmpi/p2p.h"
#include "request/again.h"
#include "request/failed.h"
#include "request/foreign.h"
#include "request/overtake.h"
#include "request/repeat.h"
#include "request/trusted.h"
#include "trace/trace.h"

/* A probe's answer from the drained store. */
static struct ft_drained *store_probe(struct ft_rank *self, struct ft_comm *comm, int source,
                                      int tag, MPI_Status *status)
{
    struct ft_drained *drained = ft_drained_match(self, comm, source, tag);

    if (drained && status != MPI_STATUS_IGNORE)
        ft_drained_status(drained, status);
    return drained;
}

/* A verification asks some other source, or not at all, and writes down what it found. */
__attribute__((noinline)) static int probe_traced(struct ft_rank *self, struct ft_comm *comm,
                                                  int source, int tag, int *flag,
                                                  MPI_Status *status)
{
    MPI_Status local, *found = status == MPI_STATUS_IGNORE ? &local : status;
    int code = MPI_SUCCESS;

    *flag = 0;
    if (!ft_trace_skips(self))
        code = PMPI_Iprobe(ft_trace_choose(self, comm, source, tag), tag, comm->real, flag, found);
    if (code == MPI_SUCCESS && *flag)
        ft_trace_probe(self, comm, source, tag, found, 0);
    return code;
}

/* A message that overtakes a pending receive may not be seen yet, and is not found. */
static inline void overtaker_hide(struct ft_rank *self, const struct ft_comm *comm, int *flag,
                                  const MPI_Status *found)
{
    if (ft_unlikely(self->spbc != NULL) && *flag && ft_probe_overtakes(self, comm, found))
        *flag = 0;
}

FT_INLINE int probe_once(struct ft_rank *self, struct ft_comm *comm, int source, int tag, int *flag,
                         MPI_Status *status)
{
    int code = MPI_SUCCESS;

    if (ft_unlikely(self->trace != NULL) && source != MPI_PROC_NULL)
        return probe_traced(self, comm, source, tag, flag, status);
    if (ft_unlikely(self->requests->drained_count) && store_probe(self, comm, source, tag, status))
        *flag = 1;
    else
        code = PMPI_Iprobe(source, tag, comm->real, flag, status);
    if (code == MPI_SUCCESS && source != MPI_PROC_NULL)
        overtaker_hide(self, comm, flag, status);
    return code;
}

/* So many elements of a basic type have room for a message: bytes, or what has more of them than
 * can be counted. The message is no longer than it is, so nothing comes behind its memory. */
static int room_count(MPI_Count bytes, MPI_Datatype *type)
{
    const MPI_Count most = sizeof(long double _Complex);

    *type = bytes > INT_MAX ? MPI_C_LONG_DOUBLE_COMPLEX : MPI_BYTE;
    return (int)(bytes > INT_MAX ? (bytes + most - 1) / most : bytes);
}

/* Begins to fetch a message of another cluster, as the message's partner. */
static int message_fetch(struct ft_rank *self, struct ft_request *message)
{
    const MPI_Status *status = &message->status;
    struct ft_request *fetch = ft_request_create(self, FT_REQUEST_RECV, message->comm);
    struct ft_drained *drained = ft_drained_create(message->comm, status);
    MPI_Datatype type;
    int count = room_count(drained->bytes, &type), code;

    ft_request_describe(self, fetch, drained->data, count, type, drained->source, drained->tag);
    message->drained = drained;
    message->partner = fetch;
    code = PMPI_Imrecv(drained->data, count, type, &message->message, &fetch->real);
    if (code != MPI_SUCCESS)
        return code;
    fetch->matched = fetch->foreign = 1;
    ft_recv_number(self, fetch);
    ft_request_activate(self, fetch);
    return MPI_SUCCESS;
}

/* Keeps a matched message under a virtual handle. */
static int message_keep(struct ft_rank *self, struct ft_comm *comm, MPI_Message real,
                        struct ft_drained *drained, const MPI_Status *status, MPI_Message *handle)
{
    struct ft_request *message = ft_request_create(self, FT_REQUEST_MESSAGE, comm);

    message->message = real;
    message->drained = drained;
    message->status = *status;
    *handle = (MPI_Message)message->handle;
    if (drained)
        return MPI_SUCCESS;
    if (ft_unlikely(self->spbc != NULL) && ft_stream_foreign(self, comm, status->MPI_SOURCE))
        return message_fetch(self, message);
    DL_APPEND(self->requests->messages, message);
    return MPI_SUCCESS;
}

/* First by a probe that leaves the message, then for that one. */
__attribute__((noinline)) static int
improbe_unless_overtakes(struct ft_rank *self, struct ft_comm *comm, int source, int tag, int *flag,
                         MPI_Message *message, MPI_Status *status)
{
    int code = PMPI_Iprobe(source, tag, comm->real, flag, status);

    if (code != MPI_SUCCESS || !*flag)
        return code;
    overtaker_hide(self, comm, flag, status);
    return *flag ? PMPI_Improbe(status->MPI_SOURCE, status->MPI_TAG, comm->real, flag, message,
                                status)
                 : MPI_SUCCESS;
}

static int improbe(struct ft_rank *self, struct ft_comm *comm, int source, int tag, int *flag,
                   MPI_Message *message, MPI_Status *status)
{
    int code = MPI_SUCCESS;

    if (ft_unlikely(self->requests->unnumbered || self->requests->held) && source != MPI_PROC_NULL)
        return improbe_unless_overtakes(self, comm, source, tag, flag, message, status);
    if (ft_likely(!self->trace) || source == MPI_PROC_NULL)
        return PMPI_Improbe(source, tag, comm->real, flag, message, status);
    *flag = 0;
    if (!ft_trace_skips(self))
        code = PMPI_Improbe(ft_trace_choose(self, comm, source, tag), tag, comm->real, flag,
                            message, status);
    if (code == MPI_SUCCESS && *flag)
        ft_trace_probe(self, comm, source, tag, status, 1);
    return code;
}

__attribute__((noinline)) static int match_once(struct ft_rank *self, struct ft_comm *comm,
                                                int source, int tag, int *flag,
                                                MPI_Message *message, MPI_Status *status)
{
    MPI_Status local, *found = status == MPI_STATUS_IGNORE ? &local : status;
    struct ft_drained *drained = NULL;
    MPI_Message real = MPI_MESSAGE_NULL;
    int code;

    if (ft_unlikely(self->requests->drained_count))
        drained = store_probe(self, comm, source, tag, found);
    if (drained) {
        *flag = 1;
        overtaker_hide(self, comm, flag, found);
        if (!*flag)
            return MPI_SUCCESS;
        ft_drained_take(self, drained);
    } else {
        code = improbe(self, comm, source, tag, flag, &real, found);
        if (code != MPI_SUCCESS || !*flag)
            return code;
    }
    if (!drained && self->spbc && ft_unlikely(self->spbc->identified))
        ft_notice_taken(self, comm, found->MPI_SOURCE, found->MPI_TAG, 1);
    *message = real;
    return real == MPI_MESSAGE_NO_PROC ? MPI_SUCCESS
                                       : message_keep(self, comm, real, drained, found, message);
}

/* One question to store and library; matches when message is not NULL. */
FT_INLINE int look(struct ft_rank *self, struct ft_comm *comm, int source, int tag, int *flag,
                   MPI_Message *message, MPI_Status *status)
{
    return message ? match_once(self, comm, source, tag, flag, message, status)
                   : probe_once(self, comm, source, tag, flag, status);
}

/* Sets a source and a tag, of those that a probe asks for, whose message the next mark says it
 * found. The library tells the tag of a message of any tag, when it is there. */
static int found_before(struct ft_rank *self, struct ft_comm *comm, int *source, int *tag)
{
    int any = *source == MPI_ANY_SOURCE, last = any ? comm->peers - 1 : *source;

    for (int from = any ? 0 : *source; from <= last; from++) {
        MPI_Status status = {.MPI_TAG = *tag};
        int there = 1;

        if (*tag == MPI_ANY_TAG &&
            probe_once(self, comm, from, MPI_ANY_TAG, &there, &status) != MPI_SUCCESS)
            continue;
        if (!there || !ft_repeat_is_next(self, comm->id, from, status.MPI_TAG))
            continue;
        *source = from;
        *tag = status.MPI_TAG;
        return 1;
    }
    return 0;
}

/* A receive that asks for the same in the next call takes what was found. */
static inline void probed_keep(struct ft_rank *self, const struct ft_comm *comm, int source,
                               int tag, const MPI_Status *found)
{
    self->requests->probed =
        (struct ft_probed){comm, self->calls, source, found->MPI_SOURCE, tag, found->MPI_TAG};
}

__attribute__((noinline)) static int wait_for(struct ft_rank *self, struct ft_comm *comm,
                                              int source, int tag, MPI_Message *message,
                                              MPI_Status *status)
{
    MPI_Status local, *found = status == MPI_STATUS_IGNORE ? &local : status;
    int recorded = self->spbc && ft_is_wild(source, tag), flag = 0;
    int proved = recorded && ft_repeat_belief(self) == FT_BELIEF_TRAIL;
    unsigned polls = 0;

    recorded &= !proved;
    for (;;) {
        if (ft_unlikely(proved) && ft_trail_repeats(self) && ft_is_wild(source, tag) &&
            !found_before(self, comm, &source, &tag)) {
            ft_repeat_nothing(self);
            ft_wait_pause(self, &polls);
            continue;
        }
        if (ft_unlikely(recorded) && ft_probe_again(self, 1, &flag, &source, &tag))
            recorded = 0;
        int code = look(self, comm, source, tag, &flag, message, found);

        if (!flag && ft_unlikely(self->spbc != NULL) && self->spbc->ulfm && code == MPI_SUCCESS)
            code = ft_failed_peer(self, comm, source, tag);

        if (flag && code == MPI_SUCCESS && ft_unlikely(recorded))
            ft_determinant_probe_note(self, 1, found->MPI_SOURCE, found->MPI_TAG);
        if (flag && code == MPI_SUCCESS && ft_unlikely(proved))
            ft_repeat_found(self, comm->id, found->MPI_SOURCE, found->MPI_TAG);
        if (flag || code != MPI_SUCCESS)
            return code;
        ft_wait_pause(self, &polls);
    }
}

/* A poll of a rank with self->spbc: what it finds is noted. */
FT_INLINE int poll_noted(struct ft_rank *self, struct ft_comm *comm, int source, int tag, int *flag,
                         MPI_Message *message, MPI_Status *status)
{
    MPI_Status local, *found = status == MPI_STATUS_IGNORE ? &local : status;
    int proved = ft_repeat_belief(self) == FT_BELIEF_TRAIL;
    int code = look(self, comm, source, tag, flag, message, found);

    if (ft_unlikely(code != MPI_SUCCESS))
        return code;
    if (ft_unlikely(self->spbc->ulfm != NULL))
        return *flag ? MPI_SUCCESS : ft_failed_peer(self, comm, source, tag);
    if (ft_likely(!*flag && !proved))
        ft_determinant_nothing(self);
    else if (!*flag)
        ft_determinant_pass(self);
    else if (proved)
        ft_repeat_found(self, comm->id, found->MPI_SOURCE, found->MPI_TAG);
    else
        ft_determinant_probe_note(self, 1, found->MPI_SOURCE, found->MPI_TAG);
    if (*flag && !message)
        probed_keep(self, comm, source, tag, found);
    return code;
}

/* A poll at a proved site while the trail may say what it finds. */
static int poll_proved_again(struct ft_rank *self, struct ft_comm *comm, int source, int tag,
                             int *flag, MPI_Message *message, MPI_Status *status)
{
    MPI_Status local, *found = status == MPI_STATUS_IGNORE ? &local : status;
    enum ft_repeat how = ft_repeat_look(self);
    int code;

    if (how == FT_REPEAT_ASK)
        return poll_noted(self, comm, source, tag, flag, message, status);
    *flag = how == FT_REPEAT_MARK && found_before(self, comm, &source, &tag);
    if (!*flag) {
        ft_repeat_nothing(self);
        return MPI_SUCCESS;
    }
    code = wait_for(self, comm, source, tag, message, found);
    if (code == MPI_SUCCESS)
        ft_repeat_found(self, comm->id, source, tag);
    return code;
}

/* The same while something may be given again. */
__attribute__((noinline)) static int poll_again(struct ft_rank *self, struct ft_comm *comm,
                                                int source, int tag, int *flag,
                                                MPI_Message *message, MPI_Status *status)
{
    MPI_Status local, *found = status == MPI_STATUS_IGNORE ? &local : status;
    int asked = source, asked_tag = tag, code = MPI_SUCCESS;

    if (ft_repeat_belief(self) == FT_BELIEF_TRAIL)
        code = poll_proved_again(self, comm, source, tag, flag, message, found);
    else if (!ft_probe_again(self, 0, flag, &source, &tag))
        return poll_noted(self, comm, source, tag, flag, message, status);
    else if (*flag)
        code = wait_for(self, comm, source, tag, message, found);
    if (*flag && !message && code == MPI_SUCCESS)
        probed_keep(self, comm, asked, asked_tag, found);
    return code;
}

FT_INLINE int poll_recorded(struct ft_rank *self, struct ft_comm *comm, int source, int tag,
                            int *flag, MPI_Message *message, MPI_Status *status)
{
    if (ft_unlikely(ft_determinants_replay(self->spbc->determinants) || ft_trail_repeats(self)))
        return poll_again(self, comm, source, tag, flag, message, status);
    return poll_noted(self, comm, source, tag, flag, message, status);
}

FT_INLINE int poll_once(struct ft_rank *self, struct ft_comm *comm, int source, int tag, int *flag,
                        MPI_Message *message, MPI_Status *status)
{
    int code;

    ft_running_turn(self);
    code = ft_unlikely(self->spbc != NULL) && source != MPI_PROC_NULL
               ? poll_recorded(self, comm, source, tag, flag, message, status)
               : look(self, comm, source, tag, flag, message, status);
    if (ft_unlikely(self->trace != NULL) && code == MPI_SUCCESS && !*flag)
        ft_trace_poll(self); /* the program's own: how often a waiting probe looks it cannot see */
    ft_poll_end(self, *flag);
    return code;
}

/* A probe that waits. */
static int probe(struct ft_rank *self, struct ft_comm *comm, int source, int tag,
                 MPI_Message *message, MPI_Status *status)
{
    MPI_Status local, *found = status == MPI_STATUS_IGNORE ? &local : status;
    int code;

    if (ft_likely(!self->spbc))
        return wait_for(self, comm, source, tag, message, status);
    ft_trail_call(self, comm->id, source, tag, 0, 0);
    code = wait_for(self, comm, source, tag, message, found);
    if (code == MPI_SUCCESS && !message)
        probed_keep(self, comm, source, tag, found);
    return code;
}

FT_EXPORT int MPI_Probe(int source, int tag, MPI_Comm handle, MPI_Status *status)
{
    P2P_ENTER(MPI_Probe, (source, tag, handle, status));
    struct ft_comm *comm = ft_comm_find(self, handle);
    int code = comm ? probe(self, comm, source, tag, NULL, status)
                    : PMPI_Probe(source, tag, handle, status);

    P2P_LEAVE(comm, code, MPI_Probe);
}

FT_EXPORT int MPI_Iprobe(int source, int tag, MPI_Comm handle, int *flag, MPI_Status *status)
{
    P2P_ENTER_POLL(MPI_Iprobe, (source, tag, handle, flag, status));
    struct ft_comm *comm = ft_comm_find(self, handle);
    int code = comm ? poll_once(self, comm, source, tag, flag, NULL, status)
                    : PMPI_Iprobe(source, tag, handle, flag, status);

    P2P_LEAVE(comm, code, MPI_Iprobe);
}

FT_EXPORT int MPI_Mprobe(int source, int tag, MPI_Comm handle, MPI_Message *message,
                         MPI_Status *status)
{
    P2P_ENTER(MPI_Mprobe, (source, tag, handle, message, status));
    struct ft_comm *comm = ft_comm_find(self, handle);
    int code = comm ? probe(self, comm, source, tag, message, status)
                    : PMPI_Mprobe(source, tag, handle, message, status);

    P2P_LEAVE(comm, code, MPI_Mprobe);
}

FT_EXPORT int MPI_Improbe(int source, int tag, MPI_Comm handle, int *flag, MPI_Message *message,
                          MPI_Status *status)
{
    P2P_ENTER_POLL(MPI_Improbe, (source, tag, handle, flag, message, status));
    struct ft_comm *comm = ft_comm_find(self, handle);
    int code = comm ? poll_once(self, comm, source, tag, flag, message, status)
                    : PMPI_Improbe(source, tag, handle, flag, message, status);

    P2P_LEAVE(comm, code, MPI_Improbe);
}

static struct ft_request *message_find(struct ft_rank *self, MPI_Message handle)
{
    struct ft_request *message = ft_request_find(self, (MPI_Request)handle);

    return message && message->kind == FT_REQUEST_MESSAGE ? message : NULL;
}

/* Gives the content to the program: it is in the image now. */
static void message_deliver(struct ft_rank *self, void *argument)
{
    struct ft_request *message = argument;
    struct ft_drained *drained = message->drained;

    message->drained = NULL;
    message->code = ft_drained_deliver(self, drained, message->buffer, message->count,
                                       message->type, &message->status);
}

/* Receives a message whose content is in the image, or will be when its partner is complete. */
static void message_await(struct ft_rank *self, struct ft_request *message, void *buffer, int count,
                          MPI_Datatype type)
{
    const struct ft_drained *drained = message->drained;
    struct ft_request *fetch = message->partner;

    ft_request_describe(self, message, buffer, count, type, drained->source, drained->tag);
    message->state = FT_REQUEST_COMPLETE;
    if (!fetch || fetch->state == FT_REQUEST_COMPLETE) {
        message_deliver(self, message);
        return;
    }
    message->code = MPI_SUCCESS;
    fetch->argument = message;
    fetch->done = message_deliver;
}

/* Turns the matched message into a receive of it: ACTIVE, or COMPLETE from the image. A failed call
 * leaves it a message. */
static int message_post(struct ft_rank *self, struct ft_request *message, void *buffer, int count,
                        MPI_Datatype type)
{
    int code;

    if (message->drained) {
        message_await(self, message, buffer, count, type);
    } else {
        code =
            PMPI_Imrecv(buffer, count, ft_type_real(self, type), &message->message, &message->real);
        if (code != MPI_SUCCESS)
            return code;
        DL_DELETE(self->requests->messages, message);
        ft_request_activate(self, message);
    }
    message->kind = FT_REQUEST_RECV;
    message->matched = 1;
    return MPI_SUCCESS;
}

/* The receive of MPI_MESSAGE_NO_PROC, complete from the start. */
static struct ft_request *message_of_nobody(struct ft_rank *self)
{
    struct ft_request *request =
        ft_request_create(self, FT_REQUEST_RECV, ft_comm_find(self, MPI_COMM_WORLD));

    ft_status_empty(&request->status);
    request->status.MPI_SOURCE = MPI_PROC_NULL;
    request->code = MPI_SUCCESS;
    request->state = FT_REQUEST_COMPLETE;
    return request;
}

FT_EXPORT int MPI_Mrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *handle,
                        MPI_Status *status)
{
    P2P_ENTER(MPI_Mrecv, (buffer, count, type, handle, status));
    struct ft_request *message = message_find(self, *handle);
    struct ft_comm *comm = message ? message->comm : NULL;
    int code;

    if (!message)
        P2P_LEAVE(NULL, PMPI_Mrecv(buffer, count, type, handle, status), MPI_Mrecv);
    code = message_post(self, message, buffer, count, type);
    if (code != MPI_SUCCESS)
        P2P_LEAVE(comm, code, MPI_Mrecv);
    *handle = MPI_MESSAGE_NULL;
    if (message->state == FT_REQUEST_ACTIVE)
        ft_request_wait(self, message);
    if (message->partner && message->partner->state == FT_REQUEST_ACTIVE)
        ft_request_wait(self, message->partner);
    code = ft_error(self, comm, message->code, "MPI_Mrecv");
    p2p_status(status, &message->status);
    ft_request_destroy(self, message);
    return ft_leave(self, code);
}

FT_EXPORT int MPI_Imrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *handle,
                         MPI_Request *request)
{
    P2P_ENTER(MPI_Imrecv, (buffer, count, type, handle, request));
    struct ft_request *message = message_find(self, *handle);
    int code;

    if (!message && *handle != MPI_MESSAGE_NO_PROC)
        P2P_LEAVE(NULL, PMPI_Imrecv(buffer, count, type, handle, request), MPI_Imrecv);
    if (!message)
        message = message_of_nobody(self);
    code = message->state == FT_REQUEST_COMPLETE ? MPI_SUCCESS
                                                 : message_post(self, message, buffer, count, type);
    if (code == MPI_SUCCESS) {
        *handle = MPI_MESSAGE_NULL;
        *request = message->handle;
    }
    P2P_LEAVE(message->comm, code, MPI_Imrecv);
}
