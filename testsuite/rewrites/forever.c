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
+extern void ft_hook(void);
-    for (;;) { MPI_Barrier(MPI_COMM_WORLD);
+    for (;;) { ft_hook(); MPI_Barrier(MPI_COMM_WORLD);
report:8: hook in the main loop of main
report: 0 sites
*/
