/* longsums: floating-point reductions of every kind, blocking and not, of sizes around those at
 * which the library combines in another order. Prints a digest of each, which must have the
 * library's bits.
 *
 * ranks: 4
 * kill: 1@hook:40
 */
#include "program.h"

#define MOST 524288 /* elements; here MPICH 4.0.2 changes MPI_Ireduce_scatter_block */
#define LENGTHS 6

enum call { REDUCE, ALLREDUCE, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, SCAN, EXSCAN, CALLS };

static const char *const names[] = {"reduce", "allreduce", "reduce_scatter", "reduce_scatter_block",
                                    "scan",   "exscan"};
static const int lengths[LENGTHS] = {256, 260, 65532, 65536, MOST - 4, MOST};
static double give[MOST], get[MOST];
static int parts[8];

static void begin(enum call call, int length, MPI_Request *request)
{
    MPI_Comm on = MPI_COMM_WORLD;

    switch (call) {
    case REDUCE:
        MPI_Ireduce(give, get, length, MPI_DOUBLE, MPI_SUM, 1, on, request);
        break;
    case ALLREDUCE:
        MPI_Iallreduce(give, get, length, MPI_DOUBLE, MPI_SUM, on, request);
        break;
    case REDUCE_SCATTER:
        MPI_Ireduce_scatter(give, get, parts, MPI_DOUBLE, MPI_SUM, on, request);
        break;
    case REDUCE_SCATTER_BLOCK:
        MPI_Ireduce_scatter_block(give, get, parts[0], MPI_DOUBLE, MPI_SUM, on, request);
        break;
    case SCAN:
        MPI_Iscan(give, get, length, MPI_DOUBLE, MPI_SUM, on, request);
        break;
    default:
        MPI_Iexscan(give, get, length, MPI_DOUBLE, MPI_SUM, on, request);
    }
}

static void reduce(enum call call, int length)
{
    MPI_Comm on = MPI_COMM_WORLD;

    switch (call) {
    case REDUCE:
        MPI_Reduce(give, get, length, MPI_DOUBLE, MPI_SUM, 1, on);
        break;
    case ALLREDUCE:
        MPI_Allreduce(give, get, length, MPI_DOUBLE, MPI_SUM, on);
        break;
    case REDUCE_SCATTER:
        MPI_Reduce_scatter(give, get, parts, MPI_DOUBLE, MPI_SUM, on);
        break;
    case REDUCE_SCATTER_BLOCK:
        MPI_Reduce_scatter_block(give, get, parts[0], MPI_DOUBLE, MPI_SUM, on);
        break;
    case SCAN:
        MPI_Scan(give, get, length, MPI_DOUBLE, MPI_SUM, on);
        break;
    default:
        MPI_Exscan(give, get, length, MPI_DOUBLE, MPI_SUM, on);
    }
}

/* One reduction; rank 0 prints a digest of what all ranks got. */
static void measure(enum call call, int length, int blocking)
{
    MPI_Request request;
    uint64_t value, all[8];

    for (int i = 0; i < size; i++)
        parts[i] = length / size;
    for (int i = 0; i < length; i++)
        give[i] = (double)(mix((uint64_t)i * 64 + (uint64_t)rank * 8 + call) >> 11) / 3e7;
    memset(get, 0, (size_t)length * sizeof(*get));
    if (blocking) {
        reduce(call, length);
    } else {
        begin(call, length, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    value = (uint64_t)rank;
    for (int i = 0; i < length; i++)
        value = mix(value ^ ((const uint64_t *)get)[i]);
    MPI_Gather(&value, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s%s of %d: %016llx\n", blocking ? "" : "i", names[call], length,
               (unsigned long long)digest(0, all, (size_t)size * sizeof(*all)));
}

int main(int argc, char **argv)
{
    program_start(&argc, &argv);
    check(size <= 8, "at most 8 ranks", size);
    for (int turn = 0; turn < LENGTHS * CALLS * 2; turn++) {
        step(turn + 1);
        measure((enum call)(turn / 2 % CALLS), lengths[turn / 2 / CALLS], turn % 2);
    }
    return program_end("longsums", 0);
}
