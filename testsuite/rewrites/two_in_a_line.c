/* Two sites in one line. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, a, b, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#define GET(to, tag)                                                                               \
    MPI_Recv(&to, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    for (int i = 1; i < size && rank == 0; i++) {
        GET(a, 1); GET(b, 2); /* expect: send-deterministic (source), send-deterministic (source) */
        sum += a + b;
    }
    for (int tag = 1; tag < 3 && rank > 0; tag++)
        MPI_Send(&rank, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum;
}

/* expect:
pattern in main: 12 to 17, by nothing
hook in main: 12
no hook in main: 16
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        ft_hook_at(ID2);
+        FT_SITE(ID3); :: any source; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
