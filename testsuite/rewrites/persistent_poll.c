/* Persistent receives are started again in the order in which messages came: that sends nothing. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value[2], sum = 0, flag, index;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 0; i < 2; i++) {
            /* expect: send-deterministic (source) */
            MPI_Recv_init(value + i, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, request + i);
            MPI_Start(request + i);
        }
        for (int left = size - 1; left > 0; left -= flag) {
            /* expect: send-deterministic (index, flag) */
            MPI_Testany(2, request, &index, &flag, MPI_STATUS_IGNORE);
            if (flag) {
                sum += value[index];
                MPI_Start(request + index);
            }
        }
        for (int i = 0; i < 2; i++) {
            MPI_Cancel(request + i);
            MPI_Wait(request + i, MPI_STATUS_IGNORE);
            MPI_Request_free(request + i);
        }
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return sum < 0;
}

/* expect:
pattern in main: 11 to 32, by nothing
hook in main: 12
no hook in main: 17
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source; send-deterministic
+            FT_SITE(ID4); :: index, flag; non-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
