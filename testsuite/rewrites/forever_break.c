/* for (;;) that ends by break, by return, and by a counter in between. */
#include <mpi.h>

static int serve(int clients)
{
    int value;
    MPI_Status status;
    for (;;) {
        if (clients == 0)
            return 0;
        /* expect: channel-deterministic (source) */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
        MPI_Send(&value, 1, MPI_INT, status.MPI_SOURCE, 3, MPI_COMM_WORLD);
        if (--clients == 0)
            break;
    }
    return 1;
}

int main(int argc, char **argv)
{
    int rank, size, value, code = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        code = serve(size - 1);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return code;
}

/* expect:
pattern in main: 26 to 31, by nothing
hook in serve: 8
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        ft_hook_at(ID2);
+        FT_SITE(ID3); :: any source; channel-deterministic
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+    FT_END_ITERATION(ftcc_ID1);
*/
