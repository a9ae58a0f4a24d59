/* choices: what time decides. In each step every rank sends its history, a digest of all that it
 * has learned, to every other one, and takes theirs in one of the ways whose outcome is not
 * determined: receives and probes by wildcard, tests, choices among requests, cancellations,
 * clocks. Each outcome enters the history. At the end each rank tells what its history was in each
 * step: a rank that was told something else before did not see the execution that this rank
 * remembers.
 *
 * Some receives stay pending for several steps, by wildcard and by name, for messages of one rank:
 * these must come in order.
 *
 * arguments: [steps 100]
 *
 * ranks: 4
 * test: 120
 * pace: 5000
 */
#include "program.h"

#define MOST 16      /* ranks */
#define LATE 7       /* steps until a late message is sent */
#define LATE_TAG 500 /* and more: beyond the tags of the steps */
#define WAYS 12

static MPI_Comm others[2]; /* for what takes any tag, in odd and even steps */
static uint64_t *mine, *told[MOST], history, in[MOST], late_in[LATE][2];
static MPI_Request late[LATE][2], lasting[MOST];

static void learn(uint64_t what)
{
    history = mix(history ^ what);
}

static void take(long number, int source, int tag, uint64_t what)
{
    check(tag == number % 100, "tag", number);
    told[source][number] = what;
    learn((uint64_t)source << 32 ^ what);
}

static void take_status(long number, const MPI_Status *status, uint64_t what)
{
    take(number, status->MPI_SOURCE, status->MPI_TAG, what);
}

/* Any source, chosen among receives. */
static void by_wildcard(long number, int some)
{
    MPI_Request request[MOST];
    MPI_Status status[MOST];
    int index[MOST], found = 1;

    for (int i = 0; i < size - 1; i++)
        MPI_Irecv(&in[i], 1, MPI_UINT64_T, MPI_ANY_SOURCE, (int)(number % 100), MPI_COMM_WORLD,
                  &request[i]);
    for (int left = size - 1; left > 0; left -= found) {
        if (some)
            MPI_Waitsome(size - 1, request, &found, index, status);
        else
            MPI_Waitany(size - 1, request, index, status);
        for (int i = 0; i < found; i++)
            take_status(number, &status[i], in[index[i]]);
    }
}

/* Named receives, polled. */
static void by_name(long number, int way)
{
    MPI_Request request[MOST];
    MPI_Status status[MOST];
    int index[MOST], found = 0, flag = 0, count = 0;
    uint64_t polls = 0;

    for (int r = 0; r < size; r++) {
        if (r == rank)
            continue;
        MPI_Irecv(&in[count], 1, MPI_UINT64_T, r, (int)(number % 100), MPI_COMM_WORLD,
                  &request[count]);
        count++;
    }
    for (int left = count; left > 0; polls++) {
        if (way == 0)
            MPI_Testsome(count, request, &found, index, status);
        else if (way == 1)
            MPI_Testany(count, request, index, &found, status);
        else if (way == 2)
            MPI_Test(&request[index[0] = left - 1], &found, status);
        else
            MPI_Testall(count, request, &flag, status), found = flag ? count : 0;
        for (int i = 0; i < found; i++)
            take_status(number, &status[i], in[way == 3 ? i : index[i]]);
        left -= found;
    }
    learn(polls);
}

static void by_probe(long number, int polled)
{
    uint64_t what, polls = 0;
    MPI_Status status;

    for (int left = size - 1; left > 0; left--) {
        int flag = !polled;

        if (!polled)
            MPI_Probe(MPI_ANY_SOURCE, (int)(number % 100), MPI_COMM_WORLD, &status);
        for (; !flag; polls++)
            MPI_Iprobe(MPI_ANY_SOURCE, (int)(number % 100), MPI_COMM_WORLD, &flag, &status);
        MPI_Recv(&what, 1, MPI_UINT64_T, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        take_status(number, &status, what);
    }
    learn(polls);
}

static void by_message(long number, int polled)
{
    uint64_t what, polls = 0;
    MPI_Message message;
    MPI_Status status;

    for (int left = size - 1; left > 0; left--) {
        int flag = !polled;

        if (!polled)
            MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, others[number % 2], &message, &status);
        for (; !flag; polls++)
            MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, others[number % 2], &flag, &message, &status);
        MPI_Mrecv(&what, 1, MPI_UINT64_T, &message, MPI_STATUS_IGNORE);
        take_status(number, &status, what);
    }
    learn(polls);
}

/* Persistent receives of anything, and a blocking one. */
static void by_lasting(long number)
{
    uint64_t what;
    MPI_Status status;

    MPI_Startall(size - 2, lasting);
    MPI_Recv(&what, 1, MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, others[number % 2], &status);
    take_status(number, &status, what);
    for (int i = 0; i < size - 2; i++) {
        MPI_Wait(&lasting[i], &status);
        take_status(number, &status, in[i]);
    }
}

/* Receives that a message or the cancellation ends. */
static void by_cancellation(long number)
{
    MPI_Request request;
    MPI_Status status;
    uint64_t what = 0;
    int cancelled;

    for (int r = 0; r < size; r++) {
        if (r == rank)
            continue;
        MPI_Irecv(&what, 1, MPI_UINT64_T, r % 2 ? r : MPI_ANY_SOURCE, (int)(number % 100),
                  r % 2 ? MPI_COMM_WORLD : others[number % 2], &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &cancelled);
        learn((uint64_t)cancelled);
        if (cancelled)
            MPI_Recv(&what, 1, MPI_UINT64_T, r % 2 ? r : MPI_ANY_SOURCE, (int)(number % 100),
                     r % 2 ? MPI_COMM_WORLD : others[number % 2], &status);
        take_status(number, &status, what);
    }
    learn((uint64_t)(MPI_Wtime() * 1e9));
}

static int uses_other(long number, int dest)
{
    long way = number % WAYS;

    return (way >= 8 && way <= 10) || (way == 11 && dest % 2 == 0);
}

/* uses_other says by which communicator the *receiver* expects a source. */
static void tell(long number)
{
    for (int r = 0; r < size; r++)
        if (r != rank)
            MPI_Send(&history, 1, MPI_UINT64_T, r, (int)(number % 100),
                     uses_other(number, rank) ? others[number % 2] : MPI_COMM_WORLD);
}

static void hear(long number)
{
    switch (number % WAYS) {
    case 0:
        by_wildcard(number, 0);
        break;
    case 1:
        by_wildcard(number, 1);
        break;
    case 2:
        by_name(number, 0);
        break;
    case 3:
        by_name(number, 1);
        break;
    case 4:
        by_name(number, 2);
        break;
    case 5:
        by_name(number, 3);
        break;
    case 6:
        by_probe(number, 0);
        break;
    case 7:
        by_probe(number, 1);
        break;
    case 8:
        by_message(number, 0);
        break;
    case 9:
        by_message(number, 1);
        break;
    case 10:
        by_lasting(number);
        break;
    case 11:
        by_cancellation(number);
        break;
    }
}

/* The first of two messages goes to the wildcard, the second to the name, LATE steps after both
 * were asked for. */
static void late_turn(long number, long steps)
{
    int at = (int)(number % LATE), tag = LATE_TAG + at, right = (rank + 1) % size;
    uint64_t pair[2] = {2 * (uint64_t)number, 2 * (uint64_t)number + 1};

    if (number > LATE) {
        for (int i = 0; i < 2; i++)
            MPI_Send(&pair[i], 1, MPI_UINT64_T, right, tag, MPI_COMM_WORLD);
        for (int i = 0; i < 2; i++) {
            MPI_Wait(&late[at][i], MPI_STATUS_IGNORE);
            check(late_in[at][i] == pair[i], "late messages out of order", number);
        }
    }
    if (number + LATE > steps)
        return;
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&late_in[at][i], 1, MPI_UINT64_T, i ? (rank + size - 1) % size : MPI_ANY_SOURCE,
                  tag, MPI_COMM_WORLD, &late[at][i]);
}

/* Compares what every rank remembers with what the others were told. */
static void compare(long steps)
{
    uint64_t *theirs = calloc((size_t)steps + 1, sizeof *theirs);

    for (int r = 0; r < size; r++) {
        memcpy(theirs, mine, ((size_t)steps + 1) * sizeof *theirs);
        MPI_Bcast(theirs, (int)steps + 1, MPI_UINT64_T, r, MPI_COMM_WORLD);
        for (long number = 1; r != rank && number <= steps; number++)
            check(told[r][number] == theirs[number], "another history was told", number);
    }
    free(theirs);
}

int main(int argc, char **argv)
{
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 100);
    check(size <= MOST && size > 2, "ranks", size);
    MPI_Comm_dup(MPI_COMM_WORLD, &others[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &others[1]);
    mine = calloc((size_t)steps + 1, sizeof *mine);
    for (int r = 0; r < size; r++)
        told[r] = calloc((size_t)steps + 1, sizeof *told[r]);
    for (int i = 0; i < size - 2; i++)
        MPI_Recv_init(&in[i], 1, MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, others[0], &lasting[i]);
    for (long number = 1; number <= steps; number++) {
        step(number);
        mine[number] = history;
        late_turn(number, steps);
        tell(number);
        hear(number);
        if (rank == 0 && number % 10 == 0)
            printf("step %ld\n", number);
    }
    compare(steps);
    for (int i = 0; i < size - 2; i++)
        MPI_Request_free(&lasting[i]);
    MPI_Comm_free(&others[0]);
    MPI_Comm_free(&others[1]);
    return program_end("choices", (uint64_t)steps);
}
