/* The same over two functions: one collects, the other answers. */
#include <mpi.h>
#include <stdlib.h>

static void collect(int count, int *sources, double *values)
{
    MPI_Status status;
    for (int i = 0; i < count; i++) {
        /* expect: channel-deterministic (source), finding order-escapes */
        MPI_Probe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
        sources[i] = status.MPI_SOURCE;
        MPI_Recv(&values[i], 1, MPI_DOUBLE, status.MPI_SOURCE, 2, MPI_COMM_WORLD, &status);
    }
}

static void answer(int count, const int *sources, const double *values)
{
    for (int i = 0; i < count; i++) {
        double twice = 2 * values[i];
        MPI_Send(&twice, 1, MPI_DOUBLE, sources[i], 3, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    double value;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    value = rank;
    if (rank == 0) {
        int *sources = malloc((size_t)size * sizeof *sources);
        double *values = malloc((size_t)size * sizeof *values);
        collect(size - 1, sources, values);
        answer(size - 1, sources, values);
        free(sources);
        free(values);
    } else {
        MPI_Send(&value, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 32 to 42, by nothing
no hook in collect: 8
hook in answer: 18
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        FT_SITE(ID2); :: any source; channel-deterministic
+        ft_hook_at(ID3);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+    FT_END_ITERATION(ftcc_ID1);
*/
