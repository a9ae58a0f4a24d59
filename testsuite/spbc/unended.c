/* unended: receives by wildcard have met their messages, and have not ended when rank 1 dies.
 * Behind the rollback they are held back until it is as far as it was, so nobody may wait for their
 * messages to be met: neither rank 0, whose next message rank 1 needs for that, nor rank 1 itself.
 * The long messages are also of types with gaps, one of which goes backwards, and rank 0 fills
 * their memory with something else at once.
 *
 * arguments: [steps 20] [the step with these receives 10] [numbers in a long message 100000]
 *
 * ranks: 4
 * test: 20 10
 * pace: 2000
 */
#include "program.h"

enum { NEXT, SYNCHRONOUS, LONG, SPACED = LONG + 3, OWN, THEN, RECORDED };

/* A long message: of which type, and in elements of `numbers` from `first` on. */
static struct {
    MPI_Datatype type;
    uint64_t *first;
} form[3];

static uint64_t *numbers;
static long length, room;

static MPI_Datatype stepping(int extent)
{
    MPI_Datatype type;

    MPI_Type_create_resized(MPI_UINT64_T, 0, (MPI_Aint)sizeof *numbers * extent, &type);
    MPI_Type_commit(&type);
    return type;
}

static void forms_make(void)
{
    room = 7 * length;
    numbers = calloc((size_t)room + 1, sizeof *numbers);
    form[0].type = stepping(1);
    form[0].first = numbers;
    form[1].type = stepping(3);
    form[1].first = numbers + length;
    form[2].type = stepping(-3);
    form[2].first = numbers + room - 1;
}

static void forms_free(void)
{
    for (int i = 0; i < 3; i++)
        MPI_Type_free(&form[i].type);
    free(numbers);
}

static void sends(uint64_t state)
{
    for (long i = 0; i < room; i++)
        numbers[i] = mix(state + (uint64_t)i);
    MPI_Ssend(&state, 1, MPI_UINT64_T, 1, SYNCHRONOUS, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        MPI_Send(form[i].first, (int)length, form[i].type, 1, LONG + i, MPI_COMM_WORLD);
    MPI_Ssend(form[1].first, length > 0, form[1].type, 1, SPACED, MPI_COMM_WORLD);
    for (long i = 0; i < room; i++)
        numbers[i] = 0;
    MPI_Send(&state, 1, MPI_UINT64_T, 1, THEN, MPI_COMM_WORLD);
}

/* The last call, which counts ranks, is the second of its kind: rank 1 can die there. */
static uint64_t receives(uint64_t state)
{
    uint64_t got[5] = {0};
    MPI_Request request[6];
    int ranks;

    MPI_Irecv(&got[0], 1, MPI_UINT64_T, MPI_ANY_SOURCE, SYNCHRONOUS, MPI_COMM_WORLD, &request[0]);
    for (int i = 0; i < 3; i++)
        MPI_Irecv(form[i].first, (int)length, form[i].type, MPI_ANY_SOURCE, LONG + i,
                  MPI_COMM_WORLD, &request[1 + i]);
    MPI_Irecv(&got[1], 1, MPI_UINT64_T, MPI_ANY_SOURCE, SPACED, MPI_COMM_WORLD, &request[4]);
    MPI_Irecv(&got[2], 1, MPI_UINT64_T, MPI_ANY_SOURCE, OWN, MPI_COMM_WORLD, &request[5]);
    MPI_Ssend(&state, 1, MPI_UINT64_T, 1, OWN, MPI_COMM_WORLD);
    MPI_Recv(&got[3], 1, MPI_UINT64_T, 0, THEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&got[4], 1, MPI_UINT64_T, MPI_ANY_SOURCE, RECORDED, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Waitall(6, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 5; i++)
        state = mix(state ^ got[i]);
    for (long i = 0; i < room; i++)
        state = mix(state ^ numbers[i]);
    return state;
}

int main(int argc, char **argv)
{
    uint64_t state;
    long steps, when;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 20);
    when = argument(argc, argv, 2, 10);
    length = argument(argc, argv, 3, 100000);
    forms_make();
    state = mix((uint64_t)rank);
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = ring_shift(state, NEXT);
        if (number == when && rank == 0)
            sends(state);
        if (number == when && rank == 1)
            state = receives(state);
        if (number == when && rank == 2)
            MPI_Send(&state, 1, MPI_UINT64_T, 1, RECORDED, MPI_COMM_WORLD);
    }
    forms_free();
    return program_end("unended", state);
}
