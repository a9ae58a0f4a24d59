/* collectives: every blocking collective with results that depend on all data, and the one whose
 * root is long gone: in each step the root of a broadcast runs ahead by some collectives that do not
 * wait for the others.
 *
 * arguments: [steps 200]
 *
 * ranks: 3
 * test: 30
 * soak: 45
 * pace: 15000
 * kill: 1@hook:15
 * kill: 0@call:400:exit
 * kill: 2@call:500
 */
#include "program.h"

#define MOST 16

static long out[MOST * 4], in[MOST * 4], total;

static void fill(long number)
{
    for (int i = 0; i < MOST * 4; i++)
        out[i] = (long)(mix((uint64_t)(number * 64 + i) * 16 + (uint64_t)rank) % 10007);
}

static void fold(int count)
{
    total = (long)digest((uint64_t)total, in, (size_t)count * sizeof(long));
}

static void rooted(int root)
{
    int counts[MOST], places[MOST];

    for (int r = 0; r < size; r++) {
        counts[r] = r % 3 + 1;
        places[r] = r * 3;
    }
    MPI_Gather(out, 2, MPI_LONG, in, 2, MPI_LONG, root, MPI_COMM_WORLD);
    fold(rank == root ? 2 * size : 0);
    MPI_Gatherv(out, counts[rank], MPI_LONG, in, counts, places, MPI_LONG, root, MPI_COMM_WORLD);
    fold(rank == root ? counts[0] : 0);
    MPI_Scatter(out, 2, MPI_LONG, in, 2, MPI_LONG, root, MPI_COMM_WORLD);
    fold(2);
    MPI_Scatterv(out, counts, places, MPI_LONG, in, counts[rank], MPI_LONG, root, MPI_COMM_WORLD);
    fold(counts[rank]);
    MPI_Reduce(out, in, 5, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD);
    fold(rank == root ? 5 : 0);
}

static void everybody(void)
{
    int counts[MOST], places[MOST];

    for (int r = 0; r < size; r++) {
        counts[r] = 2;
        places[r] = 2 * (size - 1 - r);
    }
    MPI_Allgather(out, 3, MPI_LONG, in, 3, MPI_LONG, MPI_COMM_WORLD);
    fold(3 * size);
    MPI_Allgatherv(out, 2, MPI_LONG, in, counts, places, MPI_LONG, MPI_COMM_WORLD);
    fold(2 * size);
    MPI_Alltoall(out, 2, MPI_LONG, in, 2, MPI_LONG, MPI_COMM_WORLD);
    fold(2 * size);
    MPI_Alltoallv(out, counts, places, MPI_LONG, in, counts, places, MPI_LONG, MPI_COMM_WORLD);
    fold(2 * size);
    MPI_Allreduce(out, in, 7, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    fold(7);
    MPI_Reduce_scatter(out, in, counts, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    fold(2);
    MPI_Reduce_scatter_block(out, in, 2, MPI_LONG, MPI_BXOR, MPI_COMM_WORLD);
    fold(2);
    MPI_Scan(out, in, 3, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    fold(3);
    memset(in, 0, 3 * sizeof(long));
    MPI_Exscan(out, in, 3, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    fold(rank > 0 ? 3 : 0);
}

/* The root has left the broadcasts long before the last rank comes. */
static void ahead(long number, int root)
{
    if (rank != root)
        pause_us(rank == (root + 1) % size ? 3000 : 0);
    for (int i = 0; i < 5; i++) {
        if (rank == root)
            in[0] = number * 10 + i;
        MPI_Bcast(in, 1, MPI_LONG, root, MPI_COMM_WORLD);
        check(in[0] == number * 10 + i, "broadcast", number);
        fold(1);
    }
}

/* A reduction whose operation is the program's own and does not commute: it is affine composition. */
static void compose(void *first, void *second, int *length, MPI_Datatype *type)
{
    long *a = first, *b = second;

    (void)type;
    for (int i = 0; i < 2 * *length; i += 2) {
        b[i + 1] = (a[i + 1] * b[i] + b[i + 1]) % 10007;
        b[i] = a[i] * b[i] % 10007;
    }
}

int main(int argc, char **argv)
{
    MPI_Datatype pair;
    MPI_Op op;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    MPI_Type_contiguous(2, MPI_LONG, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(compose, 0, &op);
    for (long number = 1; number <= steps; number++) {
        step(number);
        fill(number);
        rooted((int)(number % size));
        everybody();
        ahead(number, (int)((number + 1) % size));
        MPI_Allreduce(out, in, 4, pair, op, MPI_COMM_WORLD);
        fold(8);
        if (number % 20 == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == 0)
                printf("step %ld: %016lx\n", number, (unsigned long)total);
        }
    }
    MPI_Op_free(&op);
    MPI_Type_free(&pair);
    return program_end("collectives", (uint64_t)total);
}
