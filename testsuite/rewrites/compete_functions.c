/* A function takes a set, and is called for the next one when all was sent at once. */
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

int main(int argc, char **argv)
{
    int rank, size, value, first = 0, second = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank) {
        value = rank;
        MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        value = 100 * rank;
        MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    } else {
        first = take(size);
        second = take(size);
    }
    MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&second, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 21 to 29, by nothing
logged: 9
hook in take: 7
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        ft_hook_at(ID2);
+        FT_SITE(ID3); :: any source; non-deterministic
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+    FT_END_ITERATION(ftcc_ID1);
*/
