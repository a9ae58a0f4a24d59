/* deleted: ranks talk by a file that has no name any more. Rank 0 makes it and has it open twice,
 * the others to read; then its name is taken away. In each step rank 0 appends a line, and
 * everybody reads one, rank 0 by its second descriptor. Ranks of the upper half have no such file
 * open when there is a second argument.
 *
 * arguments: [steps 40] [only the lower half has it 0]
 *
 * ranks: 4
 * test: 40 0
 * pace: 5000
 */
#include "program.h"

static int part, lines; /* -1: not open */

static int has_it(int half)
{
    return !half || rank < size / 2;
}

static void open_both(int half)
{
    part = lines = -1;
    if (rank == 0)
        part = open("part", O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0600);
    MPI_Barrier(MPI_COMM_WORLD);
    if (has_it(half))
        lines = open("part", O_RDONLY);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        unlink("part");
    check((rank != 0 || part >= 0) && (!has_it(half) || lines >= 0), "part", 0);
}

int main(int argc, char **argv)
{
    uint64_t state, line;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 40);
    open_both((int)argument(argc, argv, 2, 0));
    state = mix((uint64_t)rank);
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = ring_shift(state, 0);
        if (rank == 0)
            check(write(part, &state, sizeof state) == sizeof state, "write", number);
        MPI_Barrier(MPI_COMM_WORLD);
        if (lines >= 0) {
            check(read(lines, &line, sizeof line) == sizeof line, "read", number);
            state = mix(state ^ line);
        }
    }
    return program_end("deleted", state);
}
