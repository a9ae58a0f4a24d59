/* A persistent request carries its wildcard from MPI_Recv_init to each completion. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value, table[64] = {0};
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        /* expect: send-deterministic (source) */
        MPI_Recv_init(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &request);
        for (int i = 1; i < size; i++) {
            MPI_Start(&request);
            MPI_Wait(&request, &status);
            table[status.MPI_SOURCE] = value;
        }
        MPI_Request_free(&request);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    }
    MPI_Bcast(table, 64, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return table[1];
}

/* expect:
pattern in main: 12 to 23, by nothing
hook in main: 15
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        FT_SITE(ID2); :: any source; send-deterministic
+            ft_hook_at(ID3);
+    FT_END_ITERATION(ftcc_ID1);
*/
