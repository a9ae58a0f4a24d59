/* The classic: whoever answers gets the next task; at the end everybody gets the same last word. */
#include <mpi.h>

enum { TASK = 1, STOP = 2 };

static void master(int workers, int tasks)
{
    double result;
    int next = 0, stop = 0, worker;
    MPI_Status status;
    for (worker = 1; worker <= workers; worker++, next++)
        MPI_Send(&next, 1, MPI_INT, worker, TASK, MPI_COMM_WORLD);
    while (next < tasks) {
        /* expect: non-deterministic (source) */
        MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, TASK, MPI_COMM_WORLD);
        next++;
    }
    for (worker = 1; worker <= workers; worker++) {
        /* expect: channel-deterministic (source) */
        MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        MPI_Send(&stop, 1, MPI_INT, status.MPI_SOURCE, STOP, MPI_COMM_WORLD);
    }
}

static void worker(void)
{
    int task;
    MPI_Status status;
    for (;;) {
        /* expect: deterministic (tag) */
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            break;
        double result = 1.0 / (1 + task);
        MPI_Send(&result, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        master(size - 1, 100);
    else
        worker();
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 46 to 49, by nothing
logged: 15
no hook in master: 11
no hook in master: 13
hook in master: 19
hook in worker: 30
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        FT_SITE(ID2); :: any source; non-deterministic
+        ft_hook_at(ID3);
+        FT_SITE(ID4); :: any source; channel-deterministic
+        ft_hook_at(ID5);
+        FT_SITE(ID6); :: any tag; deterministic
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+    FT_END_ITERATION(ftcc_ID1);
*/
