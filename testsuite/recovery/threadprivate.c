/* threadprivate: each thread of OpenMP keeps counts of its own, over parallel regions, in the
 * program and in memory that it has allocated.
 *
 * arguments: [steps 60] [threads have objects with destructors 0]
 *
 * ranks: 2
 * test: 60 0
 * pace: 2000
 */
#include "program.h"

#include <omp.h>

static long count = 5;
static uint64_t draws[100];
static long *own;
#pragma omp threadprivate(count, draws, own)

extern int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *module);
extern void *__dso_handle;

static void destroy(void *object)
{
    *(uint64_t *)object = 0;
}

static void work(long number)
{
    int thread = omp_get_thread_num();

    if (own == NULL)
        own = calloc(10, sizeof *own);
    own[number % 10] += thread + 1;
    count += thread;
    for (int i = 0; i < 100; i++)
        draws[i] = mix(draws[i] ^ (uint64_t)(thread * 1000 + i + rank));
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    omp_set_dynamic(0);
    omp_set_num_threads(4);
    for (long number = 1; number <= steps; number++) {
        step(number);
#pragma omp parallel
        work(number);
        if (number == 1 && argument(argc, argv, 2, 0)) {
#pragma omp parallel
            __cxa_thread_atexit_impl(destroy, draws, &__dso_handle);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
#pragma omp parallel reduction(+ : sum)
    for (int i = 0; i < 100; i++)
        sum += mix(draws[i] ^ (uint64_t)(count * 1000 + own[i % 10] + omp_get_thread_num()));
    return program_end("threadprivate", sum);
}
