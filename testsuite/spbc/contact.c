/* contact: a rank sends to another for the first time when that one is dead, and nobody has been
 * told of it yet.
 *
 * arguments: [victim -1] [elements 2000]
 *
 * In step 8 the victim dies, and each rank sends to it, which it has never done before. The others of its cluster,
 * of two neighbours, do not wait for its death: it may be held until they have come to the same checkpoint.
 *
 * ranks: 8
 * pace: 10000
 */
#include <signal.h>
#include "program.h"

#define STEPS 20
#define MOMENT 8

/* Reads a small file without any trace in the process. Answers 0 when there is none. */
static int file_read(const char *path, char *text, size_t room)
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    long length = fd < 0 ? 0 : syscall(SYS_read, fd, text, room - 1);

    if (fd >= 0)
        syscall(SYS_close, fd);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* The process that the victim has had in its latest step so far. */
static long victim_process(int victim)
{
    static char text[1 << 16];
    long process = 0;
    const char *path = getenv("FT_TEST_STEPS");

    if (!path || !file_read(path, text, sizeof text))
        return 0;
    for (char *line = text; *line; line = strchr(line, '\n') + 1) {
        char *end;
        long who = strtol(line, &end, 10);

        if (who == victim)
            process = strtol(end, NULL, 10);
        if (!strchr(line, '\n'))
            break;
    }
    return process;
}

/* Until the process is gone, or is no more than an entry that waits for its parent. */
static void death_await(long process)
{
    char path[64], text[256];
    const char *state;

    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    do {
        if (!file_read(path, text, sizeof text))
            return;
        state = strrchr(text, ')');
    } while (state && state[2] != 'Z' && state[2] != 'X');
}

static int marker_is_there(void)
{
    const char *marker = getenv("FT_TEST_MARKER");
    char path[4096];

    snprintf(path, sizeof path, "%s.0", marker ? marker : "");
    return marker && syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
}

/* Only in the life in which the victim dies: its marker appears while this rank waits. */
static void victim_await(int victim)
{
    if (victim < 0 || !getenv("FT_TEST_MARKER") || marker_is_there())
        return;
    while (!marker_is_there())
        pause_us(20);
    death_await(victim_process(victim));
}

static uint64_t tell(int victim, double *data, int count)
{
    MPI_Request request;
    double more = rank;

    for (int i = 0; i < count; i++)
        data[i] = i + rank;
    MPI_Isend(data, count, MPI_DOUBLE, victim, 1, MPI_COMM_WORLD, &request);
    MPI_Send(&more, 1, MPI_DOUBLE, victim, 2, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return 0;
}

static uint64_t hear(double *data, int count)
{
    uint64_t state = 0;
    double more;

    for (int from = 0; from < size; from++) {
        if (from == rank)
            continue;
        MPI_Recv(data, count, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&more, 1, MPI_DOUBLE, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        state = digest(state, data, (size_t)count * sizeof *data);
        state = mix(state + (uint64_t)more);
    }
    return state;
}

int main(int argc, char **argv)
{
    int victim, count;
    uint64_t state = 0;

    program_start(&argc, &argv);
    victim = (int)argument(argc, argv, 1, -1);
    count = (int)argument(argc, argv, 2, 2000);
    double *data = calloc((size_t)count, sizeof *data);
    for (long number = 1; number <= STEPS; number++) {
        step(number);
        if (number != MOMENT)
            continue;
        if (rank == victim && death_due())
            raise(SIGKILL);
        if (rank / 2 != victim / 2)
            victim_await(victim);
        state = rank == (victim < 0 ? 0 : victim) ? hear(data, count)
                                                  : tell(victim < 0 ? 0 : victim, data, count);
    }
    if (rank == (victim < 0 ? 0 : victim))
        printf("contact: %016llx\n", (unsigned long long)state);
    MPI_Finalize();
    return 0;
}
