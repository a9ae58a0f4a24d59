/* multiple: MPI_THREAD_MULTIPLE. In each step threads of each rank send to each other's ranks at the
 * same time, with a tag of their own, while one of them waits in a reduction that the last rank
 * enters only when it has had a message of another thread. Between steps there is one thread.
 *
 * arguments: [steps 200]
 *
 * ranks: 3
 * test: 30
 * soak: 200
 * options: --protocol coordinated --checkpoint-interval 0.05
 * pace: 5000
 * kill: 1@hook:12
 * kill: 0@call:250
 * kill: 2@MPI_Allreduce:16 1@MPI_Wait:110
 */
#include <pthread.h>
#include "program.h"

#define THREADS 2 /* besides the one of the reduction */
#define ROUNDS 2
#define WORDS 600
#define GO 99 /* a tag */

static MPI_Comm sums;
static uint64_t state[THREADS], sum;
static long current;

static void shift(int thread)
{
    uint64_t *out = malloc(WORDS * sizeof *out), *in = calloc(WORDS, sizeof *in);
    int next = (rank + 1) % size, last = (rank + size - 1) % size;
    MPI_Request request;

    for (int i = 0; i < WORDS; i++)
        out[i] = mix(state[thread] + (uint64_t)i);
    MPI_Irecv(in, WORDS, MPI_UINT64_T, last, thread, MPI_COMM_WORLD, &request);
    MPI_Send(out, 1 + (int)(state[thread] % WORDS), MPI_UINT64_T, next, thread, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    state[thread] = digest(state[thread], in, WORDS * sizeof *in);
    free(out);
    free(in);
}

static void *exchange(void *argument)
{
    int thread = (int)(intptr_t)argument, go = (int)current;

    for (int round = 0; round < ROUNDS; round++)
        shift(thread);
    if (thread == 0 && rank == 0)
        MPI_Send(&go, 1, MPI_INT, size - 1, GO, MPI_COMM_WORLD);
    return NULL;
}

static void *reduce(void *argument)
{
    int go = (int)current;

    if (rank == size - 1)
        MPI_Recv(&go, 1, MPI_INT, 0, GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(go == current, "go", current);
    MPI_Allreduce(argument, &sum, 1, MPI_UINT64_T, MPI_SUM, sums);
    return NULL;
}

static uint64_t threads_run(uint64_t value)
{
    pthread_t thread[THREADS + 1];

    pthread_create(&thread[THREADS], NULL, reduce, &value);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, exchange, (void *)(intptr_t)i);
    for (int i = 0; i <= THREADS; i++)
        pthread_join(thread[i], NULL);
    return digest(sum, state, sizeof state);
}

int main(int argc, char **argv)
{
    uint64_t value = 1;
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check(provided == MPI_THREAD_MULTIPLE, "level", provided);
    MPI_Comm_dup(MPI_COMM_WORLD, &sums);
    for (long number = 1; number <= argument(argc, argv, 1, 200); number++) {
        step(number);
        current = number;
        value = threads_run(value);
        value = mix(value ^ ring_shift(value, GO + 1));
    }
    MPI_Comm_free(&sums);
    return program_end("multiple", value);
}
