/* A request that is made by a function that is not here may send whenever it is started. */
#include <mpi.h>

extern __attribute__((weak)) void make(MPI_Request *request);

int main(int argc, char **argv)
{
    int rank, size, value, last = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        make(&request);
        for (int i = 1; i < size; i++) {
            /* expect: non-deterministic (source), finding order-escapes */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            last = value;
        }
        if (last == 1) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 13 to 26, by nothing
logged: 17
hook in main: 15
not seen: callee 14 make
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source; non-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
