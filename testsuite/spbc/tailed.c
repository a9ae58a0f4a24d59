/* tailed: rank 0 writes a log from some step on, rank 1 has it open and reads each line behind a
 * message.
 *
 * arguments: [steps 80] [the first step with the log 50]
 *
 * ranks: 3
 * test: 80 50
 * pace: 8000
 */
#include "program.h"

static void line_of(long number, char text[32])
{
    snprintf(text, 32, "%08ld %016llx\n", number, (unsigned long long)mix((uint64_t)number));
}

static void write_line(int log, long number)
{
    char text[32];

    line_of(number, text);
    check(write(log, text, 26) == 26, "write", number);
}

static void read_line(int log, long number)
{
    char text[32], expected[32];

    line_of(number, expected);
    check(read(log, text, 26) == 26, "a line", number);
    check(memcmp(text, expected, 26) == 0, "its text", number);
}

int main(int argc, char **argv)
{
    long steps, first, token = 0;
    int log = -1;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 80);
    first = argument(argc, argv, 2, 50);
    for (long number = 1; number <= steps; number++) {
        step(number);
        MPI_Sendrecv(&number, 1, MPI_LONG, (rank + 1) % size, 0, &token, 1, MPI_LONG,
                     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (number == first && rank == 0)
            log = open("log", O_WRONLY | O_CREAT | O_TRUNC, 0644);
        if (number >= first && rank == 0) {
            write_line(log, number);
            MPI_Send(&number, 1, MPI_LONG, 1, 1, MPI_COMM_WORLD);
        }
        if (number >= first && rank == 1) {
            MPI_Recv(&token, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (number == first)
                log = open("log", O_RDONLY);
            pause_us(3000);
            read_line(log, number);
        }
    }
    return program_end("tailed", mix((uint64_t)token));
}
