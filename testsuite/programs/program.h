/* program: what the test programs share.
 *
 * Each program is a plain MPI program with deterministic output. Its first comment says what it is
 * for and carries directives for the harness (testsuite/README.md lists them). The step counter is
 * written with raw system calls to the file named by FT_TEST_STEPS, so it is no part of the
 * program's image or of its open files: a checker outside sees which steps were executed again. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int rank, size;

/* The number given as argument `index`, or `fallback`. */
static inline long argument(int argc, char **argv, int index, long fallback)
{
    return argc > index ? strtol(argv[index], NULL, 0) : fallback;
}

/* Waits without MPI, outside what the C library could notice. */
static inline void pause_us(long microseconds)
{
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};

    if (microseconds > 0)
        syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL);
}

/* Appends to a file that is there, without libc. */
static inline void leave_line(const char *path, const char *line, long length)
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CLOEXEC, 0);

    if (fd < 0)
        return;
    if (syscall(SYS_write, fd, line, length) != length)
        abort();
    syscall(SYS_close, fd);
}

/* How many of this kind are among the first events of the run; natively there are none. */
static inline int events_seen(const char *kind)
{
    const char *path = getenv("FT_TEST_EVENTS");
    char text[1 << 15];
    int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0) : -1;
    long length = fd < 0 ? 0 : syscall(SYS_read, fd, text, sizeof text - 1);
    int count = 0;

    if (fd >= 0)
        syscall(SYS_close, fd);
    text[length > 0 ? length : 0] = '\0';
    for (const char *at = text; (at = strstr(at, kind)) != NULL; at++)
        count++;
    return count;
}

/* Natively nobody waits. */
static inline void events_await(const char *kind, int count)
{
    while (getenv("FT_TEST_EVENTS") && events_seen(kind) < count)
        pause_us(1000);
}

/* A death before a cluster has a checkpoint takes all ranks back to main, and on a busy disk the
 * first one may take seconds: waits for the commits of the first `count` checkpoints, which are one
 * of each cluster. The sleep is libc's, and so a safe point: a rank that the gathering for its first
 * checkpoint let go once more comes to no call of MPI here, and would keep it waiting for ever. */
static inline void first_commits_await(int count)
{
    const struct timespec time = {.tv_nsec = 1000000};
    char commit[64];

    for (int number = 0; number < count; number++) {
        snprintf(commit, sizeof commit, "\"checkpoint-commit\", \"checkpoint\": %d,", number);
        while (getenv("FT_TEST_EVENTS") && events_seen(commit) < 1)
            nanosleep(&time, NULL);
    }
}

static inline void commits_await(void)
{
    const char *count = getenv("FT_TEST_COMMITS"), *epochs = getenv("FT_TEST_EPOCHS");

    if (count)
        first_commits_await(atoi(count));
    if (epochs) /* as many have begun */
        events_await("\"event\": \"epoch\"", atoi(epochs));
}

/* Records that this rank begins step `number` (from 1), and takes FT_TEST_PACE microseconds, which
 * makes a run last long enough to be killed; with FT_TEST_UNPACED rank 0 leaves a byte there
 * instead. The first step waits until FT_TEST_COMMITS checkpoints stand in FT_TEST_EVENTS. Must be
 * the first statement of the main loop. */
static inline void step(long number)
{
    const char *path = getenv("FT_TEST_STEPS"), *pace = getenv("FT_TEST_PACE");
    const char *unpaced = getenv("FT_TEST_UNPACED");
    char line[64];
    int length;

    if (path) {
        length = snprintf(line, sizeof(line), "%d %ld %ld\n", rank, syscall(SYS_getpid), number);
        leave_line(path, line, length);
    }
    if (number == 1)
        commits_await();
    if (unpaced && rank == 0)
        leave_line(unpaced, ".", 1);
    else if (pace && !unpaced)
        pause_us(atol(pace));
}

static inline void program_start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/* A 64-bit mixer: digests of results, and pseudo-random numbers without state. */
static inline uint64_t mix(uint64_t value)
{
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

static inline uint64_t digest(uint64_t seed, const void *data, size_t bytes)
{
    const unsigned char *byte = data;

    for (size_t i = 0; i < bytes; i++)
        seed = (seed ^ byte[i]) * 0x100000001b3u;
    return mix(seed);
}

/* Each rank gives its state to the next one, and folds in what it gets: whoever is a step off shows
 * in the result. */
static inline uint64_t ring_shift(uint64_t state, int tag)
{
    uint64_t got;

    MPI_Sendrecv(&state, 1, MPI_UINT64_T, (rank + 1) % size, tag, &got, 1, MPI_UINT64_T,
                 (rank + size - 1) % size, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return mix(state ^ got);
}

/* Whether a death that the program inflicts on itself is still to happen. The harness allows
 * FT_TEST_DEATHS (1) of them; each makes the next of the marker files, with raw system calls, so a
 * recovered rank passes the place. Natively none happens. */
static inline int death_due(void)
{
    const char *marker = getenv("FT_TEST_MARKER"), *deaths = getenv("FT_TEST_DEATHS");
    char path[4096];

    for (int i = 0; marker && i < atoi(deaths ? deaths : "1"); i++) {
        snprintf(path, sizeof(path), "%s.%d", marker, i);
        if (syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600) >= 0)
            return 1;
    }
    return 0;
}

/* Ends the run with a message when the program got something else than MPI promises. */
static inline void check(int holds, const char *what, long where)
{
    if (holds)
        return;
    fprintf(stderr, "rank %d: WRONG: %s at %ld\n", rank, what, where);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 99);
}

/* Prints one digest over all ranks, in the order of ranks, and ends. */
static inline int program_end(const char *name, uint64_t value)
{
    uint64_t *all = calloc((size_t)size, sizeof(*all));

    MPI_Gather(&value, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int r = 0; r < size; r++)
            printf("%s: rank %d: %016llx\n", name, r, (unsigned long long)all[r]);
    free(all);
    MPI_Finalize();
    return 0;
}

#endif
