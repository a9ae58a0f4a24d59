#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Request s; int n = 0;
    MPI_Init(&argc, &argv);
    if (argc > 1) {
        MPI_Psend_init(&n, 1, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &s);
        MPI_Pready(0, s);
        MPI_Psend_init(&n, 1, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &s);
    }
    MPI_Finalize();
    return 0;
}
