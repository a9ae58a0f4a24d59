/* Scenarios of drain_test about what matters between clusters: messages that are resent as
 * bytes, receives by wildcard whose messages are lost under way, and transfers from a dead rank. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "request/drain_test.h"

enum { CELLS = 3000, CELL_BYTES = 12 };
enum { TORN = 400000 }; /* bytes that travel in one transfer */

struct cell { /* MPI_DOUBLE_INT: 12 bytes of data, 4 of gap */
    double value;
    int place;
};

static int tearing;     /* transfers from other ranks are torn until the next gate */
static int unreachable; /* sends fail */
static int slow;        /* the drain needs a second for each message */

static struct cell *cells_make(int seed)
{
    struct cell *cells = calloc(CELLS, sizeof *cells);

    for (int i = 0; i < CELLS; i++)
        cells[i] = (struct cell){i + 0.5 * seed, i ^ seed};
    return cells;
}

static int cells_are(const struct cell *cells, int seed, int count)
{
    for (int i = 0; i < count; i++)
        if (cells[i].value < i + 0.5 * seed || cells[i].value > i + 0.5 * seed ||
            cells[i].place != (i ^ seed))
            return 0;
    return 1;
}

static void gaps_send(void)
{
    struct cell *cells[6];
    MPI_Request request[6];

    for (int tag = 0; tag < 6; tag++) {
        cells[tag] = cells_make(tag);
        MPI_Isend(cells[tag], CELLS, MPI_DOUBLE_INT, 1, tag, MPI_COMM_WORLD, &request[tag]);
    }
    interrupt();
    MPI_Waitall(6, request, MPI_STATUSES_IGNORE);
    for (int tag = 0; tag < 6; tag++)
        free(cells[tag]);
}

static void gaps_await(struct cell *cells, MPI_Request *request, int seed)
{
    MPI_Status status;

    MPI_Wait(request, &status);
    CHECK(cells_are(cells, seed, CELLS) && status.MPI_SOURCE == 0 && status.MPI_TAG == seed);
    CHECK(count_of(&status, MPI_DOUBLE_INT) == CELLS);
    memset(cells, 0, CELLS * sizeof *cells);
}

static void gaps_receive(void)
{
    struct cell *cells = calloc(CELLS, sizeof *cells), *more = calloc(CELLS, sizeof *more);
    MPI_Request request, again;
    MPI_Message message;
    int flag;

    MPI_Irecv(cells, CELLS, MPI_DOUBLE_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
    MPI_Recv_init(more, CELLS, MPI_DOUBLE_INT, 0, 1, MPI_COMM_WORLD, &again);
    MPI_Start(&again);
    gate_await();
    gaps_await(cells, &request, 0);
    gaps_await(more, &again, 1);
    MPI_Request_free(&again);
    MPI_Recv(cells, CELLS, MPI_DOUBLE_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(cells_are(cells, 2, CELLS));
    MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, cells, CELLS, MPI_DOUBLE_INT, 0, 3,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(cells_are(cells, 3, CELLS));
    MPI_Mprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(cells, CELLS, MPI_DOUBLE_INT, &message, &request);
    gaps_await(cells, &request, 4);
    MPI_Irecv(cells, CELLS, MPI_DOUBLE_INT, 0, 1000, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(cells, CELLS, MPI_DOUBLE_INT, 0, 5, MPI_COMM_WORLD, &request);
    for (flag = 0; !flag;)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    CHECK(cells_are(cells, 5, CELLS));
    free(cells);
    free(more);
}

void gaps_sent_again(void)
{
    if (rank == 0)
        gaps_send();
    else if (rank == 1)
        gaps_receive();
}

static void cut_send(void)
{
    char *bytes = calloc(CELLS, CELL_BYTES);
    struct cell *cells = cells_make(7);
    MPI_Count used = 0, room = (MPI_Count)CELLS * CELL_BYTES;
    MPI_Request request[3];

    PMPI_Pack_c(cells, CELLS, MPI_DOUBLE_INT, bytes, room, &used, MPI_COMM_SELF);
    for (int tag = 1; tag <= 3; tag++)
        MPI_Isend(bytes, 1000 * CELL_BYTES + (tag == 1 ? 8 : 0), MPI_BYTE, 1, tag, MPI_COMM_WORLD,
                  &request[tag - 1]);
    interrupt();
    MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    free(bytes);
    free(cells);
}

static void cut_receive(void)
{
    struct cell *cells = calloc(CELLS, sizeof *cells);
    MPI_Status status;
    int elements = 0;

    gate_await();
    MPI_Recv(cells, CELLS, MPI_DOUBLE_INT, 0, 1, MPI_COMM_WORLD, &status);
    CHECK(cells_are(cells, 7, 1000) && cells[1000].value > 0 && cells[1000].place == 0);
    PMPI_Get_elements(&status, MPI_DOUBLE_INT, &elements);
    CHECK(elements == 2001 && count_of(&status, MPI_DOUBLE_INT) == MPI_UNDEFINED);
    stub_comm_errors_return(1);
    for (int tag = 2; tag <= 3; tag++)
        CHECK(class_of(MPI_Recv(cells, 999, MPI_DOUBLE_INT, tag == 2 ? 0 : MPI_ANY_SOURCE, tag,
                                MPI_COMM_WORLD, &status)) == MPI_ERR_TRUNCATE);
    CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == 3);
    stub_comm_errors_return(0);
    free(cells);
}

/* Messages that end inside of an element, or do not fit. */
void gaps_cut_short(void)
{
    if (rank == 0)
        cut_send();
    else if (rank == 1)
        cut_receive();
}

/* 8 MB, then 4 bytes of the same stream. */
static void long_and_short_send(void)
{
    MPI_Request request[2];
    int small = 17;

    big_fill(5);
    MPI_Isend(big, BIG, MPI_CHAR, 1, 4, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(&small, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &request[1]);
    interrupt();
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

/* The second receive has its message long before the first; it ends behind it nevertheless. */
void wildcards_end_in_order(void)
{
    MPI_Request request[2];
    int small = 0, flag, index;

    if (rank == 0)
        long_and_short_send();
    if (rank != 1)
        return;
    memset(big, 0, BIG);
    MPI_Irecv(big, BIG, MPI_CHAR, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&small, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request[1]);
    MPI_Waitany(1, &request[1], &index, MPI_STATUS_IGNORE);
    MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE);
    CHECK(small == 17 && index == 0 && (flag || !ft_self->spbc));
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    CHECK(big_is(5));
}

/* The same, where a probe finds the second message. */
void probes_wait_for_wildcards(void)
{
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;
    int small = 0, flag, done;

    if (rank == 0)
        long_and_short_send();
    if (rank != 1)
        return;
    memset(big, 0, BIG);
    MPI_Irecv(big, BIG, MPI_CHAR, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    for (flag = 0; !flag;)
        MPI_Iprobe(0, 4, MPI_COMM_WORLD, &flag, &status);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    CHECK(count_of(&status, MPI_INT) == 1 && (done || !ft_self->spbc));
    MPI_Mprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&small, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(small == 17 && big_is(5));
}

/* As start/peer.c answers where the other process is gone; the library believes it. */
FT_EXPORT ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long locals,
                                   const struct iovec *remote, unsigned long remotes,
                                   unsigned long flags)
{
    ssize_t bytes = 0;

    if (!tearing || stub_gates > 0 || pid == getpid())
        return syscall(SYS_process_vm_readv, pid, local, locals, remote, remotes, flags);
    ft_life.torn = 1;
    for (unsigned long i = 0; i < remotes; i++)
        bytes += (ssize_t)remote[i].iov_len;
    return bytes;
}

/* Is it the beginning of what big_fill(6) writes? */
static int is_whole(const char *data)
{
    big_fill(6);
    return memcmp(data, big, TORN) == 0;
}

static void torn_receive(void (*until_gate)(void))
{
    char *data = calloc(1, TORN);
    MPI_Request request;

    tearing = ft_self->spbc != NULL;
    MPI_Irecv(data, TORN, MPI_CHAR, 0, 6, MPI_COMM_WORLD, &request);
    if (until_gate)
        until_gate();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tearing = 0;
    CHECK(is_whole(data));
    free(data);
}

/* The order to the gate comes when the other rank's library has its message for long. */
static void torn_send(void)
{
    MPI_Request request;

    big_fill(6);
    MPI_Isend(big, TORN, MPI_CHAR, 1, 6, MPI_COMM_WORLD, &request);
    usleep(100000);
    stub_checkpoint();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A receive that the library completes with what it never got is not complete: seen by its wait. */
void torn_in_a_wait(void)
{
    if (rank == 0)
        torn_send();
    else if (rank == 1)
        torn_receive(NULL);
}

/* The drain has something to do, and so looks at all that is active. */
static void gate_await_busy(void)
{
    MPI_Request request;
    int value = 1;

    MPI_Isend(&value, 1, MPI_INT, rank, 7, MPI_COMM_WORLD, &request);
    gate_await();
    CHECK(recv_int(rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == 1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The same, seen by the drain. */
void torn_in_a_drain(void)
{
    if (rank == 0)
        torn_send();
    else if (rank == 1)
        torn_receive(gate_await_busy);
}

/* A cancelled receive has met no message, whatever stands in the library's status: a message of
 * rank 0, which the same request had before. */
void cancelled_beside_a_death(void)
{
    MPI_Request request;
    MPI_Status status;
    int value, flag;

    if (rank == 0)
        send_int(1, 1, 8, MPI_COMM_WORLD);
    if (rank != 1)
        return;
    CHECK(recv_int(0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == 1);
    MPI_Irecv(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    ft_life.torn = ft_self->spbc != NULL;
    stub_checkpoint();
    gate_await();
    ft_life.torn = 0;
    CHECK(ft_request_find(ft_self, request)->state == FT_REQUEST_COMPLETE);
    MPI_Wait(&request, &status);
    PMPI_Test_cancelled(&status, &flag);
    CHECK(flag);
}

enum { OWN = 3, PENDING = OWN + 1 }; /* messages of the own cluster, receives */

static void own_send(void)
{
    recv_int(1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < OWN - 1; i++)
        send_int(100 + i, 1, 6, MPI_COMM_WORLD);
    gate_await();
    send_int(100 + OWN - 1, 1, 6, MPI_COMM_WORLD);
}

static void own_receive(void)
{
    MPI_Request request[PENDING];
    MPI_Status status[PENDING];
    char *data[PENDING];
    int seen = 0, value;

    tearing = 1;
    for (int i = 0; i < PENDING; i++) {
        data[i] = calloc(1, TORN);
        MPI_Irecv(data[i], TORN, MPI_CHAR, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &request[i]);
    }
    while (!ft_life.torn)
        ft_progress(ft_self);
    send_int(0, 3, 9, MPI_COMM_WORLD);
    gate_await();
    MPI_Waitall(PENDING, request, status);
    tearing = 0;
    for (int i = 0; i < PENDING; i++) {
        memcpy(&value, data[i], sizeof value);
        CHECK(status[i].MPI_SOURCE == 3 ? value == 100 + seen++ : is_whole(data[i]));
        free(data[i]);
    }
    CHECK(seen == OWN);
}

/* The first receive has met the torn message, the next ones messages of the own cluster, which goes
 * on sending before the torn one comes again. */
void own_messages_keep_order(void)
{
    if (!ft_self->spbc || size < 4) {
        needs_no_gate();
        return;
    }
    if (rank == 0) {
        torn_send();
        usleep(20000);
    } else if (rank == 1) {
        own_receive();
    } else if (rank == 3) {
        own_send();
    }
}

/* As the library answers where it cannot open the memory of a process that is gone. */
int PMPI_Isend(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    static int (*isend)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

    if (unreachable)
        return MPI_ERR_OTHER;
    if (!isend)
        *(void **)&isend = dlsym(RTLD_NEXT, "PMPI_Isend");
    return isend(buffer, count, type, dest, tag, comm, request);
}

/* The first message to a dead rank fails; it is in the log, and comes in the next epoch. */
void dead_at_first_contact(void)
{
    MPI_Request request;
    int value = 1;

    if (!ft_self->spbc || size < 3) {
        needs_no_gate();
        return;
    }
    if (rank == 0) {
        unreachable = 1;
        MPI_Isend(&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &request);
        unreachable = 0;
        send_int(2, 1, 8, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        CHECK(recv_int(0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == 1);
        CHECK(recv_int(0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == 2);
    } else if (rank == 2) {
        interrupt();
    }
}

int PMPI_Issend(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                MPI_Request *request)
{
    static int (*issend)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

    if (unreachable)
        return MPI_ERR_OTHER;
    if (!issend)
        *(void **)&issend = dlsym(RTLD_NEXT, "PMPI_Issend");
    return issend(buffer, count, type, dest, tag, comm, request);
}

/* The receiver takes the first one when it has heard that it has not ended. */
static void synchronous_send(int fails)
{
    MPI_Request request[2];
    int value[] = {1, 2}, flag = 0;

    unreachable = fails;
    MPI_Issend(&value[0], 1, MPI_INT, 1, 9, MPI_COMM_WORLD, &request[0]);
    unreachable = 0;
    gate_await();
    MPI_Issend(&value[1], 1, MPI_INT, 1, 9, MPI_COMM_WORLD, &request[1]);
    for (int i = 0; i < 100 && !flag; i++)
        MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    MPI_Testall(2, request, &flag, MPI_STATUSES_IGNORE);
    CHECK(!flag);
    MPI_Request_free(&request[1]);
    send_int(3, 1, 10, MPI_COMM_WORLD);
    MPI_Waitany(1, request, &flag, MPI_STATUS_IGNORE);
    CHECK(flag == 0);
    CHECK(ft_self->requests->kept == 0);
    value[0] = 4;
    MPI_Ssend(&value[0], 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
}

static void synchronous(int fails)
{
    if (!ft_self->spbc || size < 3) {
        needs_no_gate();
        return;
    }
    if (rank == 0)
        synchronous_send(fails);
    else if (rank == 2)
        interrupt();
    else if (rank == 1) {
        gate_await();
        CHECK(recv_int(0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == 3);
        for (int i = 0; i < 3; i++)
            CHECK(recv_int(0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == (i < 2 ? i + 1 : 4));
    }
}

/* A synchronous send that is pending at the gate ends in the next epoch, when it is met. */
void synchronous_sends_land(void)
{
    synchronous(0);
}

/* The same of one that failed, because its receiver was dead. */
void synchronous_at_first_contact(void)
{
    synchronous(1);
}

int PMPI_Mrecv_c(void *buffer, MPI_Count count, MPI_Datatype type, MPI_Message *message,
                 MPI_Status *status)
{
    static int (*mrecv)(void *, MPI_Count, MPI_Datatype, MPI_Message *, MPI_Status *);

    if (slow)
        sleep(1);
    if (!mrecv)
        *(void **)&mrecv = dlsym(RTLD_NEXT, "PMPI_Mrecv_c");
    return mrecv(buffer, count, type, message, status);
}

enum { MUCH = 7 };

/* A rank has nothing to drain, and waits for another one. It cannot know that something moves
 * there, so it must not give up, although somebody has died. */
void much_to_drain(void)
{
    needs_no_gate();
    if (rank == 1)
        for (int i = 0; i <= MUCH; i++)
            send_int(i, 0, i < MUCH ? 6 : 7, MPI_COMM_WORLD);
    if (rank == 0)
        CHECK(recv_int(1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MUCH);
    slow = rank == 0;
    CHECK(ft_drain(ft_self, 1) == 0);
    slow = 0;
    for (int i = 0; i < MUCH && rank == 0; i++)
        CHECK(recv_int(1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == i);
}
