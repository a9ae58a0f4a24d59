/* One-sided communication is not judged: the report names its calls, and what leaves by it is astray. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value, history = 0, window[1] = {0};
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(window, sizeof window, sizeof *window, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    for (int i = 0; i < size && rank == 0; i++) {
        /* expect: unknown or non-deterministic (source), finding order-escapes? */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        history = 3 * history + value;
    }
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(&history, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Bcast(window, 1, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 12 to 17, by nothing
logged: 15
hook in main: 13
not seen: unjudged 11 MPI_Win_create
not seen: unjudged 20 MPI_Put
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        ft_hook_at(ID2);
+        FT_SITE(ID3); :: any source; unknown
+    FT_END_ITERATION(ftcc_ID1);
*/
