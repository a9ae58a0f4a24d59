/* The outermost loop that communicates, not the one that does the communication. */
#include <mpi.h>

static void exchange(int neighbours)
{
    for (int i = 0; i < neighbours; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int round = 0; round < 2; round++)
    {
        for (int step = 0; step < 10; step++) {
            exchange(2);
        }
    }
    MPI_Finalize();
    return 0;
}

/* expect:
hook in main: 14
+#include <ft.h>
+        ft_hook_at(ID1);
*/
