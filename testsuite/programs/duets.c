/* duets: messages between two ranks, drawn from a seed, in every way that programs receive what
 * they do not know yet: cancelled too late, tested a few times and left, probed for their length,
 * of any tag, shorter than the buffer or longer, by persistent requests that are started together,
 * with requests among them that are inactive or none; and buffered sends whose buffer is taken
 * away.
 *
 * How often a rank tests is its own affair, what it ends up with is not; each value that a rank
 * sends depends on all it has received.
 *
 * arguments: [steps 400] [seed 1]
 *
 * ranks: 4
 * test: 400 1
 * soak: 1500 2
 * pace: 1000
 * kill: 1@hook:150
 * kill: 3@MPI_Irecv:60:exit
 * kill: 0@hook:250 2@hook:330
 */
#include "draw.h"
#include "finish.h"
#include "program.h"

enum { LONGEST = 6000, SET = 6, ATTACHED = 1 << 18 };

enum role { NONE, SENDER, RECEIVER, BOTH };

struct duet { /* what is drawn for a step */
    int from, to, tag, length, several;
    enum role role;
    MPI_Comm comm;
};

static uint64_t state, data[2][SET][LONGEST];
static MPI_Comm comms[3];
static MPI_Request ready[2][SET]; /* persistent, with the next rank and the one before */
static uint64_t ready_data[2][SET];
static char attached[ATTACHED];

static void fold(uint64_t value)
{
    state = mix(state + value);
}

static void fill(const struct duet *duet, int which)
{
    for (int i = 0; i < duet->length; i++)
        data[0][which][i] = mix(state + (uint64_t)(which * LONGEST + i));
}

static void take_in(int which, int length)
{
    fold(digest((uint64_t)length, data[1][which], sizeof(uint64_t) * (size_t)length));
}

static int sends(const struct duet *duet)
{
    return duet->role == SENDER || duet->role == BOTH;
}

static int receives(const struct duet *duet)
{
    return duet->role == RECEIVER || duet->role == BOTH;
}

/* Begins to send `which` of the duet. */
static void send_begin(const struct duet *duet, int which, MPI_Request *request)
{
    fill(duet, which);
    if (draw_own(3))
        MPI_Isend(data[0][which], duet->length, MPI_UINT64_T, duet->to, duet->tag + which,
                  duet->comm, request);
    else
        MPI_Issend(data[0][which], duet->length, MPI_UINT64_T, duet->to, duet->tag + which,
                   duet->comm, request);
}

static void check_status(const struct duet *duet, MPI_Status *status, int which, int length)
{
    int count, elements;

    MPI_Get_count(status, MPI_UINT64_T, &count);
    MPI_Get_elements(status, MPI_UINT64_T, &elements);
    check(count == length && elements == length, "length", count);
    check(status->MPI_SOURCE == duet->from, "source", status->MPI_SOURCE);
    check(status->MPI_TAG == duet->tag + which, "tag", status->MPI_TAG);
}

/* ---- What two ranks do ---- */

/* Whether the receive is cancelled depends on time; the message comes in any case. */
static void cancelled_late(const struct duet *duet)
{
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status;
    int flag;

    if (receives(duet))
        MPI_Irecv(data[1][0], LONGEST, MPI_UINT64_T, duet->from, duet->tag, duet->comm,
                  &request[1]);
    if (sends(duet))
        send_begin(duet, 0, &request[0]);
    if (receives(duet)) {
        pause_us(draw_own(50));
        MPI_Cancel(&request[1]);
        MPI_Wait(&request[1], &status);
        MPI_Test_cancelled(&status, &flag);
        if (flag)
            MPI_Recv(data[1][0], LONGEST, MPI_UINT64_T, duet->from, duet->tag, duet->comm, &status);
        check_status(duet, &status, 0, duet->length);
        take_in(0, duet->length);
    }
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
}

/* Asks now and then, and goes on. */
static void tested(const struct duet *duet)
{
    MPI_Request request[2 * SET];
    int times = draw_own(20), flag;

    for (int i = 0; i < SET; i++) {
        request[2 * i] = request[2 * i + 1] = MPI_REQUEST_NULL;
        if (receives(duet))
            MPI_Irecv(data[1][i], LONGEST, MPI_UINT64_T, duet->from, duet->tag + i, duet->comm,
                      &request[2 * i + 1]);
        if (sends(duet))
            send_begin(duet, i, &request[2 * i]);
    }
    for (int t = 0; t < times; t++) {
        MPI_Request *one = &request[draw_own(2 * SET)];

        if (t % 2)
            MPI_Test(one, &flag, MPI_STATUS_IGNORE);
        else
            MPI_Request_get_status(*one, &flag, MPI_STATUS_IGNORE);
    }
    finish(2 * SET, request, draw_own(FINISH_WAYS));
    for (int i = 0; i < SET && receives(duet); i++)
        take_in(i, duet->length);
}

/* They come in the order in which they were sent, whatever their tags. */
static void of_any_tag(const struct duet *duet)
{
    MPI_Request request[SET];
    MPI_Status status;

    for (int i = 0; i < SET && sends(duet); i++)
        send_begin(duet, i, &request[i]);
    for (int i = 0; i < SET && receives(duet); i++) {
        MPI_Recv(data[1][i], LONGEST, MPI_UINT64_T, duet->from, MPI_ANY_TAG, duet->comm, &status);
        check_status(duet, &status, i, duet->length);
        take_in(i, duet->length);
    }
    if (sends(duet))
        finish(SET, request, draw_own(FINISH_WAYS));
}

/* In an order of the receiver. */
static void picked(const struct duet *duet)
{
    MPI_Request request[SET];

    for (int i = 0; i < SET && sends(duet); i++)
        send_begin(duet, i, &request[i]);
    for (int i = 0; i < SET && receives(duet); i++) {
        int which = (i * 5 + duet->several) % SET;

        MPI_Recv(data[1][which], LONGEST, MPI_UINT64_T, MPI_ANY_SOURCE, duet->tag + which,
                 duet->comm, MPI_STATUS_IGNORE);
        take_in(which, duet->length);
    }
    if (sends(duet))
        finish(SET, request, draw_own(FINISH_WAYS));
}

static void probe(const struct duet *duet, int which, MPI_Message *message, MPI_Status *status)
{
    int flag = 0, tag = duet->tag + which;

    *message = MPI_MESSAGE_NULL;
    switch (duet->several) {
    case 0:
        MPI_Probe(duet->from, tag, duet->comm, status);
        break;
    case 1:
        while (!flag)
            MPI_Iprobe(MPI_ANY_SOURCE, tag, duet->comm, &flag, status);
        break;
    case 2:
        MPI_Mprobe(MPI_ANY_SOURCE, tag, duet->comm, message, status);
        break;
    default:
        while (!flag)
            MPI_Improbe(duet->from, tag, duet->comm, &flag, message, status);
    }
}

static void probed(const struct duet *duet)
{
    MPI_Request request[SET];
    MPI_Message message;
    MPI_Status status;
    int count;

    for (int i = 0; i < SET && sends(duet); i++)
        send_begin(duet, i, &request[i]);
    for (int i = 0; i < SET && receives(duet); i++) {
        probe(duet, i, &message, &status);
        check_status(duet, &status, i, duet->length);
        MPI_Get_count(&status, MPI_UINT64_T, &count);
        if (message == MPI_MESSAGE_NULL)
            MPI_Recv(data[1][i], count, MPI_UINT64_T, status.MPI_SOURCE, status.MPI_TAG, duet->comm,
                     &status);
        else
            MPI_Mrecv(data[1][i], count, MPI_UINT64_T, &message, &status);
        take_in(i, count);
    }
    if (sends(duet))
        finish(SET, request, draw_own(FINISH_WAYS));
}

/* Both send and receive. */
static void exchanged(const struct duet *duet)
{
    int other = rank == duet->from ? duet->to : duet->from, tag = duet->tag;
    MPI_Request request;

    if (duet->role == NONE)
        return;
    if (duet->several == 0)
        other = MPI_PROC_NULL;
    fill(duet, 0);
    memcpy(data[1][0], data[0][0], sizeof data[1][0]);
    switch (duet->several % 2 + (duet->length < 500 ? 2 : 0)) {
    case 0:
        MPI_Sendrecv(data[0][0], duet->length, MPI_UINT64_T, other, tag, data[1][0], LONGEST,
                     MPI_UINT64_T, other, tag, duet->comm, MPI_STATUS_IGNORE);
        break;
    case 1:
        MPI_Isendrecv(data[0][0], duet->length, MPI_UINT64_T, other, tag, data[1][0], LONGEST,
                      MPI_UINT64_T, other, tag, duet->comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case 2:
        MPI_Sendrecv_replace(data[1][0], duet->length, MPI_UINT64_T, other, tag, other, tag,
                             duet->comm, MPI_STATUS_IGNORE);
        break;
    default:
        MPI_Isendrecv_replace(data[1][0], duet->length, MPI_UINT64_T, other, tag, other, tag,
                              duet->comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    take_in(0, duet->length);
}

/* A message that is longer than its buffer is an error that the program sees. */
static void truncated(const struct duet *duet)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int class = MPI_SUCCESS;

    if (duet->length < 2)
        return;
    if (sends(duet) && duet->role != BOTH)
        send_begin(duet, 0, &request);
    if (receives(duet) && duet->role != BOTH) {
        int error = MPI_Recv(data[1][0], duet->length / 2, MPI_UINT64_T, duet->from, duet->tag,
                             duet->comm, MPI_STATUS_IGNORE);

        MPI_Error_class(error, &class);
        check(class == MPI_ERR_TRUNCATE, "error class", class);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The buffer comes back when all that was in it has left. */
static void buffered(const struct duet *duet)
{
    void *buffer;
    int bytes;

    for (int i = 0; i < SET && sends(duet); i++) {
        fill(duet, i);
        MPI_Bsend(data[0][i], duet->length % 1000, MPI_UINT64_T, duet->to, duet->tag + i,
                  duet->comm);
    }
    if (sends(duet) && duet->role != BOTH) {
        MPI_Buffer_detach(&buffer, &bytes);
        check(buffer == attached && bytes == ATTACHED, "buffer", bytes);
        memset(attached, 0, sizeof attached);
        MPI_Buffer_attach(attached, ATTACHED);
    }
    for (int i = 0; i < SET && receives(duet); i++) {
        MPI_Recv(data[1][i], LONGEST, MPI_UINT64_T, duet->from, duet->tag + i, duet->comm,
                 MPI_STATUS_IGNORE);
        take_in(i, duet->length % 1000);
    }
}

/* ---- What all do ---- */

/* Persistent requests in a ring; some are not started, one is none. */
static void started(const struct duet *duet)
{
    MPI_Request request[2 * SET + 1];
    int count = 1 + duet->length % SET;

    for (int i = 0; i < SET; i++)
        ready_data[0][i] = mix(state + (uint64_t)i);
    MPI_Startall(count, ready[1]);
    MPI_Startall(count, ready[0]);
    for (int i = 0; i < SET; i++) {
        request[2 * i] = ready[0][i];
        request[2 * i + 1] = ready[1][i];
    }
    request[2 * SET] = MPI_REQUEST_NULL;
    finish(2 * SET + 1, request, draw_own(FINISH_WAYS));
    for (int i = 0; i < count; i++)
        fold(ready_data[1][i]);
}

static void ready_make(void)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;

    for (int i = 0; i < SET; i++) {
        MPI_Recv_init(&ready_data[1][i], 1, MPI_UINT64_T, before, i, comms[1], &ready[1][i]);
        if (i % 3 == 1)
            MPI_Bsend_init(&ready_data[0][i], 1, MPI_UINT64_T, next, i, comms[1], &ready[0][i]);
        else if (i % 3 == 2)
            MPI_Ssend_init(&ready_data[0][i], 1, MPI_UINT64_T, next, i, comms[1], &ready[0][i]);
        else
            MPI_Send_init(&ready_data[0][i], 1, MPI_UINT64_T, next, i, comms[1], &ready[0][i]);
    }
}

static void ready_free(void)
{
    for (int end = 0; end < 2; end++)
        for (int i = 0; i < SET; i++)
            MPI_Request_free(&ready[end][i]);
}

static void renewed(void)
{
    ready_free();
    ready_make();
}

static enum role role_of(const struct duet *duet)
{
    if (rank == duet->from)
        return rank == duet->to ? BOTH : SENDER;
    return rank == duet->to ? RECEIVER : NONE;
}

static void operation(long number)
{
    struct duet duet = {.from = draw(size), .to = draw(size), .several = draw(4)};
    int kind = draw(12);

    duet.tag = (int)(number * SET % 30000) + SET;
    duet.length = draw(6) ? draw(100) : draw(LONGEST);
    duet.comm = comms[draw(3)];
    duet.role = role_of(&duet);
    switch (kind) {
    case 0:
    case 1:
        cancelled_late(&duet);
        break;
    case 2:
    case 3:
        tested(&duet);
        break;
    case 4:
        of_any_tag(&duet);
        break;
    case 5:
        picked(&duet);
        break;
    case 6:
        probed(&duet);
        break;
    case 7:
        exchanged(&duet);
        break;
    case 8:
        truncated(&duet);
        break;
    case 9:
        buffered(&duet);
        break;
    case 10:
        started(&duet);
        break;
    default:
        renewed();
    }
}

int main(int argc, char **argv)
{
    void *buffer;
    int bytes;

    program_start(&argc, &argv);
    seed = mix((uint64_t)argument(argc, argv, 2, 1));
    state = mix(seed ^ (uint64_t)rank);
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comms[2]);
    for (int i = 0; i < 3; i++)
        MPI_Comm_set_errhandler(comms[i], MPI_ERRORS_RETURN);
    MPI_Buffer_attach(attached, ATTACHED);
    ready_make();
    for (long number = 1; number <= argument(argc, argv, 1, 400); number++) {
        step(number);
        operation(number);
    }
    ready_free();
    MPI_Buffer_detach(&buffer, &bytes);
    MPI_Comm_free(&comms[1]);
    MPI_Comm_free(&comms[2]);
    return program_end("duets", state);
}
