/* seen: in each step rank 1 makes a file and computes for long; rank 0 looks at it again and again,
 * with no MPI call between. (It waits for it by a call that nobody sees: the two share no file
 * that they would go back together for.)
 *
 * arguments: [steps 8]
 *
 * ranks: 2
 * test: 8
 */
#include "program.h"

static void look_on(const char *name, long number)
{
    while (syscall(SYS_faccessat, AT_FDCWD, name, F_OK) != 0)
        pause_us(1000);
    for (int i = 0; i < 100; i++) {
        check(access(name, F_OK) == 0, "a file that was there", number);
        usleep(1000);
    }
}

static void make(const char *name, long number)
{
    int fd;

    pause_us(20000);
    fd = open(name, O_WRONLY | O_CREAT, 0600);
    check(fd >= 0 && write(fd, "made", 4) == 4 && close(fd) == 0, name, number);
    pause_us(180000);
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;
    char name[32];
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 8);
    for (long number = 1; number <= steps; number++) {
        step(number);
        snprintf(name, sizeof name, "made-%ld", number);
        if (rank == 0)
            look_on(name, number);
        else
            make(name, number);
        sum = mix(sum + (uint64_t)number);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return program_end("seen", sum);
}
