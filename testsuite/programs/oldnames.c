/* oldnames: what MPI-3 has taken out of the standard, and MPICH still has: attributes, keys, error
 * handlers and datatypes by their first names. Each lives for some steps; a communicator's copies
 * have their attributes.
 *
 * arguments: [steps 60]
 *
 * ranks: 4
 * test: 60
 * soak: 300
 * pace: 3000
 * kill: 1@hook:20
 * kill: 2@MPI_Attr_get:40 3@hook:50
 */
#include "program.h"

#define LIFE 7 /* steps that a communicator lives */

static int key = MPI_KEYVAL_INVALID;
static int copies, deletions, errors;
static MPI_Errhandler counter = MPI_ERRHANDLER_NULL;

static int copy_value(MPI_Comm comm, int which, void *extra, void *value, void *to, int *flag)
{
    (void)comm, (void)which;
    copies++;
    *flag = 1;
    *(intptr_t *)to = (intptr_t)value + (intptr_t)extra;
    return MPI_SUCCESS;
}

static int delete_value(MPI_Comm comm, int which, void *value, void *extra)
{
    (void)comm, (void)which, (void)value, (void)extra;
    deletions++;
    return MPI_SUCCESS;
}

static void count_error(MPI_Comm *comm, int *code, ...)
{
    int class;

    (void)comm;
    MPI_Error_class(*code, &class);
    errors += class;
}

static uint64_t value_of(MPI_Comm comm)
{
    void *value = NULL;
    int flag = 0;

    MPI_Attr_get(comm, key, &value, &flag);
    return flag ? (uint64_t)(intptr_t)value : 1u << 20;
}

/* One that is a copy of the one before, with its attribute, and now and then one more. */
static uint64_t attributes(MPI_Comm *comm, long number)
{
    uint64_t state;
    MPI_Comm copy;

    if (number % LIFE == 0) {
        MPI_Comm_dup(*comm, &copy);
        MPI_Comm_free(comm);
        *comm = copy;
    }
    if (number % LIFE == 3)
        MPI_Attr_put(*comm, key, (void *)(intptr_t)(number + rank));
    if (number % LIFE == 6 && number % 2)
        MPI_Attr_delete(*comm, key);
    state = value_of(*comm);
    return mix(state ^ (uint64_t)(copies * 100 + deletions));
}

/* The handler is known by the communicator when its own handle is gone. */
static uint64_t handlers(MPI_Comm comm, long number)
{
    MPI_Errhandler now;

    if (number % LIFE == 1) {
        MPI_Errhandler_create(count_error, &counter);
        MPI_Errhandler_set(comm, counter);
        MPI_Errhandler_free(&counter);
    }
    MPI_Errhandler_get(comm, &now);
    if (now != MPI_ERRORS_ARE_FATAL) {
        MPI_Send(&number, 1, MPI_LONG, size, 0, comm);
        MPI_Errhandler_free(&now);
    }
    return (uint64_t)errors;
}

static MPI_Datatype type_make(long number)
{
    int lengths[2] = {2, 3};
    MPI_Datatype parts[2] = {MPI_INT, MPI_SHORT}, type;
    MPI_Aint places[2] = {4, 20}, from, to;
    char bytes[64];

    MPI_Address(bytes, &from);
    MPI_Address(bytes + 20, &to);
    places[1] = to - from;
    if (number % 3 == 0)
        MPI_Type_hvector(3, 2, 12, MPI_INT, &type);
    else if (number % 3 == 1)
        MPI_Type_hindexed(2, lengths, places, MPI_SHORT, &type);
    else
        MPI_Type_struct(2, lengths, places, parts, &type);
    MPI_Type_commit(&type);
    return type;
}

static uint64_t bounds(MPI_Datatype type)
{
    MPI_Aint lower, upper, extent;

    MPI_Type_lb(type, &lower);
    MPI_Type_ub(type, &upper);
    MPI_Type_extent(type, &extent);
    return mix(mix((uint64_t)lower ^ (uint64_t)upper << 16) ^ (uint64_t)extent);
}

/* A type is made in one step, and used and freed in a later one. */
static uint64_t types(MPI_Datatype *type, long number)
{
    uint64_t state;
    char out[256], in[256] = {0};

    if (*type == MPI_DATATYPE_NULL)
        *type = type_make(number);
    memset(out, (int)number + rank, sizeof(out));
    MPI_Sendrecv(out, 3, *type, (rank + 1) % size, 1, in, 3, *type, (rank + size - 1) % size, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    state = digest(bounds(*type), in, sizeof(in));
    if (number % 4 == 0)
        MPI_Type_free(type);
    return state;
}

int main(int argc, char **argv)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    uint64_t state = 0;
    MPI_Comm comm;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    MPI_Keyval_create(copy_value, delete_value, &key, (void *)(intptr_t)1000);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = mix(state ^ attributes(&comm, number));
        state = mix(state ^ handlers(comm, number));
        state = mix(state ^ types(&type, number));
        state = ring_shift(state, 0);
    }
    if (type != MPI_DATATYPE_NULL)
        MPI_Type_free(&type);
    MPI_Keyval_free(&key);
    MPI_Comm_free(&comm);
    return program_end("oldnames", mix(state ^ (uint64_t)deletions));
}
