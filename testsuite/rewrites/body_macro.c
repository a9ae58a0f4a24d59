/* The whole loop is made by a macro: nothing is inserted into it, the loop inside is taken. */
#include <mpi.h>

#define TIMES(n, body) for (int i_ = 0; i_ < (n); i_++) { body; }

static void step(void)
{
    for (int k = 0; k < 3; k++) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    TIMES(10, step())
    MPI_Finalize();
    return 0;
}

/* expect:
hook in step: 8
+#include <ft.h>
+        ft_hook_at(ID1);
*/
