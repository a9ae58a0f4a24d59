/* Master and worker have a main loop each. */
#include <mpi.h>

static void master(int tasks)
{
    MPI_Status status;
    int result;
    while (tasks-- > 0) {
        /* expect: non-deterministic (source, tag) */
        MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Send(&tasks, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
    }
}

static void worker(void)
{
    int task = 1;
    while (task > 0) {
        MPI_Send(&task, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        /* expect: deterministic (tag) */
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        master(10);
    else
        worker();
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 30 to 33, by nothing
logged: 10
hook in master: 8
hook in worker: 18
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        ft_hook_at(ID2);
+        FT_SITE(ID3); :: any source, any tag; non-deterministic
+        ft_hook_at(ID4);
+        FT_SITE(ID5); :: any tag; deterministic
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+    FT_END_ITERATION(ftcc_ID1);
*/
