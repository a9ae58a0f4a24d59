/* The MPI_ERROR fields that each call which ends requests writes, where nothing fails.
 *
 * ranks: 2
 * hooks: none
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 70, UNTOUCHED = 0x55555555 };

static MPI_Request request[2 * MOST];
static MPI_Status status[2 * MOST];
static int rank, in[MOST], out[MOST];

static void show(const char *call, int count)
{
    int success = 0, untouched = 0;

    for (int i = 0; i < count; i++) {
        success += status[i].MPI_ERROR == MPI_SUCCESS;
        untouched += status[i].MPI_ERROR == UNTOUCHED;
    }
    if (rank == 0)
        printf("%s of %d: %d successes, %d untouched\n", call, count, success, untouched);
    memset(status, 0x55, sizeof(status));
}

static void begin(int half)
{
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < half; i++) {
        MPI_Irecv(&in[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &request[i]);
        MPI_Isend(&out[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &request[half + i]);
    }
}

static void all(int half)
{
    int flag, count = 2 * half;

    begin(half);
    MPI_Waitall(count, request, status);
    show("MPI_Waitall", count);
    begin(half);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Waitall(count, request, status);
    show("MPI_Waitall with a null handle", count);
    MPI_Waitall(count, request, status);
    show("MPI_Waitall of null handles", count);
    begin(half);
    for (flag = 0; !flag;)
        MPI_Testall(count, request, &flag, status);
    show("MPI_Testall", count);
}

static void some(int half)
{
    int count = 2 * half, done, found, index[2 * MOST];

    begin(half);
    for (done = 0; done < count; done += found)
        MPI_Waitsome(count, request, &found, index, status + done);
    show("MPI_Waitsome", count);
    begin(half);
    for (done = 0; done < count; done += found)
        MPI_Testsome(count, request, &found, index, status + done);
    show("MPI_Testsome", count);
}

static void each(int half)
{
    int flag, index, count = 2 * half;

    begin(half);
    for (int i = 0; i < count; i++)
        MPI_Wait(&request[i], &status[i]);
    show("MPI_Wait", count);
    begin(half);
    for (int i = 0; i < count; i++)
        for (flag = 0; !flag;)
            MPI_Test(&request[i], &flag, &status[i]);
    show("MPI_Test", count);
    begin(half);
    for (int i = 0; i < count; i++)
        MPI_Waitany(count, request, &index, &status[i]);
    show("MPI_Waitany", count);
}

static void blocking(void)
{
    MPI_Sendrecv(out, 1, MPI_INT, 1 - rank, 0, in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, status);
    show("MPI_Sendrecv", 1);
    if (rank == 1)
        MPI_Send(out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else
        MPI_Probe(1, 0, MPI_COMM_WORLD, status);
    show("MPI_Probe", 1);
    if (rank == 0)
        MPI_Recv(in, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, status);
    show("MPI_Recv", 1);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {1, 4, 5, 32, 33, MOST};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(status, 0x55, sizeof(status));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        all(sizes[i]);
        some(sizes[i]);
        each(sizes[i]);
    }
    blocking();
    MPI_Finalize();
    return 0;
}
