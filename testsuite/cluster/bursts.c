/* bursts: rank 1 sends rank 0, its neighbour on the node, more messages in a step than outcomes fit
 * one message that carries them (--protocol causal), and a few in the next one; rank 0 receives
 * them by wildcard, and then tells the other node.
 *
 * ranks: 4
 * output: sorted
 */
#include "program.h"

enum { STEPS = 60, MANY = 700, FEW = 7 };

static uint64_t collect(int count, uint64_t sum)
{
    uint64_t value;

    for (int i = 0; i < count; i++) {
        MPI_Recv(&value, 1, MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        sum = mix(sum + value);
    }
    return sum;
}

static void hand_in(int count, int number)
{
    for (int i = 0; i < count; i++) {
        uint64_t value = (uint64_t)number * MANY + (uint64_t)i;

        MPI_Send(&value, 1, MPI_UINT64_T, 0, i, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int number = 1; number <= STEPS; number++) {
        int count = number % 2 ? MANY : FEW;

        step(number);
        if (rank == 0)
            sum = collect(count, sum);
        else if (rank == 1)
            hand_in(count, number);
        MPI_Bcast(&sum, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    }
    printf("bursts: rank %d: %016llx\n", rank, (unsigned long long)sum);
    MPI_Finalize();
    return 0;
}
