/* lent: pairs of ranks exchange long messages of a datatype with gaps, whose receives are posted
 * late: the library has them for as long as that, by Isend, by a persistent send, by one that is
 * given up at once, and by Sendrecv. Meanwhile other messages fill the log, and entries beyond its
 * limit leave its memory. Each message depends on all that its sender got.
 *
 * arguments: [steps 20]
 *
 * ranks: 4
 * test: 14
 * pace: 5000
 */
#include "program.h"

enum { WORDS = 32 << 10, FILLS = 16, WAYS = 3, PLAIN = WAYS + 1 };

static uint64_t out[WAYS + 1][2 * WORDS], in[WAYS + 1][2 * WORDS], plain[WORDS / 8], got[WORDS / 8],
    state;
static MPI_Datatype gaps;
static int peer;

static void fill(int way, long number)
{
    for (int i = 0; i < 2 * WORDS; i++)
        out[way][i] = mix(state + (uint64_t)number * WAYS + (uint64_t)(way + i));
}

static void take(int way)
{
    for (int i = 0; i < 2 * WORDS; i += 2)
        state = digest(state, (unsigned char *)&in[way][i], 8);
}

/* Other messages, of plain types and of the one with gaps. */
static void others(long number)
{
    for (int i = 0; i < FILLS; i++) {
        MPI_Sendrecv(plain, WORDS / 8, MPI_UINT64_T, peer, PLAIN, got, WORDS / 8, MPI_UINT64_T,
                     peer, PLAIN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (i % 4 == 0) {
            fill(WAYS, number + i);
            MPI_Sendrecv(out[WAYS], 1, gaps, peer, WAYS, in[WAYS], 1, gaps, peer, WAYS,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            take(WAYS);
        }
    }
}

static void exchange(long number, MPI_Request *persistent)
{
    MPI_Request send, given_up, receive[WAYS];

    for (int way = 0; way < WAYS; way++)
        fill(way, number);
    MPI_Isend(out[0], 1, gaps, peer, 0, MPI_COMM_WORLD, &send);
    MPI_Start(persistent);
    MPI_Isend(out[2], 1, gaps, peer, 2, MPI_COMM_WORLD, &given_up);
    MPI_Request_free(&given_up);
    others(number);
    for (int way = 0; way < WAYS; way++)
        MPI_Irecv(in[way], 1, gaps, peer, way, MPI_COMM_WORLD, &receive[way]);
    MPI_Waitall(WAYS, receive, MPI_STATUSES_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(persistent, MPI_STATUS_IGNORE);
    for (int way = 0; way < WAYS; way++)
        take(way);
    /* That it has been received is the only sign that the one that was given up may be written
     * over. */
    MPI_Barrier(MPI_COMM_WORLD);
}

static int class_of(int code)
{
    int class;

    MPI_Error_class(code, &class);
    return class;
}

/* In each pair the lower rank gives a send up that its peer receives only after one of its own. */
static void given_up(void)
{
    MPI_Request request;

    if (rank < peer) {
        fill(0, 0);
        MPI_Isendrecv(out[0], 1, gaps, peer, 0, NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                      &request);
        MPI_Request_free(&request);
        MPI_Recv(in[1], 2 * WORDS, MPI_UINT64_T, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        fill(1, 0);
        MPI_Send(out[1], 2 * WORDS, MPI_UINT64_T, peer, 1, MPI_COMM_WORLD);
        MPI_Recv(in[0], 1, gaps, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    take(rank < peer);
    MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_Datatype committed(MPI_Datatype type)
{
    MPI_Type_commit(&type);
    return type;
}

/* Types whose elements are a run of bytes, made of one that is not committed, and one that looks so
 * and has a place twice: received as plain words, and the gaps as words, too. */
static void runs(long number)
{
    int lengths[3] = {2, 1, 1}, places[3] = {0, 1, 3};
    MPI_Datatype pair, run, twice;
    uint64_t *words = in[0];

    fill(0, number);
    MPI_Type_contiguous(2, MPI_UINT64_T, &pair);
    MPI_Type_contiguous(2, pair, &run);
    MPI_Type_indexed(3, lengths, places, MPI_UINT64_T, &twice);
    run = committed(run);
    twice = committed(twice);
    MPI_Sendrecv(out[0], WORDS / 4, run, peer, 0, words, WORDS, MPI_UINT64_T, peer, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    state = digest(state, (unsigned char *)words, 8L * WORDS);
    MPI_Sendrecv(out[0], WORDS / 4, twice, peer, 0, words, WORDS, MPI_UINT64_T, peer, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    state = digest(state, (unsigned char *)words, 8L * WORDS);
    MPI_Sendrecv(out[0], 1, gaps, peer, 0, words, WORDS, MPI_UINT64_T, peer, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    state = digest(state, (unsigned char *)words, 8L * WORDS);
    MPI_Type_free(&pair);
    MPI_Type_free(&run);
    MPI_Type_free(&twice);
}

/* Types that are not committed, with gaps and without, negative counts, no buffer. */
static void refused(void)
{
    MPI_Datatype vector, run, nothing;
    MPI_Request request;
    int vectors, runs, counts, empty, buffers;

    MPI_Type_vector(4, 1, 2, MPI_UINT64_T, &vector);
    MPI_Type_contiguous(4, MPI_UINT64_T, &run);
    MPI_Type_contiguous(0, MPI_UINT64_T, &nothing);
    MPI_Type_commit(&nothing);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    vectors = class_of(MPI_Isend(out[0], 1, vector, peer, 0, MPI_COMM_WORLD, &request));
    runs = class_of(MPI_Isend(out[0], 1, run, peer, 0, MPI_COMM_WORLD, &request));
    counts = class_of(MPI_Send(out[0], -1, gaps, peer, 0, MPI_COMM_WORLD));
    empty = class_of(MPI_Send(out[0], -1, nothing, peer, 0, MPI_COMM_WORLD));
    buffers = class_of(MPI_Send(NULL, 1, gaps, peer, 0, MPI_COMM_WORLD));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (rank == 0)
        printf("refused: %d %d %d %d %d\n", vectors, runs, counts, empty, buffers);
    MPI_Type_free(&vector);
    MPI_Type_free(&nothing);
    MPI_Type_free(&run);
}

int main(int argc, char **argv)
{
    MPI_Request persistent;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 20);
    state = (uint64_t)rank;
    peer = (rank + size / 2) % size;
    MPI_Type_vector(WORDS, 1, 2, MPI_UINT64_T, &gaps);
    MPI_Type_commit(&gaps);
    MPI_Send_init(out[1], 1, gaps, peer, 1, MPI_COMM_WORLD, &persistent);
    refused();
    for (long number = 1; number <= steps; number++) {
        step(number);
        exchange(number, &persistent);
        given_up();
        runs(number);
        if (rank == 0 && number % 10 == 0)
            printf("step %ld: %016llx\n", number, (unsigned long long)state);
    }
    MPI_Request_free(&persistent);
    MPI_Type_free(&gaps);
    return program_end("lent", state);
}
