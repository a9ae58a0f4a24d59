/* The source of a message is the last of more arguments than are followed. */
#include <mpi.h>

static void forward(int a1, int a2, int a3, int a4, int a5, int a6, int a7, int a8, int a9, int b1,
                    int b2, int b3, int b4, int b5, int b6, int b7, int b8, int b9, int c1, int c2,
                    int c3, int c4, int c5, int c6, int source)
{
    int sum = a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + b1 + b2 + b3 + b4 + b5 + b6 + b7 + b8 +
              b9 + c1 + c2 + c3 + c4 + c5 + c6;
    MPI_Send(&sum, 1, MPI_INT, source, 2, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int x, size, last = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size; i++) {
        /* expect: non-deterministic or unknown (source) */
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        last = status.MPI_SOURCE;
    }
    forward(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
            last);
    MPI_Finalize();
    return 0;
}

/* expect:
logged: 21
hook in main: 19
+#include <ft.h>
+        ft_hook_at(ID1);
+        FT_SITE(ID2); :: any source; unknown
*/
