/* parting: rank 0 sends long messages to rank 2, each on a communicator of its own, and frees both
 * communicator and request at once. Rank 2 receives one a step later, and only then frees its
 * communicator.
 *
 * arguments: [steps 60] [words of a message 20000]
 *
 * ranks: 4
 * test: 60
 * pace: 3000
 */
#include "program.h"

static MPI_Comm comms[2]; /* of this step and of the one before */

/* Every second one is buffered. */
static void send(uint64_t *words, int count, long number, MPI_Comm comm)
{
    MPI_Request request;

    for (int i = 0; i < count; i++)
        words[i] = mix((uint64_t)(number * count + i));
    if (number % 2) {
        MPI_Bsend(words, count, MPI_UINT64_T, 2, 1, comm);
    } else {
        MPI_Isend(words, count, MPI_UINT64_T, 2, 1, comm, &request);
        MPI_Request_free(&request);
    }
}

static uint64_t receive(uint64_t *words, int count, long number, MPI_Comm *comm)
{
    MPI_Recv(words, count, MPI_UINT64_T, 0, 1, *comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++)
        check(words[i] == mix((uint64_t)(number * count + i)), "a word of the message", i);
    MPI_Comm_free(comm);
    return words[count - 1];
}

int main(int argc, char **argv)
{
    long steps;
    int words, bytes;
    uint64_t *data, state = 1;
    void *buffer;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    words = (int)argument(argc, argv, 2, 20000);
    bytes = 4 * (words * 8 + MPI_BSEND_OVERHEAD);
    buffer = malloc((size_t)bytes);
    data = malloc(3 * (size_t)words * sizeof *data); /* two are on their way, and one is written */
    MPI_Buffer_attach(buffer, bytes);
    for (long number = 1; number <= steps; number++) {
        MPI_Comm *comm = &comms[number % 2];

        step(number);
        MPI_Comm_dup(MPI_COMM_WORLD, comm);
        if (rank == 0)
            send(data + number % 3 * words, words, number, *comm);
        if (rank == 2 && number > 1)
            state = mix(state + receive(data, words, number - 1, &comms[(number - 1) % 2]));
        if (rank != 2)
            MPI_Comm_free(comm);
    }
    if (rank == 2)
        state = mix(state + receive(data, words, steps, &comms[steps % 2]));
    MPI_Barrier(MPI_COMM_WORLD); /* nothing is on its way any more */
    MPI_Buffer_detach(&buffer, &bytes);
    free(buffer);
    free(data);
    return program_end("parting", state);
}
