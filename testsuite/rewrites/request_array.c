/* Several anonymous receives at once in an array, completed by Waitall: the array's order is that
 * of arrival. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, values[64], table[64] = {0};
    MPI_Request requests[64];
    MPI_Status statuses[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 0; i < size - 1; i++)
            /* expect: send-deterministic (source) */
            MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[i]);
        MPI_Waitall(size - 1, requests, statuses);
        for (int i = 0; i < size - 1; i++)
            table[statuses[i].MPI_SOURCE] = values[i];
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
    MPI_Bcast(table, 64, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return table[1];
}

/* expect:
pattern in main: 13 to 22, by nothing
hook in main: 14
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
-            MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[i]);
+            { ft_hook_at(ID2); (FT_SITE(ID3) :: any source; send-deterministic, MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[i])); }
+    FT_END_ITERATION(ftcc_ID1);
*/
