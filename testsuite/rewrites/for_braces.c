/* The plain case: a time loop with braces. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int step;
    MPI_Init(&argc, &argv);
    for (step = 0; step < 10; step++) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
+extern void ft_hook(void);
+        ft_hook();
report:8: hook in the main loop of main
report: 0 sites
*/
