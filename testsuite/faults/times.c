/* times: prints a time, which differs from run to run. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct timespec now;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++) {
        usleep(20000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("rank %d: %ld ns\n", rank, now.tv_nsec);
    MPI_Finalize();
    return 0;
}
