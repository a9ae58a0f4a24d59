/* lacks: rank 1 reads a file by a descriptor that stays open, 8 bytes a step. In the middle it
 * takes the file away, as somebody else might, and dies.
 *
 * arguments: [steps 60]
 *
 * ranks: 2
 * test: 60
 * pace: 5000
 */
#include <signal.h>
#include "program.h"

static int held;

static void make(long steps)
{
    int fd = open("held", O_WRONLY | O_CREAT | O_EXCL, 0600);

    for (long number = 1; number <= steps; number++) {
        uint64_t word = mix((uint64_t)number);

        check(write(fd, &word, sizeof word) == sizeof word, "write", number);
    }
    close(fd);
    held = open("held", O_RDONLY);
    check(held >= 0, "held", 0);
}

/* By raw calls, which are none of the program for the runtime. */
static void take_away(void)
{
    syscall(SYS_rename, "held", "away");
    syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
}

int main(int argc, char **argv)
{
    uint64_t state, word = 0;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    if (rank == 1)
        make(steps);
    state = mix((uint64_t)rank);
    for (long number = 1; number <= steps; number++) {
        step(number);
        if (rank == 1)
            check(read(held, &word, sizeof word) == sizeof word, "read", number);
        state = ring_shift(mix(state ^ word), 0);
        if (rank == 1 && number == steps / 2 && death_due())
            take_away();
    }
    return program_end("lacks", state);
}
