/* A for loop whose header is empty, and whose statements follow the brace in its line. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int left = 3;
    MPI_Init(&argc, &argv);
    for (;;) { MPI_Barrier(MPI_COMM_WORLD);
        if (--left == 0)
            break;
    }
    for (left = 0;; left++) if (left > 3) break;
    MPI_Finalize();
    return 0;
}

/* expect:
hook in main: 8
+#include <ft.h>
-    for (;;) { MPI_Barrier(MPI_COMM_WORLD);
+    for (;;) { ft_hook_at(ID1); MPI_Barrier(MPI_COMM_WORLD);
*/
