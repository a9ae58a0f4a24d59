/* sentinels: the special values of MPI: MPI_IN_PLACE, MPI_BOTTOM, the IGNORE values,
 * MPI_PROC_NULL, MPI_REQUEST_NULL, MPI_MESSAGE_NO_PROC, count 0 with NULL, MPI_UNDEFINED.
 *
 * arguments: [steps 300]
 *
 * ranks: 3
 * test: 100
 * soak: 150
 * pace: 4500
 * kill: 2@hook:50
 * kill: 0@call:900
 */
#include "program.h"

static uint64_t values[8], gathered[8 * 16];

static void in_place(long number)
{
    for (int i = 0; i < 8; i++)
        values[i] = mix((uint64_t)(number * 8 + i + rank)) & 0xffff;
    MPI_Allreduce(MPI_IN_PLACE, values, 8, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    gathered[rank] = values[0] + (uint64_t)rank;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, gathered, 1, MPI_UINT64_T, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        check(gathered[r] == values[0] + (uint64_t)r, "allgather in place", number);
    if (rank == 1)
        MPI_Reduce(MPI_IN_PLACE, values, 8, MPI_UINT64_T, MPI_BXOR, 1, MPI_COMM_WORLD);
    else
        MPI_Reduce(values, NULL, 8, MPI_UINT64_T, MPI_BXOR, 1, MPI_COMM_WORLD);
    MPI_Scan(MPI_IN_PLACE, values, 8, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
}

/* An absolute address as a datatype, sent and received at MPI_BOTTOM. */
static void bottom(long number)
{
    static uint64_t out, in;
    MPI_Aint places[2];
    MPI_Datatype types[2];
    int length = 1;

    MPI_Get_address(&out, &places[0]);
    MPI_Get_address(&in, &places[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Type_create_hindexed(1, &length, &places[i], MPI_UINT64_T, &types[i]);
        MPI_Type_commit(&types[i]);
    }
    out = mix((uint64_t)(number + rank));
    MPI_Sendrecv(MPI_BOTTOM, 1, types[0], (rank + 1) % size, 1, MPI_BOTTOM, 1, types[1],
                 (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(in == mix((uint64_t)(number + (rank + size - 1) % size)), "at MPI_BOTTOM", number);
    values[1] ^= in;
    for (int i = 0; i < 2; i++)
        MPI_Type_free(&types[i]);
}

static void nobody(long number)
{
    MPI_Request request[3];
    MPI_Status status;
    MPI_Message message;
    int flag = 0, count;

    MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    check(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && count == 0,
          "receive from nobody", number);
    MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    check(flag, "probe of nobody", number);
    MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    check(message == MPI_MESSAGE_NO_PROC, "message of nobody", number);
    MPI_Mrecv(NULL, 0, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Isend(NULL, 0, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request[1]);
    request[2] = MPI_REQUEST_NULL;
    MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    MPI_Waitany(3, request, &count, MPI_STATUS_IGNORE);
    check(count == MPI_UNDEFINED, "only null requests", number);
    MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE);
    check(flag, "no requests", number);
    MPI_Wait(&request[2], MPI_STATUS_IGNORE);
}

static void nothing(long number)
{
    int zeros[16] = {0};
    MPI_Comm none;

    MPI_Bcast(NULL, 0, MPI_INT, (int)(number % size), MPI_COMM_WORLD);
    MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allgatherv(NULL, 0, MPI_INT, NULL, zeros, zeros, MPI_INT, MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &none);
    check((none == MPI_COMM_NULL) == (rank == 0), "split undefined", number);
    if (none != MPI_COMM_NULL)
        MPI_Comm_free(&none);
}

int main(int argc, char **argv)
{
    uint64_t state = 0;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 300);
    for (long number = 1; number <= steps; number++) {
        step(number);
        in_place(number);
        bottom(number);
        nobody(number);
        if (number % 10 == 0)
            nothing(number);
        state = digest(state, values, sizeof(values));
    }
    return program_end("sentinels", state);
}
