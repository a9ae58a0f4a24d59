/* input: rank 0 reads numbers from its standard input, some of them a step, and all ranks sum them.
 *
 * arguments: [lines of a step 20]
 *
 * ranks: 2
 * input: seq 1 4000
 * test: 20
 * soak: 10
 * pace: 4000
 * kill: 0@hook:100
 * kill: 1@call:80:exit
 */
#include "program.h"

static long read_some(long lines, int *last)
{
    char line[64];
    long sum = 0;

    for (long i = 0; i < lines; i++) {
        if (!fgets(line, sizeof(line), stdin)) {
            *last = 1;
            break;
        }
        sum += strtol(line, NULL, 10) * (i + 1);
    }
    return sum;
}

int main(int argc, char **argv)
{
    long lines, message[2] = {0, 0}, total = 0;
    int last = 0;

    program_start(&argc, &argv);
    lines = argument(argc, argv, 1, 20);
    for (long number = 1; !message[1]; number++) {
        step(number);
        if (rank == 0) {
            message[0] = read_some(lines, &last);
            message[1] = last;
        }
        MPI_Bcast(message, 2, MPI_LONG, 0, MPI_COMM_WORLD);
        total = total * 3 + message[0] + rank;
        if (rank == 0 && number % 20 == 0)
            printf("after %ld lines: %ld\n", number * lines, total);
    }
    return program_end("input", (uint64_t)total);
}
