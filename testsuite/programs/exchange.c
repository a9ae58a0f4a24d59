/* exchange: Isendrecv, Sendrecv_replace and its non-blocking form, cancelled receives, Bsend_init,
 * freed requests, synchronous sends that stay open over steps, and an intercommunicator.
 *
 * arguments: [steps 300]
 *
 * ranks: 3
 * test: 120
 * soak: 500
 * pace: 3000
 * kill: 1@hook:60
 * kill: 0@call:900:exit
 * kill: 2@call:1500
 */
#include "program.h"

#define LENGTH 40000 /* beyond the eager limit */

static uint64_t large[LENGTH], value[4];
static char space[65536];
static int next, previous;

static void replace_large(long number)
{
    MPI_Status status;

    large[number % LENGTH] += (uint64_t)number;
    MPI_Sendrecv_replace(large, LENGTH, MPI_UINT64_T, next, 1, previous, 1, MPI_COMM_WORLD,
                         &status);
    check(status.MPI_SOURCE == previous && status.MPI_TAG == 1, "status", number);
}

static void exchange_both(long number)
{
    MPI_Request request[2];
    uint64_t out = mix((uint64_t)(number * 10 + rank));

    MPI_Isendrecv(&out, 1, MPI_UINT64_T, next, 2, &value[0], 1, MPI_UINT64_T, previous, 2,
                  MPI_COMM_WORLD, &request[0]);
    MPI_Isendrecv_replace(&value[1], 1, MPI_UINT64_T, previous, 3, next, 3, MPI_COMM_WORLD,
                          &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    check(value[0] == mix((uint64_t)(number * 10 + previous)), "Isendrecv", number);
    value[1] += value[0];
}

/* A receive that nobody answers, open during the step, and cancelled at its end. */
static void cancel(MPI_Request *request, long number)
{
    MPI_Status status;
    int cancelled = 0;

    MPI_Cancel(request);
    MPI_Wait(request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    check(cancelled && *request == MPI_REQUEST_NULL, "cancelled", number);
}

/* Buffered, and freed at once; the receiver takes them in the opposite order of tags. */
static void background(MPI_Request *buffered, uint64_t *word, long number)
{
    MPI_Request request;
    uint64_t in[2];

    MPI_Wait(buffered, MPI_STATUS_IGNORE);
    *word = mix((uint64_t)number);
    MPI_Start(buffered);
    MPI_Isend(word, 1, MPI_UINT64_T, next, 5, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Recv(&in[1], 1, MPI_UINT64_T, previous, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&in[0], 1, MPI_UINT64_T, previous, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(in[0] == mix((uint64_t)number) && in[1] == in[0], "background", number);
    value[2] ^= in[0];
}

/* A synchronous send of one step is received in the next. */
static void open_send(MPI_Request *request, uint64_t *word, long number)
{
    if (number > 1) {
        MPI_Recv(&value[3], 1, MPI_UINT64_T, previous, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(value[3] == mix((uint64_t)(number - 1)), "open send", number);
        MPI_Wait(request, MPI_STATUS_IGNORE);
    }
    *word = mix((uint64_t)number);
    MPI_Issend(word, 1, MPI_UINT64_T, next, 6, MPI_COMM_WORLD, request);
}

/* Rank 0 is alone on its side and asks all others in turn. */
static void across(MPI_Comm sides, long number)
{
    MPI_Status status;
    uint64_t word = mix((uint64_t)(number + rank));

    if (rank != 0)
        MPI_Send(&word, 1, MPI_UINT64_T, 0, 7, sides);
    for (int i = 1; rank == 0 && i < size; i++) {
        MPI_Recv(&word, 1, MPI_UINT64_T, MPI_ANY_SOURCE, 7, sides, &status);
        check(word == mix((uint64_t)(number + status.MPI_SOURCE + 1)), "across", number);
        value[2] += word;
    }
    MPI_Barrier(sides);
}

int main(int argc, char **argv)
{
    MPI_Request open = MPI_REQUEST_NULL, buffered, nobody;
    MPI_Comm side, sides;
    uint64_t words[2], none;
    void *address;
    int bytes;

    program_start(&argc, &argv);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, rank == 0, 9, &sides);
    MPI_Buffer_attach(space, sizeof(space));
    MPI_Bsend_init(&words[0], 1, MPI_UINT64_T, next, 4, MPI_COMM_WORLD, &buffered);
    long steps = argument(argc, argv, 1, 300);
    for (long number = 1; number <= steps; number++) {
        step(number);
        MPI_Irecv(&none, 1, MPI_UINT64_T, previous, 1000, MPI_COMM_WORLD, &nobody);
        replace_large(number);
        exchange_both(number);
        background(&buffered, &words[0], number);
        open_send(&open, &words[1], number);
        across(sides, number);
        cancel(&nobody, number);
    }
    MPI_Recv(&value[3], 1, MPI_UINT64_T, previous, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&open, MPI_STATUS_IGNORE);
    MPI_Request_free(&buffered);
    MPI_Buffer_detach(&address, &bytes);
    check(address == space && bytes == (int)sizeof(space), "detach", steps);
    MPI_Comm_free(&sides);
    MPI_Comm_free(&side);
    return program_end("exchange", digest(digest(0, large, sizeof(large)), value, sizeof(value)));
}
