/* Programs end in many ways: the argument says how this one does. "late" ways are taken when a file
 * of the name in LATE exists, and make it: the first run ends well, the second one does not. The
 * file is made by a raw system call, so that it is not undone. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int rank;

/* The wildcard lets rank 0 see that it is being disturbed: run 0 takes rank 1's message first. */
static void take_two(void)
{
    int value;

    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < 3; i++)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int is_later_run(void)
{
    const char *name = getenv("LATE");
    int later = name && access(name, F_OK) == 0;

    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && name)
        syscall(SYS_close, syscall(SYS_open, name, O_WRONLY | O_CREAT, 0600));
    return later;
}

/* Rank 0 goes on to the barrier, in vain. */
static void hang(void)
{
    int flag = 0;

    while (rank == 1)
        pause();
    while (rank == 2 && !flag)
        MPI_Iprobe(0, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void end_as(const char *how)
{
    volatile int *nowhere = NULL;

    if (strcmp(how, "crash") == 0 && rank == 1)
        *nowhere = 1;
    if (strcmp(how, "abort") == 0 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (strcmp(how, "hang") == 0)
        hang();
    if (strcmp(how, "exit") == 0 && rank == 1)
        exit(9);
    if (strcmp(how, "clock") == 0 && rank == 1)
        printf("%ld\n", (long)clock() + getpid());
    if (strcmp(how, "slow") == 0)
        sleep(1);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "well";
    int later;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        puts("begun");
    fflush(stdout);
    take_two();
    later = is_later_run();
    MPI_Barrier(MPI_COMM_WORLD);
    if (strncmp(how, "late-", 5) != 0)
        end_as(how);
    else if (later)
        end_as(how + 5);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return strcmp(how, "code") == 0 ? 5 : 0;
}
