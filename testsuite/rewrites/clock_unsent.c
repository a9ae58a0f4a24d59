/* A clock chooses what is printed, and what is sent is the same either way. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, value = 0, late = 0;
    double start;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    start = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    value = rank;
    if (MPI_Wtime() - start > 0.001) {
        late = 1;
        fprintf(stderr, "late\n");
    }
    if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (late && rank == 0)
        fprintf(stderr, "%d\n", value);
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
*/
