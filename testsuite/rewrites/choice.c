/* A condition chooses the function that is called: what either does is known. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size - 1; i++) {
        /* expect: channel-deterministic (source) */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &status);
        (argc > 1 ? MPI_Ssend : MPI_Send)(&value, 1, MPI_INT, status.MPI_SOURCE, 7, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
logged: 13
hook in main: 11
+#include <ft.h>
+        ft_hook_at(ID1);
+        FT_SITE(ID2); :: any source; channel-deterministic
*/
