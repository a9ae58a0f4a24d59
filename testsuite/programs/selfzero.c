/* selfzero: messages to oneself, blocking and pending, on MPI_COMM_WORLD and MPI_COMM_SELF, and
 * messages of zero bytes.
 *
 * arguments: [steps 300]
 *
 * ranks: 2
 * test: 400
 * soak: 600
 * pace: 2000
 * kill: 1@hook:200
 * kill: 0@call:1500
 */
#include "program.h"

static uint64_t self_messages(long number, uint64_t state)
{
    uint64_t one = state, two = 0, three = 0;
    MPI_Request request;

    MPI_Isend(&one, 1, MPI_UINT64_T, rank, 4, MPI_COMM_WORLD, &request);
    MPI_Recv(&two, 1, MPI_UINT64_T, rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&two, 1, MPI_UINT64_T, 0, 9, &three, 1, MPI_UINT64_T, 0, 9, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    check(three == state, "message to oneself", number);
    return mix(three);
}

/* One self message is always under way from one step to the next. */
static uint64_t carry_over(long number, uint64_t state, MPI_Request *request, uint64_t *buffer)
{
    uint64_t carried = 0;

    if (*request != MPI_REQUEST_NULL) {
        MPI_Recv(&carried, 1, MPI_UINT64_T, rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(request, MPI_STATUS_IGNORE);
        check(carried == mix((uint64_t)number - 1), "message carried over a step", number);
    }
    *buffer = mix((uint64_t)number);
    MPI_Isend(buffer, 1, MPI_UINT64_T, rank, 8, MPI_COMM_WORLD, request);
    return state + carried;
}

static void zero_bytes(long number)
{
    int peer = rank ^ 1, count;
    MPI_Status status;

    if (peer >= size)
        return;
    MPI_Sendrecv(NULL, 0, MPI_INT, peer, 6, NULL, 0, MPI_INT, peer, 6, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    check(count == 0 && status.MPI_SOURCE == peer, "empty message", number);
}

int main(int argc, char **argv)
{
    MPI_Request request = MPI_REQUEST_NULL;
    uint64_t state = (uint64_t)rank, buffer = 0;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 300);
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = self_messages(number, state);
        state = carry_over(number, state, &request, &buffer);
        zero_bytes(number);
    }
    MPI_Recv(&buffer, 1, MPI_UINT64_T, rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return program_end("selfzero", state + buffer);
}
