/* types: every rank passes elements of many types around a ring, more than 8 KB of them, by all the
 * ways of receiving; a master takes some by wildcard. The types are plain, or have gaps, padding,
 * or another order in memory than in the message. Each message depends on all that its sender got.
 *
 * arguments: [steps 100] [elements 700]
 *
 * ranks: 4
 * test: 100
 * pace: 5000
 */
#include <stddef.h>
#include "program.h"

#define WAYS 6
#define TYPES 7

struct pair {
    double value;
    int place;
};

struct cell {
    char kind;
    double value[3];
    int32_t id;
};

static MPI_Datatype types[TYPES];
static MPI_Aint bytes[TYPES]; /* of an element in memory */
static unsigned char *in, *out;
static uint64_t state;
static int left, right, count;

static MPI_Datatype resized(MPI_Datatype bare, MPI_Aint extent)
{
    MPI_Datatype type;

    MPI_Type_create_resized(bare, 0, extent, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&bare);
    return type;
}

static MPI_Datatype cell_type(void)
{
    int lengths[3] = {1, 3, 1};
    MPI_Aint places[3] = {offsetof(struct cell, kind), offsetof(struct cell, value),
                          offsetof(struct cell, id)};
    MPI_Datatype parts[3] = {MPI_CHAR, MPI_DOUBLE, MPI_INT32_T}, bare;

    MPI_Type_create_struct(3, lengths, places, parts, &bare);
    return resized(bare, sizeof(struct cell));
}

/* Two words, the second of which comes first in a message. */
static MPI_Datatype swapped_type(void)
{
    int lengths[2] = {1, 1}, places[2] = {1, 0};
    MPI_Datatype bare;

    MPI_Type_indexed(2, lengths, places, MPI_UINT64_T, &bare);
    return resized(bare, 16);
}

/* A long and two shorts: a struct without any gap. */
static MPI_Datatype dense_type(void)
{
    int lengths[2] = {1, 2};
    MPI_Aint places[2] = {0, 8};
    MPI_Datatype parts[2] = {MPI_DOUBLE, MPI_INT}, bare;

    MPI_Type_create_struct(2, lengths, places, parts, &bare);
    return resized(bare, 16);
}

static void types_make(void)
{
    MPI_Datatype bare;

    types[0] = MPI_DOUBLE_INT;
    types[1] = cell_type();
    types[2] = swapped_type();
    types[3] = dense_type();
    MPI_Type_vector(5, 1, 2, MPI_DOUBLE, &bare);
    types[4] = resized(bare, 80);
    MPI_Type_contiguous(3, MPI_DOUBLE_INT, &types[5]);
    MPI_Type_commit(&types[5]);
    MPI_Type_contiguous(3, types[3], &types[6]);
    MPI_Type_commit(&types[6]);
    for (int i = 0; i < TYPES; i++) {
        MPI_Aint lower;

        MPI_Type_get_extent(types[i], &lower, &bytes[i]);
    }
}

/* Whole numbers in all places, so that no double is a NaN. */
static void fill(long number, MPI_Aint length)
{
    double *word = (double *)out;

    for (MPI_Aint i = 0; i < length / 8; i++)
        word[i] = (double)(mix(state + (uint64_t)(number * i)) >> 20);
    memset(in, 0, (size_t)length);
}

static void check_count(const MPI_Status *status, MPI_Datatype type, long number)
{
    int found;

    MPI_Get_count(status, type, &found);
    check(found == count && status->MPI_SOURCE == left, "count or source", number);
}

static void by_messages(MPI_Datatype type, int tag, MPI_Status *status)
{
    MPI_Message message;
    MPI_Request request;

    MPI_Isend(out, count, type, right, tag, MPI_COMM_WORLD, &request);
    MPI_Mprobe(left, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, count, type, &message, status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void by_requests(MPI_Datatype type, int tag, int source, int persistent, MPI_Status *status)
{
    MPI_Request request[2];
    MPI_Status both[2];

    if (persistent) {
        MPI_Recv_init(in, count, type, source, tag, MPI_COMM_WORLD, &request[0]);
        MPI_Start(&request[0]);
    } else {
        MPI_Irecv(in, count, type, source, tag, MPI_COMM_WORLD, &request[0]);
    }
    MPI_Isend(out, count, type, right, tag, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, both);
    *status = both[0];
    if (persistent)
        MPI_Request_free(&request[0]);
}

static void in_blocks(MPI_Datatype type, int tag, MPI_Status *status)
{
    if (rank > 0)
        MPI_Recv(in, count, type, left, tag, MPI_COMM_WORLD, status);
    MPI_Send(out, count, type, right, tag, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(in, count, type, left, tag, MPI_COMM_WORLD, status);
}

static void pass(MPI_Datatype type, int way, int tag, long number)
{
    MPI_Status status;

    if (way == 0)
        in_blocks(type, tag, &status);
    else if (way == 1)
        MPI_Sendrecv(out, count, type, right, tag, in, count, type, left, tag, MPI_COMM_WORLD,
                     &status);
    else if (way == 2)
        by_messages(type, tag, &status);
    else
        by_requests(type, tag, way == 3 ? MPI_ANY_SOURCE : left, way == 4, &status);
    check_count(&status, type, number);
}

int main(int argc, char **argv)
{
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 100);
    count = (int)argument(argc, argv, 2, 700);
    state = (uint64_t)rank;
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    types_make();
    in = calloc((size_t)count, 128);
    out = calloc((size_t)count, 128);
    for (long number = 1; number <= steps; number++) {
        int which = (int)(number % TYPES);
        MPI_Aint length = count * bytes[which];

        step(number);
        fill(number, length);
        pass(types[which], (int)(number % WAYS), (int)number, number);
        state = digest(state, in, (size_t)length);
        if (rank == 0 && number % 10 == 0)
            printf("step %ld: %016llx\n", number, (unsigned long long)state);
    }
    for (int i = 1; i < TYPES; i++)
        MPI_Type_free(&types[i]);
    return program_end("types", state);
}
