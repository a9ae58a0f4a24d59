/* A pattern with several ways out: return from inside the loop, with and without braces. */
#include <mpi.h>
#include <stdlib.h>

static int exchange(int count, int *table, int limit, MPI_Comm comm)
{
    int value;
    MPI_Status status;
    for (int i = 0; i < count; i++) {
        /* expect: send-deterministic (source) */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, comm, &status);
        if (value > limit)
            return -1;
        if (value == limit) {
            table[0] = limit;
            return 1;
        }
        if (value > 1000)
            abort();
        table[status.MPI_SOURCE] = value;
    }
    return 0;
}

int main(int argc, char **argv)
{
    int rank, size, code = 0, table[64] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        code = exchange(size - 1, table, size + 1, MPI_COMM_WORLD);
    else
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return code;
}

/* expect:
pattern in main: 31 to 34, by collective
hook in exchange: 9
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        ft_hook_at(ID2);
+        FT_SITE(ID3); :: any source; send-deterministic
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+    FT_END_ITERATION(ftcc_ID1);
*/
