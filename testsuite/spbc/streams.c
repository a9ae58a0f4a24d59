/* streams: rank 0 sends rank 1 one message of each of many tags, so many streams live at a time.
 *
 * arguments: [steps 12] [tags 1000]
 *
 * ranks: 2
 * test: 12
 * pace: 50000
 */
#include "program.h"

enum { WHEN = 3 }; /* the step in which they are sent */

static uint64_t exchange(long tags)
{
    uint64_t sum = 0;
    int value;

    for (long tag = 0; tag < tags; tag++) {
        value = (int)mix((uint64_t)tag);
        if (rank == 0)
            MPI_Send(&value, 1, MPI_INT, 1, (int)tag, MPI_COMM_WORLD);
        else
            MPI_Recv(&value, 1, MPI_INT, 0, (int)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = mix(sum + (uint64_t)value);
    }
    return sum;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;
    long steps, tags;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 12);
    tags = argument(argc, argv, 2, 1000);
    for (long number = 1; number <= steps; number++) {
        step(number);
        sum ^= exchange(number == WHEN ? tags : 1);
    }
    return program_end("streams", sum);
}
