/* The single statement ends in a macro: the brace goes behind its semicolon. */
#include <mpi.h>

#define SYNC(comm) MPI_Barrier(comm)

int main(int argc, char **argv)
{
    int step;
    MPI_Init(&argc, &argv);
    for (step = 0; step < 4; step++)
        step += SYNC(MPI_COMM_WORLD) ;
    MPI_Finalize();
    return 0;
}

/* expect:
+extern void ft_hook(void);
-        step += SYNC(MPI_COMM_WORLD) ;
+        { ft_hook(); step += SYNC(MPI_COMM_WORLD) ; }
report:10: hook in the main loop of main
report: 0 sites
*/
