/* unwritten: rank 1 makes a file, computes, and dies; rank 0, which has seen the file, rests before
 * it looks again. Behind MPI_Init there is no MPI call until the end: nothing but the accesses says
 * that the file is to be made again.
 *
 * arguments: [milliseconds of rest before each of the two 2000]
 *
 * ranks: 2
 * test: 2000
 */
#include <signal.h>
#include <sys/stat.h>
#include "program.h"

static void rest(long milliseconds)
{
    for (long i = 0; i < milliseconds; i += 50)
        usleep(50000);
}

static void look_twice(long milliseconds)
{
    struct stat status;

    while (stat("made", &status) != 0)
        usleep(1000);
    rest(milliseconds);
    check(stat("made", &status) == 0, "a file that was there", 2);
}

static void make(long milliseconds)
{
    int fd;

    rest(milliseconds);
    fd = open("made", O_WRONLY | O_CREAT, 0600);
    check(fd >= 0 && close(fd) == 0, "made", 1);
    rest(200);
    if (death_due())
        raise(SIGKILL);
    rest(milliseconds);
}

int main(int argc, char **argv)
{
    long milliseconds;

    program_start(&argc, &argv);
    milliseconds = argument(argc, argv, 1, 2000);
    step(1);
    if (rank == 0)
        look_twice(milliseconds);
    else
        make(milliseconds);
    return program_end("unwritten", (uint64_t)milliseconds);
}
