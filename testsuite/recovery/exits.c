/* exits: ranks that end by _exit wherever they are: in a handler of SIGUSR2.
 *
 * arguments: [steps 200] [megabytes 4]
 *
 * ranks: 3
 * test: 100
 * pace: 5000
 */
#include <signal.h>
#include "program.h"

static void leave(int number)
{
    _exit(number);
}

int main(int argc, char **argv)
{
    long steps = argument(argc, argv, 1, 200), words = argument(argc, argv, 2, 4) << 17;
    uint64_t *heap = malloc((size_t)words * sizeof *heap), state;

    signal(SIGUSR2, leave);
    program_start(&argc, &argv);
    state = (uint64_t)rank;
    for (long i = 0; i < words; i++)
        heap[i] = mix((uint64_t)i);
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = ring_shift(state, 3);
        for (long i = number; i < words; i += 512)
            heap[i] = mix(heap[i] + state);
    }
    return program_end("exits", digest(state, heap, (size_t)words * sizeof *heap));
}
