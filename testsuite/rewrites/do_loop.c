/* A do loop; its body's brace shares the line with a comment. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int sum, left = 3;
    MPI_Init(&argc, &argv);
    do { /* the main loop */
        MPI_Allreduce(&left, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        left--;
    } while (left > 0);
    MPI_Finalize();
    return sum;
}

/* expect:
hook in main: 8
+#include <ft.h>
+        ft_hook_at(ID1);
*/
