/* options: -std=c90 -pedantic-errors -Wdeclaration-after-statement -Werror */
/* A body that opens with declarations: the hook goes behind them, so that it stays C90. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int left = 5;
    MPI_Init(&argc, &argv);
    while (left > 0) {
        int old = left;
        double sum = 0, all;

        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        left = old - 1;
    }
    MPI_Finalize();
    return 0;
}

/* expect:
hook in main: 9
+#include <ft.h>
+        ft_hook_at(ID1);
*/
