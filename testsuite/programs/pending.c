/* pending: sends and receives that stay pending over many steps, with buffers on the heap and on the
 * stack; receives that are cancelled; a receive posted long before its message.
 *
 * arguments: [steps 300] [steps an exchange stays pending 7]
 *
 * ranks: 3
 * test: 150
 * soak: 300
 * pace: 2000
 * kill: 1@hook:75
 * kill: 0@call:200
 */
#include "program.h"

#define WORDS 40000 /* above the eager limit */

struct exchange {
    uint64_t *out, *in;
    MPI_Request send, receive, never;
    long begun;
};

static void exchange_begin(struct exchange *exchange, long number)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;

    exchange->begun = number;
    exchange->out = malloc(WORDS * 8);
    exchange->in = calloc(WORDS, 8);
    for (int i = 0; i < WORDS; i++)
        exchange->out[i] = mix((uint64_t)(number * WORDS + i + rank));
    MPI_Irecv(exchange->in, WORDS, MPI_UINT64_T, previous, 1, MPI_COMM_WORLD, &exchange->receive);
    MPI_Irecv(exchange->in, 1, MPI_UINT64_T, previous, 777, MPI_COMM_WORLD, &exchange->never);
    MPI_Isend(exchange->out, WORDS, MPI_UINT64_T, next, 1, MPI_COMM_WORLD, &exchange->send);
}

static uint64_t exchange_end(struct exchange *exchange)
{
    int previous = (rank + size - 1) % size, cancelled;
    MPI_Status status;
    uint64_t sum;

    MPI_Wait(&exchange->receive, &status);
    check(status.MPI_SOURCE == previous && status.MPI_TAG == 1, "status", exchange->begun);
    MPI_Wait(&exchange->send, MPI_STATUS_IGNORE);
    MPI_Cancel(&exchange->never);
    MPI_Wait(&exchange->never, &status);
    MPI_Test_cancelled(&status, &cancelled);
    check(cancelled && exchange->never == MPI_REQUEST_NULL, "cancelled", exchange->begun);
    for (int i = 0; i < WORDS; i++)
        check(exchange->in[i] == mix((uint64_t)(exchange->begun * WORDS + i + previous)), "data",
              exchange->begun);
    sum = digest(0, exchange->in, WORDS * 8);
    free(exchange->in);
    free(exchange->out);
    return sum;
}

int main(int argc, char **argv)
{
    struct exchange exchange = {.begun = 0};
    uint64_t late = 0, state = 0;
    MPI_Request first;
    long steps, span;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 300);
    span = argument(argc, argv, 2, 7);
    MPI_Irecv(&late, 1, MPI_UINT64_T, (rank + 1) % size, 55, MPI_COMM_WORLD, &first);
    for (long number = 1; number <= steps; number++) {
        step(number);
        if (number % span == 1) {
            if (exchange.begun)
                state ^= exchange_end(&exchange);
            exchange_begin(&exchange, number);
        }
        MPI_Allreduce(MPI_IN_PLACE, &state, 1, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
        state = mix(state + (uint64_t)rank);
    }
    state ^= exchange_end(&exchange);
    MPI_Send(&state, 1, MPI_UINT64_T, (rank + size - 1) % size, 55, MPI_COMM_WORLD);
    MPI_Wait(&first, MPI_STATUS_IGNORE);
    return program_end("pending", state + late);
}
