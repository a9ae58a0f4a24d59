/* seen: in each step rank 1 makes a file and computes for long; rank 0 looks at it again and again,
 * with no MPI call between. (They wait for each other by calls that nobody sees: the two share no
 * file that they would go back together for.) Rank 1 calls MPI_Comm_size when rank 0 waits already.
 *
 * arguments: [steps 8]
 *
 * ranks: 2
 * test: 8
 */
#include "program.h"

static void await_file(const char *name)
{
    while (syscall(SYS_faccessat, AT_FDCWD, name, F_OK) != 0)
        pause_us(1000);
}

static void look_on(const char *name, const char *sign, long number)
{
    syscall(SYS_mknodat, AT_FDCWD, sign, S_IFREG | 0600, 0);
    await_file(name);
    for (int i = 0; i < 100; i++) {
        check(access(name, F_OK) == 0, "a file that was there", number);
        usleep(1000);
    }
}

static void make(const char *name, const char *sign, long number)
{
    int fd;

    await_file(sign);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    fd = open(name, O_WRONLY | O_CREAT, 0600);
    check(fd >= 0 && write(fd, "made", 4) == 4 && close(fd) == 0, name, number);
    pause_us(180000);
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;
    char name[32], sign[32];
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 8);
    for (long number = 1; number <= steps; number++) {
        step(number);
        snprintf(name, sizeof name, "made-%ld", number);
        snprintf(sign, sizeof sign, "waits-%ld", number);
        if (rank == 0)
            look_on(name, sign, number);
        else
            make(name, sign, number);
        sum = mix(sum + (uint64_t)number);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return program_end("seen", sum);
}
