/* comm_lone: several duplications under way at a time of two intercommunicators with one rank on
 * one side, which is not the same rank, of the world, and of a rank's communicator with itself:
 * nobody shares a lone rank's part of the making.
 *
 * arguments: [steps 60]
 *
 * ranks: 4
 * test: 60
 * pace: 5000
 */
#include "program.h"

#define AT_A_TIME 8

static long turn(MPI_Comm comm, long value)
{
    int inter, there, r;
    long got = 0;

    MPI_Comm_test_inter(comm, &inter);
    MPI_Comm_rank(comm, &r);
    if (!inter) {
        MPI_Allreduce(&value, &got, 1, MPI_LONG, MPI_SUM, comm);
        return got;
    }
    MPI_Comm_remote_size(comm, &there);
    for (int other = 0; other < there; other++) {
        MPI_Sendrecv(&value, 1, MPI_LONG, other, 4, &got, 1, MPI_LONG, other, 4, comm,
                     MPI_STATUS_IGNORE);
        value = value * 3 + got;
    }
    return value;
}

/* Between the ranks of one color and the lone one. */
static MPI_Comm inter_create(int color, int lone, int lowest)
{
    MPI_Comm side, inter = MPI_COMM_NULL;

    MPI_Comm_split(MPI_COMM_WORLD, color, rank, &side);
    if (side == MPI_COMM_NULL)
        return inter;
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, rank == lone ? lowest : lone, 5, &inter);
    MPI_Comm_free(&side);
    return inter;
}

int main(int argc, char **argv)
{
    MPI_Comm parent[4], comm[AT_A_TIME];
    MPI_Request request[AT_A_TIME];
    long steps, state;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    state = rank;
    parent[0] = inter_create(rank == 0, 0, 1);
    parent[1] = MPI_COMM_WORLD;
    parent[2] = MPI_COMM_SELF;
    parent[3] = inter_create(rank == 2 ? MPI_UNDEFINED : rank == 3, 3, 0);
    for (long number = 1; number <= steps; number++) {
        step(number);
        for (int i = 0; i < AT_A_TIME; i++) {
            request[i] = MPI_REQUEST_NULL;
            if (parent[i % 4] != MPI_COMM_NULL)
                MPI_Comm_idup(parent[i % 4], &comm[i], &request[i]);
        }
        MPI_Waitall(AT_A_TIME, request, MPI_STATUSES_IGNORE);
        for (int i = 0; i < AT_A_TIME; i++) {
            if (parent[i % 4] == MPI_COMM_NULL)
                continue;
            state = (long)mix((uint64_t)(turn(comm[i], state) + i));
            MPI_Comm_free(&comm[i]);
        }
    }
    MPI_Comm_free(&parent[0]);
    if (parent[3] != MPI_COMM_NULL)
        MPI_Comm_free(&parent[3]);
    return program_end("comm_lone", mix((uint64_t)state));
}
