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
hook in main: 7
+#include <ft.h>
+        ft_hook_at(ID1);
*/
