/* printing: every rank prints in every step, on both streams, in lines, in parts of lines, with
 * printf, puts and write; each line must come out exactly once.
 *
 * arguments: [steps 200]
 *
 * ranks: 3
 * test: 150
 * soak: 220
 * pace: 4000
 * output: sorted
 * kill: 0@hook:60
 * kill: 2@hook:80:exit
 */
#include "program.h"

static void print_parts(long number, long value)
{
    printf("rank %d step %ld:", rank, number);
    fflush(stdout);
    printf(" value %ld", value);
    printf("\n");
}

static void print_raw(long number)
{
    char line[64];
    int length = snprintf(line, sizeof(line), "rank %d raw %ld\n", rank, number);

    fflush(stdout);
    check(write(1, line, (size_t)length) == length, "write", number);
}

int main(int argc, char **argv)
{
    long steps, value = 0;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (long number = 1; number <= steps; number++) {
        step(number);
        value += number * (rank + 1);
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
        print_parts(number, value);
        if (number % 7 == 0)
            print_raw(number);
        if (number % 11 == 0)
            fprintf(stderr, "rank %d: to stderr in step %ld\n", rank, number);
        if (number % 50 == 0)
            puts("fifty more");
    }
    return program_end("printing", (uint64_t)value);
}
