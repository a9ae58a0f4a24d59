/* As compete_branches.c, with a function for each role, and one for the first loop. */
#include <mpi.h>
static int take(int count)
{
    int value, sum = 0;
    for (int i = 1; i < count; i++) {
        /* expect: non-deterministic (source), finding order-escapes */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += value;
    }
    return sum;
}
static void worker(int rank)
{
    int value = rank;
    MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    value = 100 * rank;
    MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}
static void master(int size, int *first, int *second)
{
    int value;
    *first = take(size);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 1; i < size; i++) {
        /* expect: send-deterministic or non-deterministic (source) */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        *second += value;
    }
}
int main(int argc, char **argv)
{
    int rank, size, first = 0, second = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank)
        worker(rank);
    else
        master(size, &first, &second);
    MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&second, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 38 to 41, by nothing
logged: 8
no hook in take: 6
hook in master: 26
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        FT_SITE(ID2); :: any source; non-deterministic
+        ft_hook_at(ID3);
+        FT_SITE(ID4); :: any source; send-deterministic
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+    FT_END_ITERATION(ftcc_ID1);
*/
