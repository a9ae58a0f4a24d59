/* A heat equation on a ring: each halo is used as soon as it is there.
 * prints: checksum 5.012155e+06 */
#include <mpi.h>
#include <stdio.h>

enum { CELLS = 500, STEPS = 100, SIDES = 2 };

static double u[CELLS + 2], next[CELLS + 2];

/* The index says which edge can be computed now. Both are computed in the end, each from its own
 * halo, whichever was first. */
static void edges_finish(MPI_Request *requests, const double *halo)
{
    static const int edge[SIDES] = {1, CELLS}, inside[SIDES] = {2, CELLS - 1};
    int side;
    for (int left = SIDES; left > 0; left--) {
        /* expect: send-deterministic (index) */
        MPI_Waitany(SIDES, requests, &side, MPI_STATUS_IGNORE);
        next[edge[side]] = 0.5 * u[edge[side]] + 0.25 * (u[inside[side]] + halo[side]);
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    double halo[SIDES], sum = 0, total;
    MPI_Request receives[SIDES], sends[SIDES];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (int i = 1; i <= CELLS; i++)
        u[i] = (rank * 13 + i * 7) % 101;
    for (int step = 0; step < STEPS; step++) {
        MPI_Irecv(&halo[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &receives[0]);
        MPI_Irecv(&halo[1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &receives[1]);
        MPI_Isend(&u[CELLS], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &sends[0]);
        MPI_Isend(&u[1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &sends[1]);
        for (int i = 2; i < CELLS; i++)
            next[i] = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1]);
        edges_finish(receives, halo);
        MPI_Waitall(SIDES, sends, MPI_STATUSES_IGNORE);
        for (int i = 1; i <= CELLS; i++)
            u[i] = next[i];
    }
    for (int i = 1; i <= CELLS; i++)
        sum += u[i] * u[i];
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("checksum %.6e\n", total);
    MPI_Finalize();
    return 0;
}
