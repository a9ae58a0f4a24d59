/* A hook by hand: ftcc adds none. */
#include <mpi.h>
#include <ft.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int step = 0; step < 10; step++) {
        MPI_Barrier(MPI_COMM_WORLD);
        ft_hook();
    }
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
not seen: callee 10 ft_hook
*/
