/* What the preprocessor leaves out is named, not passed over. */
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
report: no hook: main reaches no loop that communicates and can be edited
report:7: not seen: lines 7 to 9, left out by the preprocessor
report: 0 sites
*/
