/* The source comes through a pointer, and a negative one means anybody: the call sites decide. */
#include <mpi.h>

static int comm_irecv(int *value, int *source, int tag, MPI_Request *request)
{
    int from = *source;
    if (from < 0)
        from = MPI_ANY_SOURCE;
    /* expect: send-deterministic (source) */
    return MPI_Irecv(value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, request);
}

int main(int argc, char **argv)
{
    int rank, size, value, table[64] = {0};
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            int anybody = -1;
            comm_irecv(&value, &anybody, 2, &request);
            MPI_Wait(&request, &status);
            table[status.MPI_SOURCE] = value;
        }
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
    MPI_Bcast(table, 64, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return table[1];
}

/* expect:
pattern in main: 21 to 30, by nothing
hook in main: 22
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
-    return MPI_Irecv(value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, request);
+    return (FT_SITE(ID2) :: any source; send-deterministic, MPI_Irecv(value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, request));
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID3);
+    FT_END_ITERATION(ftcc_ID1);
*/
