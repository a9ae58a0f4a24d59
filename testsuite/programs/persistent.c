/* persistent: persistent requests of all send kinds, started, completed and started again, with
 * Start, Startall, and some left inactive for a while.
 *
 * arguments: [steps 300]
 *
 * ranks: 3
 * test: 150
 * soak: 220
 * pace: 3000
 * kill: 2@hook:80
 * kill: 0@call:400:exit
 */
#include "program.h"

#define LENGTH 3000

static double out[3][LENGTH], in[3][LENGTH];

static void requests_create(MPI_Request *request)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;

    for (int i = 0; i < 3; i++)
        MPI_Recv_init(in[i], LENGTH, MPI_DOUBLE, previous, i, MPI_COMM_WORLD, &request[i]);
    MPI_Send_init(out[0], LENGTH, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &request[3]);
    MPI_Ssend_init(out[1], LENGTH, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &request[4]);
    MPI_Send_init(out[2], LENGTH, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &request[5]);
}

static void fill(long number)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < LENGTH; j++)
            out[i][j] = (double)((number * 31 + i * 7 + j + rank) % 1009) + in[i][j] / 3.0;
}

/* The third pair is active in every second step only. */
static void exchange(long number, MPI_Request *request)
{
    fill(number); /* reads what the last receives brought: before they are started again */
    MPI_Startall(2, request);
    if (number % 2)
        MPI_Start(&request[2]);
    MPI_Startall(2, request + 3);
    if (number % 2)
        MPI_Start(&request[5]);
    MPI_Waitall(6, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 6; i++)
        check(request[i] != MPI_REQUEST_NULL, "persistent request", i);
}

int main(int argc, char **argv)
{
    MPI_Request request[6];
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 300);
    requests_create(request);
    for (long number = 1; number <= steps; number++) {
        step(number);
        exchange(number, request);
        if (rank == 0 && number % 50 == 0)
            printf("step %ld: %016llx\n", number, (unsigned long long)digest(0, in, sizeof(in)));
    }
    for (int i = 0; i < 6; i++)
        MPI_Request_free(&request[i]);
    return program_end("persistent", digest(0, in, sizeof(in)));
}
