/* Each round has a tag of its own. */
#include <mpi.h>

static void exchange(int rank, int size, int *table, int tag)
{
    int value;
    MPI_Request requests[64];
    MPI_Status status;
    for (int i = 0; i < size; i++)
        MPI_Isend(&rank, 1, MPI_INT, i, tag, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < size; i++) {
        /* expect: send-deterministic (source) */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
        table[status.MPI_SOURCE] = value;
    }
    MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, size, table[64] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 10; round++) {
        exchange(rank, size, table, 100 + round);
    }
    MPI_Finalize();
    return table[0];
}

/* expect:
pattern in exchange: 9 to 16, by tag
hook in main: 25
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        FT_SITE(ID2); :: any source; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
+        ft_hook_at(ID3);
*/
