/* Random traffic while a timer orders all ranks to the gate again and again: every message carries
 * its stream and its number in it, and must arrive once, whole, and in order. All ranks draw the
 * plan of a round from the same generator; how they post and complete it they draw from their own.
 * Arguments: seconds to run, seed, microseconds between orders. Run with 2 or more ranks under
 * mpiexec. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "request/gate_stub.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overflow" /* MPI_STATUSES_IGNORE, the address 1 */
#endif

enum { MESSAGES = 24, TAGS = 3, RANKS = 16, LARGEST = 300000, COMMS = 2 };

struct head { /* of each message */
    int source, tag, comm, number, length;
};

struct message {
    int source, target, tag, comm, length;
    char *out, *in;
};

static int rank, size;
static MPI_Comm comms[COMMS], meeting;
static uint64_t common, own; /* state of the generators */
static int sent_number[RANKS][RANKS][COMMS][TAGS], got_number[RANKS][COMMS][TAGS];
static struct message plan[MESSAGES];
static MPI_Request requests[2 * MESSAGES];
static int request_count;

static unsigned draw(uint64_t *state, unsigned below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*state >> 33) % below;
}

static void fail(const char *what, const struct head *head)
{
    ft_panic("%s: source %d, tag %d, communicator %d, number %d, length %d", what, head->source,
             head->tag, head->comm, head->number, head->length);
}

static int draw_length(void)
{
    static const int most[] = {100, 100, 100, 5000, 70000, LARGEST};

    return (int)sizeof(struct head) + (int)draw(&common, (unsigned)most[draw(&common, 6)]);
}

static void message_fill(struct message *m, int number)
{
    struct head head = {m->source, m->tag, m->comm, number, m->length};

    m->out = malloc((size_t)m->length);
    memset(m->out, number & 0x7f, (size_t)m->length);
    memcpy(m->out, &head, sizeof head);
}

static void plan_make(void)
{
    for (int i = 0; i < MESSAGES; i++) {
        struct message *m = &plan[i];

        m->source = (int)draw(&common, (unsigned)size);
        m->target = (int)draw(&common, (unsigned)size);
        m->tag = (int)draw(&common, TAGS);
        m->comm = (int)draw(&common, COMMS);
        m->length = draw_length();
        m->in = m->out = NULL;
        int number = sent_number[m->source][m->target][m->comm][m->tag]++;
        if (m->source == rank)
            message_fill(m, number);
    }
}

/* Checks a message that has arrived and counts it. */
static void message_check(const char *in, const MPI_Status *status)
{
    struct head head;
    int count;

    memcpy(&head, in, sizeof head);
    PMPI_Get_count(status, MPI_CHAR, &count);
    if (count != head.length || status->MPI_SOURCE != head.source || status->MPI_TAG != head.tag)
        fail("status and message differ", &head);
    if (head.number != got_number[head.source][head.comm][head.tag]++)
        fail("out of order", &head);
    for (int i = (int)sizeof head; i < head.length; i++)
        if (in[i] != (head.number & 0x7f))
            fail("damaged", &head);
}

static void send_one(struct message *m)
{
    MPI_Request *request = &requests[request_count++];

    if (draw(&own, 4) == 0)
        MPI_Issend(m->out, m->length, MPI_CHAR, m->target, m->tag, comms[m->comm], request);
    else
        MPI_Isend(m->out, m->length, MPI_CHAR, m->target, m->tag, comms[m->comm], request);
}

static void sends_post(void)
{
    for (int i = 0; i < MESSAGES; i++)
        if (plan[i].source == rank)
            send_one(&plan[i]);
}

/* Completes the requests in one of many ways; statuses of receives are kept by position. */
static void requests_complete(MPI_Status *statuses)
{
    int indices[2 * MESSAGES], some = 0, flag = 0;
    MPI_Status found[2 * MESSAGES];
    unsigned way = draw(&own, 6);

    for (int left = request_count; left > 0; left -= some) {
        if (way == 0)
            MPI_Waitall(request_count, requests, statuses);
        for (flag = 0; way == 1 && !flag;)
            MPI_Testall(request_count, requests, &flag, statuses);
        some = way < 2 ? left : 1;
        if (way == 2)
            MPI_Waitany(request_count, requests, indices, found);
        for (flag = 0; way == 3 && !flag;)
            MPI_Testany(request_count, requests, indices, &flag, found);
        if (way == 4)
            MPI_Waitsome(request_count, requests, &some, indices, found);
        if (way == 5)
            MPI_Testsome(request_count, requests, &some, indices, found);
        for (int i = 0; way >= 2 && i < some; i++)
            statuses[indices[i]] = found[i];
    }
}

/* All receives are posted first: named ones, in the plan's order, or wild ones. */
static void round_posted(int wild)
{
    MPI_Status statuses[2 * MESSAGES];
    char *in[MESSAGES];
    int count = 0;

    for (int i = 0; i < MESSAGES; i++) {
        struct message *m = &plan[i];

        if (m->target != rank)
            continue;
        in[count] = malloc(LARGEST + sizeof(struct head));
        MPI_Irecv(in[count++], wild ? LARGEST + (int)sizeof(struct head) : m->length, MPI_CHAR,
                  wild ? MPI_ANY_SOURCE : m->source, wild == 1 ? MPI_ANY_TAG : m->tag,
                  comms[m->comm], &requests[request_count++]);
    }
    sends_post();
    requests_complete(statuses);
    for (int i = 0; i < count; i++) {
        message_check(in[i], &statuses[i]);
        free(in[i]);
    }
}

/* Takes one message by one of the blocking ways. */
static void message_take(char *in, int comm)
{
    int room = LARGEST + (int)sizeof(struct head);
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;
    int flag = 0;

    switch (draw(&own, 5)) {
    case 0:
        MPI_Recv(in, room, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[comm], &status);
        break;
    case 1:
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[comm], &status);
        MPI_Recv(in, room, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, comms[comm], &status);
        break;
    case 2:
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[comm], &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(in, room, MPI_CHAR, &message, &status);
        break;
    case 3:
        while (!flag)
            MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[comm], &flag, &message,
                        MPI_STATUS_IGNORE);
        MPI_Imrecv(in, room, MPI_CHAR, &message, &request);
        MPI_Wait(&request, &status);
        break;
    default:
        while (!flag)
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[comm], &flag, &status);
        MPI_Irecv(in, room, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, comms[comm], &request);
        for (flag = 0; !flag;)
            MPI_Test(&request, &flag, &status);
    }
    message_check(in, &status);
}

/* Sends first, then messages are taken one by one. */
static void round_blocking(void)
{
    char *in = malloc(LARGEST + sizeof(struct head));

    sends_post();
    for (int i = 0; i < MESSAGES; i++)
        if (plan[i].target == rank)
            message_take(in, plan[i].comm);
    MPI_Waitall(request_count, requests, MPI_STATUSES_IGNORE);
    free(in);
}

static void meet(void)
{
    int in, out = 0;

    for (int step = 1; step < size; step *= 2)
        MPI_Sendrecv(&out, 1, MPI_INT, (rank + step) % size, 78, &in, 1, MPI_INT,
                     (rank + size - step) % size, 78, meeting, MPI_STATUS_IGNORE);
}

static void round_run(unsigned kind)
{
    request_count = 0;
    plan_make();
    if (kind < 3)
        round_posted((int)kind);
    else
        round_blocking();
    meet();
    for (int i = 0; i < MESSAGES; i++)
        free(plan[i].out);
}

int main(int argc, char **argv)
{
    int rounds = 0, go = 1;
    double end;

    stub_start(&argc, &argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    comms[0] = stub_comm_dup();
    comms[1] = stub_comm_dup();
    meeting = stub_comm_dup();
    common = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    own = common * 1000 + (uint64_t)rank;
    end = PMPI_Wtime() + (argc > 1 ? atof(argv[1]) : 5);
    if (rank == 0)
        stub_checkpoint_often(argc > 3 ? atol(argv[3]) : 2000);
    for (; go; rounds++) {
        round_run(draw(&common, 4));
        go = rank == 0 ? PMPI_Wtime() < end : 0;
        for (int step = 1; rank == 0 && step < size; step++)
            MPI_Send(&go, 1, MPI_INT, step, 1, meeting);
        if (rank != 0)
            MPI_Recv(&go, 1, MPI_INT, 0, 1, meeting, MPI_STATUS_IGNORE);
    }
    stub_checkpoint_often(0);
    stub_finish();
    if (stub_gates == 0)
        ft_panic("no gate in %d rounds", rounds);
    if (rank == 0)
        printf("%d rounds, %u gates: passed\n", rounds, stub_gates);
    return 0;
}
