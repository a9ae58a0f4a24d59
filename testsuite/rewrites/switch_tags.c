/* options: -std=c89 -pedantic */
/* A switch over tags, with sites behind its labels, falling through. */
#include <mpi.h>

enum { ONE = 1, TWO = 2, NONE = 3 };

int main(int argc, char **argv)
{
    int rank, size, value, left, pairs = 0, ones = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (left = rank == 0 ? size - 1 : 0; left > 0; left--) {
        /* expect: send-deterministic (source, tag) */
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        switch (status.MPI_TAG) {
        case TWO:
            /* expect: send-deterministic (source) */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TWO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            pairs++;
            break;
        case ONE:
            MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, ONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            ones++;
            /* fall through */
        default:
            break;
        }
    }
    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, rank % 2 ? ONE : TWO, MPI_COMM_WORLD);
    MPI_Bcast(&pairs, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&ones, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return pairs + ones;
}

/* expect:
pattern in main: 14 to 32, by nothing
hook in main: 14
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        ft_hook_at(ID2);
+        FT_SITE(ID3); :: any source, any tag; send-deterministic
-            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TWO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+            (FT_SITE(ID4) :: any source; send-deterministic, MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TWO, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
+    FT_END_ITERATION(ftcc_ID1);
*/
