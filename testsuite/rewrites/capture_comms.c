/* Two calls in a row on two communicators: nothing can be taken. */
#include <mpi.h>

static void exchange(int rank, int size, int *table, MPI_Comm comm)
{
    int value;
    MPI_Request requests[64];
    MPI_Status status;
    for (int i = 0; i < size; i++)
        MPI_Isend(&rank, 1, MPI_INT, i, 5, comm, &requests[i]);
    for (int i = 0; i < size; i++) {
        /* expect: send-deterministic (source) */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, comm, &status);
        table[status.MPI_SOURCE] = value;
    }
    MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, size, table[64] = {0};
    MPI_Comm other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    exchange(rank, size, table, MPI_COMM_WORLD);
    exchange(rank, size, table, other);
    MPI_Comm_free(&other);
    MPI_Finalize();
    return table[0];
}

/* expect:
pattern in exchange: 9 to 16, by nothing
no hook in exchange: 9
hook in exchange: 11
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, comm);
+        ft_hook_at(ID2);
+        FT_SITE(ID3); :: any source; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
