/* uncertain: receives by wildcard, of which an early one meets a long message that is under way for
 * long, and the later ones short messages, of the same sender and of another; the receiver waits
 * for a later one first. After any death all that was seen must stay possible: each sender's
 * messages come in the order of the posting, each once.
 *
 * arguments: [victim -1] [microseconds from the last send until its death] [steps 8]
 *
 * The last rank receives; the first sends a long and a short message, each other one a short one.
 *
 * ranks: 4
 */
#include <signal.h>
#include "program.h"

#define LONG (24L << 20)
#define MOMENT 5
#define TAG 5
#define MOST 16

static unsigned char *buffer[MOST];
static uint64_t sum;
static int victim;
static long delay;

static void die_due(long number)
{
    if (rank != victim || number != MOMENT || !death_due())
        return;
    pause_us(delay);
    raise(SIGKILL);
}

/* The sender, the step, and which of the sender's messages it is. */
static uint64_t head(int source, long number, int index)
{
    return (uint64_t)source << 40 | (uint64_t)number << 8 | (uint64_t)index;
}

static void send_all(long number)
{
    uint64_t first = head(rank, number, 0), second = head(rank, number, 1);
    MPI_Request request = MPI_REQUEST_NULL;

    if (rank == 0) {
        memcpy(buffer[0], &first, sizeof first);
        memcpy(buffer[0] + LONG - sizeof first, &first, sizeof first);
        MPI_Isend(buffer[0], (int)LONG, MPI_BYTE, size - 1, TAG, MPI_COMM_WORLD, &request);
        MPI_Send(&second, sizeof second, MPI_BYTE, size - 1, TAG, MPI_COMM_WORLD);
    } else {
        pause_us(2000);
        MPI_Send(&first, sizeof first, MPI_BYTE, size - 1, TAG, MPI_COMM_WORLD);
    }
    die_due(number);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void look(int which, const MPI_Status *status, long number, int *seen)
{
    uint64_t start, end;
    int length, source = status->MPI_SOURCE;

    MPI_Get_count(status, MPI_BYTE, &length);
    memcpy(&start, buffer[which], sizeof start);
    memcpy(&end, buffer[which] + length - sizeof end, sizeof end);
    check(start == head(source, number, seen[source]), "a message out of order", number);
    check(end == start, "a message is torn", number);
    seen[source]++;
    sum += mix(start);
}

static void receive_all(long number)
{
    MPI_Request request[MOST];
    MPI_Status status[MOST];
    int seen[MOST] = {0};

    for (int i = 0; i < size; i++) {
        memset(buffer[i], 0, sizeof(uint64_t));
        MPI_Irecv(buffer[i], (int)LONG, MPI_BYTE, MPI_ANY_SOURCE, i % 2 ? MPI_ANY_TAG : TAG,
                  MPI_COMM_WORLD, &request[i]);
    }
    MPI_Wait(&request[1], &status[1]);
    die_due(number);
    for (int i = 0; i < size; i++)
        if (i != 1)
            MPI_Wait(&request[i], &status[i]);
    for (int i = 0; i < size; i++)
        look(i, &status[i], number, seen);
}

int main(int argc, char **argv)
{
    long steps;

    program_start(&argc, &argv);
    victim = (int)argument(argc, argv, 1, -1);
    delay = argument(argc, argv, 2, 0);
    steps = argument(argc, argv, 3, 8);
    for (int i = 0; i < (rank == size - 1 ? size : 1); i++)
        buffer[i] = calloc(1, LONG);
    for (long number = 1; number <= steps; number++) {
        step(number);
        if (rank == size - 1)
            receive_all(number);
        else
            send_all(number);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return program_end("uncertain", sum);
}
