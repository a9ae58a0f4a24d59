/* workspace: collectives that send from and receive into one buffer, in which displacements keep
 * the two apart, on some ranks or on all; the others have two buffers. Errors of such a call are
 * answered as natively.
 *
 * arguments: [steps 12]
 *
 * ranks: 4
 * test: 12
 * pace: 12000
 */
#include "program.h"

enum { MOST = 4 };

static int space[3 * MOST], beside[MOST], ones[MOST], too[MOST], first[MOST], second[MOST];
static uint64_t history;

static void refill(long number)
{
    for (int i = 0; i < 3 * MOST; i++)
        space[i] = (int)number * 1000 + rank * 100 + i;
    memset(beside, 0, sizeof(beside));
}

static void fold(void)
{
    for (int i = 0; i < 3 * MOST; i++)
        history = mix(history + (uint64_t)space[i]);
    for (int i = 0; i < MOST; i++)
        history = mix(history + (uint64_t)beside[i]);
}

static void rooted(MPI_Comm comm, int root)
{
    MPI_Request request;

    MPI_Gatherv(space, 1, MPI_INT, space, ones, second, MPI_INT, root, comm);
    fold();
    MPI_Scatterv(space, ones, second, MPI_INT, space, 1, MPI_INT, root, comm);
    fold();
    MPI_Igatherv(space + 1, 1, MPI_INT, space, ones, second, MPI_INT, root, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    fold();
}

static void all(MPI_Comm comm, int shares)
{
    MPI_Datatype types[MOST];
    MPI_Request request;
    int from[MOST], to[MOST];

    for (int i = 0; i < MOST; i++) {
        types[i] = MPI_INT;
        from[i] = first[i] * (int)sizeof(int);
        to[i] = (shares ? second : first)[i] * (int)sizeof(int);
    }
    MPI_Allgatherv(space, 1, MPI_INT, shares ? space : beside, ones, shares ? second : first,
                   MPI_INT, comm);
    fold();
    MPI_Alltoallv(space, ones, first, MPI_INT, shares ? space : beside, too,
                  shares ? second : first, MPI_INT, comm);
    fold();
    MPI_Alltoallw(space, ones, from, types, shares ? space : beside, too, to, types, comm);
    fold();
    MPI_Ialltoallv(space, ones, first, MPI_INT, shares ? space : beside, too,
                   shares ? second : first, MPI_INT, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    fold();
}

static void tell(const char *what, int code)
{
    int class = MPI_SUCCESS;

    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    history = mix(history + (uint64_t) class);
    if (rank == 0)
        printf("%s: class %d\n", what, class);
}

#define TELL(call) tell(#call, call)

/* Each rank has the error, so that nobody waits for anybody. */
static void wrong(MPI_Comm comm)
{
    MPI_Datatype types[MOST] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    TELL(MPI_Allgather(space + rank, 1, MPI_INT, space, 1, MPI_INT, comm));
    TELL(MPI_Allgatherv(space + second[rank], 1, MPI_INT, space, ones, second, MPI_INT, comm));
    TELL(MPI_Alltoall(space, 1, MPI_INT, space, 1, MPI_INT, comm));
    TELL(MPI_Alltoallv(space, ones, first, MPI_INT, space, ones, second, MPI_INT, comm));
    TELL(MPI_Alltoallw(space, ones, first, types, space, ones, second, types, comm));
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 12);
    check(size <= MOST, "ranks", size);
    for (int i = 0; i < MOST; i++) {
        ones[i] = too[i] = 1;
        first[i] = i;
        second[i] = MOST + i;
    }
    wrong(MPI_COMM_WORLD);
    for (long number = 1; number <= steps; number++) {
        step(number);
        refill(number);
        rooted(MPI_COMM_WORLD, (int)number % size);
        all(MPI_COMM_WORLD, number % 3 == 0 || rank == number % size);
    }
    return program_end("workspace", history);
}
