/* filled: rank 0 makes a folder, a child process puts a file into it, and then a rank dies. The
 * first rank that makes the folder has made it, in each life; others find it there.
 *
 * arguments: [steps 40] [made in step 12]
 *
 * ranks: 3
 * test: 30 12
 * pace: 10000
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "program.h"

static void fill(long number)
{
    check(mkdir("filled", 0700) == 0, "mkdir", number);
    check(system("echo child >filled/child") == 0, "child", number);
}

int main(int argc, char **argv)
{
    long steps, made;
    uint64_t state;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 40);
    made = argument(argc, argv, 2, 12);
    state = (uint64_t)rank;
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = ring_shift(state, 0);
        if (number == made && rank == 0)
            fill(number);
        MPI_Barrier(MPI_COMM_WORLD);
        if (number == made)
            check(mkdir("filled", 0700) == -1 && errno == EEXIST, "second mkdir", number);
    }
    return program_end("filled", state);
}
