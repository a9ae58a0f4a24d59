/* comm_later: MPI_Comm_idup as the standard has it: it starts in the call and goes on in whatever
 * call the rank is next; messages are exchanged before the wait, several are under way at a time,
 * and in another order on other ranks.
 *
 * arguments: [steps 60]
 *
 * ranks: 4
 * test: 60
 * pace: 5000
 */
#include "program.h"

#define BIG 40000 /* longs: more than the library sends without the receiver */
#define ACROSS 4

static MPI_Comm rows, inter;
static long big[BIG];

/* One message on to the next rank and one from the one before. */
static long turn(MPI_Comm comm, long value)
{
    long got = 0;
    int n, r;

    MPI_Comm_rank(comm, &r);
    MPI_Comm_size(comm, &n);
    MPI_Sendrecv(&value, 1, MPI_LONG, (r + 1) % n, 2, &got, 1, MPI_LONG, (r + n - 1) % n, 2, comm,
                 MPI_STATUS_IGNORE);
    return got;
}

static long use(MPI_Comm *comm, long value)
{
    long got = turn(*comm, value);

    MPI_Comm_free(comm);
    return got;
}

/* Big messages around the ring, one after the other, while the duplication is under way. */
static long before_wait(long value)
{
    MPI_Request request;
    MPI_Comm comm;

    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    if (rank == 0) {
        big[0] = value;
        MPI_Send(big, BIG, MPI_LONG, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(big, BIG, MPI_LONG, size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(big, BIG, MPI_LONG, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        big[0] = big[0] * 3 + value;
        MPI_Send(big, BIG, MPI_LONG, (rank + 1) % size, 1, MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return use(&comm, big[0]);
}

/* Rank 0 has its communicator before it sends what the others wait for before they wait for theirs.
 */
static long first_has_it(long value)
{
    MPI_Request request;
    MPI_Comm comm;

    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    if (rank == 0) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 1; i < size; i++)
            MPI_Send(&value, 1, MPI_LONG, i, 3, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_LONG, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return use(&comm, value);
}

/* Two at a time, of two parents, begun in both orders, and a blocking one of a third meanwhile. */
static long at_a_time(long value)
{
    MPI_Comm parent[2] = {MPI_COMM_WORLD, rows}, comm[2], third;
    MPI_Request request[2];
    int first = rank % 2;

    MPI_Comm_idup(parent[first], &comm[first], &request[first]);
    MPI_Comm_idup(parent[!first], &comm[!first], &request[!first]);
    MPI_Comm_dup(rows, &third);
    value = use(&third, value);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    value = use(&comm[0], value);
    return use(&comm[1], value);
}

/* Several between the same two groups: the leaders of all are the same. */
static long across(long value)
{
    MPI_Request request[ACROSS];
    MPI_Comm comm[ACROSS];
    int there;
    long got = 0;

    for (int i = 0; i < ACROSS; i++)
        MPI_Comm_idup(inter, &comm[i], &request[i]);
    for (int flag = 0; !flag;)
        MPI_Testall(ACROSS, request, &flag, MPI_STATUSES_IGNORE);
    MPI_Comm_remote_size(inter, &there);
    for (int i = 0; i < ACROSS; i++) {
        MPI_Sendrecv(&value, 1, MPI_LONG, rank / 2 % there, 4, &got, 1, MPI_LONG, rank / 2 % there,
                     4, comm[i], MPI_STATUS_IGNORE);
        value = got * 3 + i;
        MPI_Comm_free(&comm[i]);
    }
    return value;
}

int main(int argc, char **argv)
{
    long steps, state;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    state = rank;
    step(0); /* it may die before the first one */
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &rows);
    MPI_Intercomm_create(rows, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter);
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = (long)mix((uint64_t)before_wait(state));
        state = (long)mix((uint64_t)first_has_it(state));
        state = (long)mix((uint64_t)at_a_time(state));
        state = (long)mix((uint64_t)across(state));
    }
    MPI_Comm_free(&inter);
    MPI_Comm_free(&rows);
    return program_end("comm_later", mix((uint64_t)state));
}
