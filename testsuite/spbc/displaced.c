/* displaced: a comment says that receives are a pattern, but their messages are sent in front of
 * it. Without a death nobody sees that; a rank that rolls back waits for messages of the pattern,
 * and there are none.
 *
 * arguments: [steps 30]
 *
 * ranks: 3
 * test: 30
 * pace: 8000
 */
#include "program.h"

enum { MOST = 8, TELL = 1 };

static uint64_t collect(uint64_t mine)
{
    MPI_Request sends[MOST];
    uint64_t got, sum = 0;
    int count = 0;

    for (int r = 0; r < size; r++)
        if (r != rank)
            MPI_Isend(&mine, 1, MPI_UINT64_T, r, TELL, MPI_COMM_WORLD, &sends[count++]);
    /* ftcc: pattern alone */
    {
        for (int i = 0; i < size - 1; i++) {
            /* ftcc: send-deterministic */
            MPI_Recv(&got, 1, MPI_UINT64_T, MPI_ANY_SOURCE, TELL, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            sum += got;
        }
    }
    MPI_Waitall(count, sends, MPI_STATUSES_IGNORE);
    return sum;
}

int main(int argc, char **argv)
{
    uint64_t history = 0, sum;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 30);
    check(size <= MOST, "ranks", size);
    for (long number = 1; number <= steps; number++) {
        step(number);
        sum = collect(mix(history + (uint64_t)rank));
        MPI_Allreduce(&sum, &history, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    }
    return program_end("displaced", history);
}
