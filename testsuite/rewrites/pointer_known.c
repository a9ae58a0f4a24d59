/* Handlers behind a table of pointers, all of them here: two answer, one counts. */
#include <mpi.h>

enum { KINDS = 3 };
typedef void handler(int source, int value);

static int counted;

static void negate(int source, int value)
{
    value = -value;
    MPI_Send(&value, 1, MPI_INT, source, 10, MPI_COMM_WORLD);
}

static void twice(int source, int value)
{
    value *= 2;
    MPI_Send(&value, 1, MPI_INT, source, 10, MPI_COMM_WORLD);
}

static void count(int source, int value)
{
    counted += value;
    value = 0;
    MPI_Send(&value, 1, MPI_INT, source, 10, MPI_COMM_WORLD);
}

static handler *const handlers[KINDS] = {negate, twice, count};

int main(int argc, char **argv)
{
    int rank, size, value;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            /* expect: channel-deterministic or unknown (source, tag) */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            handlers[status.MPI_TAG](status.MPI_SOURCE, value);
        }
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, rank % KINDS, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return counted > 0;
}

/* expect:
pattern in main: 37 to 46, by nothing
hook in main: 38
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source, any tag; channel-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
