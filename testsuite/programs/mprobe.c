/* mprobe: messages that were probed (MPI_Probe, MPI_Iprobe) or taken out by MPI_Mprobe, and are
 * received only some steps later, with checkpoints in between.
 *
 * arguments: [steps 300]
 *
 * ranks: 2
 * test: 300
 * soak: 450
 * pace: 2000
 * kill: 1@hook:140
 * kill: 0@hook:141
 * kill: 0@call:250:exit
 */
#include "program.h"

#define WORDS 3000

static uint64_t buffer[WORDS], held[WORDS];
static MPI_Request request = MPI_REQUEST_NULL;

/* The message that is matched early and received late may not block its sender. */
static void emit(long number, int tag)
{
    int words = (int)(mix((uint64_t)number) % WORDS) + 1;
    uint64_t *words_out = tag == 1 ? held : buffer;

    if (tag == 1)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < words; i++)
        words_out[i] = mix((uint64_t)(number + i));
    if (tag == 1)
        MPI_Isend(held, words, MPI_UINT64_T, 1, tag, MPI_COMM_WORLD, &request);
    else
        MPI_Send(buffer, words, MPI_UINT64_T, 1, tag, MPI_COMM_WORLD);
}

static uint64_t verify(long number, int count)
{
    check(count == (int)(mix((uint64_t)number) % WORDS) + 1, "length", number);
    for (int i = 0; i < count; i++)
        check(buffer[i] == mix((uint64_t)(number + i)), "content", number);
    return digest((uint64_t)number, buffer, (size_t)count * 8);
}

/* Receives the message that was matched three steps ago, and matches a new one. */
static uint64_t matched(long number, MPI_Message *message, int *count)
{
    uint64_t sum = 0;
    MPI_Status status;

    if (*message != MPI_MESSAGE_NULL) {
        MPI_Mrecv(buffer, *count, MPI_UINT64_T, message, MPI_STATUS_IGNORE);
        sum = verify(number - 3, *count);
    }
    MPI_Mprobe(0, 1, MPI_COMM_WORLD, message, &status);
    MPI_Get_count(&status, MPI_UINT64_T, count);
    return sum;
}

static uint64_t probed(long number)
{
    MPI_Status status;
    int flag = 0, count;

    while (!flag)
        MPI_Iprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &flag, &status);
    MPI_Get_count(&status, MPI_UINT64_T, &count);
    MPI_Probe(0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(buffer, count, MPI_UINT64_T, status.MPI_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return verify(number, count);
}

int main(int argc, char **argv)
{
    MPI_Message message = MPI_MESSAGE_NULL;
    uint64_t state = 0;
    int count = 0;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 300) / 3 * 3;
    for (long number = 1; number <= steps; number++) {
        step(number);
        if (rank == 0)
            emit(number, number % 3 ? 2 : 1);
        else if (rank == 1)
            state = mix(state + (number % 3 ? probed(number) : matched(number, &message, &count)));
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) {
        MPI_Mrecv(buffer, count, MPI_UINT64_T, &message, MPI_STATUS_IGNORE);
        state ^= verify(steps, count);
        check(message == MPI_MESSAGE_NULL, "message handle", steps);
    }
    return program_end("mprobe", state);
}
