/* bigsmall: on one stream a big message (64 MB) and then an eight-byte one; the second may complete
 * first. In odd steps the receiver posts both receives, in even ones it probes. A rank can
 * be told to die inside a transfer: by an alarm clock that was set right before it.
 *
 * arguments: [steps 20] [megabytes 64] [microseconds the receiver waits before it receives, 0]
 *            [rank that dies -1] [in this step] [microseconds after its begin]
 *
 * ranks: 2
 * test: 12 64
 * soak: 16 64
 * pace: 60000
 * options: --checkpoint-interval 0.1
 * kill: 0@call:20
 * kill: 1@call:30:exit
 */
#include <signal.h>
#include <sys/time.h>
#include "program.h"

static unsigned char *big;
static size_t bytes;

static void big_fill(long number)
{
    for (size_t i = 0; i < bytes; i += 4096)
        memcpy(big + i, &(uint64_t){mix((uint64_t)number * 1000003 + i)}, 8);
}

static void big_check(long number, uint64_t small)
{
    for (size_t i = 0; i < bytes; i += 4096)
        check(!memcmp(big + i, &(uint64_t){mix((uint64_t)number * 1000003 + i)}, 8),
              "content of the big message", number);
    check(small == mix((uint64_t)number), "the small message", number);
}

static void send_both(long number)
{
    uint64_t small = mix((uint64_t)number);
    MPI_Request request[2];

    big_fill(number);
    MPI_Isend(big, (int)bytes, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(&small, 1, MPI_UINT64_T, 1, 3, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

static void receive_posted(long number, long wait)
{
    uint64_t small = 0;
    MPI_Request request[2];
    MPI_Status status;

    MPI_Irecv(big, (int)bytes, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&small, 1, MPI_UINT64_T, 0, 3, MPI_COMM_WORLD, &request[1]);
    pause_us(wait);
    MPI_Wait(&request[1], &status);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    big_check(number, small);
}

static void receive_probed(long number, long wait)
{
    uint64_t small = 0;
    MPI_Status status;
    int count;

    MPI_Probe(0, 3, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    check(count == (int)bytes, "order of the two messages", number);
    pause_us(wait);
    MPI_Recv(big, (int)bytes, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&small, 1, MPI_UINT64_T, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    big_check(number, small);
}

/* The default action of SIGALRM ends the process wherever it is. */
static void die_later(long microseconds)
{
    struct itimerval timer = {{0, 0}, {0, microseconds + 1}};

    if (death_due())
        syscall(SYS_setitimer, ITIMER_REAL, &timer, NULL);
}

int main(int argc, char **argv)
{
    long steps, wait;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 20);
    bytes = (size_t)argument(argc, argv, 2, 64) << 20;
    wait = argument(argc, argv, 3, 0);
    big = calloc(bytes, 1);
    for (long number = 1; number <= steps; number++) {
        step(number);
        if (rank == argument(argc, argv, 4, -1) && number == argument(argc, argv, 5, 0))
            die_later(argument(argc, argv, 6, 0));
        if (rank == 0)
            send_both(number);
        else if (rank == 1 && number % 2)
            receive_posted(number, wait);
        else if (rank == 1)
            receive_probed(number, wait);
    }
    return program_end("bigsmall", digest(0, big, bytes));
}
