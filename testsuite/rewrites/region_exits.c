/* Ways out of a region: return with and without braces, goto, and the end. */
#include <mpi.h>

static int exchange(int rank, int size, const int *limits, int *table, MPI_Comm comm)
{
    int value, code = 0;
    MPI_Request requests[64];
    MPI_Status status;
    for (int i = 0; i < size; i++)
        MPI_Isend(&rank, 1, MPI_INT, i, 5, comm, &requests[i]);
    for (int i = 0; i < size; i++) {
        /* expect: send-deterministic (source) */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, comm, &status);
        table[status.MPI_SOURCE] = value;
        if (i > limits[0])
            return -1;
        if (i > limits[1]) {
            code = 1;
            return code;
        }
        if (i > limits[2])
            goto failed;
    }
    MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
    return code;
failed:
    return 2;
}

int main(int argc, char **argv)
{
    int rank, size, table[64] = {0}, limits[3] = {64, 65, 66};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 10; round++) {
        if (exchange(rank, size, limits, table, MPI_COMM_WORLD))
            break;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return table[0];
}

/* expect:
pattern in exchange: 9 to 27, by collective
hook in main: 36
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, comm);
+        FT_SITE(ID2); :: any source; send-deterministic
-            return -1;
+            { FT_END_ITERATION(ftcc_ID1); return -1; }
+            FT_END_ITERATION(ftcc_ID1);
+    FT_END_ITERATION(ftcc_ID1);
-    return 2;
+    { FT_END_ITERATION(ftcc_ID1); return 2; }
+        ft_hook_at(ID3);
*/
