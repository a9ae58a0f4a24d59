/* The same, but the values are sent on in the order of the array: that of arrival. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, values[64] = {0};
    MPI_Request requests[64];
    MPI_Status statuses[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 0; i < size - 1; i++)
            /* expect: non-deterministic (source), finding order-escapes */
            MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[i]);
        MPI_Waitall(size - 1, requests, statuses);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
    MPI_Bcast(values, 64, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return values[1];
}

/* expect:
pattern in main: 12 to 19, by nothing
logged: 15
hook in main: 13
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
-            MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[i]);
+            { ft_hook_at(ID2); (FT_SITE(ID3) :: any source; non-deterministic, MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[i])); }
+    FT_END_ITERATION(ftcc_ID1);
*/
