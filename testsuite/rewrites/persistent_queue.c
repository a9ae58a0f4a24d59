/* Persistent receives and a queue: who is served first depends on who came first. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value, next = 0, flag, index;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        /* expect: non-deterministic (source, tag) */
        MPI_Recv_init(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        while (next < size - 1) {
            /* expect: non-deterministic (index, flag) */
            MPI_Testany(1, &request, &index, &flag, &status);
            if (flag) {
                next++;
                MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, 4, MPI_COMM_WORLD);
                MPI_Start(&request);
            }
        }
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &status);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 12 to 31, by nothing
logged: 14
logged: 18
hook in main: 16
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        FT_SITE(ID2); :: any source, any tag; non-deterministic
+            ft_hook_at(ID3);
+            FT_SITE(ID4); :: index, flag; non-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
