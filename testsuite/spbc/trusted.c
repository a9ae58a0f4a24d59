/* trusted: receives by wildcard of which ftcc proves that nothing needs to be recorded (ftrun
 * --trust proved). In each step every rank tells every other one a number, which comes from anybody
 * and is kept by its source; asks every other one, who answers whoever has asked; and collects from
 * everybody by requests that are all posted at once. Then comes a sum over all, so no message can
 * be of another step. A rank that rolls back is offered the messages of all steps at once by the
 * other clusters, and those of its own cluster one after the other.
 *
 * A long message now and then goes another way through the library than a short one.
 *
 * arguments: [steps 60 [elements 1]]
 *
 * ranks: 4
 * test: 60 1
 * pace: 5000
 */
#include "program.h"

enum { MOST = 16, TELL = 1, ASK = 2, ANSWER = 3, COLLECT = 4 };

static uint64_t *out, *in, *got, history;
static int elements;

static void fill(uint64_t *data, uint64_t what)
{
    for (int i = 0; i < elements; i++)
        data[i] = mix(what + (uint64_t)i);
}

/* Everybody tells everybody. */
static void tell(long number)
{
    MPI_Request sends[MOST];
    MPI_Status status;
    int count = 0;

    fill(out, history ^ (uint64_t)number);
    for (int r = 0; r < size; r++)
        if (r != rank)
            MPI_Isend(out, elements, MPI_UINT64_T, r, TELL, MPI_COMM_WORLD, &sends[count++]);
    for (int i = 0; i < size - 1; i++) {
        MPI_Recv(got, elements, MPI_UINT64_T, MPI_ANY_SOURCE, TELL, MPI_COMM_WORLD, &status);
        memcpy(&in[status.MPI_SOURCE * elements], got, (size_t)elements * sizeof *got);
    }
    MPI_Waitall(count, sends, MPI_STATUSES_IGNORE);
    for (int r = 0; r < size; r++)
        if (r != rank)
            history = digest(history, &in[r * elements], (size_t)elements * sizeof *in);
}

/* Everybody asks everybody. */
static void ask(long number)
{
    MPI_Request receives[MOST], sends[MOST];
    uint64_t question[MOST], answer[MOST], asked, said;
    int count = 0;

    for (int r = 0; r < size; r++)
        if (r != rank) {
            question[r] = mix(history + (uint64_t)r);
            MPI_Irecv(&answer[r], 1, MPI_UINT64_T, r, ANSWER, MPI_COMM_WORLD, &receives[count]);
            MPI_Isend(&question[r], 1, MPI_UINT64_T, r, ASK, MPI_COMM_WORLD, &sends[count++]);
        }
    for (int i = 0; i < size - 1; i++) {
        MPI_Status status;

        MPI_Recv(&asked, 1, MPI_UINT64_T, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status);
        said = mix(asked ^ (uint64_t)number);
        MPI_Send(&said, 1, MPI_UINT64_T, status.MPI_SOURCE, ANSWER, MPI_COMM_WORLD);
    }
    MPI_Waitall(count, sends, MPI_STATUSES_IGNORE);
    MPI_Waitall(count, receives, MPI_STATUSES_IGNORE);
    for (int r = 0; r < size; r++)
        if (r != rank)
            history = mix(history ^ answer[r]);
}

/* Everybody collects from everybody, by requests. */
static void collect(void)
{
    MPI_Request receives[MOST], sends[MOST];
    uint64_t mine = mix(history), theirs[MOST], sum = 0;
    int count = 0;

    for (int i = 0; i < size - 1; i++)
        MPI_Irecv(&theirs[i], 1, MPI_UINT64_T, MPI_ANY_SOURCE, COLLECT, MPI_COMM_WORLD,
                  &receives[i]);
    for (int r = 0; r < size; r++)
        if (r != rank)
            MPI_Isend(&mine, 1, MPI_UINT64_T, r, COLLECT, MPI_COMM_WORLD, &sends[count++]);
    MPI_Waitall(count, receives, MPI_STATUSES_IGNORE);
    MPI_Waitall(count, sends, MPI_STATUSES_IGNORE);
    for (int i = 0; i < size - 1; i++)
        sum += theirs[i];
    history = mix(history ^ sum);
}

int main(int argc, char **argv)
{
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    elements = (int)argument(argc, argv, 2, 1);
    check(size <= MOST, "ranks", size);
    out = calloc((size_t)elements, sizeof *out);
    got = calloc((size_t)elements, sizeof *got);
    in = calloc((size_t)(elements * size), sizeof *in);
    for (long number = 1; number <= steps; number++) {
        uint64_t sum;

        step(number);
        tell(number);
        ask(number);
        collect();
        MPI_Allreduce(&history, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        history = mix(history ^ sum);
        if (rank == 0 && number % 10 == 0)
            printf("step %ld\n", number);
    }
    return program_end("trusted", history);
}
