/* options: -std=c89 -pedantic */
/* Sites inside conditions, operands and initialisers. */
#include <mpi.h>

static int check(int code)
{
    return code == MPI_SUCCESS ? 0 : 1;
}

int main(int argc, char **argv)
{
    int rank, size, i, value, sum = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (i = 1; i < size && rank == 0; i++) {
        int failed =
            /* expect: send-deterministic (source) */
            check(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status));
        sum += failed ? 0 : value;
        /* expect: send-deterministic (source) */
        if (MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status) != MPI_SUCCESS)
            break;
        sum += value;
    }
    if (rank > 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    }
    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum;
}

/* expect:
pattern in main: 17 to 30, by nothing
hook in main: 17
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
-            check(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status));
+            check((FT_SITE(ID2) :: any source; send-deterministic, MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status)));
+        ft_hook_at(ID3);
-        if (MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status) != MPI_SUCCESS)
+        if ((FT_SITE(ID4) :: any source; send-deterministic, MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status)) != MPI_SUCCESS)
+    FT_END_ITERATION(ftcc_ID1);
*/
