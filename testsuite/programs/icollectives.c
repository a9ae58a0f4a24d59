/* icollectives: non-blocking collectives of every kind that stay pending over several steps, on two
 * communicators, completed in another order than they were begun, with MPI_Test in between; and
 * short blocking ones while something is pending at one rank of a pair only.
 *
 * arguments: [steps 200] [steps a set stays pending 5]
 *
 * ranks: 3
 * test: 120 5
 * soak: 180 5
 * pace: 4000
 * kill: 2@hook:63
 * kill: 0@call:300:exit
 */
#include "program.h"

#define KINDS 9
#define MOST 16

static long out[KINDS][2 * MOST], in[KINDS][2 * MOST];
static MPI_Request request[KINDS];
static MPI_Comm other;

static void begin(long number)
{
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < 2 * MOST; i++)
            out[k][i] =
                (long)(mix((uint64_t)((number * KINDS + k) * 64 + i) * 8 + (uint64_t)rank) % 9973);
    memset(in, 0, sizeof(in));
    if (rank == 1)
        memcpy(in[0], out[0], sizeof(in[0]));
    MPI_Ibcast(in[0], 2 * MOST, MPI_LONG, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Iallreduce(out[1], in[1], MOST, MPI_LONG, MPI_SUM, other, &request[1]);
    MPI_Igather(out[2], 1, MPI_LONG, in[2], 1, MPI_LONG, 0, MPI_COMM_WORLD, &request[2]);
    MPI_Iscatter(out[3], 1, MPI_LONG, in[3], 1, MPI_LONG, 2 % size, other, &request[3]);
    MPI_Iallgather(out[4], 1, MPI_LONG, in[4], 1, MPI_LONG, MPI_COMM_WORLD, &request[4]);
    MPI_Ialltoall(out[5], 1, MPI_LONG, in[5], 1, MPI_LONG, other, &request[5]);
    MPI_Ireduce(out[6], in[6], MOST, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD, &request[6]);
    MPI_Iscan(out[7], in[7], MOST, MPI_LONG, MPI_SUM, other, &request[7]);
    MPI_Ibarrier(MPI_COMM_WORLD, &request[8]);
}

/* Completes one half by name, the rest together. */
static uint64_t end(uint64_t state)
{
    for (int k = KINDS - 1; k >= 4; k -= 2)
        MPI_Wait(&request[k], MPI_STATUS_IGNORE);
    MPI_Waitall(KINDS, request, MPI_STATUSES_IGNORE);
    return digest(state, in, sizeof(in));
}

/* For each length: at rank 0 a gather is pending, because rank 1 begins it later, and is done
 * with it when it has begun. */
static uint64_t beside_pending(MPI_Comm pair, long number)
{
    uint64_t state = (uint64_t)number;

    for (int count = 1; count <= 2 * MOST; count += count) {
        double given[2 * MOST], sum[2 * MOST];
        long mine = rank, both[2];
        MPI_Request gather;

        for (int i = 0; i < count; i++)
            given[i] = (double)(mix((uint64_t)(number * MOST + i) * 8 + (uint64_t)rank) >> 20) / 3;
        if (rank == 1)
            pause_us(2000);
        MPI_Igather(&mine, 1, MPI_LONG, both, 1, MPI_LONG, 0, pair, &gather);
        MPI_Allreduce(given, sum, count, MPI_DOUBLE, MPI_SUM, pair);
        MPI_Bcast(sum, count, MPI_DOUBLE, 1, pair);
        MPI_Wait(&gather, MPI_STATUS_IGNORE);
        state = digest(state, sum, sizeof(double) * (size_t)count);
    }
    return state;
}

int main(int argc, char **argv)
{
    uint64_t state = 0;
    long steps, span;
    int flag;
    MPI_Comm pair;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    span = argument(argc, argv, 2, 5);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &pair);
    for (int k = 0; k < KINDS; k++)
        request[k] = MPI_REQUEST_NULL;
    for (long number = 1; number <= steps; number++) {
        step(number);
        if (number % span == 1) {
            state = number > 1 ? end(state) : 0;
            if (pair != MPI_COMM_NULL)
                state ^= beside_pending(pair, number);
            begin(number);
        }
        MPI_Test(&request[number % KINDS], &flag, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&number, 1, MPI_LONG, (rank + 1) % size, 1, out[8], 1, MPI_LONG,
                     (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 0 && number % 30 == 0)
            printf("step %ld: %016llx\n", number, (unsigned long long)state);
    }
    state = end(state);
    if (pair != MPI_COMM_NULL)
        MPI_Comm_free(&pair);
    MPI_Comm_free(&other);
    return program_end("icollectives", state);
}
