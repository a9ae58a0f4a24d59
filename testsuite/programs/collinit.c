/* collinit: persistent collectives of many kinds, started in each step and ended in another order,
 * on the world and on a topology; and calls with large counts in between.
 *
 * arguments: [steps 200]
 *
 * ranks: 4
 * test: 80
 * soak: 300
 * options: --checkpoint-every 8
 * pace: 4000
 * kill: 1@hook:30
 * kill: 0@call:700:exit
 * kill: 1@MPI_Startall:40
 * kill: 3@MPI_Waitall:25 3@MPI_Start:60
 */
#include "program.h"

#define KINDS 8
#define MOST 16

static MPI_Request request[KINDS];
static uint64_t in[KINDS][MOST], out[KINDS][MOST];
static int counts[MOST], places[MOST];
static MPI_Comm ring;

static void requests_make(void)
{
    MPI_Comm world = MPI_COMM_WORLD;
    int periodic = 1;

    for (int r = 0; r < size; r++) {
        counts[r] = 1 + r % 2;
        places[r] = 2 * r;
    }
    MPI_Cart_create(world, 1, &size, &periodic, 0, &ring);
    MPI_Allreduce_init(in[0], out[0], 3, MPI_UINT64_T, MPI_SUM, world, MPI_INFO_NULL, &request[0]);
    MPI_Bcast_init(out[1], 4, MPI_UINT64_T, 1, world, MPI_INFO_NULL, &request[1]);
    MPI_Alltoall_init(in[2], 1, MPI_UINT64_T, out[2], 1, MPI_UINT64_T, world, MPI_INFO_NULL,
                      &request[2]);
    MPI_Allgatherv_init(in[3], counts[rank], MPI_UINT64_T, out[3], counts, places, MPI_UINT64_T,
                        world, MPI_INFO_NULL, &request[3]);
    MPI_Scan_init(in[4], out[4], 2, MPI_UINT64_T, MPI_BXOR, world, MPI_INFO_NULL, &request[4]);
    MPI_Neighbor_alltoall_init(in[5], 1, MPI_UINT64_T, out[5], 1, MPI_UINT64_T, ring, MPI_INFO_NULL,
                               &request[5]);
    MPI_Exscan_init(in[6], out[6], 2, MPI_UINT64_T, MPI_SUM, world, MPI_INFO_NULL, &request[6]);
    MPI_Barrier_init(world, MPI_INFO_NULL, &request[7]);
}

static void inputs_fill(long number)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < MOST; i++)
            in[kind][i] = mix((uint64_t)(number * 1000 + kind * 100 + rank * 20 + i));
    if (rank == 1)
        memcpy(out[1], in[1], sizeof out[1]);
}

/* The last one is started alone and ends before the others. */
static void collectives_step(long number)
{
    inputs_fill(number);
    if (rank % 2) { /* ranks start them in different orders */
        MPI_Startall(KINDS - 1, request);
        MPI_Start(&request[KINDS - 1]);
    } else {
        for (int kind = KINDS - 1; kind >= 0; kind--)
            MPI_Start(&request[kind]);
    }
    MPI_Wait(&request[KINDS - 1], MPI_STATUS_IGNORE);
    if (number % 3 == 0)
        for (int kind = KINDS - 2; kind >= 0; kind--)
            for (int flag = 0; !flag;)
                MPI_Test(&request[kind], &flag, MPI_STATUS_IGNORE);
    else
        MPI_Waitall(KINDS - 1, request, MPI_STATUSES_IGNORE);
}

static uint64_t large_step(uint64_t value, long number)
{
    uint64_t pair[2] = {value, (uint64_t)number}, got[2] = {0};
    MPI_Count bytes = 0, most = 2;
    MPI_Datatype both;
    MPI_Status status;

    MPI_Type_contiguous_c(most, MPI_UINT64_T, &both);
    MPI_Type_commit(&both);
    MPI_Sendrecv_c(pair, most, MPI_UINT64_T, (rank + 1) % size, 3, got, (MPI_Count)1, both,
                   (rank + size - 1) % size, 3, MPI_COMM_WORLD, &status);
    MPI_Get_count_c(&status, MPI_BYTE, &bytes);
    check(bytes == 16, "count", number);
    MPI_Type_free(&both);
    return mix(got[0] ^ got[1]);
}

int main(int argc, char **argv)
{
    uint64_t value = 1;

    program_start(&argc, &argv);
    requests_make();
    for (long number = 1; number <= argument(argc, argv, 1, 200); number++) {
        step(number);
        collectives_step(number);
        value = digest(value, out, sizeof out);
        value = mix(value ^ large_step(value, number));
    }
    for (int kind = 0; kind < KINDS; kind++)
        MPI_Request_free(&request[kind]);
    MPI_Comm_free(&ring);
    return program_end("collinit", value);
}
