/* A heat equation on a line: two neighbours, MPI_Sendrecv.
 * prints: checksum 2.802537529e+02 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 1000, STEPS = 200 };

static void exchange(double *u, int left, int right)
{
    MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, left, 0, &u[CELLS + 1], 1, MPI_DOUBLE, right, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&u[CELLS], 1, MPI_DOUBLE, right, 1, &u[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, size;
    double sum = 0, total;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    double *u = calloc(CELLS + 2, sizeof *u), *next = calloc(CELLS + 2, sizeof *next);
    if (rank == 0)
        u[1] = 1000;
    for (int step = 0; step < STEPS; step++) {
        exchange(u, left, right);
        for (int i = 1; i <= CELLS; i++)
            next[i] = u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1]);
        double *swap = u;
        u = next;
        next = swap;
    }
    for (int i = 1; i <= CELLS; i++)
        sum += u[i] * u[i];
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("checksum %.9e\n", total);
    free(u);
    free(next);
    MPI_Finalize();
    return 0;
}
