/* constructors: keeps numbers in memory that a shared library's constructor has allocated.
 *
 * arguments: [steps 60]
 *
 * ranks: 2
 * test: 60
 * pace: 2000
 */
#include "program.h"

extern const char *pool_add(long value);
extern long pool_sum(void);

int main(int argc, char **argv)
{
    const char *name = "";
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    for (long number = 1; number <= steps; number++) {
        step(number);
        name = pool_add(number + rank);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return program_end(name, (uint64_t)pool_sum());
}
