/* backwards: the ranks of an even number send those after them more messages than may be on their
 * way when they are resent, long ones and short ones, which are received from the last on.
 *
 * arguments: [steps 30]
 *
 * ranks: 4
 * test: 30
 * pace: 5000
 */
#include "program.h"

#define MANY 180
#define LONG (1 << 14) /* numbers of 8 bytes */

static uint64_t block[MANY][LONG];

/* Every third message is a long one. */
static int length_of(int i)
{
    return i % 3 ? 1 : LONG;
}

static void give(long number)
{
    static MPI_Request request[MANY];
    uint64_t answer;

    for (int i = 0; i < MANY; i++) {
        block[i][0] = mix((uint64_t)(number * MANY + i + rank));
        MPI_Isend(block[i], length_of(i), MPI_UINT64_T, rank + 1, i, MPI_COMM_WORLD, &request[i]);
    }
    MPI_Waitall(MANY, request, MPI_STATUSES_IGNORE);
    MPI_Recv(&answer, 1, MPI_UINT64_T, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(answer == (uint64_t)number, "the answer", number);
}

static uint64_t take(long number)
{
    uint64_t answer = (uint64_t)number, state = 0;

    for (int i = MANY - 1; i >= 0; i--) {
        MPI_Recv(block[i], length_of(i), MPI_UINT64_T, rank - 1, i, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        state = mix(state ^ block[i][0]);
    }
    MPI_Send(&answer, 1, MPI_UINT64_T, rank - 1, 0, MPI_COMM_WORLD);
    return state;
}

int main(int argc, char **argv)
{
    uint64_t state = 0;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 30);
    for (long number = 1; number <= steps; number++) {
        step(number);
        if (rank % 2)
            state = mix(state ^ take(number));
        else
            give(number);
    }
    return program_end("backwards", state);
}
