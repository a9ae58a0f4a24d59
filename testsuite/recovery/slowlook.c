/* slowlook: rank 0 changes files while rank 1 still has its part of a checkpoint before it, because
 * rank 1's look at its open files takes long. Both append to one log, by descriptors that stay
 * open; of each step's file of its own rank 0 takes the name away while rank 1 has it open, and
 * writes on.
 *
 * arguments: [steps 200]
 *
 * ranks: 2
 * test: 16
 * pace: 5000
 */
#include <dirent.h>
#include <dlfcn.h>

#include "program.h"

enum { TURNS = 5, WITHOUT_NAME = 2 };

static int log_fd, part_fd;

/* The C library's, for this program and its libraries. */
DIR *opendir(const char *path)
{
    DIR *(*next)(const char *) = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");

    if (rank == 1 && strcmp(path, "/proc/self/fd") == 0)
        pause_us(10000);
    return next(path);
}

static void line(int fd, uint64_t state)
{
    if (write(fd, &state, sizeof state) != sizeof state)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static uint64_t turn(uint64_t state, int to, int from)
{
    uint64_t got = 0;

    MPI_Sendrecv(&state, 1, MPI_UINT64_T, to, 0, &got, 1, MPI_UINT64_T, from, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return got;
}

static uint64_t swap(uint64_t state)
{
    return turn(state, 1 - rank, 1 - rank);
}

/* Each message to itself is a place for a checkpoint, the first one for that of the step's hook. */
static uint64_t change(uint64_t state)
{
    for (int i = 0; i < TURNS; i++) {
        state = mix(turn(state, 0, 0));
        line(log_fd, state);
        line(part_fd, state);
        if (i == WITHOUT_NAME)
            unlink("part");
        pause_us(8000);
    }
    return swap(state);
}

static uint64_t see(uint64_t state)
{
    uint64_t seen, got = swap(state);

    line(log_fd, got);
    while (read(part_fd, &seen, sizeof seen) == sizeof seen)
        got = mix(got ^ seen);
    return got;
}

static void open_part(void)
{
    if (rank == 0)
        part_fd = open("part", O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0600);
    swap(0);
    if (rank == 1)
        part_fd = open("part", O_RDONLY);
    swap(0);
    if (part_fd < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    uint64_t state;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    state = mix((uint64_t)rank);
    log_fd = open("log", O_WRONLY | O_CREAT | O_APPEND, 0600);
    open_part();
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = mix(state ^ (rank == 0 ? change(state) : see(state)));
        close(part_fd);
        open_part();
    }
    close(log_fd);
    return program_end("slowlook", state);
}
