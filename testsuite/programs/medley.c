/* medley: a program drawn from a seed. In each step all ranks draw the same operation: messages of
 * every sending mode and datatype, whose receives are posted at once, late, or by a matched probe,
 * and which stay open over many steps and end by every call that ends requests; collectives,
 * blocking and not; communicators that are duplicated, split and freed beneath them.
 *
 * Each message depends on all that its sender has received, so a wrong message anywhere changes the
 * end.
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
#include "finish.h"
#include "message.h"

enum { ATTACHED = 1 << 20 };

static char attached[ATTACHED];

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

/* Finishes a transfer whose requests have ended. */
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
