/* The user knows better, on the call's line or the line above; the report says whose word it is. */
#include <mpi.h>

extern __attribute__((weak)) void handle(int source, int value);

int main(int argc, char **argv)
{
    int rank, size, value;
    MPI_Status status, any;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < size && rank == 0; i++) {
        /* expect: channel-deterministic (source), override, finding unannotated-callee? */
        /* ftcc: channel-deterministic */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
        handle(status.MPI_SOURCE, value);
    }
    for (int i = 1; i < size && rank == 0; i++) {
        /* expect: non-deterministic (source), override */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, /* ftcc: non-deterministic */
                 &any);
        MPI_Send(&value, 1, MPI_INT, any.MPI_SOURCE, 4, MPI_COMM_WORLD);
    }
    if (rank > 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Sendrecv(&rank, 1, MPI_INT, 0, 3, &value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &status);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 13 to 28, by nothing
logged: 21
no hook in main: 13
hook in main: 19
not seen: callee 17 handle
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        ft_hook_at(ID2);
+        FT_SITE(ID3); :: any source; channel-deterministic
+        ft_hook_at(ID4);
+        FT_SITE(ID5); :: any source; non-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
