/* medley: a program drawn from a seed. In each step all ranks draw the same operation: messages of
 * every sending mode and datatype, whose receives are posted at once, late, or by a matched probe,
 * and which stay open over many steps and end by every call that ends requests; collectives,
 * blocking and not; communicators that are duplicated, split and freed beneath them.
 *
 * What a rank sends depends on all it has received, so a wrong message anywhere changes the end.
 *
 * arguments: [steps 400] [seed 1]
 *
 * ranks: 4
 * test: 400 1
 * soak: 1500 2
 * pace: 1500
 * kill: 1@hook:110
 * kill: 3@MPI_Mprobe:6:exit
 * kill: 0@hook:250 2@hook:330
 */
#include "draw.h"
#include "finish.h"
#include "groups.h"
#include "program.h"

enum { OPEN = 24, ATTACHED = 1 << 20, LONGEST = 3000 };

enum mode { ISEND, ISSEND, IBSEND, IRSEND, SEND, SSEND, SEND_INIT, SSEND_INIT, FREED, MODES };
enum take { IRECV, IRECV_ANY, RECV_INIT, RECV, RECV_ANY, PROBE, IPROBE, MPROBE, MATCHED, TAKES };
enum layout { DENSE, STRIDED, BACKWARDS, PADDED, LAYOUTS };

struct transfer {
    int open, collective, parent; /* parent: of the group that is being made, or -1 */
    int group, source, dest, tag, length, cycles;
    enum mode mode;
    enum take take;
    enum layout layout[2];
    uint64_t id, *data[2]; /* sent and received */
    MPI_Request request[2];
    MPI_Message message;
};

static struct transfer transfers[OPEN];
static uint64_t state, counted;
static char attached[ATTACHED];

static struct transfer *free_transfer(void)
{
    for (int i = 0; i < OPEN; i++)
        if (!transfers[i].open)
            return &transfers[i];
    return NULL;
}

static void fold(uint64_t value)
{
    state = mix(state + mix(value));
}

/* ---- Data ---- */

static long offset(const struct transfer *transfer, int end, int index)
{
    switch (transfer->layout[end]) {
    case STRIDED:
    case PADDED:
        return 2L * index;
    case BACKWARDS:
        return transfer->length - 1 - index;
    default:
        return index;
    }
}

/* The datatype of one end, of which `*count` are sent or received. */
static MPI_Datatype type_of(const struct transfer *transfer, int end, int *count)
{
    MPI_Datatype type;

    *count = 1;
    switch (transfer->layout[end]) {
    case STRIDED:
        MPI_Type_vector(transfer->length, 1, 2, MPI_UINT64_T, &type);
        break;
    case BACKWARDS: {
        int *at = malloc(sizeof *at * (size_t)(transfer->length + 1));

        for (int i = 0; i < transfer->length; i++)
            at[i] = transfer->length - 1 - i;
        MPI_Type_create_indexed_block(transfer->length, 1, at, MPI_UINT64_T, &type);
        free(at);
        break;
    }
    case PADDED:
        MPI_Type_create_resized(MPI_UINT64_T, 0, 16, &type);
        *count = transfer->length;
        break;
    default:
        *count = transfer->length;
        return MPI_UINT64_T;
    }
    MPI_Type_commit(&type);
    return type;
}

static void type_end(MPI_Datatype type)
{
    if (type != MPI_UINT64_T)
        MPI_Type_free(&type);
}

static uint64_t element(const struct transfer *transfer, uint64_t first, int index)
{
    return index ? mix(first ^ transfer->id ^ (uint64_t)index) : first;
}

static void fill(struct transfer *transfer)
{
    for (int i = 0; i < transfer->length; i++)
        transfer->data[0][offset(transfer, 0, i)] = element(transfer, state, i);
}

static void take_in(struct transfer *transfer)
{
    const uint64_t *data = transfer->data[1];
    uint64_t first = transfer->length ? data[offset(transfer, 1, 0)] : 0;

    for (int i = 0; i < transfer->length; i++)
        check(data[offset(transfer, 1, i)] == element(transfer, first, i), "content",
              (long)transfer->id);
    fold(first ^ transfer->id);
}

/* ---- Messages ---- */

static int is_persistent(const struct transfer *transfer)
{
    return transfer->take == RECV_INIT;
}

static int is_late(const struct transfer *transfer)
{
    return !transfer->collective && transfer->take >= RECV;
}

static int draw_length(void)
{
    switch (draw(8)) {
    case 0:
        return 0;
    case 1:
        return draw(10) ? LONGEST : 20000;
    case 2:
        return draw(LONGEST);
    case 3:
        return 1;
    default:
        return draw(60);
    }
}

static void post_receive(struct transfer *transfer)
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

static void post_send(struct transfer *transfer)
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
static void tell_ready(struct transfer *transfer)
{
    if (transfer->mode != IRSEND || transfer->source == transfer->dest)
        return;
    if (rank == transfer->dest)
        MPI_Send(NULL, 0, MPI_INT, transfer->source, 0, MPI_COMM_WORLD);
    if (rank == transfer->source)
        MPI_Recv(NULL, 0, MPI_INT, transfer->dest, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Which ways to send and to receive go together. */
static void draw_modes(struct transfer *transfer)
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
static int draw_ends(struct transfer *transfer, const struct group *group)
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

static void begin_cycle(struct transfer *transfer)
{
    if (rank == transfer->dest && !is_late(transfer))
        MPI_Start(&transfer->request[1]);
    if (rank == transfer->source) {
        fill(transfer);
        MPI_Start(&transfer->request[0]);
    }
}

static void transfer_begin(struct transfer *transfer)
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

static void message(void)
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

static void match(struct transfer *transfer)
{
    struct group *group = &groups[transfer->group];

    if (transfer->take == MATCHED && rank == transfer->dest &&
        transfer->message == MPI_MESSAGE_NULL)
        MPI_Mprobe(rank_in(group, transfer->source), transfer->tag, group->comm, &transfer->message,
                   MPI_STATUS_IGNORE);
}

/* Waits for the message of a late receive; *source becomes what is to be received from. */
static void find(struct transfer *transfer, int *source)
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

static void receive_late(struct transfer *transfer)
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

/* ---- Ends ---- */

/* The requests of this rank among the chosen transfers, into `request`. */
static int requests_of(const int *chosen, MPI_Request *request)
{
    int count = 0;

    for (int i = 0; i < OPEN; i++)
        for (int end = 0; end < 2 && chosen[i]; end++)
            if (transfers[i].request[end] != MPI_REQUEST_NULL)
                request[count++] = transfers[i].request[end];
    return count;
}

static void transfer_end(struct transfer *transfer)
{
    struct group *group = &groups[transfer->parent < 0 ? transfer->group : transfer->parent];

    group->busy -= is_late(transfer) || is_persistent(transfer) || transfer->parent >= 0;
    if (transfer->parent >= 0)
        groups[transfer->group].used = USED;
    for (int end = 0; end < 2; end++) {
        if (is_persistent(transfer) && transfer->request[end] != MPI_REQUEST_NULL)
            MPI_Request_free(&transfer->request[end]);
        if (end || transfer->mode != FREED) /* nobody knows when that one has been sent */
            free(transfer->data[end]);
    }
    transfer->open = 0;
}

/* Of a transfer whose requests have ended. */
static void transfer_ended(struct transfer *transfer)
{
    struct group *group = &groups[transfer->group];

    if (transfer->collective && transfer->parent < 0 && is_member(group, rank))
        for (int i = 0; i < transfer->length; i++)
            fold(transfer->data[1][i]);
    if (!transfer->collective && rank == transfer->dest)
        take_in(transfer);
    if (--transfer->cycles > 0)
        begin_cycle(transfer);
    else
        transfer_end(transfer);
}

/* Ends those that are drawn. The messages of all of them are on their way already. */
static void end_some(int share_of)
{
    int chosen[OPEN] = {0}, how = draw(FINISH_WAYS), count;
    MPI_Request request[2 * OPEN];

    for (int i = 0; i < OPEN; i++) {
        chosen[i] = draw(share_of) == 0 && transfers[i].open;
        if (!transfers[i].open || !is_late(&transfers[i]) || rank != transfers[i].dest)
            continue;
        if (chosen[i])
            receive_late(&transfers[i]);
        else
            match(&transfers[i]);
    }
    count = requests_of(chosen, request);
    finish(count, request, how);
    for (int i = 0; i < OPEN; i++)
        for (int end = 0; end < 2 && chosen[i]; end++)
            if (!is_persistent(&transfers[i]))
                transfers[i].request[end] = MPI_REQUEST_NULL;
    for (int i = 0; i < OPEN; i++)
        if (chosen[i])
            transfer_ended(&transfers[i]);
}

/* ---- Messages that end in their step ---- */

/* All send to one, which takes them in any order. */
static void gather_any(void)
{
    struct group *group = draw_group();
    int root = draw(size), how = draw(3), tag = 30002 + draw(3), flag;
    uint64_t value, sum = 0;
    MPI_Request request;
    MPI_Status status;

    if (group->sides || !share(group, rank, root))
        return;
    if (rank != root)
        MPI_Send(&state, 1, MPI_UINT64_T, rank_in(group, root), tag, group->comm);
    for (int i = 1; i < members_of(group, rank) && rank == root; i++) {
        flag = how != 1;
        while (!flag)
            MPI_Iprobe(MPI_ANY_SOURCE, tag, group->comm, &flag, &status);
        if (how == 2) {
            MPI_Irecv(&value, 1, MPI_UINT64_T, MPI_ANY_SOURCE, tag, group->comm, &request);
            MPI_Wait(&request, &status);
        } else
            MPI_Recv(&value, 1, MPI_UINT64_T, how ? status.MPI_SOURCE : MPI_ANY_SOURCE, tag,
                     group->comm, &status);
        sum += mix(value ^ (uint64_t)status.MPI_SOURCE);
    }
    MPI_Bcast(&sum, 1, MPI_UINT64_T, rank_in(group, root), group->comm);
    fold(sum);
}

static void shift(void)
{
    struct group *group = draw_group();
    int by = draw(size), replace = draw(2), count = members_of(group, rank), dest, source;
    uint64_t value[2] = {state, state};

    if (group->sides || !is_member(group, rank))
        return;
    dest = (rank_in(group, rank) + by) % count;
    source = (rank_in(group, rank) + count - by % count) % count;
    if (replace)
        MPI_Sendrecv_replace(&value[1], 1, MPI_UINT64_T, dest, 30001, source, 30001, group->comm,
                             MPI_STATUS_IGNORE);
    else
        MPI_Sendrecv(&value[0], 1, MPI_UINT64_T, dest, 30001, &value[1], 1, MPI_UINT64_T, source,
                     30001, group->comm, MPI_STATUS_IGNORE);
    fold(value[1]);
}

static void cancelled(void)
{
    struct group *group = draw_group();
    int who = draw(size), flag;
    MPI_Request request;
    MPI_Status status;
    uint64_t value;

    if (rank != who || !is_member(group, rank))
        return;
    MPI_Irecv(&value, 1, MPI_UINT64_T, MPI_ANY_SOURCE, 30000, group->comm, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    check(flag, "cancelled", (long)counted);
}

/* ---- Collectives ---- */

static double *numbers(int count)
{
    double *number = malloc(sizeof *number * (size_t)(count + 1));

    for (int i = 0; i < count; i++)
        number[i] = (double)(mix(state + (uint64_t)i) >> 20) / 3.0;
    return number;
}

static void fold_numbers(double *number, int count)
{
    fold(digest(1, number, sizeof *number * (size_t)count));
    free(number);
}

/* The one that all have calls with `count` numbers for each. */
static void collective_call(int which, int count, int root, int members, MPI_Comm comm)
{
    double *in = numbers(count * members), *out = numbers(count * members);

    switch (which) {
    case 0:
        MPI_Barrier(comm);
        break;
    case 1:
        MPI_Bcast(out, count, MPI_DOUBLE, root, comm);
        break;
    case 2:
        MPI_Reduce(in, out, count, MPI_DOUBLE, MPI_SUM, root, comm);
        break;
    case 3:
        MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
        break;
    case 4:
        MPI_Allgather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, comm);
        break;
    case 5:
        MPI_Alltoall(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, comm);
        break;
    case 6:
        MPI_Scan(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
        break;
    case 7:
        MPI_Exscan(in, out, count, MPI_DOUBLE, MPI_MAX, comm);
        break;
    case 8:
        MPI_Gather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, root, comm);
        break;
    case 9:
        MPI_Scatter(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, root, comm);
        break;
    default:
        MPI_Reduce_scatter_block(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
    }
    free(in);
    fold_numbers(out, count * members);
}

static void collective(void)
{
    struct group *group = draw_group();
    int which = draw(11), count = draw(10) ? draw(40) : draw(4000), root = draw(size);

    if (!is_member(group, rank))
        return;
    if (group->sides)
        which = which % 2 * 3;
    collective_call(which, count, root % members_of(group, rank), members_of(group, rank),
                    group->comm);
}

static void collective_start(struct transfer *transfer, int which, int root)
{
    struct group *group = &groups[transfer->group];
    int members = members_of(group, rank), count = transfer->length / (members ? members : 1);
    uint64_t *in = transfer->data[0], *out = transfer->data[1];
    MPI_Request *request = &transfer->request[0];

    if (!is_member(group, rank))
        return;
    for (int i = 0; i < transfer->length; i++)
        in[i] = out[i] = mix(state + (uint64_t)i);
    switch (which) {
    case 0:
        MPI_Ibarrier(group->comm, request);
        break;
    case 1:
        MPI_Ibcast(out, count, MPI_UINT64_T, root % members, group->comm, request);
        break;
    case 2:
        MPI_Iallreduce(in, out, count, MPI_UINT64_T, MPI_SUM, group->comm, request);
        break;
    case 3:
        MPI_Iallgather(in, count, MPI_UINT64_T, out, count, MPI_UINT64_T, group->comm, request);
        break;
    default:
        MPI_Ialltoall(in, count, MPI_UINT64_T, out, count, MPI_UINT64_T, group->comm, request);
    }
}

static struct transfer *collective_transfer(const struct group *group, int length)
{
    struct transfer *transfer = free_transfer();

    if (!transfer)
        return NULL;
    memset(transfer, 0, sizeof *transfer);
    transfer->open = transfer->collective = transfer->cycles = 1;
    transfer->parent = -1;
    transfer->group = (int)(group - groups);
    transfer->length = length;
    for (int end = 0; end < 2; end++) {
        transfer->data[end] = calloc((size_t)length + 1, sizeof(uint64_t));
        transfer->request[end] = MPI_REQUEST_NULL;
    }
    return transfer;
}

static void collective_open(void)
{
    const struct group *group = draw_group();
    int length = draw_length() % LONGEST, which = draw(5), root = draw(size);
    struct transfer *transfer = group->sides ? NULL : collective_transfer(group, length);

    if (transfer)
        collective_start(transfer, which, root);
}

/* ---- Communicators ---- */

static void copy(struct group *made, struct group *from, int blocking)
{
    struct transfer *transfer = blocking ? NULL : collective_transfer(made, 0);

    memcpy(made, from, sizeof *made);
    made->busy = 0;
    made->comm = MPI_COMM_NULL;
    if (transfer) {
        made->used = BEGUN;
        from->busy++;
        transfer->parent = (int)(from - groups);
    }
    if (!is_member(from, rank))
        return;
    if (transfer)
        MPI_Comm_idup(from->comm, &made->comm, &transfer->request[0]);
    else
        MPI_Comm_dup(from->comm, &made->comm);
}

static void communicator(void)
{
    struct group *made = free_group(), *from = draw_group();
    int how = draw(5);

    if (!made && from != groups && !from->busy) {
        group_free(from);
        return;
    }
    if (!made)
        return;
    memset(made, 0, sizeof *made);
    made->comm = MPI_COMM_NULL;
    made->used = USED;
    if (how < 2 || from->sides)
        copy(made, from, how & 1);
    else if (how < 4)
        group_split(made, from);
    else
        group_sides(made);
}

/* ---- The program ---- */

static void operation(void)
{
    switch (draw(16)) {
    case 0:
        collective();
        break;
    case 1:
        collective_open();
        break;
    case 2:
        gather_any();
        break;
    case 3:
        shift();
        break;
    case 4:
        communicator();
        break;
    case 5:
        cancelled();
        break;
    case 6:
    case 7:
    case 8:
        end_some(2);
        break;
    case 9:
        end_some(4);
        break;
    default:
        message();
    }
}

int main(int argc, char **argv)
{
    void *buffer;
    int bytes;

    program_start(&argc, &argv);
    seed = mix((uint64_t)argument(argc, argv, 2, 1));
    state = mix(seed ^ (uint64_t)rank);
    groups_begin();
    MPI_Buffer_attach(attached, ATTACHED);
    for (long number = 1; number <= argument(argc, argv, 1, 400); number++) {
        step(number);
        operation();
    }
    for (int i = 0; i < 5; i++) /* a persistent transfer has up to four cycles */
        end_some(1);
    groups_end();
    MPI_Buffer_detach(&buffer, &bytes);
    return program_end("medley", state);
}
