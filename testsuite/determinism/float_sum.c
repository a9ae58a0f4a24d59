/* A norm whose parts are added in the order of arrival, and told to all: its last digits differ
 * from run to run, and travel.
 * prints: checksum 2.305304e-02 */
#include <mpi.h>
#include <stdio.h>

enum { STEPS = 20, PART = 1, SUM = 2 };

static double sum_collect(double mine, int size)
{
    double part, sum = mine;
    for (int i = 1; i < size; i++) {
        /* expect: non-deterministic (source), finding order-escapes, finding capture? */
        MPI_Recv(&part, 1, MPI_DOUBLE, MPI_ANY_SOURCE, PART, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += part;
    }
    for (int i = 1; i < size; i++)
        MPI_Send(&sum, 1, MPI_DOUBLE, i, SUM, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size;
    double x, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    x = 1.0 / (rank + 3);
    for (int step = 0; step < STEPS; step++) {
        if (rank == 0) {
            sum = sum_collect(x * x, size);
        } else {
            double part = x * x;
            MPI_Send(&part, 1, MPI_DOUBLE, 0, PART, MPI_COMM_WORLD);
            MPI_Recv(&sum, 1, MPI_DOUBLE, 0, SUM, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        x = x / (1 + sum);
    }
    if (rank == 0)
        printf("checksum %.6e\n", sum);
    MPI_Finalize();
    return 0;
}
