/* A body that is a single statement gets braces, in its line. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int left = 10;
    MPI_Init(&argc, &argv);
    while (left-- > 0)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
hook in main: 8
+#include <ft.h>
-        MPI_Barrier(MPI_COMM_WORLD);
+        { ft_hook_at(ID1); MPI_Barrier(MPI_COMM_WORLD); }
*/
