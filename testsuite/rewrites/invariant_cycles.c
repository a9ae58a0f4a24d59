/* The number of rounds is the same on all ranks: it comes from the program's arguments through a
 * table of options, and from a sum over all ranks. Each round has a tag of its own. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

struct option {
    const char *name;
    long *value;
};

static int rank, size, rounds, received[64];

static void options_read(int argc, char **argv, const struct option *options)
{
    for (int i = 1; i + 1 < argc; i += 2)
        for (const struct option *o = options; o->name; o++)
            if (strcmp(argv[i], o->name) == 0)
                *o->value = strtol(argv[i + 1], NULL, 10);
}

static double sum_of(double value)
{
    double sum;
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void exchange(void)
{
    MPI_Status status;
    int tag = rounds++ % 4096, value;
    for (int i = 0; i < size; i++)
        MPI_Send(&rank, 1, MPI_INT, i, tag, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++) {
        /* expect: send-deterministic (source) */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
        received[status.MPI_SOURCE] += value;
    }
}

static void cycle_run(int levels)
{
    for (int i = 0; i < levels; i++)
        exchange();
}

int main(int argc, char **argv)
{
    long cycles = 10, levels = 3;
    const struct option options[] = {{"cycles", &cycles}, {"levels", &levels}, {NULL, NULL}};
    double residual = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    options_read(argc, argv, options);
    for (long cycle = 0; cycle < cycles && residual > 1e-3; cycle++) {
        cycle_run((int)levels);
        residual = sum_of(rank * 0.25) / (double)(cycle + 1);
    }
    MPI_Finalize();
    return received[0];
}

/* expect:
pattern in exchange: 33 to 39, by tag
hook in main: 57
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        FT_SITE(ID2); :: any source; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
+        ft_hook_at(ID3);
*/
