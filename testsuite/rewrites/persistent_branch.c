/* Whether a persistent receive is started depends on who came first, and then what is sent does. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, first, other, value = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        MPI_Recv_init(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
        /* expect: unknown (source) */
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (first == 1) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Send(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
        for (int i = 2; i < size; i++) {
            /* expect: send-deterministic (source) */
            MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&request);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
        if (rank == 1) {
            MPI_Send(&size, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 11 to 31, by nothing
logged: 14
hook in main: 20
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        FT_SITE(ID2); :: any source; unknown
+            ft_hook_at(ID3);
+            FT_SITE(ID4); :: any source; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
