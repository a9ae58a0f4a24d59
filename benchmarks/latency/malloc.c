/* malloc: the program's malloc family in several patterns; one rank. Times are those of one block
 * taken and given back (pairs, mixed, big), or of one call (growth, list).
 *
 * pairs: a small block taken and given back; mixed: random sizes, random order, many live;
 * growth: realloc; big: blocks of some 100 KB, touched; list: small blocks taken in a row, walked,
 * and given back. */
#include "micro.h"

#include <stdint.h>
#include <stdlib.h>

enum { LIVE = 20000, PAIRS = 1000, MIXED = 10000, BIG = 10, LINKS = 100000 };
enum { FIRST = 16, GROWTHS = 22 }; /* first bytes of the growing array; times it grows */

static uint64_t draws = 88172645463325252u;
static void *volatile sink;
static volatile long total;

static uint64_t draw(void)
{
    draws ^= draws << 13;
    draws ^= draws >> 7;
    return draws ^= draws << 17;
}

static void pairs(size_t bytes, void *state)
{
    (void)bytes, (void)state;
    for (int i = 0; i < PAIRS; i++) {
        sink = malloc(16 + (size_t)(i & 127));
        free(sink);
    }
}

static void mixed(size_t unused, void *state)
{
    static char *live[LIVE];

    (void)unused, (void)state;
    for (int i = 0; i < MIXED; i++) {
        uint64_t r = draw();
        size_t bytes = (r >> 40) % 16 ? 16 + (r >> 20) % 500 : 500 + (r >> 20) % 8000;
        char **place = &live[r % LIVE];

        free(*place);
        *place = malloc(bytes);
        (*place)[0] = (char)i;
    }
}

static void growth(size_t unused, void *state)
{
    char *array = NULL;
    size_t bytes = FIRST;

    (void)unused, (void)state;
    for (int i = 0; i < GROWTHS; i++, bytes += bytes / 2) {
        array = realloc(array, bytes);
        array[bytes - 1] = 1;
    }
    free(array);
}

static void big(size_t unused, void *state)
{
    (void)unused, (void)state;
    for (int i = 0; i < BIG; i++) {
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

static void list(size_t bytes, void *state)
{
    struct link *first = NULL, *next;
    long sum = 0;

    (void)bytes, (void)state;
    for (int i = 0; i < LINKS; i++) {
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

int main(int argc, char **argv)
{
    micro_start(argc, argv);
    micro_measure_each("pairs", 0, PAIRS, pairs, NULL);
    micro_measure_each("mixed", 0, MIXED, mixed, NULL);
    micro_measure_each("growth", 0, GROWTHS, growth, NULL);
    micro_measure_each("big", 0, BIG, big, NULL);
    micro_measure_each("list", 0, 2 * LINKS, list, NULL);
    MPI_Finalize();
    return 0;
}
