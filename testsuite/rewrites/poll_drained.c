/* Questions are polled for, and then by the loop that answers them, until there is none: both polls find the
 * messages of one set. */
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size, value, found, left;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = size - 1;
    if (rank) {
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        while (left > 0) {
            /* expect: channel-deterministic (source, flag) */
            MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &found, &status);
            while (found) {
                MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD, &status);
                MPI_Send(&value, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
                left--;
                /* expect: channel-deterministic (source, flag) */
                MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &found, &status);
            }
        }
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 12 to 27, by nothing
hook in main: 16
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source, flag; channel-deterministic
+                FT_SITE(ID4); :: any source, flag; channel-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
