/* bigheap: ranks with a large heap that changes all the time, in blocks of many sizes; for the cost of
 * checkpoints and of recovery.
 *
 * arguments: [megabytes of a rank 100] [steps 200] [times: print the longest steps to stderr]
 *
 * ranks: 2
 * test: 12 100
 * soak: 30 150
 * pace: 5000
 * options: --checkpoint-interval 0.05
 * kill: 1@hook:80
 */
#include "program.h"

#define BLOCKS 64

static unsigned char *block[BLOCKS];
static size_t block_bytes[BLOCKS];

static void blocks_create(size_t bytes)
{
    for (int i = 0; i < BLOCKS; i++) {
        block_bytes[i] = bytes / BLOCKS / 2 + bytes / BLOCKS * (size_t)i / BLOCKS;
        block[i] = malloc(block_bytes[i]);
        for (size_t at = 0; at + 8 <= block_bytes[i]; at += 8)
            memcpy(block[i] + at, &(uint64_t){mix(at + (uint64_t)i)}, 8);
    }
}

/* Writes to one page in eight of every block, and replaces one block. */
static uint64_t blocks_change(long number)
{
    size_t which = (size_t)number % BLOCKS;
    unsigned char *copy = malloc(block_bytes[which]);
    uint64_t sum = 0;

    memcpy(copy, block[which], block_bytes[which]);
    free(block[which]);
    block[which] = copy;
    for (int i = 0; i < BLOCKS; i++)
        for (size_t at = (size_t)(number % 8) * 4096; at + 8 <= block_bytes[i]; at += 32768) {
            uint64_t value;

            memcpy(&value, block[i] + at, 8);
            value = mix(value + (uint64_t)number);
            memcpy(block[i] + at, &value, 8);
            sum ^= value;
        }
    return sum;
}

int main(int argc, char **argv)
{
    double before, now, longest = 0;
    uint64_t state = 0, sum;
    long steps;

    program_start(&argc, &argv);
    blocks_create((size_t)argument(argc, argv, 1, 100) << 20);
    steps = argument(argc, argv, 2, 200);
    before = MPI_Wtime();
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = mix(state + blocks_change(number));
        MPI_Allreduce(&state, &sum, 1, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
        state ^= sum;
        now = MPI_Wtime();
        longest = now - before > longest ? now - before : longest;
        before = now;
    }
    if (argc > 3)
        fprintf(stderr, "rank %d: longest step %.6f s\n", rank, longest);
    for (int i = 0; i < BLOCKS; i++)
        state = digest(state, block[i], block_bytes[i]);
    return program_end("bigheap", state);
}
