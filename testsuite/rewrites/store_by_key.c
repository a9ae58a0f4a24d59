/* The message says itself where it belongs: stored at the row that it names. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, message[2], rows[64] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            /* expect: send-deterministic or unknown (source) */
            MPI_Recv(message, 2, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            rows[message[0]] = message[1];
        }
    } else {
        message[0] = 63 - rank;
        message[1] = rank * rank;
        MPI_Send(message, 2, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
    MPI_Bcast(rows, 64, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return rows[1];
}

/* expect:
pattern in main: 10 to 20, by nothing
logged: 13
hook in main: 11
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source; unknown
+    FT_END_ITERATION(ftcc_ID1);
*/
