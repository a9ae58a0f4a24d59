/* Nothing may come between an attribute, or a pragma, and its function. */
#if 1
#include <mpi.h>
#endif
#include <stdlib.h>

#define HOT __attribute__((noinline))

HOT
static int loop(int left)
{
    while (left) { // {
        MPI_Bcast(&left, 1, MPI_INT, 0, MPI_COMM_WORLD), left--;
    }
    return left;
}

#pragma GCC optimize("O1")
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    loop(argc);
    MPI_Finalize();
    return EXIT_SUCCESS;
}

/* expect:
hook in loop: 12
+#include <ft.h>
+        ft_hook_at(ID1);
*/
