/* A sum over a hypercube. The receives are open, but the tag names the partner: only one message
 * can match each of them.
 * prints: checksum 7.574193729e+00 */
#include <mpi.h>
#include <stdio.h>

enum { FROM = 1000 };

static double butterfly_sum(double value, int rank, int size)
{
    double other;
    MPI_Request request;
    for (int bit = 1; bit < size; bit <<= 1) {
        int partner = rank ^ bit;
        if (partner >= size)
            continue;
        /* expect: deterministic (source) */
        MPI_Irecv(&other, 1, MPI_DOUBLE, MPI_ANY_SOURCE, FROM + partner, MPI_COMM_WORLD, &request);
        MPI_Send(&value, 1, MPI_DOUBLE, partner, FROM + rank, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        value = rank < partner ? value + other : other + value;
    }
    return value;
}

int main(int argc, char **argv)
{
    int rank, size;
    double x, norm = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    x = rank + 1;
    for (int step = 0; step < 50; step++) {
        norm = butterfly_sum(x * x, rank, size);
        x = x / (1 + norm / 1000);
    }
    if (rank == 0)
        printf("checksum %.9e\n", norm);
    MPI_Finalize();
    return 0;
}
