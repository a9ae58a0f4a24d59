/* waits: a clock decides how much rank 0 sends, and waiting probes come before. How often such a
 * probe has looked nobody can see, so it is no cause.
 *
 * arguments: [Mprobe instead of Probe] */
#include <mpi.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>
#include "ft.h"

enum { ROUNDS = 20, ROUND_US = 1000, MOST = 64 };

static void receive(int matched)
{
    MPI_Message message;
    MPI_Status status;
    int value;

    if (matched) {
        FT_SITE(0x12);
        MPI_Mprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
        return;
    }
    FT_SITE(0x11);
    MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
    MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD, &status);
}

static int drawn(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int)(now.tv_nsec / 100 % MOST);
}

int main(int argc, char **argv)
{
    char data[MOST] = {0};
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; rank < 2 && round < ROUNDS; round++) {
        if (rank == 1) {
            usleep(ROUND_US);
            MPI_Send(&round, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
            MPI_Recv(data, MOST, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            receive(argc > 1);
            MPI_Send(data, drawn(), MPI_CHAR, 1, 2, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
