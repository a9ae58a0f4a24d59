/* malloc: the program's malloc family in several patterns; prints the seconds of one operation
 * each.
 *
 *     malloc [thousands of operations]
 *
 * pairs: a small block taken and given back; mixed: random sizes, random order, many live;
 * growth: realloc; big: blocks of some 100 KB, touched; list: small blocks taken in a row, walked,
 * and given back. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIVE = 20000 };

static uint64_t state = 88172645463325252u;
static void *volatile sink;
static volatile long total;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void pairs(long count)
{
    for (long i = 0; i < count; i++) {
        sink = malloc(16 + (size_t)(i & 127));
        free(sink);
    }
}

static void mixed(long count)
{
    static char *live[LIVE];

    for (long i = 0; i < count; i++) {
        uint64_t r = draw();
        size_t bytes = (r >> 40) % 16 ? 16 + (r >> 20) % 500 : 500 + (r >> 20) % 8000;
        char **place = &live[r % LIVE];

        free(*place);
        *place = malloc(bytes);
        (*place)[0] = (char)i;
    }
    for (int i = 0; i < LIVE; i++) {
        free(live[i]);
        live[i] = NULL;
    }
}

static void growth(long count)
{
    for (long i = 0; i < count;) {
        char *array = NULL;

        for (size_t bytes = 16; bytes < 100000 && i < count; bytes += bytes / 2, i++) {
            array = realloc(array, bytes);
            array[bytes - 1] = 1;
        }
        free(array);
    }
}

static void big(long count)
{
    for (long i = 0; i < count / 100; i++) {
        size_t bytes = 100000 + draw() % 100000;
        char *block = malloc(bytes);

        for (size_t at = 0; at < bytes; at += 4096)
            block[at] = 1;
        sink = block;
        free(block);
    }
}

struct link {
    struct link *next;
    long payload[3];
};

static void list(long count)
{
    struct link *first = NULL, *next;
    long sum = 0;

    for (long i = 0; i < count / 2; i++) {
        next = malloc(sizeof(*next));
        next->next = first;
        next->payload[0] = i;
        first = next;
    }
    for (next = first; next; next = next->next)
        sum += next->payload[0];
    while (first) {
        next = first->next;
        free(first);
        first = next;
    }
    total = sum;
}

static void measure(const char *name, void (*pattern)(long), long count)
{
    double begin;

    pattern(count / 4);
    begin = MPI_Wtime();
    pattern(count);
    printf("%s %.6e\n", name, (MPI_Wtime() - begin) / (double)count);
}

int main(int argc, char **argv)
{
    long count = 1000 * (argc > 1 ? atol(argv[1]) : 4000);

    MPI_Init(&argc, &argv);
    measure("pairs", pairs, count * 4);
    measure("mixed", mixed, count);
    measure("growth", growth, count);
    measure("big", big, count);
    measure("list", list, count);
    MPI_Finalize();
    return 0;
}
