/* collectives: each collective from 8 B to 1 MB (of one rank's contribution), blocking and
 * non-blocking with an immediate wait. */
#include "micro.h"

enum { LARGEST = 1 << 20 };

static char *out, *in;
static int *counts, *starts;

#define BOTH(name, Name, ...)                                                                      \
    static void name(size_t bytes, void *state)                                                    \
    {                                                                                              \
        int n = (int)bytes, doubles = (int)(bytes / sizeof(double));                               \
        (void)n, (void)doubles, (void)state;                                                       \
        MPI_##Name(__VA_ARGS__ MPI_COMM_WORLD);                                                    \
    }                                                                                              \
    static void i##name(size_t bytes, void *state)                                                 \
    {                                                                                              \
        int n = (int)bytes, doubles = (int)(bytes / sizeof(double));                               \
        MPI_Request request;                                                                       \
        (void)n, (void)doubles, (void)state;                                                       \
        MPI_I##name(__VA_ARGS__ MPI_COMM_WORLD, &request);                                         \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                                     \
    }

BOTH(barrier, Barrier, )
BOTH(bcast, Bcast, out, n, MPI_BYTE, 0, )
BOTH(gather, Gather, out, n, MPI_BYTE, in, n, MPI_BYTE, 0, )
BOTH(scatter, Scatter, in, n, MPI_BYTE, out, n, MPI_BYTE, 0, )
BOTH(allgather, Allgather, out, n, MPI_BYTE, in, n, MPI_BYTE, )
BOTH(alltoall, Alltoall, in, n, MPI_BYTE, out, n, MPI_BYTE, )
BOTH(alltoallv, Alltoallv, in, counts, starts, MPI_BYTE, out, counts, starts, MPI_BYTE, )
BOTH(reduce, Reduce, out, in, doubles, MPI_DOUBLE, MPI_SUM, 0, )
BOTH(allreduce, Allreduce, out, in, doubles, MPI_DOUBLE, MPI_SUM, )
BOTH(reduce_scatter_block, Reduce_scatter_block, out, in, doubles / micro_ranks, MPI_DOUBLE,
     MPI_SUM, )
BOTH(scan, Scan, out, in, doubles, MPI_DOUBLE, MPI_SUM, )
BOTH(exscan, Exscan, out, in, doubles, MPI_DOUBLE, MPI_SUM, )

static const struct {
    const char *name;
    micro_operation operation;
} table[] = {
#define ROW(name)                                                                                  \
    {#name, name},                                                                                 \
    {                                                                                              \
        "i" #name, i##name                                                                         \
    }
    ROW(barrier),  ROW(bcast),     ROW(gather), ROW(scatter),   ROW(allgather),
    ROW(alltoall), ROW(alltoallv), ROW(reduce), ROW(allreduce), ROW(reduce_scatter_block),
    ROW(scan),     ROW(exscan),
};

static void counts_set(size_t bytes)
{
    for (int r = 0; r < micro_ranks; r++) {
        counts[r] = (int)bytes;
        starts[r] = r * (int)bytes;
    }
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {8, 64, 1024, 16384, 262144, LARGEST};

    micro_start(argc, argv);
    out = micro_alloc((size_t)micro_ranks * LARGEST);
    in = micro_alloc((size_t)micro_ranks * LARGEST);
    counts = micro_alloc((size_t)micro_ranks * sizeof(int));
    starts = micro_alloc((size_t)micro_ranks * sizeof(int));
    for (size_t row = 0; row < sizeof(table) / sizeof(*table); row++)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes) && (row > 1 || i == 0); i++) {
            counts_set(sizes[i]);
            micro_measure(table[row].name, row > 1 ? sizes[i] : 0, table[row].operation, NULL);
        }
    MPI_Finalize();
    return 0;
}
