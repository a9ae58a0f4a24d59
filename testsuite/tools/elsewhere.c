/* elsewhere: in front of the MPI library (LD_PRELOAD), puts each life of a rank on another core
 * than the one before: what it executes again, or goes on with, it does there. Each life appends
 * one byte to FT_TEST_PLACES.RANK, so the size is the number of lives. */
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The number-th of the cores that this process may use, in turn. */
static int core_of(const cpu_set_t *cores, int number)
{
    number %= CPU_COUNT(cores);
    for (int core = 0;; core++)
        if (CPU_ISSET(core, cores) && number-- == 0)
            return core;
}

/* How many lives the rank had before this one. */
static int lives(int rank)
{
    char path[4096];
    int fd;
    off_t before;

    snprintf(path, sizeof(path), "%s.%d", getenv("FT_TEST_PLACES"), rank);
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    before = lseek(fd, 0, SEEK_END);
    if (before < 0 || write(fd, "*", 1) != 1)
        abort();
    close(fd);
    return (int)before;
}

static void move(void)
{
    /* the library's own: a call by name is one of a profiling layer, and goes to the runtime */
    int (*ask)(MPI_Comm, int *) = (int (*)(MPI_Comm, int *))dlsym(RTLD_NEXT, "PMPI_Comm_rank");
    cpu_set_t cores, only;
    int rank;

    if (!ask || ask(MPI_COMM_WORLD, &rank) != MPI_SUCCESS)
        abort();
    CPU_ZERO(&only);
    if (sched_getaffinity(0, sizeof(cores), &cores) != 0)
        abort();
    CPU_SET(core_of(&cores, rank + lives(rank)), &only);
    if (sched_setaffinity(0, sizeof(only), &only) != 0)
        abort();
}

__attribute__((visibility("default"))) int PMPI_Init_thread(int *argc, char ***argv, int required,
                                                            int *provided)
{
    int (*next)(int *, char ***, int, int *) =
        (int (*)(int *, char ***, int, int *))dlsym(RTLD_NEXT, "PMPI_Init_thread");
    int code = next ? next(argc, argv, required, provided) : MPI_ERR_INTERN;

    if (code == MPI_SUCCESS)
        move();
    return code;
}
