/* Only macros make loops: no hook. */
#include <mpi.h>

#define TIMES(n, body) for (int i_ = 0; i_ < (n); i_++) { body; }

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    TIMES(10, MPI_Barrier(MPI_COMM_WORLD))
    do {
        MPI_Barrier(MPI_COMM_WORLD);
    } while (0);
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
*/
