/* Code that the preprocessor leaves out is named, not passed over. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
#ifdef NEVER
    MPI_Recv(0, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
not seen: preprocessor 7 MPI_Recv
*/
