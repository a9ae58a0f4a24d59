/* entered: rank 0 makes a folder, after a barrier all enter it, and stay there for some steps.
 *
 * arguments: [steps 60] [entered in step 10] [left in step 30]
 *
 * ranks: 4
 * test: 60 10 30
 * pace: 4000
 */
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

static void enter(long number)
{
    if (rank == 0 && events_seen("\"rollback\"")) /* others are there before it is */
        pause_us(100000);
    if (rank == 0)
        check(mkdir("entered", 0700) == 0, "mkdir", number);
    MPI_Barrier(MPI_COMM_WORLD);
    check(chdir("entered") == 0, "chdir", number);
}

int main(int argc, char **argv)
{
    long steps, entered, left;
    uint64_t state;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    entered = argument(argc, argv, 2, 10);
    left = argument(argc, argv, 3, 30);
    state = (uint64_t)rank;
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = ring_shift(state, 0);
        if (number == entered)
            enter(number);
        if (number == left)
            check(chdir("..") == 0, "chdir back", number);
    }
    return program_end("entered", state);
}
