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
hook in main: 10
+#include <ft.h>
-        step += SYNC(MPI_COMM_WORLD) ;
+        { ft_hook_at(ID1); step += SYNC(MPI_COMM_WORLD) ; }
*/
