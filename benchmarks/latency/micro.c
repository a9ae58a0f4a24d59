/* Idea: all ranks run the same number of operations, so an operation may communicate as it likes.
 */
#include "micro.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS 15

int micro_rank, micro_ranks;
const char *micro_events;

static double wanted = 0.02; /* seconds of a point */
static const char *only;

void micro_start(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &micro_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &micro_ranks);
    for (int i = 1; i < argc; i++)
        if (i + 1 < argc && strcmp(argv[i], "--ms") == 0 && atof(argv[i + 1]) > 0)
            wanted = atof(argv[++i]) / 1000;
        else if (i + 1 < argc && strcmp(argv[i], "--only") == 0)
            only = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--warm") == 0)
            micro_events = argv[++i];
        else {
            if (micro_rank == 0)
                fprintf(stderr, "usage: [--ms MILLISECONDS] [--only NAME] [--warm FILE]\n");
            MPI_Finalize();
            exit(2);
        }
}

/* The seconds of `count` operations, by rank 0's clock. */
static double run(long count, size_t bytes, micro_operation operation, void *state)
{
    double begin;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (long i = 0; i < count; i++)
        operation(bytes, state);
    begin = MPI_Wtime() - begin;
    MPI_Bcast(&begin, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return begin;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The seconds of one of `count` operations: rank 0's median over blocks of equally many. */
static double typical(long count, size_t bytes, micro_operation operation, void *state)
{
    int blocks = count < BLOCKS ? (int)count : BLOCKS;
    long each = count / blocks;
    double begin, spent[BLOCKS];

    MPI_Barrier(MPI_COMM_WORLD);
    for (int block = 0; block < blocks; block++) {
        begin = MPI_Wtime();
        for (long i = 0; i < each; i++)
            operation(bytes, state);
        spent[block] = MPI_Wtime() - begin;
    }
    qsort(spent, (size_t)blocks, sizeof(*spent), compare);
    return spent[blocks / 2] / (double)each;
}

void micro_measure_each(const char *name, size_t bytes, long each, micro_operation operation,
                        void *state)
{
    long count = 1;
    double seconds;

    if (only && strcmp(only, name) != 0)
        return;
    while ((seconds = run(count, bytes, operation, state)) < wanted / 8)
        count *= 2;
    seconds = typical((long)((double)count * wanted / seconds) + 1, bytes, operation, state);
    if (micro_rank == 0)
        printf("%s %zu %.6e\n", name, bytes, seconds / (double)each);
}

void micro_measure(const char *name, size_t bytes, micro_operation operation, void *state)
{
    micro_measure_each(name, bytes, 1, operation, state);
}

int micro_sizes(const size_t **sizes)
{
    static const size_t all[] = {0, 1, 8, 64, 512, 4096, 32768, 262144, 1 << 20, 8 << 20};

    *sizes = all;
    return sizeof(all) / sizeof(*all);
}

void *micro_alloc(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);

    if (!memory) {
        fprintf(stderr, "rank %d: no memory for %zu bytes\n", micro_rank, bytes);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    return memset(memory, micro_rank + 1, bytes ? bytes : 1);
}
