/* Lines that end in CR LF, and no newline at the end. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (;;) {
        MPI_Barrier(MPI_COMM_WORLD);
        break;
    }
    MPI_Finalize();
    return 0;
}
