/* A halo exchange on a ring: named messages only, completed by Waitany in any order. */
#include <mpi.h>
#include <stdio.h>

#include "ft.h"

enum { CELLS = 100, STEPS = 50 };

int main(int argc, char **argv)
{
    double now[CELLS + 2], next[CELLS + 2], sum = 0, total;
    int rank, size, index;
    MPI_Request requests[4];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < CELLS + 2; i++)
        now[i] = rank * CELLS + i;
    for (int step = 0; step < STEPS; step++) {
        int left = (rank + size - 1) % size, right = (rank + 1) % size;

        MPI_Irecv(&now[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&now[CELLS + 1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(&now[CELLS], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(&now[1], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
        for (int i = 0; i < 4; i++) {
            FT_SITE(0x31u);
            MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
        }
        for (int i = 1; i <= CELLS; i++)
            next[i] = 0.25 * now[i - 1] + 0.5 * now[i] + 0.25 * now[i + 1];
        for (int i = 1; i <= CELLS; i++)
            now[i] = next[i];
    }
    for (int i = 1; i <= CELLS; i++)
        sum += now[i];
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("total %.6f\n", total);
    MPI_Finalize();
    return 0;
}
