/* sort: named points of a program: keys go round and are added up.
 *
 * arguments: [steps 100]
 *
 * ranks: 4
 * test: 100
 * pace: 8000
 */
#include "../../runtime/ft.h"
#include "../programs/program.h"

int main(int argc, char **argv)
{
    long steps;
    uint64_t key = 0;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 100);
    for (long number = 1; number <= steps; number++) {
        uint64_t mine = mix(key + (uint64_t)(rank + number)), other;

        step(number);
        FT_FAULT("AFTER_KEY_SORT", number, rank, 0);
        MPI_Sendrecv(&mine, 1, MPI_UINT64_T, (rank + 1) % size, 3, &other, 1, MPI_UINT64_T,
                     (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(&other, &key, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        FT_FAULT("END_OF_STEP", number, 0, 0);
        if (rank == 0 && number % 10 == 0)
            printf("step %ld: %016llx\n", number, (unsigned long long)key);
    }
    return program_end("sort", key);
}
