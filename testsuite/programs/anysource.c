/* anysource: rank 0 gathers with MPI_ANY_SOURCE and MPI_ANY_TAG; what it computes does not depend
 * on the order of arrival. It answers each sender.
 *
 * arguments: [steps 300]
 *
 * ranks: 4
 * test: 120
 * soak: 180
 * pace: 4000
 * kill: 0@hook:60
 * kill: 3@call:150:exit
 */
#include "program.h"

static uint64_t gather(long number)
{
    uint64_t value, sum = 0, answer;
    MPI_Status status;
    unsigned seen = 0;

    for (int i = 1; i < size; i++) {
        MPI_Recv(&value, 1, MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        check(status.MPI_TAG == (int)(number % 1000) + status.MPI_SOURCE, "tag", number);
        check(!(seen & (1u << status.MPI_SOURCE)), "sender seen twice", number);
        seen |= 1u << status.MPI_SOURCE;
        sum += mix(value + (uint64_t)status.MPI_SOURCE);
    }
    for (int r = 1; r < size; r++) {
        answer = sum + (uint64_t)r;
        MPI_Send(&answer, 1, MPI_UINT64_T, r, 1, MPI_COMM_WORLD);
    }
    return sum;
}

static uint64_t give(long number, uint64_t state)
{
    uint64_t answer;

    MPI_Send(&state, 1, MPI_UINT64_T, 0, (int)(number % 1000) + rank, MPI_COMM_WORLD);
    MPI_Recv(&answer, 1, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return answer - (uint64_t)rank;
}

int main(int argc, char **argv)
{
    uint64_t state = 1;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 300);
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = mix(state + (rank == 0 ? gather(number) : give(number, state)));
        if (rank == 0 && number % 40 == 0)
            printf("step %ld: %016llx\n", number, (unsigned long long)state);
    }
    return program_end("anysource", state);
}
