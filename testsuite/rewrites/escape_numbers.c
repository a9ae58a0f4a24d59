/* Numbers are given in the order of arrival, and sent: the answer to a rank is its place. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value, place[64];
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 0; i < size - 1; i++) {
            /* expect: non-deterministic (source), finding order-escapes */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
            place[status.MPI_SOURCE] = i;
        }
        for (int i = 1; i < size; i++)
            MPI_Send(&place[i], 1, MPI_INT, i, 3, MPI_COMM_WORLD);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 11 to 22, by nothing
logged: 14
no hook in main: 12
hook in main: 17
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            FT_SITE(ID2); :: any source; non-deterministic
-            MPI_Send(&place[i], 1, MPI_INT, i, 3, MPI_COMM_WORLD);
+            { ft_hook_at(ID3); MPI_Send(&place[i], 1, MPI_INT, i, 3, MPI_COMM_WORLD); }
+    FT_END_ITERATION(ftcc_ID1);
*/
