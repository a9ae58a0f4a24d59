/* jumbled: a receive of any message meets a long one that is under way when a rank dies; a later
 * receive of one tag has its message by then, and one that was sent before it, with another tag, is
 * there unasked. In another epoch the first receive may meet that one, and no later one of its
 * sender.
 *
 * arguments: [victim -1] [microseconds from the last send until its death] [steps 8]
 *
 * ranks: 4
 */
#include <signal.h>
#include "program.h"

enum { LONG = 64 << 20, MOMENT = 5, FIRST = 3, SECOND = 1, WHOLE = 9 };

static unsigned char *buffer;
static uint64_t sum;

/* Rank 2 is the receiver. */
static void receive_all(void)
{
    uint64_t small, later;
    MPI_Request any, named;
    MPI_Status status;

    MPI_Irecv(buffer, LONG, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any);
    MPI_Irecv(&later, 1, MPI_UINT64_T, 3, SECOND, MPI_COMM_WORLD, &named);
    MPI_Wait(&named, MPI_STATUS_IGNORE);
    MPI_Wait(&any, &status);
    memcpy(&small, buffer, sizeof small);
    sum = mix(sum) + small + later; /* in either order the same */
    if (status.MPI_SOURCE == 0)
        MPI_Recv(&small, 1, MPI_UINT64_T, 3, FIRST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Recv(buffer, LONG, MPI_BYTE, 0, WHOLE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memcpy(&later, buffer, sizeof later);
    sum += status.MPI_SOURCE == 0 ? small : later;
}

static void send_two(uint64_t number)
{
    uint64_t first = mix(number), second = mix(first);

    pause_us(3000);
    MPI_Send(&first, 1, MPI_UINT64_T, 2, FIRST, MPI_COMM_WORLD);
    MPI_Send(&second, 1, MPI_UINT64_T, 2, SECOND, MPI_COMM_WORLD);
}

static void send_whole(uint64_t number)
{
    uint64_t word = mix(number + 1000);

    memcpy(buffer, &word, sizeof word);
    MPI_Send(buffer, LONG, MPI_BYTE, 2, WHOLE, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    long steps, victim, delay;

    program_start(&argc, &argv);
    victim = argument(argc, argv, 1, -1);
    delay = argument(argc, argv, 2, 0);
    steps = argument(argc, argv, 3, 8);
    buffer = calloc(1, LONG);
    for (long number = 1; number <= steps; number++) {
        step(number);
        if (rank == victim && number == MOMENT && death_due()) {
            pause_us(3000 + delay);
            raise(SIGKILL);
        }
        if (rank == 0)
            send_whole((uint64_t)number);
        else if (rank == 2)
            receive_all();
        else if (rank == 3)
            send_two((uint64_t)number);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return program_end("jumbled", sum);
}
