/* detached: rank 0 sends rank 1 buffered messages, and detaches the buffer, which waits until they
 * have gone. The receives by wildcard that they are for have met them, and have not ended when rank
 * 1 dies. Behind the rollback they are held back until it is as far as it was, for which it needs
 * what rank 0 sends behind the detach. A message that the buffer never had room for is refused
 * again.
 *
 * arguments: [steps 20] [the step with these messages 10] [bytes of the long one 1000000]
 *
 * ranks: 4
 * test: 20 10
 * pace: 2000
 */
#include "program.h"

enum { NEXT, LONG, SHORT, STARTED, THEN, RECORDED };

static char *data;
static int length;

static uint64_t sends(uint64_t state)
{
    int room = length + 1000, class = 0;
    void *buffer = malloc((size_t)room);
    MPI_Request request;

    MPI_Send_init(&state, 1, MPI_UINT64_T, 1, THEN, MPI_COMM_WORLD, &request);
    for (int i = 0; i < length; i++)
        data[i] = (char)mix(state + (uint64_t)i);
    MPI_Buffer_attach(buffer, room);
    MPI_Bsend(data, length, MPI_CHAR, 1, LONG, MPI_COMM_WORLD);
    memset(data, 0, (size_t)length);
    MPI_Buffer_detach(&buffer, &room);
    check(room == length + 1000, "the buffer's size", room);
    MPI_Buffer_attach(buffer, 1000);
    MPI_Bsend(&state, 1, MPI_UINT64_T, 1, SHORT, MPI_COMM_WORLD);
    MPI_Error_class(MPI_Bsend(data, 1000, MPI_CHAR, 1, LONG, MPI_COMM_WORLD), &class);
    check(class == MPI_ERR_BUFFER, "the class of a message without room", class);
    MPI_Buffer_detach(&buffer, &room);
    free(buffer);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    return mix(state ^ (uint64_t) class);
}

/* The last call, which counts ranks, is the second of its kind: rank 1 can die there. */
static uint64_t receives(uint64_t state)
{
    uint64_t got[3] = {0};
    MPI_Request request[2];
    int ranks;

    MPI_Irecv(data, length, MPI_CHAR, MPI_ANY_SOURCE, LONG, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&got[0], 1, MPI_UINT64_T, MPI_ANY_SOURCE, SHORT, MPI_COMM_WORLD, &request[1]);
    MPI_Recv(&got[1], 1, MPI_UINT64_T, 0, THEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&got[2], 1, MPI_UINT64_T, MPI_ANY_SOURCE, RECORDED, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 3; i++)
        state = mix(state ^ got[i]);
    return digest(state, data, (size_t)length);
}

int main(int argc, char **argv)
{
    uint64_t state;
    long steps, when;

    program_start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    steps = argument(argc, argv, 1, 20);
    when = argument(argc, argv, 2, 10);
    length = (int)argument(argc, argv, 3, 1000000);
    data = calloc((size_t)length, 1);
    state = mix((uint64_t)rank);
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = ring_shift(state, NEXT);
        if (number == when && rank == 0)
            state = sends(state);
        if (number == when && rank == 1)
            state = receives(state);
        if (number == when && rank == 2)
            MPI_Send(&state, 1, MPI_UINT64_T, 1, RECORDED, MPI_COMM_WORLD);
    }
    free(data);
    return program_end("detached", state);
}
