/* Lines that end in CR LF. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (;;) {
        MPI_Barrier(MPI_COMM_WORLD);
        break;
    }
    MPI_Finalize();
    return 0;
}

/* expect:
+extern void ft_hook(void);
+        ft_hook();
report:7: hook in the main loop of main
report: 0 sites
*/
