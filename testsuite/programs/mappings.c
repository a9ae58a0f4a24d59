/* mappings: memory of mmap in states that an image must follow: written and then protected.
 *
 * arguments: [steps 200]
 *
 * ranks: 2
 * test: 100
 * soak: 300
 * pace: 4000
 * kill: 1@hook:60
 * kill: 0@hook:40 1@hook:85
 */
#include <sys/mman.h>
#include "program.h"

#define PAGE 4096UL

static char *map(size_t bytes)
{
    char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    check(at != MAP_FAILED, "mmap", (long)bytes);
    return at;
}

static uint64_t *closed;

/* Open only in a step, while nobody takes an image. */
static uint64_t closed_look(long number)
{
    uint64_t value;

    if (!closed)
        closed = (void *)map(4 * PAGE);
    check(mprotect(closed, 4 * PAGE, PROT_READ | PROT_WRITE) == 0, "mprotect", number);
    value = closed[1000] = mix(closed[1000] + (uint64_t)(number * 2 + rank));
    check(mprotect(closed, 4 * PAGE, number % 2 ? PROT_NONE : PROT_WRITE) == 0, "mprotect", number);
    return value;
}

int main(int argc, char **argv)
{
    uint64_t state = 1;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = ring_shift(state ^ closed_look(number), 7);
    }
    return program_end("mappings", state);
}
