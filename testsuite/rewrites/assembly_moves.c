/* Assembly moves what depends on the order; a barrier of the compiler does not. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value, history = 0, copy = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    for (int i = 0; i < size && rank == 0; i++) {
        /* expect: unknown or non-deterministic (source), finding order-escapes? */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        history = 3 * history + value;
    }
    __asm__ volatile("movl %1, %0" : "=r"(copy) : "r"(history));
    for (int i = 0; i < size && rank == 0; i++) {
        /* expect: send-deterministic (source) */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        __asm__ volatile("" : "+r"(value) : : "memory");
        sum += value;
    }
    MPI_Bcast(&copy, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 10 to 23, by nothing
logged: 14
no hook in main: 12
hook in main: 18
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        FT_SITE(ID2); :: any source; unknown
+        ft_hook_at(ID3);
+        FT_SITE(ID4); :: any source; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
