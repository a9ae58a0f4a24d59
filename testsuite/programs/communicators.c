/* communicators: made and freed during the run, so that a checkpoint finds some that were made after
 * the one before it and misses some that were freed: dup, split, create, create_group, Cartesian,
 * inter-communicators and their merge; attributes with callbacks follow a dup.
 *
 * arguments: [steps 200]
 *
 * ranks: 4
 * test: 20
 * soak: 30
 * pace: 20000
 * kill: 3@hook:12
 * kill: 0@call:400:exit
 */
#include "program.h"

static int copies, deletions;

static int attribute_copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm;
    (void)key;
    copies++;
    *(long *)out = (long)in + *(long *)extra;
    *flag = 1;
    return MPI_SUCCESS;
}

static int attribute_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    deletions++;
    return MPI_SUCCESS;
}

static long comm_sum(MPI_Comm comm, long value)
{
    long sum;

    MPI_Allreduce(&value, &sum, 1, MPI_LONG, MPI_SUM, comm);
    return sum;
}

static long halves(long number)
{
    MPI_Comm half, inter, merged;
    int color = rank % 2, high;
    long sum, mine = number + rank, theirs;

    MPI_Comm_split(MPI_COMM_WORLD, color, -rank, &half);
    sum = comm_sum(half, number * (rank + 1));
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, color ? size / 2 * 2 - 2 : size / 2 * 2 - 1, 7,
                         &inter);
    MPI_Allreduce(&mine, &theirs, 1, MPI_LONG, MPI_SUM, inter);
    MPI_Intercomm_merge(inter, color, &merged);
    MPI_Comm_rank(merged, &high);
    sum = sum * 31 + theirs * 7 + comm_sum(merged, high * number);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    return sum;
}

static long groups(long number)
{
    int members[2] = {size - 1, 0};
    MPI_Group world, pair;
    MPI_Comm comm;
    long sum = 0;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, members, &pair);
    MPI_Comm_create(MPI_COMM_WORLD, pair, &comm);
    if (comm != MPI_COMM_NULL) {
        sum = comm_sum(comm, number);
        MPI_Comm_free(&comm);
        MPI_Comm_create_group(MPI_COMM_WORLD, pair, (int)number % 100, &comm);
        sum += comm_sum(comm, rank);
        MPI_Comm_free(&comm);
    }
    MPI_Group_free(&pair);
    MPI_Group_free(&world);
    return sum;
}

static long grid(long number, MPI_Comm cart)
{
    int before, after, place[2];
    long got = 0;

    MPI_Cart_coords(cart, rank, 2, place);
    for (int d = 0; d < 2; d++) {
        long give = number * 10 + place[d];

        MPI_Cart_shift(cart, d, 1, &before, &after);
        MPI_Sendrecv(&give, 1, MPI_LONG, after, d, &give, 0, MPI_LONG, MPI_PROC_NULL, d, cart,
                     MPI_STATUS_IGNORE);
        MPI_Recv(&give, 1, MPI_LONG, before, d, cart, MPI_STATUS_IGNORE);
        got = got * 13 + give;
    }
    return got;
}

/* A chain of dups, of which one is kept for some steps; the attribute counts the length. */
static long chain(long number, MPI_Comm *kept, int key)
{
    MPI_Comm next;
    long *value;
    int flag;

    if (number % 8 == 0) {
        MPI_Comm_free(kept);
        MPI_Comm_dup(MPI_COMM_WORLD, kept);
        MPI_Comm_set_attr(*kept, key, (void *)number);
        MPI_Comm_set_name(*kept, "kept");
        return 1;
    }
    MPI_Comm_dup(*kept, &next);
    MPI_Comm_free(kept);
    *kept = next;
    MPI_Comm_get_attr(next, key, &value, &flag);
    return flag ? (long)value + comm_sum(next, rank) : comm_sum(next, 1);
}

int main(int argc, char **argv)
{
    int key, dims[2] = {0, 0}, periods[2] = {1, 1};
    long steps, state = 0, extra = 3;
    MPI_Comm cart, kept;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    MPI_Comm_create_keyval(attribute_copy, attribute_delete, &key, &extra);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    MPI_Comm_dup(MPI_COMM_WORLD, &kept);
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = state * 17 + halves(number);
        state = state * 17 + groups(number);
        state = state * 17 + grid(number, cart);
        state = state * 17 + chain(number, &kept, key);
    }
    MPI_Comm_free(&kept);
    MPI_Comm_free(&cart);
    MPI_Comm_free_keyval(&key);
    check(copies > 0 && deletions > 0, "callbacks", copies);
    return program_end("communicators", mix((uint64_t)state) + (uint64_t)(copies * 1000 + deletions));
}
