/* windows: one-sided communication over checkpoints and failures, on windows of each kind: fences,
 * post and start, locks of both kinds, a lock of all that is held for the whole run, atomics,
 * operations with requests, and loads and stores in shared memory.
 *
 * arguments: [steps 200]
 *
 * ranks: 4
 * test: 60
 * soak: 200
 * options: --checkpoint-every 8
 * pace: 5000
 * kill: 1@hook:20
 * kill: 0@call:300:exit
 * kill: 2@MPI_Win_fence:30
 * kill: 3@MPI_Win_unlock:25 3@MPI_Win_complete:40
 * kill: 1@MPI_Fetch_and_op:35 0@MPI_Win_flush:50
 */
#include "program.h"

#define CELLS 16

static MPI_Win made, allocated, shared, dynamic;
static uint64_t memory[CELLS], *alone, *common, loose[CELLS];
static MPI_Aint *places; /* of `loose`, by rank */
static MPI_Group before, behind;

static void neighbours_make(void)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Group all;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &left, &before);
    MPI_Group_incl(all, 1, &right, &behind);
    MPI_Group_free(&all);
}

static void windows_make(void)
{
    MPI_Aint place;

    MPI_Win_create(memory, sizeof memory, sizeof(uint64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &made);
    MPI_Win_allocate(CELLS * sizeof(uint64_t), sizeof(uint64_t), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &alone, &allocated);
    MPI_Win_allocate_shared(CELLS * sizeof(uint64_t), sizeof(uint64_t), MPI_INFO_NULL,
                            MPI_COMM_WORLD, &common, &shared);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
    MPI_Win_attach(dynamic, loose, sizeof loose);
    MPI_Get_address(loose, &place);
    places = malloc((size_t)size * sizeof *places);
    MPI_Allgather(&place, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD);
    memset(alone, 0, CELLS * sizeof(uint64_t));
    memset(common, 0, CELLS * sizeof(uint64_t));
    MPI_Win_lock_all(0, allocated);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Each rank puts into its neighbour's memory, gets from it, and adds to that of rank 0. */
static uint64_t fence_step(long number)
{
    uint64_t values[4], got[4] = {0}, one = (uint64_t)rank + 1;

    for (int i = 0; i < 4; i++)
        values[i] = mix((uint64_t)number * 7 + (uint64_t)(rank * 4 + i));
    MPI_Win_fence(MPI_MODE_NOPRECEDE, made);
    MPI_Put(values, 4, MPI_UINT64_T, (rank + 1) % size, 0, 4, MPI_UINT64_T, made);
    MPI_Accumulate(&one, 1, MPI_UINT64_T, 0, 8, 1, MPI_UINT64_T, MPI_SUM, made);
    MPI_Win_fence(0, made);
    MPI_Get(got, 4, MPI_UINT64_T, (rank + 2) % size, 0, 4, MPI_UINT64_T, made);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, made);
    return digest(memory[8], got, sizeof got);
}

static uint64_t post_step(long number)
{
    uint64_t value = mix((uint64_t)(number * size + rank)), got;

    MPI_Win_post(before, 0, made);
    MPI_Win_start(behind, 0, made);
    MPI_Put(&value, 1, MPI_UINT64_T, (rank + 1) % size, 10, 1, MPI_UINT64_T, made);
    MPI_Win_complete(made);
    MPI_Win_wait(made);
    got = memory[10];
    check(got == mix((uint64_t)(number * size + (rank + size - 1) % size)), "post", number);
    return got;
}

/* A counter at rank 0 that all increase, once under each kind of lock. */
static uint64_t lock_step(long number)
{
    uint64_t one = 1, old = 0, sum, values[2] = {(uint64_t)number, (uint64_t)rank};
    MPI_Request request;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, number % size, 0, made);
    MPI_Get(&sum, 1, MPI_UINT64_T, number % size, 12, 1, MPI_UINT64_T, made);
    MPI_Win_flush((int)(number % size), made);
    sum++;
    MPI_Put(&sum, 1, MPI_UINT64_T, number % size, 12, 1, MPI_UINT64_T, made);
    MPI_Win_unlock((int)(number % size), made);
    MPI_Fetch_and_op(&one, &old, MPI_UINT64_T, 0, 0, MPI_SUM, allocated);
    MPI_Rput(values, 2, MPI_UINT64_T, (rank + 1) % size, 2, 2, MPI_UINT64_T, allocated, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush((rank + 1) % size, allocated);
    MPI_Win_flush(0, allocated);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(allocated);
    check(rank != 0 || alone[0] == (uint64_t)(number * size), "counter", number);
    check(alone[2] == (uint64_t)number && alone[3] == (uint64_t)((rank + size - 1) % size), "rput",
          number);
    MPI_Barrier(MPI_COMM_WORLD);
    return alone[0] + memory[12];
}

/* Loads and stores in the neighbour's part, between barriers. */
static uint64_t shared_step(long number)
{
    uint64_t *theirs, seen;
    MPI_Aint bytes;
    int unit;

    MPI_Win_shared_query(shared, (rank + 1) % size, &bytes, &unit, &theirs);
    check(bytes == CELLS * sizeof(uint64_t) && unit == 8, "query", number);
    theirs[number % CELLS] += mix((uint64_t)(number + rank));
    MPI_Barrier(MPI_COMM_WORLD);
    seen = common[number % CELLS];
    MPI_Barrier(MPI_COMM_WORLD);
    return seen;
}

static uint64_t dynamic_step(long number)
{
    uint64_t value = (uint64_t)(number + rank), old = 0, expected = (uint64_t)(number - 1 + rank);
    int next = (rank + 1) % size;

    if (number == 1)
        expected = 0;
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, dynamic);
    MPI_Compare_and_swap(&value, &expected, &old, MPI_UINT64_T, next, places[next], dynamic);
    MPI_Win_unlock(next, dynamic);
    check(old == expected, "swap", number);
    MPI_Barrier(MPI_COMM_WORLD);
    return old;
}

static void windows_free(void)
{
    MPI_Win_unlock_all(allocated);
    MPI_Win_detach(dynamic, loose);
    MPI_Win_free(&made);
    MPI_Win_free(&allocated);
    MPI_Win_free(&shared);
    MPI_Win_free(&dynamic);
    MPI_Group_free(&before);
    MPI_Group_free(&behind);
    free(places);
}

int main(int argc, char **argv)
{
    uint64_t value = 1;

    program_start(&argc, &argv);
    neighbours_make();
    windows_make();
    for (long number = 1; number <= argument(argc, argv, 1, 200); number++) {
        step(number);
        value = mix(value ^ fence_step(number));
        value = mix(value ^ post_step(number));
        value = mix(value ^ lock_step(number));
        value = mix(value ^ shared_step(number));
        value = mix(value ^ dynamic_step(number));
    }
    windows_free();
    return program_end("windows", value);
}
