/* threads: asks for MPI_THREAD_MULTIPLE, and prints whether a lower level came back, as all must be
 * prepared for.
 *
 * ranks: 2
 * test: none
 */
#include "program.h"

int main(int argc, char **argv)
{
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("threads: %s\n", provided < MPI_THREAD_MULTIPLE ? "one at a time" : "all at once");
    MPI_Finalize();
    return 0;
}
