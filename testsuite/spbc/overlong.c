/* overlong: a broadcast that is longer than what the other rank has room for is an error there, and
 * nothing behind that room changes.
 *
 * arguments: [steps 8]
 *
 * ranks: 2
 * test: 8
 */
#include "program.h"

enum { ROOM = 50, SENT = 100, LARGE = 1 << 20 };

/* An operation whose request the library uses again. */
static uint64_t exchange_large(long number)
{
    char *large = calloc(LARGE, 1);
    uint64_t sum;

    large[number] = 1;
    if (rank == 0)
        MPI_Send(large, LARGE, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(large, LARGE, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum = digest(0, large, LARGE);
    free(large);
    return sum;
}

static uint64_t broadcast(MPI_Datatype pair, long number)
{
    static int room[LARGE / sizeof(int)];
    int code, class = MPI_SUCCESS;

    for (int i = 0; i < LARGE / (int)sizeof(int); i++)
        room[i] = rank == 0 ? (int)number : -1;
    code = MPI_Bcast(room, rank == 0 ? SENT : ROOM, pair, 0, MPI_COMM_WORLD);
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    check(class == (rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE), "class of error", class);
    for (int i = 2 * ROOM; rank == 1 && i < LARGE / (int)sizeof(int); i++)
        check(room[i] == -1, "memory behind the room", i);
    return (uint64_t) class;
}

int main(int argc, char **argv)
{
    MPI_Datatype pair;
    uint64_t state = 0;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 8);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = mix(state ^ exchange_large(number));
        state = mix(state ^ broadcast(pair, number));
        state = ring_shift(state, 1);
    }
    MPI_Type_free(&pair);
    return program_end("overlong", state);
}
