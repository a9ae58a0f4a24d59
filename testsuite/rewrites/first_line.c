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
hook in main: 6
+#include <ft.h>
+        ft_hook_at(ID1);
*/
