/* A matrix is transposed back and forth by MPI_Alltoall.
 * prints: checksum 7.736219640e+08 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 16, TURNS = 20 };

static void transpose(double *rows, double *scratch, int size)
{
    int n = BLOCK * size;
    for (int b = 0; b < size; b++)
        for (int i = 0; i < BLOCK; i++)
            for (int j = 0; j < BLOCK; j++)
                scratch[(b * BLOCK + j) * BLOCK + i] = rows[i * n + b * BLOCK + j];
    MPI_Alltoall(MPI_IN_PLACE, BLOCK * BLOCK, MPI_DOUBLE, scratch, BLOCK * BLOCK, MPI_DOUBLE,
                 MPI_COMM_WORLD);
    for (int b = 0; b < size; b++)
        for (int i = 0; i < BLOCK; i++)
            for (int j = 0; j < BLOCK; j++)
                rows[i * n + b * BLOCK + j] = scratch[(b * BLOCK + i) * BLOCK + j];
}

int main(int argc, char **argv)
{
    int rank, size;
    double sum = 0, total;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = BLOCK * size;
    double *rows = malloc(sizeof *rows * BLOCK * (size_t)n);
    double *scratch = malloc(sizeof *scratch * BLOCK * (size_t)n);
    for (int i = 0; i < BLOCK; i++)
        for (int j = 0; j < n; j++)
            rows[i * n + j] = (rank * BLOCK + i) * 1000 + j;
    for (int turn = 0; turn < TURNS; turn++) {
        transpose(rows, scratch, size);
        for (int i = 0; i < BLOCK * n; i++)
            rows[i] += 0.5;
    }
    for (int i = 0; i < BLOCK * n; i++)
        sum += rows[i] * (i % 13);
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("checksum %.9e\n", total);
    free(rows);
    free(scratch);
    MPI_Finalize();
    return 0;
}
