/* sets: rank 0 takes two sets of messages of one tag from any source in each step, with a barrier between
 * them. The sum of each set goes to all. Both sets lie in one iteration of a pattern, and when rank 0 runs again
 * it finds the messages of both: which it took first has to be given again.
 *
 * arguments: [steps 12]
 *
 * ranks: 4
 * test: 12
 * pace: 20000
 */
#include "program.h"

enum { PART = 1 };

int main(int argc, char **argv)
{
    long steps, part, sums[2];
    uint64_t digest = 0;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 12);
    for (long number = 0; number < steps; number++) {
        step(number + 1);
        sums[0] = sums[1] = 0;
        if (rank == 0) {
            for (int i = 1; i < size; i++) {
                MPI_Recv(&part, 1, MPI_LONG, MPI_ANY_SOURCE, PART, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                sums[0] += part;
            }
            MPI_Barrier(MPI_COMM_WORLD);
            for (int i = 1; i < size; i++) {
                MPI_Recv(&part, 1, MPI_LONG, MPI_ANY_SOURCE, PART, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                sums[1] += part;
            }
        } else {
            part = number * 1000 + rank * 10;
            MPI_Send(&part, 1, MPI_LONG, 0, PART, MPI_COMM_WORLD);
            MPI_Barrier(MPI_COMM_WORLD);
            part += 1000000;
            MPI_Send(&part, 1, MPI_LONG, 0, PART, MPI_COMM_WORLD);
        }
        MPI_Bcast(sums, 2, MPI_LONG, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        digest = digest * 31 + (uint64_t)(sums[0] * 7 + sums[1]);
    }
    return program_end("sets", digest);
}
