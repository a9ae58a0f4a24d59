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
+extern void ft_hook(void);
-        MPI_Barrier(MPI_COMM_WORLD);
+        { ft_hook(); MPI_Barrier(MPI_COMM_WORLD); }
report:8: hook in the main loop of main
report: 0 sites
*/
