/* A tree by hand: the receive is open, but only the parent ever sends. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value = 42;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0)
        /* expect: deterministic or unknown or non-deterministic (source) */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int child = 2 * rank + 1; child <= 2 * rank + 2 && child < size; child++)
        MPI_Send(&value, 1, MPI_INT, child, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return value;
}

/* expect:
pattern in main: 10 to 14, by nothing
logged: 12
hook in main: 13
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
-        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+        (FT_SITE(ID2) :: any source; unknown, MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
-        MPI_Send(&value, 1, MPI_INT, child, 0, MPI_COMM_WORLD);
+        { ft_hook_at(ID3); MPI_Send(&value, 1, MPI_INT, child, 0, MPI_COMM_WORLD); }
+    FT_END_ITERATION(ftcc_ID1);
*/
