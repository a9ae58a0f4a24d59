/* shared: files of several ranks. Every rank writes a file of its own and passes a number on in a
 * ring; from some step on ranks 0 and 1 also write to one log, first rank 0, by a descriptor, then
 * rank 1, by a stream that is opened each time.
 *
 * arguments: [steps 100] [the first step with the log 1]
 *
 * ranks: 4
 * test: 100 1
 * pace: 5000
 */
#include "program.h"

static void fail(const char *what)
{
    perror(what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void write_own(long number, uint64_t state)
{
    char name[32];
    FILE *file;

    snprintf(name, sizeof(name), "own.%d", rank);
    if (!(file = fopen(name, "a")))
        fail(name);
    fprintf(file, "%ld %016llx\n", number, (unsigned long long)state);
    fclose(file);
}

static void write_first(uint64_t state)
{
    int fd = open("log", O_WRONLY | O_CREAT | O_APPEND, 0644);

    if (fd < 0 || write(fd, &state, sizeof(state)) != sizeof(state))
        fail("log");
    close(fd);
    MPI_Send(&state, 1, MPI_UINT64_T, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void write_second(long number)
{
    uint64_t state;
    FILE *file;

    MPI_Recv(&state, 1, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!(file = fopen("log", "a")))
        fail("log");
    fprintf(file, "step %ld behind %016llx\n", number, (unsigned long long)state);
    fclose(file);
    MPI_Send(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    uint64_t state;
    long steps, first;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 100);
    first = argument(argc, argv, 2, 1);
    state = (uint64_t)rank;
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = ring_shift(state, 0);
        write_own(number, state);
        if (number >= first && rank == 0)
            write_first(state);
        if (number >= first && rank == 1)
            write_second(number);
    }
    return program_end("shared", state);
}
