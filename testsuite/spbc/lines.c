/* lines: ranks that have one log open all the time, and write a line each to it, one behind the
 * other by barriers. Nobody flushes: of half of them the stream keeps no more than a line, of half
 * nothing.
 *
 * arguments: [steps 60] [step of ranks that share 3]
 *
 * ranks: 4
 * test: 60 3
 * pace: 3000
 */
#include "program.h"

/* What the lines of all are, in the order that the barriers give. */
static uint64_t log_sum(void)
{
    FILE *log = fopen("log", "r");
    uint64_t sum = 0;
    int byte;

    check(log != NULL, "fopen", 0);
    while ((byte = fgetc(log)) != EOF)
        sum = mix(sum + (uint64_t)byte);
    fclose(log);
    return sum;
}

int main(int argc, char **argv)
{
    FILE *log = NULL;
    long steps, apart;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    apart = argument(argc, argv, 2, 3);
    if (rank % apart == 0) {
        check((log = fopen("log", "a")) != NULL, "fopen", 0);
        setvbuf(log, NULL, rank % 2 ? _IOLBF : _IONBF, 1000);
    }
    for (long number = 1; number <= steps; number++) {
        step(number);
        for (int turn = 0; turn < size; turn++) {
            if (log != NULL && turn == rank)
                fprintf(log, "step %ld rank %d\n", number, rank);
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    return program_end("lines", log != NULL ? log_sum() : 0);
}
