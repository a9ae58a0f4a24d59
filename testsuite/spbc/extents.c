/* extents: collectives that copy elements of types that go down in memory, or that begin behind or
 * in front of their addresses; operations access all of an element, its gaps, too. The blocks of
 * the heap around the copies must stay as they are.
 *
 * arguments: [steps 20] [elements 100]
 *
 * ranks: 4
 * test: 20
 * pace: 12000
 */
#include <stddef.h>
#include "program.h"

enum { AROUND = 64 };

struct pair {
    int64_t unsent[4];
    int64_t value;
};

static int count;
static unsigned char *around[AROUND];

/* Every other block is given back, for the runtime's copies. */
static void surround(size_t bytes)
{
    for (int i = 0; i < AROUND; i++)
        memset(around[i] = malloc(bytes), 0x5a, bytes);
    for (int i = 0; i < AROUND; i += 2)
        free(around[i]);
}

static void look_around(size_t bytes)
{
    for (int i = 1; i < AROUND; i += 2) {
        for (size_t k = 0; k < bytes; k++)
            check(around[i][k] == 0x5a, "a block of the heap is overwritten at", (long)k);
        free(around[i]);
    }
}

static MPI_Datatype downward_type(void)
{
    MPI_Datatype type;

    MPI_Type_create_resized(MPI_INT, 0, -(MPI_Aint)sizeof(int), &type);
    MPI_Type_commit(&type);
    return type;
}

/* A pair of which the last word is sent; `behind` bytes lie between its address and its begin. */
static MPI_Datatype pair_type(MPI_Aint behind)
{
    MPI_Aint place = behind + (MPI_Aint)offsetof(struct pair, value);
    MPI_Datatype bare, type;

    MPI_Type_create_hindexed_block(1, 1, &place, MPI_INT64_T, &bare);
    MPI_Type_create_resized(bare, behind, sizeof(struct pair), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&bare);
    return type;
}

static void add_downward(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[-i] += ((int *)in)[-i];
}

static void add_pairs(struct pair *in, struct pair *inout, int length)
{
    for (int i = 0; i < length; i++)
        inout[i] = (struct pair){{7, 7, 7, 7}, in[i].value + inout[i].value};
}

static void add_at(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    add_pairs(in, inout, *length);
}

static void add_below(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    add_pairs((struct pair *)in - 3, (struct pair *)inout - 3, *length);
}

static uint64_t exchange(uint64_t history)
{
    size_t all = (size_t)(count * size);
    MPI_Datatype type = downward_type();
    int *data = malloc(all * sizeof(*data));

    for (size_t i = 0; i < all; i++)
        data[i] = (int)(mix(history + i) % 1000);
    surround(all / (size_t)size * sizeof(*data));
    MPI_Alltoall(MPI_IN_PLACE, 0, type, data + all - 1, count, type, MPI_COMM_WORLD);
    look_around(all / (size_t)size * sizeof(*data));
    for (size_t i = 0; i < all; i++)
        history = mix(history + (uint64_t)data[i]);
    free(data);
    MPI_Type_free(&type);
    return history;
}

static void reduce_downward(void)
{
    MPI_Datatype type = downward_type();
    int *in = malloc((size_t)count * sizeof(*in)), *out = malloc((size_t)count * sizeof(*out));
    MPI_Op op;

    MPI_Op_create(add_downward, 1, &op);
    for (int i = 0; i < count; i++)
        in[i] = rank + i;
    surround((size_t)count * sizeof(*in));
    MPI_Reduce(in + count - 1, out + count - 1, count, type, op, size - 1, MPI_COMM_WORLD);
    for (int i = 0; i < count && rank == size - 1; i++)
        check(out[i] == size * (size - 1) / 2 + size * i, "the sum of element", i);
    MPI_Scan(in + count - 1, out + count - 1, count, type, op, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        check(out[i] == rank * (rank + 1) / 2 + (rank + 1) * i, "the sum before element", i);
    look_around((size_t)count * sizeof(*in));
    free(in);
    free(out);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

/* `few` elements of pairs that lie `below` pairs below the address that MPI is given. */
static void reduce_pairs(int few, int below)
{
    size_t bytes = (size_t)few * sizeof(struct pair);
    MPI_Datatype type = pair_type(-(MPI_Aint)sizeof(struct pair) * below);
    struct pair *in = calloc((size_t)few, sizeof(*in)), *out = calloc((size_t)few, sizeof(*out));
    MPI_Op op;

    MPI_Op_create(below ? add_below : add_at, 1, &op);
    for (int i = 0; i < few; i++)
        in[i].value = rank + i;
    surround(bytes);
    MPI_Scan(in + below, out + below, few, type, op, MPI_COMM_WORLD);
    for (int i = 0; i < few; i++)
        check(out[i].value == rank * (rank + 1) / 2 + (rank + 1) * i, "the value of pair", i);
    look_around(bytes);
    free(in);
    free(out);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    uint64_t history = 0;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 20);
    count = (int)argument(argc, argv, 2, 100);
    for (long number = 1; number <= steps; number++) {
        step(number);
        history = exchange(history + (uint64_t)rank);
        if (!getenv("FT_TEST_EVENTS"))
            continue; /* natively: MPICH's own copies of such elements are too small */
        reduce_downward();
        reduce_pairs(3, 0);
        reduce_pairs(3, 3);
        reduce_pairs(count, 0);
        reduce_pairs(count, 3);
    }
    return program_end("extents", history);
}
