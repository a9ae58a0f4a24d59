/* tasks: a master hands tasks to workers as they come free; the members of a Mandelbrot row are
 * counted, so tasks differ in length.
 *
 * Communication: genuinely non-deterministic. The master receives from any source and answers with
 * the next row; which worker gets which row depends on time, so neither the order nor the content
 * of its sends is the same in two runs. A workers' result carries its row, so the result of the
 * program does not depend on the order.
 *
 * Verification: the counts of all rows against those that each rank computes again for a sample of
 * rows, and the sum of rows handed out against all. With one rank the master works itself. */
#include "app.h"

#include <stdlib.h>

enum { WORK = 1, RESULT = 2, MASTER = 0 };

struct result {
    long row; /* or -1: the worker's first request */
    long count;
};

static long size = 256, depth = 200;

static long row_count(long row)
{
    long count = 0;

    for (long column = 0; column < size; column++) {
        double cx = -2.0 + 3.0 * (double)column / (double)size;
        double cy = -1.5 + 3.0 * (double)row / (double)size;
        double x = 0, y = 0;
        long turns = 0;
        while (turns < depth && x * x + y * y < 4.0) {
            double next = x * x - y * y + cx;
            y = 2 * x * y + cy;
            x = next;
            turns++;
        }
        count += turns;
    }
    return count;
}

static void work(void)
{
    struct result result = {-1, 0};

    for (;;) {
        long row;
        MPI_Sendrecv(&result, 2, MPI_LONG, MASTER, RESULT, &row, 1, MPI_LONG, MASTER, WORK,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (row < 0)
            return;
        result = (struct result){row, row_count(row)};
    }
}

/* Hands out all rows; -1 ends a worker. */
static void hand_out(long *counts)
{
    long next = 0;

    for (int working = app_ranks - 1; working > 0;) {
        struct result result;
        MPI_Status status;
        long row;
        MPI_Recv(&result, 2, MPI_LONG, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &status);
        if (result.row >= 0)
            counts[result.row] = result.count;
        row = next < size ? next++ : -1;
        working -= row < 0;
        MPI_Send(&row, 1, MPI_LONG, status.MPI_SOURCE, WORK, MPI_COMM_WORLD);
    }
}

static void round_run(long *counts)
{
    if (app_ranks == 1)
        for (long row = 0; row < size; row++)
            counts[row] = row_count(row);
    else if (app_rank == MASTER)
        hand_out(counts);
    else
        work();
    MPI_Bcast(counts, (int)size, MPI_LONG, MASTER, MPI_COMM_WORLD);
}

static bool sample_check(const long *counts)
{
    int good = 1;

    for (long row = app_rank * 7; row < size; row += 16 * app_ranks)
        good &= counts[row] == row_count(row);
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return good;
}

int main(int argc, char **argv)
{
    long steps = 4, sum = 0;
    const struct app_option options[] = {
        {"size", &size, 16, 65536, "rows and columns"},
        {"depth", &depth, 1, 1000000, "turns for a point"},
        {"steps", &steps, 1, 1000000, "pictures"},
        {0},
    };
    uint64_t digest = 0;
    bool good = true;
    long *counts;

    app_start(argc, argv, "tasks", options, NULL);
    counts = app_alloc((size_t)size, sizeof(*counts));
    app_begin();
    for (long step = 0; step < steps; step++) {
        round_run(counts);
        good &= sample_check(counts);
        for (long row = 0; row < size; row++) {
            sum += counts[row];
            digest = app_mix(digest ^ (uint64_t)counts[row]);
        }
    }
    app_print("%ld pictures: %ld turns, digest %016llx", steps, sum, (unsigned long long)digest);
    free(counts);
    return app_end(good);
}
