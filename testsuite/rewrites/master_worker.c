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
+extern void ft_hook(void);
+        ft_hook();
+        ft_hook();
report:8: hook in the main loop of master
report:17: hook in the main loop of worker
report:9:9: master: MPI_Recv (any source, any tag): unknown
report:19:9: worker: MPI_Recv (any tag): unknown
report: 2 sites
*/
