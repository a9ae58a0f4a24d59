/* master: a master hands out work, workers compute at different speeds and ask for more. The
 * assignment of pieces to workers differs from run to run; the result does not.
 *
 * arguments: [pieces 600]
 *
 * ranks: 4
 * test: 300
 * soak: 450
 * pace: 3000
 * hooks: uneven
 * kill: 0@call:250
 * kill: 0@call:450:exit
 */
#include "program.h"

#define ASK 1
#define WORK 2

static uint64_t piece_compute(long piece)
{
    uint64_t value = (uint64_t)piece;

    for (int i = 0; i < 30000; i++)
        value = mix(value);
    return value;
}

static uint64_t master(long pieces)
{
    uint64_t *results = calloc((size_t)pieces, sizeof(*results)), sum;
    long next = 0, number, message[2];
    int workers = size - 1;
    MPI_Status status;

    for (number = 1; workers > 0; number++) {
        step(number);
        MPI_Recv(message, 2, MPI_LONG, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status);
        if (message[0] >= 0)
            results[message[0]] += (uint64_t)message[1];
        message[0] = next < pieces ? next++ : -1;
        workers -= message[0] < 0;
        MPI_Send(message, 1, MPI_LONG, status.MPI_SOURCE, WORK, MPI_COMM_WORLD);
    }
    sum = digest(0, results, (size_t)pieces * sizeof(*results));
    free(results);
    return sum;
}

static uint64_t worker(void)
{
    long message[2] = {-1, 0}, number;

    for (number = 1;; number++) {
        step(number);
        MPI_Send(message, 2, MPI_LONG, 0, ASK, MPI_COMM_WORLD);
        MPI_Recv(message, 1, MPI_LONG, 0, WORK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (message[0] < 0)
            return 0;
        message[1] = (long)piece_compute(message[0]);
    }
}

int main(int argc, char **argv)
{
    long pieces;

    program_start(&argc, &argv);
    pieces = argument(argc, argv, 1, 600);
    return program_end("master", rank == 0 ? master(pieces) : worker());
}
