/* datatypes: derived types (vector, indexed, struct, subarray, resized, dup, hvector of a resized
 * type), used while they are checkpointed, some made and freed during the run, one freed while a
 * receive with it is pending.
 *
 * arguments: [steps 300]
 *
 * ranks: 2
 * test: 200
 * soak: 300
 * pace: 3000
 * kill: 0@hook:100
 * kill: 1@call:1200:exit
 */
#include <stddef.h>
#include "program.h"

#define SIDE 20

struct cell {
    char kind;
    double value[3];
    int32_t id;
};

static struct cell cells[2][SIDE];
static double field[SIDE][SIDE];

/* One struct cell without its padding, with the extent of the struct. */
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

/* A column of the field whose extent is one element, so that columns can be counted. */
static MPI_Datatype column_type(void)
{
    MPI_Datatype vector, resized;

    MPI_Type_vector(SIDE, 1, SIDE, MPI_DOUBLE, &vector);
    MPI_Type_create_resized(vector, 0, sizeof(double), &resized);
    MPI_Type_commit(&resized);
    MPI_Type_free(&vector);
    return resized;
}

static MPI_Datatype inner_type(void)
{
    int sizes[2] = {SIDE, SIDE}, part[2] = {SIDE / 2, SIDE / 4}, start[2] = {3, 5};
    MPI_Datatype inner, copy;

    MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_DOUBLE, &inner);
    MPI_Type_dup(inner, &copy);
    MPI_Type_commit(&copy);
    MPI_Type_free(&inner);
    return copy;
}

static void cells_fill(long number)
{
    for (int i = 0; i < SIDE; i++)
        cells[0][i] = (struct cell){(char)(number + i), {number * 0.5, i, rank}, (int32_t)(number * i)};
}

static void cells_check(long number, int peer)
{
    for (int i = 0; i < SIDE; i++) {
        const struct cell *cell = &cells[1][i];

        check(cell->kind == (char)(number + i) && cell->value[0] == number * 0.5 &&
                  cell->value[2] == peer && cell->id == (int32_t)(number * i),
              "cell", number);
    }
}

/* The columns travel as columns and arrive as rows: a transposition. */
static void field_exchange(long number, int peer, MPI_Datatype column)
{
    static double other[SIDE][SIDE];

    for (int i = 0; i < SIDE * SIDE; i++)
        field[i / SIDE][i % SIDE] += (double)(mix((uint64_t)(number * 400 + i + rank)) % 1000);
    MPI_Sendrecv(field, SIDE, column, peer, 2, other, SIDE * SIDE, MPI_DOUBLE, peer, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < SIDE * SIDE; i++)
        field[i / SIDE][i % SIDE] = field[i / SIDE][i % SIDE] / 2 + other[i / SIDE][i % SIDE];
}

/* A type made in this step; its receive is still pending when it is freed. */
static void inner_exchange(long number, int peer, MPI_Datatype inner)
{
    int lengths[3] = {2, 1, 4}, places[3] = {0, 9, 20};
    static double out[32], in[32];
    MPI_Datatype indexed;
    MPI_Request request;

    MPI_Type_indexed(3, lengths, places, MPI_DOUBLE, &indexed);
    MPI_Type_commit(&indexed);
    MPI_Irecv(in, 1, indexed, peer, 3, MPI_COMM_WORLD, &request);
    out[9] = (double)number;
    MPI_Sendrecv_replace(field, 1, inner, peer, 4, peer, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, 1, indexed, peer, 3, MPI_COMM_WORLD);
    MPI_Type_free(&indexed);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(in[9] == (double)number, "indexed type", number);
}

int main(int argc, char **argv)
{
    MPI_Datatype cell, column, inner;
    long steps;
    int peer;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 300);
    peer = size - 1 - rank;
    cell = cell_type();
    column = column_type();
    inner = inner_type();
    for (long number = 1; number <= steps; number++) {
        step(number);
        cells_fill(number);
        MPI_Sendrecv(cells[0], SIDE, cell, peer, 1, cells[1], SIDE, cell, peer, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        cells_check(number, peer);
        field_exchange(number, peer, column);
        inner_exchange(number, peer, inner);
    }
    MPI_Type_free(&cell);
    MPI_Type_free(&column);
    MPI_Type_free(&inner);
    return program_end("datatypes", digest(0, field, sizeof(field)));
}
