/* crew: lets a thread work that a shared library's constructor has started.
 *
 * arguments: [steps 40]
 *
 * ranks: 2
 * test: 40
 * pace: 2000
 */
#include "program.h"

extern long crew_work(void);

int main(int argc, char **argv)
{
    long steps, sum = 0;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 40);
    for (long number = 1; number <= steps; number++) {
        step(number);
        sum = crew_work();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return program_end("crew", (uint64_t)sum);
}
