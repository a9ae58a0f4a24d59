/* message: the messages of a program drawn from a seed, of every sending mode, whose receives are
 * posted at once, late, or by a matched probe. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "groups.h"
#include "transfer.h"

static inline void post_receive(struct transfer *transfer)
{
    struct group *group = &groups[transfer->group];
    int source = transfer->take == IRECV_ANY ? MPI_ANY_SOURCE : rank_in(group, transfer->source);
    MPI_Request *request = &transfer->request[1];
    int count;
    MPI_Datatype type = type_of(transfer, 1, &count);

    if (is_persistent(transfer))
        MPI_Recv_init(transfer->data[1], count, type, source, transfer->tag, group->comm, request);
    else
        MPI_Irecv(transfer->data[1], count, type, source, transfer->tag, group->comm, request);
    type_end(type);
}

static inline void post_send(struct transfer *transfer)
{
    struct group *group = &groups[transfer->group];
    int dest = rank_in(group, transfer->dest), tag = transfer->tag, count;
    MPI_Datatype type = type_of(transfer, 0, &count);
    MPI_Request *request = &transfer->request[0];
    uint64_t *data = transfer->data[0];

    switch (transfer->mode) {
    case ISSEND:
        MPI_Issend(data, count, type, dest, tag, group->comm, request);
        break;
    case IBSEND:
        MPI_Ibsend(data, count, type, dest, tag, group->comm, request);
        break;
    case IRSEND:
        MPI_Irsend(data, count, type, dest, tag, group->comm, request);
        break;
    case SEND:
        MPI_Send(data, count, type, dest, tag, group->comm);
        break;
    case SSEND:
        MPI_Ssend(data, count, type, dest, tag, group->comm);
        break;
    case SEND_INIT:
        MPI_Send_init(data, count, type, dest, tag, group->comm, request);
        break;
    case SSEND_INIT:
        MPI_Ssend_init(data, count, type, dest, tag, group->comm, request);
        break;
    default:
        MPI_Isend(data, count, type, dest, tag, group->comm, request);
    }
    type_end(type);
    if (transfer->mode == FREED)
        MPI_Request_free(request);
}

/* The other end may send only when the receive is posted. */
static inline void tell_ready(struct transfer *transfer)
{
    if (transfer->mode != IRSEND || transfer->source == transfer->dest)
        return;
    if (rank == transfer->dest)
        MPI_Send(NULL, 0, MPI_INT, transfer->source, 0, MPI_COMM_WORLD);
    if (rank == transfer->source)
        MPI_Recv(NULL, 0, MPI_INT, transfer->dest, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Which ways to send and to receive go together. */
static inline void draw_modes(struct transfer *transfer)
{
    transfer->take = (enum take)draw(TAKES);
    transfer->cycles = 1;
    if (is_persistent(transfer)) {
        transfer->mode = draw(2) ? SEND_INIT : SSEND_INIT;
        transfer->cycles = 1 + draw(4);
    } else if (is_late(transfer))
        transfer->mode = draw(4) ? draw(3) ? ISEND : ISSEND : draw(2) ? IBSEND : FREED;
    else
        transfer->mode = (enum mode)draw(SEND_INIT);
}

/* Two ends that share the group, and are of different sides if it has some. */
static inline int draw_ends(struct transfer *transfer, const struct group *group)
{
    for (int tries = 0; tries < 50; tries++) {
        transfer->source = draw(size);
        transfer->dest = draw(size);
        if (share(group, transfer->source, transfer->dest) &&
            (!group->sides || group->side[transfer->source] != group->side[transfer->dest]))
            return 1;
    }
    return 0;
}

static inline void begin_cycle(struct transfer *transfer)
{
    if (rank == transfer->dest && !is_late(transfer))
        MPI_Start(&transfer->request[1]);
    if (rank == transfer->source) {
        fill(transfer);
        MPI_Start(&transfer->request[0]);
    }
}

static inline void transfer_begin(struct transfer *transfer)
{
    if (rank == transfer->dest && !is_late(transfer))
        post_receive(transfer);
    tell_ready(transfer);
    if (rank == transfer->source) {
        fill(transfer);
        post_send(transfer);
    }
    if (is_persistent(transfer))
        begin_cycle(transfer);
}

static inline void message(void)
{
    struct transfer *transfer = free_transfer();
    struct group *group = draw_group();

    if (!transfer)
        return;
    memset(transfer, 0, sizeof *transfer);
    if (!draw_ends(transfer, group))
        return;
    transfer->group = (int)(group - groups);
    transfer->id = ++counted;
    draw_modes(transfer);
    transfer->length = draw_length();
    if (transfer->mode == FREED && transfer->source == transfer->dest) /* wrong in MPICH 4.0.2 */
        transfer->mode = ISEND;
    if (transfer->mode == IBSEND)
        transfer->length %= LONGEST + 1;
    if (transfer->mode == FREED) /* natively longer ones do not always arrive */
        transfer->length %= 60;
    /* Only receives that are posted in the order of the sends may share a tag. */
    transfer->tag = transfer->take == IRECV && draw(2) ? 1 : 2 + (int)(counted % 30000);
    for (int end = 0; end < 2; end++) {
        transfer->layout[end] = (enum layout)draw(LAYOUTS);
        transfer->data[end] = calloc((size_t)transfer->length * 2 + 1, sizeof(uint64_t));
        transfer->request[end] = MPI_REQUEST_NULL;
    }
    transfer->message = MPI_MESSAGE_NULL;
    transfer->parent = -1;
    transfer->open = 1;
    group->busy += is_late(transfer) || is_persistent(transfer);
    transfer_begin(transfer);
}

/* ---- Late receives ---- */

static inline void match(struct transfer *transfer)
{
    struct group *group = &groups[transfer->group];

    if (transfer->take == MATCHED && rank == transfer->dest &&
        transfer->message == MPI_MESSAGE_NULL)
        MPI_Mprobe(rank_in(group, transfer->source), transfer->tag, group->comm, &transfer->message,
                   MPI_STATUS_IGNORE);
}

/* Waits for the message of a late receive; *source becomes what is to be received from. */
static inline void find(struct transfer *transfer, int *source)
{
    struct group *group = &groups[transfer->group];
    MPI_Status status;
    int flag = 0;

    status.MPI_SOURCE = *source;
    if (transfer->take == RECV_ANY)
        *source = MPI_ANY_SOURCE;
    if (transfer->take == PROBE)
        MPI_Probe(MPI_ANY_SOURCE, transfer->tag, group->comm, &status);
    while (transfer->take == IPROBE && !flag)
        MPI_Iprobe(*source, transfer->tag, group->comm, &flag, &status);
    if (transfer->take == MPROBE)
        MPI_Mprobe(MPI_ANY_SOURCE, transfer->tag, group->comm, &transfer->message, &status);
    check(status.MPI_SOURCE == rank_in(group, transfer->source), "source", (long)transfer->id);
}

static inline void receive_late(struct transfer *transfer)
{
    struct group *group = &groups[transfer->group];
    int source = rank_in(group, transfer->source), count;
    MPI_Datatype type = type_of(transfer, 1, &count);

    match(transfer);
    find(transfer, &source);
    if (transfer->message == MPI_MESSAGE_NULL)
        MPI_Recv(transfer->data[1], count, type, source, transfer->tag, group->comm,
                 MPI_STATUS_IGNORE);
    else if (transfer->id % 2)
        MPI_Mrecv(transfer->data[1], count, type, &transfer->message, MPI_STATUS_IGNORE);
    else
        MPI_Imrecv(transfer->data[1], count, type, &transfer->message, &transfer->request[1]);
    type_end(type);
}

#endif
