/* completion: two ranks exchange n messages of 8 bytes, n from 1 to 256, completed by each of the
 * completion functions in turn ("BYTES" is n here); then communication
 * overlapped with computing: the time of 0 B and of 1 MB exchanged while a fixed amount of work is
 * done. */
#include "micro.h"

#include <stdio.h>

enum { MOST = 256, OVERLAP = 1 << 20 };

static double out[MOST], in[MOST];
static char *big_out, *big_in;

static void start(int count, MPI_Request *requests)
{
    for (int i = 0; i < count; i++)
        MPI_Irecv(&in[i], 1, MPI_DOUBLE, 1 - micro_rank, i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < count; i++)
        MPI_Send(&out[i], 1, MPI_DOUBLE, 1 - micro_rank, i, MPI_COMM_WORLD);
}

static void with_wait(size_t count, void *state)
{
    MPI_Request requests[MOST];

    (void)state;
    start((int)count, requests);
    for (size_t i = 0; i < count; i++)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

static void with_waitall(size_t count, void *state)
{
    MPI_Request requests[MOST];
    MPI_Status statuses[MOST];

    (void)state;
    start((int)count, requests);
    MPI_Waitall((int)count, requests, statuses);
}

static void with_waitany(size_t count, void *state)
{
    MPI_Request requests[MOST];
    int index;

    (void)state;
    start((int)count, requests);
    for (size_t i = 0; i < count; i++)
        MPI_Waitany((int)count, requests, &index, MPI_STATUS_IGNORE);
}

static void with_waitsome(size_t count, void *state)
{
    MPI_Request requests[MOST];
    MPI_Status statuses[MOST];
    int indices[MOST], done;

    (void)state;
    start((int)count, requests);
    for (size_t left = count; left > 0; left -= (size_t)done)
        MPI_Waitsome((int)count, requests, &done, indices, statuses);
}

static void with_test(size_t count, void *state)
{
    MPI_Request requests[MOST];
    int done;

    (void)state;
    start((int)count, requests);
    for (size_t i = 0; i < count; i++)
        do
            MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
        while (!done);
}

static void with_testall(size_t count, void *state)
{
    MPI_Request requests[MOST];
    MPI_Status statuses[MOST];
    int done;

    (void)state;
    start((int)count, requests);
    do
        MPI_Testall((int)count, requests, &done, statuses);
    while (!done);
}

static void with_testany(size_t count, void *state)
{
    MPI_Request requests[MOST];
    int index, done;

    (void)state;
    start((int)count, requests);
    for (size_t left = count; left > 0; left -= done != 0)
        MPI_Testany((int)count, requests, &index, &done, MPI_STATUS_IGNORE);
}

static void with_testsome(size_t count, void *state)
{
    MPI_Request requests[MOST];
    MPI_Status statuses[MOST];
    int indices[MOST], done;

    (void)state;
    start((int)count, requests);
    for (size_t left = count; left > 0; left -= (size_t)done)
        MPI_Testsome((int)count, requests, &done, indices, statuses);
}

static void work(void)
{
    static volatile double sum;

    for (int i = 0; i < 200000; i++)
        sum = sum * 0.5 + 1.0;
}

static void overlap(size_t bytes, void *state)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];

    (void)state;
    MPI_Irecv(big_in, (int)bytes, MPI_BYTE, 1 - micro_rank, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(big_out, (int)bytes, MPI_BYTE, 1 - micro_rank, 1, MPI_COMM_WORLD, &requests[1]);
    work();
    MPI_Waitall(2, requests, statuses);
}

int main(int argc, char **argv)
{
    static const size_t counts[] = {1, 4, 16, 64, MOST};
    static const struct {
        const char *name;
        micro_operation operation;
    } table[] = {{"wait", with_wait},         {"waitall", with_waitall},  {"waitany", with_waitany},
                 {"waitsome", with_waitsome}, {"test", with_test},        {"testall", with_testall},
                 {"testany", with_testany},   {"testsome", with_testsome}};

    micro_start(argc, argv);
    if (micro_ranks != 2) {
        if (micro_rank == 0)
            fprintf(stderr, "completion: two ranks are needed\n");
        MPI_Finalize();
        return 2;
    }
    big_out = micro_alloc(OVERLAP);
    big_in = micro_alloc(OVERLAP);
    for (size_t row = 0; row < sizeof(table) / sizeof(*table); row++)
        for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
            micro_measure(table[row].name, counts[i], table[row].operation, NULL);
    micro_measure("overlap", 0, overlap, NULL);
    micro_measure("overlap", OVERLAP, overlap, NULL);
    MPI_Finalize();
    return 0;
}
