/* Three loops, of which the first takes any tag: it may take what belongs to the others. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value, any = 0, left[64] = {0}, right[64] = {0};
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank) {
        for (int tag = 1; tag <= 3; tag++)
            MPI_Send(&rank, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    } else {
        for (int i = 1; i < size; i++) {
            /* expect: non-deterministic (source, tag), finding order-escapes */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            any += value * status.MPI_TAG;
        }
        for (int i = 1; i < size; i++) {
            /* expect: send-deterministic or non-deterministic (source), finding order-escapes? */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
            left[status.MPI_SOURCE] += value;
        }
        for (int i = 1; i < size; i++) {
            /* expect: send-deterministic or non-deterministic (source), finding order-escapes? */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
            right[status.MPI_SOURCE] += value;
        }
    }
    MPI_Bcast(&any, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(left, 64, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(right, 64, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 11 to 30, by nothing
logged: 17
hook in main: 12
no hook in main: 15
no hook in main: 20
hook in main: 25
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
-            MPI_Send(&rank, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
+            { ft_hook_at(ID2); MPI_Send(&rank, 1, MPI_INT, 0, tag, MPI_COMM_WORLD); }
+            FT_SITE(ID3); :: any source, any tag; non-deterministic
+            FT_SITE(ID4); :: any source; send-deterministic
+            ft_hook_at(ID5);
+            FT_SITE(ID6); :: any source; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
