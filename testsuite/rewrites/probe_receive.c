/* A probe decides, and the receive takes what was probed: one site. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, length, lengths[64] = {0};
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            /* expect: send-deterministic (source) */
            MPI_Probe(MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_INT, &length);
            int *data = malloc((size_t)length * sizeof *data);
            MPI_Recv(data, length, MPI_INT, status.MPI_SOURCE, 8, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            lengths[status.MPI_SOURCE] = length + data[0];
            free(data);
        }
    } else {
        int data[64] = {rank};
        MPI_Send(data, rank, MPI_INT, 0, 8, MPI_COMM_WORLD);
    }
    MPI_Bcast(lengths, 64, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return lengths[0];
}

/* expect:
pattern in main: 12 to 26, by nothing
hook in main: 13
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
