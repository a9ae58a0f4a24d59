/* A thread that is joined reads what the receives have left, and gives it back. */
/* options: -pthread */
#include <mpi.h>
#include <pthread.h>

static int history, result;

static void *work(void *nothing)
{
    result = 2 * history;
    return nothing;
}

int main(int argc, char **argv)
{
    int rank, size, value;
    pthread_t thread;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    for (int i = 0; i < size && rank == 0; i++) {
        /* expect: unknown or non-deterministic (source), finding order-escapes? */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        history = 3 * history + value;
    }
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    MPI_Bcast(&result, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 21 to 26, by nothing
logged: 24
hook in main: 22
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        ft_hook_at(ID2);
+        FT_SITE(ID3); :: any source; unknown
+    FT_END_ITERATION(ftcc_ID1);
*/
