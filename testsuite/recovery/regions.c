/* regions: MPI_THREAD_MULTIPLE in parallel regions of OpenMP. The threads of two ranks send to each
 * other at the same time, with a tag and a communicator of their own, one of them in collectives.
 *
 * arguments: [steps 100]
 *
 * ranks: 2
 * test: 40
 * options: --protocol coordinated --checkpoint-interval 0.05
 * pace: 5000
 */
#include <omp.h>
#include "program.h"

#define THREADS 3

static MPI_Comm own[THREADS];

static uint64_t exchange(uint64_t state, int thread)
{
    uint64_t got, all;

    MPI_Sendrecv(&state, 1, MPI_UINT64_T, 1 - rank, thread, &got, 1, MPI_UINT64_T, 1 - rank, thread,
                 own[thread], MPI_STATUS_IGNORE);
    if (thread == 0)
        MPI_Allreduce(&state, &all, 1, MPI_UINT64_T, MPI_SUM, own[thread]);
    return mix(state ^ got ^ (thread == 0 ? all : 0));
}

int main(int argc, char **argv)
{
    uint64_t state[THREADS] = {1, 2, 3};
    int level;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check(level == MPI_THREAD_MULTIPLE, "level", level);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    for (long number = 1; number <= argument(argc, argv, 1, 100); number++) {
        step(number);
#pragma omp parallel num_threads(THREADS)
        for (int round = 0; round < 4; round++)
            state[omp_get_thread_num()] =
                exchange(state[omp_get_thread_num()], omp_get_thread_num());
    }
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&own[i]);
    return program_end("regions", digest(1, state, sizeof state));
}
