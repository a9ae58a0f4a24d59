/* One receive from anybody, one from rank 1, which has sent twice: the first decides what the second
 * gets. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, any = 0, named = 0, value, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank) {
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        value = 77;
        if (rank == 1)
            MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    } else {
        /* expect: unknown or non-deterministic (source), finding order-escapes? */
        MPI_Recv(&any, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&named, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 2; i < size; i++) {
            /* expect: send-deterministic or non-deterministic or unknown (source), finding order-escapes? */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += value;
        }
    }
    MPI_Bcast(&named, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 11 to 25, by nothing
logged: 18
hook in main: 20
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        FT_SITE(ID2); :: any source; unknown
+            ft_hook_at(ID3);
+            FT_SITE(ID4); :: any source; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
