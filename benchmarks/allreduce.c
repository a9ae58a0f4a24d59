/* allreduce: MPI_Allreduce of 8 bytes; prints the seconds of one call.
 *
 *     allreduce [iterations] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double reduce(long iterations)
{
    double value = 1, sum = 0;

    for (long i = 0; i < iterations; i++) {
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        value = sum * 0.5;
    }
    return value;
}

int main(int argc, char **argv)
{
    long iterations = argc > 1 ? atol(argv[1]) : 2000000;
    double begin, end, value;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = reduce(iterations / 4);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    value += reduce(iterations);
    end = MPI_Wtime();
    if (rank == 0)
        printf("allreduce %.6e value %g\n", (end - begin) / (double)iterations, value);
    MPI_Finalize();
    return 0;
}
