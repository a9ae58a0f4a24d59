/* moved: programs that do not survive, by system calls that the runtime does not see.
 *
 * arguments: process        says whether its process is still the one it began in
 *            clock          prints the time
 *            dies           dies, whatever is done about it
 *            early          ends before MPI_Init
 *            code           ends with code 3, after a word
 *            abort          the same by MPI_Abort
 *            place FILE     goes no further where it has been already; FILE tells it */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void forget_place(const char *path)
{
    syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

static int was_here(const char *path)
{
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL, 0600);

    if (fd >= 0)
        syscall(SYS_close, fd);
    return fd < 0;
}

static long nanoseconds(void)
{
    struct timespec now;

    syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "process";
    long process = syscall(SYS_getpid);
    int rank;

    if (!strcmp(what, "early"))
        return 0;
    if (argc > 2)
        forget_place(argv[2]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    usleep(100000);
    if (argc > 2 && was_here(argv[2]))
        pause();
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(what, "dies"))
        raise(SIGKILL);
    if (!strcmp(what, "code") || !strcmp(what, "abort"))
        fprintf(stderr, "no <input>\n");
    if (!strcmp(what, "abort"))
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (!strcmp(what, "process"))
        printf("rank %d: %s process\n", rank, process == syscall(SYS_getpid) ? "same" : "another");
    if (!strcmp(what, "clock"))
        printf("rank %d: %ld\n", rank, nanoseconds());
    MPI_Finalize();
    return strcmp(what, "code") ? 0 : 3;
}
