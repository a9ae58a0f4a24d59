/* The header of the loop is a macro, its body is not: the hook goes into the body. */
#include <mpi.h>

#define REPEAT(n) for (int i_ = 0; i_ < (n); i_++)

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    REPEAT(10) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
hook in main: 9
+#include <ft.h>
+        ft_hook_at(ID1);
*/
