/* everycollective: every collective, blocking and not, in place and not, with predefined and user
 * operations, datatypes with gaps and a negative lower bound, many sizes, on the world, halves, a
 * communicator in reversed order, and between two groups. Prints a digest of each call's results on
 * each communicator: floating-point sums have to have the library's bits.
 *
 * arguments: [largest size 1000] [1: a line for each size; 2: for each datatype, too]
 *
 * ranks: 4
 * test: 1000
 * soak: 10000
 * kill: 1@hook:30 2@hook:55
 */
#include "collective.h"
#include "program.h"

static const char *const names[] = {
    "barrier",   "bcast",     "gather",     "gatherv",        "scatter",
    "scatterv",  "allgather", "allgatherv", "alltoall",       "alltoallv",
    "alltoallw", "reduce",    "allreduce",  "reduce_scatter", "reduce_scatter_block",
    "scan",      "exscan"};

enum { TRIED = EXSCAN + 1 }; /* neighbourhoods.c has the calls behind it */

#define UNEVEN 600 /* at this size one rank gives nothing */
#define LONG 10000
#define LOWER 8 /* bytes before an element of the type with gaps */

static MPI_Datatype gaps, matrix;
static MPI_Op product, chain, total;
static long seed;

struct use { /* of one call */
    enum call call;
    MPI_Comm comm;
    int inter, rank, size, peers; /* in comm; peers: of the group that data comes from */
    MPI_Datatype type;
    MPI_Op op;
    int count, root, wait, place; /* wait: 1: non-blocking; place: 1: MPI_IN_PLACE */
    MPI_Aint extent;
    char *in, *out;
    struct blocks blocks; /* of both directions */
};

static void multiply(const int *a, int *b, const int *at)
{
    int result[4];

    for (int i = 0; i < 4; i++)
        result[i] = (int)(((long)a[at[i / 2 * 2]] * b[at[i % 2]] +
                           (long)a[at[i / 2 * 2 + 1]] * b[at[i % 2 + 2]]) %
                          10007);
    for (int i = 0; i < 4; i++)
        b[at[i]] = result[i];
}

/* 2 x 2 matrices: associative, not commutative. */
static void matrices(void *in, void *inout, int *count, MPI_Datatype *type)
{
    static const int at[4] = {0, 1, 2, 3};

    (void)type;
    for (int i = 0; i < *count; i++)
        multiply((int *)in + 4 * i, (int *)inout + 4 * i, at);
}

/* The same with gaps, and half of it before the element. */
static void matrices_apart(void *in, void *inout, int *count, MPI_Datatype *type)
{
    static const int at[4] = {-2, -1, 1, 2};
    MPI_Aint lower, extent;

    MPI_Type_get_extent(*type, &lower, &extent);
    for (int i = 0; i < *count; i++)
        multiply((int *)((char *)in + i * extent), (int *)((char *)inout + i * extent), at);
}

static void sums(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((double *)inout)[i] += ((double *)in)[i];
}

static void objects_make(void)
{
    int lengths[] = {2, 2};
    MPI_Aint places[] = {-LOWER, 4};
    MPI_Datatype plain;

    MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &plain);
    MPI_Type_create_resized(plain, -LOWER, 28, &gaps);
    MPI_Type_free(&plain);
    MPI_Type_commit(&gaps);
    MPI_Type_contiguous(4, MPI_INT, &matrix);
    MPI_Type_commit(&matrix);
    MPI_Op_create(matrices, 0, &product);
    MPI_Op_create(matrices_apart, 0, &chain);
    MPI_Op_create(sums, 1, &total);
}

static void objects_free(void)
{
    MPI_Type_free(&gaps);
    MPI_Type_free(&matrix);
    MPI_Op_free(&product);
    MPI_Op_free(&chain);
    MPI_Op_free(&total);
}

/* Numbers of all sizes, so that each order of additions has bits of its own. */
static void fill(struct use *use, char *data, long elements)
{
    uint64_t state = mix((uint64_t)seed * 1024 + (uint64_t)rank);
    long bytes = elements * use->extent;

    if (use->type == MPI_DOUBLE || use->type == MPI_DOUBLE_INT) {
        memset(data, 0, (size_t)bytes);
        for (long i = 0; i < elements; i++) {
            double value =
                (double)(mix(state + (uint64_t)i) >> 11) / (double)(1ull << (40 + i % 13));

            memcpy(data + i * use->extent, &value, sizeof(value));
            if (use->type == MPI_DOUBLE_INT)
                memcpy(data + i * use->extent + sizeof(value), &rank, sizeof(rank));
        }
        return;
    }
    for (long i = 0; i < bytes / 4; i++) {
        int value = (int)(mix(state + (uint64_t)i) % 97);

        memcpy(data + 4 * i, &value, sizeof(value));
    }
}

static void post(struct use *use, void *in, MPI_Request *request)
{
    struct collective made = {.call = use->call,
                              .blocking = !use->wait,
                              .count = use->count,
                              .mine = use->blocks.counts[use->rank],
                              .root = use->root,
                              .comm = use->comm,
                              .type = use->type,
                              .op = use->op,
                              .give = in,
                              .get = use->out,
                              .in = &use->blocks,
                              .out = &use->blocks,
                              .request = request};

    if (use->call == SCATTER || use->call == SCATTERV) {
        made.give = use->in;
        made.get = in == MPI_IN_PLACE ? in : use->out;
    }
    collective_make(&made);
}

/* Blocks of different lengths lie in the opposite order, some apart. For calls in which both ends
 * give counts (alltoallv), all ranks have to agree on a pair's: they are the same for all then. */
static int counts_make(struct use *use)
{
    struct blocks *blocks = &use->blocks;
    int both = use->call == ALLTOALLV || use->call == ALLTOALLW, place = 0;

    for (int i = size - 1; i >= 0; i--) {
        blocks->counts[i] = use->count + (use->count && !both ? i : 0);
        if (use->count == UNEVEN && i == 1 && !both)
            blocks->counts[i] = 0;
        blocks->displs[i] = use->call == REDUCE_SCATTER ? 0 : place;
        blocks->bytes[i] = (int)(blocks->displs[i] * use->extent);
        blocks->types[i] = use->type;
        place += blocks->counts[i] + (i % 2 && use->call != REDUCE_SCATTER);
    }
    return place;
}

/* Whether this rank may say MPI_IN_PLACE where the others do. */
static int may_be_in_place(const struct use *use)
{
    if (use->inter || use->call == BARRIER || use->call == BCAST)
        return 0;
    if (use->call == REDUCE) /* MPICH 4.0.2 crashes at other roots */
        return use->rank == use->root && use->root == 0;
    if (use->call >= REDUCE_SCATTER && use->call <= REDUCE_SCATTER_BLOCK && use->count > LONG)
        return 0; /* it copies memory onto itself then */
    return !collective_has_root(use->call) || use->rank == use->root;
}

/* The part of `out` that the call defines: elements from its start. */
static long defined(const struct use *use, long elements)
{
    if (use->call == REDUCE_SCATTER)
        return use->blocks.counts[use->rank];
    if (use->call >= REDUCE && use->call != REDUCE_SCATTER)
        return use->count;
    return elements;
}

static uint64_t use_run(struct use *use)
{
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Aint lower;
    long elements, shift = use->type == gaps ? LOWER : 0;
    uint64_t result;
    void *in;
    char *data, *place;

    seed++;
    MPI_Type_get_extent(use->type, &lower, &use->extent);
    elements = counts_make(use);
    if (elements < (long)size * use->count)
        elements = (long)size * use->count;
    data = malloc((size_t)(elements * use->extent) + 64);
    place = malloc((size_t)(elements * use->extent) + 64);
    fill(use, data, elements);
    memset(place, 0x5a, (size_t)(elements * use->extent));
    use->in = data + shift;
    use->out = place + shift;
    in = use->in;
    if ((use->place && may_be_in_place(use)) || (use->call == BCAST && use->rank == 0)) {
        in = MPI_IN_PLACE;
        fill(use, place, elements);
    }
    post(use, in, &request[0]);
    if (use->wait)
        MPI_Ibarrier(use->comm, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    result = digest(0, place, (size_t)(defined(use, elements) * use->extent));
    free(data);
    free(place);
    return result;
}

/* The digests of all ranks, in their order, in one. */
static uint64_t together(uint64_t value)
{
    uint64_t all[COLLECTIVE_MOST];

    MPI_Allgather(&value, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, MPI_COMM_WORLD);
    return digest(0, all, (size_t)size * sizeof(*all));
}

static struct {
    MPI_Datatype *type;
    MPI_Op *op;
    MPI_Datatype fixed;
    MPI_Op given;
} pairs[] = {
    {NULL, NULL, MPI_INT, MPI_SUM},
    {NULL, NULL, MPI_INT, MPI_MAX},
    {NULL, NULL, MPI_INT, MPI_MIN},
    {NULL, NULL, MPI_INT, MPI_PROD},
    {NULL, NULL, MPI_INT, MPI_LAND},
    {NULL, NULL, MPI_INT, MPI_BAND},
    {NULL, NULL, MPI_INT, MPI_LOR},
    {NULL, NULL, MPI_INT, MPI_BOR},
    {NULL, NULL, MPI_INT, MPI_LXOR},
    {NULL, NULL, MPI_INT, MPI_BXOR},
    {NULL, NULL, MPI_DOUBLE, MPI_SUM},
    {NULL, NULL, MPI_DOUBLE, MPI_PROD},
    {NULL, NULL, MPI_DOUBLE, MPI_MAX},
    {NULL, NULL, MPI_DOUBLE_INT, MPI_MINLOC},
    {NULL, NULL, MPI_DOUBLE_INT, MPI_MAXLOC},
    {&matrix, &product, 0, 0},
    {&gaps, &chain, 0, 0},
    {NULL, &total, MPI_DOUBLE, 0},
};
#define PAIRS ((int)(sizeof(pairs) / sizeof(*pairs)))

static int is_move(enum call call)
{
    return call < REDUCE;
}

/* One call with all datatypes, operations and modes at one size. */
static uint64_t size_run(struct use *use, int detail)
{
    uint64_t result = 0;

    for (int p = 0; p < PAIRS; p++) {
        use->type = pairs[p].type ? *pairs[p].type : pairs[p].fixed;
        use->op = pairs[p].op ? *pairs[p].op : pairs[p].given;
        if (is_move(use->call) && use->op != MPI_SUM && use->type != gaps)
            continue;
        if (use->call == BARRIER && p)
            continue;
        if (use->comm != MPI_COMM_WORLD && !is_move(use->call) && p % 3 != 1)
            continue;
        if (use->call >= REDUCE_SCATTER && use->call <= REDUCE_SCATTER_BLOCK && use->type == gaps)
            continue; /* MPICH 4.0.2 writes outside its memory */
        for (int mode = 0; mode < 4; mode++) {
            if (mode != (p + use->count) % 4 && (!is_move(use->call) || mode != (p + 3) % 4))
                continue;
            use->wait = mode & 1;
            use->place = mode >> 1;
            result = mix(result ^ use_run(use));
            if (detail == 2) {
                uint64_t all = together(result);

                if (rank == 0)
                    printf("   pair %d mode %d: %016llx\n", p, mode, (unsigned long long)all);
            }
        }
    }
    if (detail) {
        uint64_t all = together(result);

        if (rank == 0)
            printf("  size %d root %d: %016llx\n", use->count, use->root, (unsigned long long)all);
    }
    return result;
}

static void roots_run(struct use *use, uint64_t *result, int detail)
{
    int last = use->inter || !collective_has_root(use->call) ? 0 : use->size - 1;

    for (int root = 0; root <= last; root += last ? last : 1) {
        use->root = root;
        if (use->inter)
            use->root = rank >= size / 2 ? 0 : use->rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
        *result = mix(*result ^ size_run(use, detail));
    }
}

/* One call on one communicator. */
static void call_run(const char *name, MPI_Comm comm, enum call call, long most, int detail)
{
    static const int sizes[] = {0, 1, UNEVEN, 100000};
    struct use use = {.comm = comm, .call = call};
    uint64_t result = 0;

    MPI_Comm_test_inter(comm, &use.inter);
    MPI_Comm_rank(comm, &use.rank);
    MPI_Comm_size(comm, &use.size);
    if (use.inter && (call == SCAN || call == EXSCAN || call == REDUCE_SCATTER))
        return;
    if (use.inter && call == REDUCE_SCATTER_BLOCK && size % 2)
        return; /* groups must give equal amounts */
    for (int s = 0; s < 4 && sizes[s] <= most; s++) {
        use.count = sizes[s];
        roots_run(&use, &result, detail);
    }
    result = together(result);
    if (rank == 0)
        printf("%s %s: %016llx\n", name, names[call], (unsigned long long)result);
}

/* More at a time than any runtime has numbers for, ended in another order. */
static void many_run(MPI_Comm comm)
{
    enum { MANY = 300 };
    static double in[MANY][3], out[MANY][3];
    MPI_Request request[MANY];
    uint64_t result;

    for (int i = 0; i < MANY; i++)
        for (int k = 0; k < 3; k++)
            in[i][k] = (double)(mix((uint64_t)(i * 64 + k * 16 + rank)) >> 20) / 3.0;
    for (int i = 0; i < MANY; i++)
        if (i % 3 == 0)
            MPI_Ibcast_c(out[i], 3, MPI_DOUBLE, i % size, comm, &request[i]);
        else if (i % 3 == 1)
            MPI_Iallreduce_c(in[i], out[i], 3, MPI_DOUBLE, MPI_SUM, comm, &request[i]);
        else
            MPI_Iallreduce(in[i], out[i], 3, MPI_DOUBLE, MPI_SUM, comm, &request[i]);
    for (int i = MANY - 1; i >= 0; i -= 7)
        MPI_Wait(&request[i], MPI_STATUS_IGNORE);
    MPI_Waitall(MANY, request, MPI_STATUSES_IGNORE);
    result = together(digest(0, out, sizeof(out)));
    if (rank == 0)
        printf("many: %016llx\n", (unsigned long long)result);
}

int main(int argc, char **argv)
{
    static const char *const comm_names[] = {"world", "half", "reversed", "across"};
    MPI_Comm comms[4] = {MPI_COMM_WORLD};
    long most;
    int detail;

    program_start(&argc, &argv);
    most = argument(argc, argv, 1, 1000);
    detail = (int)argument(argc, argv, 2, 0);
    objects_make();
    MPI_Comm_split(MPI_COMM_WORLD, rank >= size / 2, rank, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[2]);
    MPI_Intercomm_create(comms[1], 0, MPI_COMM_WORLD, rank >= size / 2 ? 0 : size / 2, 7,
                         &comms[3]);
    for (int number = 0; number < 4 * TRIED; number++) {
        step(number + 1);
        call_run(comm_names[number / TRIED], comms[number / TRIED], (enum call)(number % TRIED),
                 most, detail);
    }
    many_run(MPI_COMM_WORLD);
    objects_free();
    for (int i = 1; i < 4; i++)
        MPI_Comm_free(&comms[i]);
    return program_end("everycollective", (uint64_t)seed);
}
