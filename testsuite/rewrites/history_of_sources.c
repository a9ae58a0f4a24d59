/* The sources of the last messages move through as many variables as a loop has turns. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int x, size, h1 = 0, h2 = 0, h3 = 0, h4 = 0, h5 = 0, h6 = 0, h7 = 0, h8 = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size; i++) {
        h1 = h2;
        h2 = h3;
        h3 = h4;
        h4 = h5;
        h5 = h6;
        h6 = h7;
        h7 = h8;
        /* expect: non-deterministic (source), finding order-escapes */
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        h8 = status.MPI_SOURCE;
    }
    MPI_Send(&h1, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
logged: 19
hook in main: 10
+#include <ft.h>
+        ft_hook_at(ID1);
+        FT_SITE(ID2); :: any source; non-deterministic
*/
