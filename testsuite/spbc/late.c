/* late: ranks 0 and 2 append to one log, first rank 0; the checkpoint of rank 0's cluster has begun
 * when rank 2 does so for the first time, and waits for rank 1.
 *
 * arguments: [steps 30] [the first step with the log 9]
 *
 * ranks: 4
 * test: 30 9
 * pace: 3000
 */
#include "program.h"

static void line(long number)
{
    FILE *file = fopen("log", "a");

    check(file != NULL && fprintf(file, "step %ld rank %d\n", number, rank) > 0, "log", number);
    fclose(file);
}

/* Whether rank 2 stands in the log, read without libc: no access that anybody orders. */
static int is_there(void)
{
    char text[1 << 12];
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "log", O_RDONLY | O_CLOEXEC, 0);
    long length = fd < 0 ? 0 : syscall(SYS_read, fd, text, sizeof text - 1);

    if (fd >= 0)
        syscall(SYS_close, fd);
    text[length > 0 ? length : 0] = '\0';
    return strstr(text, "rank 2") != NULL;
}

/* Made and looked for without libc, likewise. */
static void say_ready(void)
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "ready", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    check(fd >= 0 && syscall(SYS_close, fd) == 0, "ready", 0);
}

static void wait_until_ready(void)
{
    while (syscall(SYS_faccessat, AT_FDCWD, "ready", F_OK) != 0)
        pause_us(100);
}

/* Rank 0 goes on to the hook where the first checkpoint of its cluster begins after that of the
 * start and one of all ranks; nobody else does until rank 2 has written, and rank 3 not for another
 * second, in which rank 2 may die: the checkpoint of all waits for it. Behind a rollback others may
 * have begun, for which those who wait here would keep rank 2 waiting: then nobody does. */
static void first_line(long number)
{
    if (rank == 0) {
        wait_until_ready(); /* rank 1 is not to come to the gate in the barrier before this */
        return;
    }
    if (rank == 1)
        say_ready();
    events_await("\"checkpoint-begin\"", 4);
    if (rank == 2)
        line(number);
    while (!is_there() && !events_seen("\"rollback\""))
        pause_us(1000);
    for (int i = 0; rank == 3 && i < 1000 && !events_seen("\"rollback\""); i++)
        pause_us(1000);
}

int main(int argc, char **argv)
{
    uint64_t state;
    long steps, first;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 30);
    first = argument(argc, argv, 2, 9);
    state = (uint64_t)rank;
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = ring_shift(state, 0);
        MPI_Barrier(MPI_COMM_WORLD);
        if (number >= first && rank == 0)
            line(number);
        MPI_Barrier(MPI_COMM_WORLD);
        if (number > first && rank == 2)
            line(number);
        MPI_Barrier(MPI_COMM_WORLD);
        if (number == first)
            first_line(number);
    }
    return program_end("late", state);
}
