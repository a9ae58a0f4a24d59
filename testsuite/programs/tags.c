/* tags: messages received in another order than they were sent, by tag; and a fresh tag for each
 * message, so that state kept per tag would fill the memory.
 *
 * arguments: [steps 200] [messages of a step 100]
 *
 * ranks: 2
 * test: 200 250
 * soak: 300 1000
 * pace: 4000
 * kill: 1@hook:90
 * kill: 0@call:60000
 */
#include "program.h"

static int order(long messages, long i)
{
    return (int)((i * 37 + 11) % messages);
}

/* Sends all, then receives the neighbour's in another order; `base` makes the tags fresh. */
static uint64_t exchange(int *values, MPI_Request *requests, long messages, int base)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, value;
    uint64_t sum = 0;

    for (long i = 0; i < messages; i++) {
        values[i] = base + (int)i + rank;
        MPI_Isend(&values[i], 1, MPI_INT, next, base + (int)i, MPI_COMM_WORLD, &requests[i]);
    }
    for (long i = 0; i < messages; i++) {
        int tag = base + order(messages, i);

        MPI_Recv(&value, 1, MPI_INT, previous, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(value == tag + previous, "value of a tag", tag);
        sum = mix(sum + (uint64_t)value);
    }
    MPI_Waitall((int)messages, requests, MPI_STATUSES_IGNORE);
    return sum;
}

int main(int argc, char **argv)
{
    long steps, messages;
    uint64_t sum = 0;
    MPI_Request *requests;
    int *values;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    messages = argument(argc, argv, 2, 100);
    while (messages % 37 == 0)
        messages++;
    values = malloc((size_t)messages * sizeof(*values));
    requests = malloc((size_t)messages * sizeof(MPI_Request));
    for (long number = 1; number <= steps; number++) {
        step(number);
        sum ^= exchange(values, requests, messages, (int)(number * messages));
        if (rank == 0 && number % 50 == 0)
            printf("%ld tags\n", number * messages);
    }
    free(values);
    free(requests);
    return program_end("tags", sum);
}
