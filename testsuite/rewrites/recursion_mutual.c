/* Two functions that call each other: one receives from anybody, the other answers with a number
 * that counts up. */
#include <mpi.h>

static void answer(int source, int number, int left);

static void receive(int number, int left)
{
    int value;
    MPI_Status status;
    if (left == 0)
        return;
    /* expect: non-deterministic or unknown (source) */
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
    answer(status.MPI_SOURCE, number, left);
}

static void answer(int source, int number, int left)
{
    MPI_Send(&number, 1, MPI_INT, source, 3, MPI_COMM_WORLD);
    receive(number + 1, left - 1);
}

int main(int argc, char **argv)
{
    int rank, size, number = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        receive(0, size - 1);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Recv(&number, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return number;
}

/* expect:
pattern in main: 30 to 35, by nothing, not trusted
logged: 14
no hook
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_SITE(ID2); :: any source; unknown
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+    FT_END_ITERATION(ftcc_ID1);
*/
