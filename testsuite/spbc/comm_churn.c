/* comm_churn: communicators of several kinds made and freed without end, more than the library can
 * hold at a time; a few live for some births. A message to the next travels on each.
 *
 * arguments: [steps 250] [births in a step, 10]
 *
 * ranks: 2
 * test: 250 10
 * pace: 1000
 */
#include "program.h"

#define LIVES 7 /* births */

static MPI_Comm comms[LIVES];

static MPI_Comm in_group(void)
{
    MPI_Comm comm;
    MPI_Group world;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_create_group(MPI_COMM_WORLD, world, 3, &comm);
    MPI_Group_free(&world);
    return comm;
}

static MPI_Comm make(long number)
{
    MPI_Request request;
    MPI_Comm comm;

    switch (number % 4) {
    case 0:
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
        return comm;
    case 1:
        return in_group();
    case 2:
        MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return comm;
    default:
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    }
    return comm;
}

static long turn(MPI_Comm comm, long value)
{
    int n, r;
    long got = 0;

    MPI_Comm_rank(comm, &r);
    MPI_Comm_size(comm, &n);
    MPI_Sendrecv(&value, 1, MPI_LONG, (r + 1) % n, 7, &got, 1, MPI_LONG, (r + n - 1) % n, 7, comm,
                 MPI_STATUS_IGNORE);
    return got;
}

static void place_free(MPI_Comm *place)
{
    if (*place != MPI_COMM_NULL)
        MPI_Comm_free(place);
}

int main(int argc, char **argv)
{
    long steps, births, number = 0, state;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 250);
    births = argument(argc, argv, 2, 10);
    state = rank;
    for (int i = 0; i < LIVES; i++)
        comms[i] = MPI_COMM_NULL;
    for (long at = 1; at <= steps; at++) {
        step(at);
        for (long i = 0; i < births; i++) {
            MPI_Comm *place = &comms[++number % LIVES];

            place_free(place);
            *place = make(number);
            if (*place != MPI_COMM_NULL)
                state = (long)mix((uint64_t)(state * 31 + turn(*place, state)));
        }
    }
    for (int i = 0; i < LIVES; i++)
        place_free(&comms[i]);
    return program_end("comm_churn", mix((uint64_t)state));
}
