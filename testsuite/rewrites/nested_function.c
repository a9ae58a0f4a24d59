/* A file that clang rejects is not edited. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int step = 0;
    void turn(void) { MPI_Barrier(MPI_COMM_WORLD); }
    MPI_Init(&argc, &argv);
    for (step = 0; step < 3; step++) {
        turn();
    }
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
not seen: file 7
*/
