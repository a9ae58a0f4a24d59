/* silent: in each step rank 0 sends some messages, is told to go on, and waits for a file that rank
 * 1 makes when it has received them, by a call that nobody sees. Rank 1 waits before that: in the
 * step of that number until somebody has left.
 *
 * arguments: [steps 4] [messages a step 20] [the step in which rank 1 waits 0]
 *
 * ranks: 2
 * test: 4
 */
#include "program.h"

static void wait_for(const char *name)
{
    while (syscall(SYS_faccessat, AT_FDCWD, name, F_OK) != 0)
        pause_us(1000);
}

static void make(const char *name)
{
    int fd = open(name, O_WRONLY | O_CREAT, 0600);

    check(fd >= 0 && close(fd) == 0, name, 0);
}

static uint64_t told(long number, long messages)
{
    uint64_t part, sum = 0;

    for (long i = 0; i < messages; i++) {
        part = mix((uint64_t)(number * messages + i));
        if (rank == 0)
            MPI_Send(&part, 1, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(&part, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = mix(sum ^ part);
    }
    return sum;
}

int main(int argc, char **argv)
{
    long steps, messages, slow;
    uint64_t sum = 0;
    char name[32];

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 4);
    messages = argument(argc, argv, 2, 20);
    slow = argument(argc, argv, 3, 0);
    for (long number = 1; number <= steps; number++) {
        step(number);
        snprintf(name, sizeof name, "made-%ld", number);
        if (rank == 0) {
            sum ^= told(number, messages);
            MPI_Recv(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            wait_for(name);
            continue;
        }
        while (number == slow && getenv("FT_TEST_EVENTS") != NULL && !events_seen("\"leave\""))
            usleep(1000);
        MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        sum ^= told(number, messages);
        make(name);
    }
    return program_end("silent", sum);
}
