/* gaps: messages of types that are no plain run of bytes (MPI_DOUBLE_INT, a struct without its
 * padding, an absolute address at MPI_BOTTOM, nothing at NULL) that are on their way over a step, so
 * that a checkpoint in it must keep them.
 *
 * arguments: [steps 200] [elements 3000]
 *
 * ranks: 2
 * test: 100
 * soak: 200
 * pace: 3000
 * kill: 0@hook:50
 * kill: 1@call:400
 */
#include <stddef.h>
#include "program.h"

struct pair {
    double value;
    int place;
};

struct cell {
    char kind;
    double value[3];
    int32_t id;
};

static MPI_Datatype cell_type(void)
{
    int lengths[3] = {1, 3, 1};
    MPI_Aint places[3] = {offsetof(struct cell, kind), offsetof(struct cell, value),
                          offsetof(struct cell, id)};
    MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_INT32_T}, bare, resized;

    MPI_Type_create_struct(3, lengths, places, types, &bare);
    MPI_Type_create_resized(bare, 0, sizeof(struct cell), &resized);
    MPI_Type_commit(&resized);
    MPI_Type_free(&bare);
    return resized;
}

static MPI_Datatype absolute_type(void *place)
{
    MPI_Datatype type;
    MPI_Aint address;

    MPI_Get_address(place, &address);
    MPI_Type_create_hindexed_block(1, 1, &address, MPI_UINT64_T, &type);
    MPI_Type_commit(&type);
    return type;
}

static void fill(struct pair *pairs, struct cell *cells, long count, long number)
{
    for (long i = 0; i < count; i++) {
        uint64_t word = mix((uint64_t)(number * count + i + rank));

        pairs[i] = (struct pair){(double)(word >> 11), (int)(word & 0xffff)};
        cells[i] = (struct cell){(char)word, {(double)i, (double)(word >> 20), 1}, (int32_t)number};
    }
}

static uint64_t sum(const struct pair *pairs, const struct cell *cells, long count)
{
    uint64_t state = 0;

    for (long i = 0; i < count; i++) {
        state = mix(state ^ (uint64_t)pairs[i].value ^ (uint64_t)pairs[i].place);
        state = mix(state ^ (uint64_t)cells[i].kind ^ (uint64_t)cells[i].value[1] ^
                    (uint64_t)cells[i].id);
    }
    return state;
}

int main(int argc, char **argv)
{
    long steps, count;
    uint64_t state = 0;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    count = argument(argc, argv, 2, 3000);
    uint64_t word = 0, heard = 0;
    MPI_Datatype type = cell_type(), out = absolute_type(&word), in = absolute_type(&heard);
    struct pair *pairs = calloc((size_t)count, sizeof *pairs),
                *got = calloc((size_t)count, sizeof *got);
    struct cell *cells = calloc((size_t)count, sizeof *cells),
                *had = calloc((size_t)count, sizeof *had);
    MPI_Request sends[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    for (long number = 1; number <= steps; number++) {
        int next = (rank + 1) % size, previous = (rank + size - 1) % size;

        step(number);
        if (number > 1) {
            MPI_Recv(got, (int)count, MPI_DOUBLE_INT, previous, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            MPI_Recv(had, (int)count, type, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(MPI_BOTTOM, 1, in, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(NULL, 0, type, previous, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            state = mix(state ^ sum(got, had, count) ^ heard);
            MPI_Waitall(4, sends, MPI_STATUSES_IGNORE);
        }
        if (number == steps)
            break;
        fill(pairs, cells, count, number);
        MPI_Isend(pairs, (int)count, MPI_DOUBLE_INT, next, 1, MPI_COMM_WORLD, &sends[0]);
        MPI_Isend(cells, (int)count, type, next, 2, MPI_COMM_WORLD, &sends[1]);
        word = mix((uint64_t)number);
        MPI_Isend(MPI_BOTTOM, 1, out, next, 3, MPI_COMM_WORLD, &sends[2]);
        MPI_Isend(NULL, 0, type, next, 4, MPI_COMM_WORLD, &sends[3]);
    }
    MPI_Type_free(&type);
    MPI_Type_free(&out);
    MPI_Type_free(&in);
    return program_end("gaps", state);
}
