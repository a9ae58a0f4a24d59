/* is: integer sort, in the manner of the NAS parallel benchmarks (report RNR-94-007, section 2.2):
 * ten rankings of N keys of a bell-shaped distribution, two keys changed before each.
 *
 * Communication: sizes of buckets are summed (Allreduce), each rank gets a range of buckets with
 * about its share of the keys, and the keys move there (Alltoall of counts, Alltoallv of keys).
 *
 * Verification: after each ranking the ranks of five keys against the published ones of classes S,
 * W and A; in the end the keys are sorted, and every rank's first key is not below its
 * predecessor's last one. */
#include "app.h"

#include <stdlib.h>

enum { TESTS = 5, MAX_STEPS = 10, BUCKETS = 1024 };

struct class
{
    char letter;
    int log_keys, log_max;
    long index[TESTS], rank[TESTS];
    int last_rising;     /* up to this test ranks rise with the steps, behind it they fall */
    int rising, falling; /* by step + rising, by step + falling */
};

static const struct class classes[] = {
    {'S', 16, 11, {48427, 17148, 23627, 62548, 4431}, {0, 18, 346, 64917, 65463}, 2, 0, 0},
    {'W',
     20,
     16,
     {357773, 934767, 875723, 898999, 404505},
     {1249, 11698, 1039987, 1043896, 1048018},
     1,
     -2,
     0},
    {'A',
     23,
     19,
     {2112377, 662041, 5336171, 3642833, 4250760},
     {104, 17523, 123928, 8288932, 8388264},
     2,
     -1,
     -1},
};

static const struct class *class = classes;
static long keys_all, key_max, first, count; /* of all ranks; this rank's part */
static int *keys;                            /* this rank's, in the order of the sequence */
static int *sorted;                          /* the keys of this rank's buckets */
static long sorted_count, below;             /* their number; keys in the buckets of lower ranks */
static int bucket_shift;                     /* key >> bucket_shift is its bucket */
static int range_begin, range_end;           /* keys of this rank's buckets */

static void keys_create(void)
{
    const uint64_t multiplier = 1220703125;
    uint64_t state;

    keys_all = 1L << class->log_keys;
    key_max = 1L << class->log_max;
    bucket_shift = class->log_max - 10;
    first = app_first(keys_all, app_rank, app_ranks);
    count = app_first(keys_all, app_rank + 1, app_ranks) - first;
    keys = app_alloc((size_t)count, sizeof(*keys));
    state = app_nas_jump(314159265, multiplier, 4 * (uint64_t)first);
    for (long i = 0; i < count; i++) {
        double sum = 0;
        for (int part = 0; part < 4; part++)
            sum += app_nas_random(&state, multiplier);
        keys[i] = (int)(sum * (double)(key_max / 4));
    }
}

static void key_set(long index, long key)
{
    if (index >= first && index < first + count)
        keys[index - first] = (int)key;
}

/* Whole buckets for each rank, so that the ranks' shares are about equal. */
static void buckets_divide(const long *sizes, int *owner)
{
    long before = 0;

    below = sorted_count = 0;
    range_begin = range_end = -1;
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
        owner[bucket] = (int)(before * app_ranks / keys_all);
        if (owner[bucket] == app_rank) {
            if (range_begin < 0)
                range_begin = bucket << bucket_shift;
            range_end = (bucket + 1) << bucket_shift;
            sorted_count += sizes[bucket];
        } else if (owner[bucket] < app_rank) {
            below += sizes[bucket];
        }
        before += sizes[bucket];
    }
}

static void keys_move(const int *owner)
{
    int *send_counts = app_alloc((size_t)app_ranks, sizeof(int));
    int *counts = app_alloc((size_t)app_ranks, sizeof(int));
    int *send_starts = app_alloc((size_t)app_ranks, sizeof(int));
    int *starts = app_alloc((size_t)app_ranks, sizeof(int));
    int *ordered = app_alloc((size_t)count, sizeof(int));

    for (long i = 0; i < count; i++)
        send_counts[owner[keys[i] >> bucket_shift]]++;
    MPI_Alltoall(send_counts, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 1; r < app_ranks; r++) {
        send_starts[r] = send_starts[r - 1] + send_counts[r - 1];
        starts[r] = starts[r - 1] + counts[r - 1];
    }
    for (long i = 0; i < count; i++)
        ordered[send_starts[owner[keys[i] >> bucket_shift]]++] = keys[i];
    for (int r = 0; r < app_ranks; r++)
        send_starts[r] -= send_counts[r];
    free(sorted);
    sorted = app_alloc((size_t)sorted_count, sizeof(int));
    MPI_Alltoallv(ordered, send_counts, send_starts, MPI_INT, sorted, counts, starts, MPI_INT,
                  MPI_COMM_WORLD);
    free(send_counts);
    free(counts);
    free(send_starts);
    free(starts);
    free(ordered);
}

/* This rank's part of the ranks of the test keys: keys below each. */
static int tests_check(const long *values, long step)
{
    long mine[TESTS] = {0}, ranks[TESTS];
    int good = 0;

    for (int test = 0; test < TESTS; test++)
        if (values[test] >= range_begin && values[test] < range_end) {
            mine[test] = below;
            for (long i = 0; i < sorted_count; i++)
                mine[test] += sorted[i] < values[test];
        }
    MPI_Allreduce(mine, ranks, TESTS, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int test = 0; test < TESTS; test++) {
        long truth = class->rank[test];
        truth += test <= class->last_rising ? step + class->rising : -(step + class->falling);
        good += ranks[test] == truth;
    }
    return good;
}

/* One ranking; returns how many of the tests came out right. */
static int keys_rank(long step)
{
    long mine[BUCKETS] = {0}, sizes[BUCKETS], chosen[TESTS] = {0}, values[TESTS];
    int owner[BUCKETS];

    key_set(step, step);
    key_set(step + MAX_STEPS, key_max - step);
    for (int test = 0; test < TESTS; test++)
        if (class->index[test] >= first && class->index[test] < first + count)
            chosen[test] = keys[class->index[test] - first];
    MPI_Allreduce(chosen, values, TESTS, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (long i = 0; i < count; i++)
        mine[keys[i] >> bucket_shift]++;
    MPI_Allreduce(mine, sizes, BUCKETS, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    buckets_divide(sizes, owner);
    keys_move(owner);
    return tests_check(values, step);
}

/* Sorts this rank's keys by counting, and compares its first key with the last of lower ranks. */
static bool order_check(uint64_t *digest)
{
    long *counts = app_alloc((size_t)key_max + 1, sizeof(*counts));
    long at = 0, top, lower = -1, good, all;

    for (long i = 0; i < sorted_count; i++)
        counts[sorted[i]]++;
    for (long key = 0; key <= key_max; key++)
        for (long i = 0; i < counts[key]; i++)
            sorted[at++] = (int)key;
    top = sorted_count ? sorted[sorted_count - 1] : -1;
    MPI_Exscan(&top, &lower, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    good = at == sorted_count && (app_rank == 0 || !sorted_count || sorted[0] >= lower);
    MPI_Allreduce(&good, &all, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
    for (long i = 0; i < sorted_count; i++)
        *digest += app_mix((uint64_t)(below + i) * 31 + (uint64_t)sorted[i]);
    MPI_Allreduce(MPI_IN_PLACE, digest, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    free(counts);
    return all;
}

int main(int argc, char **argv)
{
    long steps = MAX_STEPS, repeat = 1, good = 0;
    const struct app_option options[] = {
        {"steps", &steps, 1, MAX_STEPS, "rankings"},
        {"repeat", &repeat, 1, 1000000, "how often all of it is done"},
        {0},
    };
    char letter = app_start(argc, argv, "is", options, "SWA");
    uint64_t digest = 0;
    bool in_order = true;

    while (letter && class->letter != letter)
        class ++;
    app_begin();
    for (long i = 0; i < repeat; i++) {
        keys_create();
        for (long step = 1; step <= steps; step++)
            good += keys_rank(step);
        digest = 0;
        in_order &= order_check(&digest);
        free(keys);
    }
    app_print("class %c: %ld of %ld ranks of test keys right, digest of the sorted keys %016llx",
              class->letter, good, repeat * steps * TESTS, (unsigned long long)digest);
    free(sorted);
    return app_end(in_order && good == repeat * steps * TESTS);
}
