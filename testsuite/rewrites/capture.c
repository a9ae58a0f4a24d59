/* A round of messages with one tag, back to back: a fast neighbour's next message may be taken for
 * this round. */
#include <mpi.h>

static void exchange(int rank, int size, int *table)
{
    int value;
    MPI_Request requests[64];
    MPI_Status status;
    for (int i = 0; i < size; i++)
        MPI_Isend(&rank, 1, MPI_INT, i, 5, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < size; i++) {
        /* expect: send-deterministic or non-deterministic (source), finding capture */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
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
        exchange(rank, size, table);
    }
    MPI_Finalize();
    return table[0];
}

/* expect:
pattern in exchange: 10 to 17, by nothing, not trusted
logged: 14
hook in main: 26
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        FT_SITE(ID2); :: any source; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
+        ft_hook_at(ID3);
*/
