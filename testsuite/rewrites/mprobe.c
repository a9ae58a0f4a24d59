/* A matched probe and its receive: the message is decided by the probe. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value, table[64] = {0};
    MPI_Message message;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            /* expect: channel-deterministic (source) */
            MPI_Mprobe(MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &message, &status);
            MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
            value = -value;
            MPI_Send(&value, 1, MPI_INT, status.MPI_SOURCE, 9, MPI_COMM_WORLD);
        }
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
        MPI_Recv(table, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return table[0];
}

/* expect:
pattern in main: 12 to 23, by nothing
hook in main: 13
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source; channel-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
