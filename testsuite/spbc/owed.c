/* owed: in each step rank 0 sends many messages, and then waits, without MPI, for a file that rank
 * 1 makes when it has received all of them and computed for a while.
 *
 * arguments: [steps 6] [messages a step 400] [how rank 0 waits: 0 looks and sleeps, 1 sleeps and
 * looks by a call that nobody sees, 2 looks without a sleep, 3 looks at the size of an open file 0]
 *
 * ranks: 2
 * test: 6 400 0
 */
#include <sys/stat.h>
#include "program.h"

static void wait_for(const char *name, long way)
{
    struct stat status = {.st_size = 0};
    int fd;

    if (way == 3) {
        while ((fd = open(name, O_RDONLY)) < 0)
            usleep(500);
        while (check(fstat(fd, &status) == 0, name, 0), status.st_size < 8)
            usleep(500);
        close(fd);
        return;
    }
    while (way == 1 ? syscall(SYS_faccessat, AT_FDCWD, name, F_OK) != 0 : access(name, F_OK) != 0) {
        if (way < 2)
            usleep(500);
    }
}

static void make(const char *name)
{
    int fd;

    pause_us(100000);
    fd = open("new", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    check(fd >= 0 && rename("new", name) == 0, name, 0);
    for (int i = 0; i < 2; i++) {
        pause_us(20000);
        check(write(fd, "made", 4) == 4, name, 0);
    }
    check(close(fd) == 0, name, 0);
}

int main(int argc, char **argv)
{
    long steps, messages, way;
    uint64_t sum = 0, part;
    char name[32];

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 6);
    messages = argument(argc, argv, 2, 400);
    way = argument(argc, argv, 3, 0);
    for (long number = 1; number <= steps; number++) {
        step(number);
        snprintf(name, sizeof name, "made-%ld", number);
        for (long i = 0; i < messages; i++) {
            part = mix((uint64_t)(number * messages + i));
            if (rank == 0)
                MPI_Send(&part, 1, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
            else
                MPI_Recv(&part, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum = mix(sum ^ part);
        }
        if (rank == 0)
            wait_for(name, way);
        else
            make(name);
    }
    return program_end("owed", sum);
}
