/* rounds: in each round a master tells all ranks a seed and hands out pieces of work. A worker asks
 * for a piece and waits for the answer in one MPI_Sendrecv. Which worker gets which piece differs
 * from run to run; the result does not.
 *
 * arguments: [rounds 20] [pieces of a round 40]
 *
 * ranks: 4
 * test: 20 40
 * pace: 1000
 */
#include "program.h"

#define ASK 1
#define WORK 2

struct result {
    long piece; /* -1: none yet */
    long value;
};

static long piece_compute(long seed, long piece)
{
    uint64_t value = (uint64_t)(seed + piece);

    for (int i = 0; i < 30000; i++)
        value = mix(value);
    return (long)(value & 0xffff);
}

static void hand_out(long pieces, long *values)
{
    struct result result;
    MPI_Status status;
    long next = 0;

    for (int workers = size - 1; workers > 0;) {
        MPI_Recv(&result, 2, MPI_LONG, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status);
        if (result.piece >= 0)
            values[result.piece] += result.value;
        long piece = next < pieces ? next++ : -1;
        workers -= piece < 0;
        MPI_Send(&piece, 1, MPI_LONG, status.MPI_SOURCE, WORK, MPI_COMM_WORLD);
    }
}

static void work(long seed)
{
    struct result result = {-1, 0};

    for (;;) {
        long piece;

        MPI_Sendrecv(&result, 2, MPI_LONG, 0, ASK, &piece, 1, MPI_LONG, 0, WORK, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        if (piece < 0)
            return;
        result = (struct result){piece, piece_compute(seed, piece)};
    }
}

int main(int argc, char **argv)
{
    long rounds, pieces, *values;

    program_start(&argc, &argv);
    rounds = argument(argc, argv, 1, 20);
    pieces = argument(argc, argv, 2, 40);
    values = calloc((size_t)pieces, sizeof(*values));
    for (long round = 1; round <= rounds; round++) {
        long seed = round * 1000;

        step(round);
        MPI_Bcast(&seed, 1, MPI_LONG, 0, MPI_COMM_WORLD);
        rank == 0 ? hand_out(pieces, values) : work(seed);
    }
    return program_end("rounds",
                       rank == 0 ? digest(0, values, (size_t)pieces * sizeof(*values)) : 0);
}
