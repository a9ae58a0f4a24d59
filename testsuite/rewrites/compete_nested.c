/* The number of the inner turn is sent with each answer. The three messages of a worker may be taken in
 * any turns. */
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size, value;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank) {
        for (int r = 0; r < 3; r++)
            MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        for (int r = 0; r < 3; r++)
            MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        for (int r = 0; r < 3; r++)
            for (int i = 1; i < size; i++) {
                /* expect: non-deterministic (source) */
                MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
                MPI_Send(&i, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
            }
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 11 to 23, by nothing
logged: 20
no hook in main: 12
hook in main: 14
hook in main: 17
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
-            MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+            { ft_hook_at(ID2); MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
-            for (int i = 1; i < size; i++) {
+            { ft_hook_at(ID3); for (int i = 1; i < size; i++) {
+                FT_SITE(ID4); :: any source; non-deterministic
-            }
+            } }
+    FT_END_ITERATION(ftcc_ID1);
*/
