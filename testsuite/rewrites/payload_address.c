/* An address travels in a message. */
#include <mpi.h>
#include <stdint.h>

int main(int argc, char **argv)
{
    int rank;
    uint64_t key;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    key = (uint64_t)(uintptr_t)&rank;
    if (rank == 1)
        MPI_Send(&key, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD); /* expect: finding payload-noise */
    else if (rank == 0)
        MPI_Recv(&key, 1, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
*/
