int main(int argc, char **argv);
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++) {
        MPI_Barrier(MPI_COMM_WORLD); }
    MPI_Finalize();
    return 0;
}

/* expect:
+extern void ft_hook(void);
+        ft_hook();
report:6: hook in the main loop of main
report: 0 sites
*/
