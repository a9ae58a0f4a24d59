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
hook in main: 8
+#include <ft.h>
+        ft_hook_at(ID1);
*/
