/* Point-to-point under fire: every scenario is gated at the worst moment (gate_stub.h makes a new
 * epoch of it), and must end as if nothing had happened. Run with 2 or more ranks under mpiexec;
 * ranks from 2 on only meet the others at the end of each scenario. Arguments: names of scenarios.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "request/gate_stub.h"

/* gcc takes MPI_STATUSES_IGNORE, the address 1, for an object without room. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

#define BIG (8 << 20)
#define CHECK(condition) check(condition, #condition, __LINE__)

static int rank, size;
static MPI_Comm other;   /* a duplicate of the world */
static MPI_Comm meeting; /* another one, for meet() */
static MPI_Comm halves;  /* an intercommunicator */
static MPI_Datatype odd; /* every second int of 8, resized */
static char *big;        /* BIG bytes */
static const char *scenario_name;

static void check(int condition, const char *text, int line)
{
    if (condition)
        return;
    fprintf(stderr, "rank %d: %s: line %d: not true: %s\n", rank, scenario_name, line, text);
    abort();
}

static void meet(void)
{
    int in, out = 0;

    for (int step = 1; step < size; step *= 2)
        MPI_Sendrecv(&out, 1, MPI_INT, (rank + step) % size, 78, &in, 1, MPI_INT,
                     (rank + size - step) % size, 78, meeting, MPI_STATUS_IGNORE);
}

/* Gives the other ranks time to block, then orders all to the gate. */
static void interrupt(void)
{
    usleep(10000);
    stub_checkpoint();
}

/* Waits, outside the library, until another rank's interrupt has been served. */
static void gate_await(void)
{
    while (stub_gates == 0) {
        ft_progress(ft_self);
        sched_yield();
        ft_wait_point(ft_self);
    }
}

static int count_of(const MPI_Status *status, MPI_Datatype type)
{
    int count;

    PMPI_Get_count(status, type, &count);
    return count;
}

static void send_int(int value, int to, int tag, MPI_Comm comm)
{
    MPI_Send(&value, 1, MPI_INT, to, tag, comm);
}

static int recv_int(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    int value = -1;

    MPI_Recv(&value, 1, MPI_INT, from, tag, comm, status);
    return value;
}

static void big_fill(int seed)
{
    for (int i = 0; i < BIG; i++)
        big[i] = (char)(i * 7 + seed + i / 1000);
}

static int big_is(int seed)
{
    for (int i = 0; i < BIG; i++)
        if (big[i] != (char)(i * 7 + seed + i / 1000))
            return 0;
    return 1;
}

static void stream_keeps_order(void)
{
    MPI_Request requests[2];
    MPI_Status status;
    int small = 5;

    if (rank == 0) {
        big_fill(1);
        MPI_Isend(big, BIG, MPI_CHAR, 1, 4, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&small, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &requests[1]);
        interrupt();
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    } else if (rank == 1) {
        CHECK(recv_int(0, 5, other, MPI_STATUS_IGNORE) == 17);
        MPI_Recv(big, BIG, MPI_CHAR, 0, 4, MPI_COMM_WORLD, &status);
        CHECK(big_is(1) && count_of(&status, MPI_CHAR) == BIG && status.MPI_TAG == 4);
        CHECK(recv_int(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status) == 5);
    }
    if (rank == 0)
        send_int(17, 1, 5, other);
}

static void out_of_tag_order(void)
{
    MPI_Status status;

    if (rank == 0) {
        for (int tag = 1; tag <= 6; tag++)
            send_int(100 + tag, 1, tag, tag == 6 ? other : MPI_COMM_WORLD);
        interrupt();
        send_int(7, 1, 3, MPI_COMM_WORLD);
    } else if (rank == 1) {
        usleep(5000);
        CHECK(recv_int(0, 6, other, MPI_STATUS_IGNORE) == 106);
        usleep(20000);
        CHECK(recv_int(0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == 105);
        CHECK(recv_int(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status) == 103);
        CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == 3 && count_of(&status, MPI_INT) == 1);
        CHECK(recv_int(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status) == 101 && status.MPI_TAG == 1);
        CHECK(recv_int(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status) == 102);
        CHECK(recv_int(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status) == 104);
        CHECK(recv_int(0, 3, MPI_COMM_WORLD, &status) == 7);
    }
}

static void messages_to_oneself(void)
{
    MPI_Request requests[3];
    MPI_Status status;
    char *in = malloc(BIG);
    int small = rank, one = -1;

    big_fill(rank);
    MPI_Isend(big, BIG, MPI_CHAR, rank, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&small, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &requests[1]);
    MPI_Isend(&small, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &requests[2]);
    if (rank == 0)
        interrupt();
    MPI_Recv(&one, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_SELF, &status);
    CHECK(one == rank && status.MPI_SOURCE == 0);
    MPI_Recv(in, BIG, MPI_CHAR, rank, 1, MPI_COMM_WORLD, &status);
    CHECK(memcmp(in, big, BIG) == 0 && status.MPI_SOURCE == rank);
    CHECK(recv_int(rank, 3, MPI_COMM_WORLD, &status) == rank);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    free(in);
}

static void zero_bytes(void)
{
    MPI_Status status;

    if (rank == 0) {
        MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Send(NULL, 0, odd, 1, 2, MPI_COMM_WORLD);
        interrupt();
        MPI_Ssend(NULL, 0, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
    } else if (rank == 1) {
        gate_await();
        MPI_Recv(NULL, 0, odd, 0, 2, MPI_COMM_WORLD, &status);
        CHECK(count_of(&status, MPI_DOUBLE) == 0 && status.MPI_TAG == 2);
        MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(NULL, 0, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void persistent_requests(void)
{
    static int value[2]; /* a freed receive may still write into it later */
    MPI_Request requests[2];
    MPI_Status status;
    int flag = 0;

    if (rank == 0) {
        MPI_Send_init(&value[0], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Ssend_init(&value[1], 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &requests[1]);
    } else if (rank == 1) {
        MPI_Recv_init(&value[0], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Recv_init(&value[1], 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
    }
    if (rank > 1)
        return;
    MPI_Test(&requests[0], &flag, &status);
    CHECK(flag && status.MPI_SOURCE == MPI_ANY_SOURCE && count_of(&status, MPI_INT) == 0);
    for (int i = 1; i <= 20; i++) {
        value[0] = rank ? 0 : i;
        value[1] = rank ? 0 : -i;
        if (rank == i % 2)
            usleep(1000);
        MPI_Startall(2, requests);
        if (rank == 0 && i % 3 == 0)
            stub_checkpoint();
        MPI_Wait(&requests[0], &status);
        CHECK(requests[0] != MPI_REQUEST_NULL);
        CHECK(value[0] == i && (rank == 0 || (status.MPI_SOURCE == 0 && status.MPI_TAG == 1)));
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        CHECK(value[1] == -i);
    }
    MPI_Request_free(&requests[0]);
    CHECK(requests[0] == MPI_REQUEST_NULL);
    MPI_Start(&requests[1]);
    MPI_Request_free(&requests[1]);
}

static void pending_isends(void)
{
    MPI_Request request[4];
    char *block[4];

    for (int i = 0; i < 4 && rank < 2; i++) {
        block[i] = malloc(BIG);
        memset(block[i], rank == 0 ? i + 1 : 0, BIG);
        if (rank == 0)
            MPI_Isend(block[i], BIG, MPI_CHAR, 1, i, MPI_COMM_WORLD, &request[i]);
    }
    if (rank == 0) {
        interrupt();
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
        memset(block[0], 9, BIG);
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    } else if (rank == 1) {
        MPI_Irecv(block[1], BIG, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &request[1]);
        gate_await();
        for (int i = 0; i < 4; i++)
            if (i != 1)
                MPI_Recv(block[i], BIG, MPI_CHAR, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 4 && rank < 2; i++) {
        CHECK(rank == 0 || (block[i][0] == i + 1 && block[i][BIG - 1] == i + 1));
        free(block[i]);
    }
}

static void probed_not_received(void)
{
    MPI_Message message[2];
    MPI_Status status;
    int flag, values[3] = {1, 2, 3};

    if (rank == 0) {
        MPI_Send(values, 3, MPI_INT, 1, 5, MPI_COMM_WORLD);
        MPI_Send(values, 2, MPI_INT, 1, 6, MPI_COMM_WORLD);
        MPI_Send(values, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        recv_int(1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        CHECK(status.MPI_TAG == 5 && count_of(&status, MPI_INT) == 3);
        MPI_Mprobe(0, 6, MPI_COMM_WORLD, &message[0], &status);
        CHECK(count_of(&status, MPI_INT) == 2);
        interrupt();
        MPI_Iprobe(0, 7, MPI_COMM_WORLD, &flag, &status);
        CHECK(flag && count_of(&status, MPI_INT) == 1);
        MPI_Iprobe(0, 6, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        CHECK(!flag);
        MPI_Improbe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, &message[1], MPI_STATUS_IGNORE);
        CHECK(flag);
        stub_checkpoint();
        MPI_Recv(values, 3, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(values[0] == 1 && values[2] == 3);
        MPI_Mrecv(values, 3, MPI_INT, &message[0], &status);
        CHECK(message[0] == MPI_MESSAGE_NULL && status.MPI_TAG == 6 && values[1] == 2);
        CHECK(count_of(&status, MPI_INT) == 2);
        MPI_Request request;
        MPI_Imrecv(values, 3, MPI_INT, &message[1], &request);
        MPI_Wait(&request, &status);
        CHECK(status.MPI_TAG == 7 && count_of(&status, MPI_INT) == 1 && values[0] == 1);
        send_int(0, 0, 1, MPI_COMM_WORLD);
    }
}

static void matched_big_message(void)
{
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;

    if (rank == 0) {
        big_fill(3);
        MPI_Isend(big, BIG, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &request);
        interrupt();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Mprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &message, &status);
        gate_await();
        MPI_Imrecv(big, BIG, MPI_CHAR, &message, &request);
        MPI_Wait(&request, &status);
        CHECK(big_is(3) && count_of(&status, MPI_CHAR) == BIG && status.MPI_SOURCE == 0);
    }
}

static void cancelled_requests(void)
{
    MPI_Request request[3];
    MPI_Status status;
    int value[3] = {0, 0, 0}, flag;

    if (rank == 1) {
        for (int i = 0; i < 3; i++)
            MPI_Irecv(&value[i], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request[i]);
        MPI_Cancel(&request[0]);
        interrupt();
        MPI_Wait(&request[0], &status);
        PMPI_Test_cancelled(&status, &flag);
        CHECK(flag && request[0] == MPI_REQUEST_NULL);
        MPI_Cancel(&request[1]);
        MPI_Wait(&request[1], &status);
        PMPI_Test_cancelled(&status, &flag);
        CHECK(flag);
        send_int(1, 0, 2, MPI_COMM_WORLD);
        MPI_Wait(&request[2], &status);
        PMPI_Test_cancelled(&status, &flag);
        CHECK(!flag && value[2] == 42);
    } else if (rank == 0) {
        recv_int(1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        value[0] = 42;
        MPI_Isend(&value[0], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request[0]);
        MPI_Cancel(&request[0]);
        MPI_Wait(&request[0], &status);
        PMPI_Test_cancelled(&status, &flag);
        CHECK(!flag);
    }
}

static void derived_types(void)
{
    int value[24], i;
    MPI_Request request;
    MPI_Status status;

    for (i = 0; i < 24; i++)
        value[i] = rank == 0 ? i : -1;
    if (rank == 0) {
        MPI_Send(value, 3, odd, 1, 1, MPI_COMM_WORLD);
        MPI_Send(value, 12, MPI_INT, 1, 2, MPI_COMM_WORLD);
        MPI_Isend(value, 2, odd, 1, 3, MPI_COMM_WORLD, &request);
        interrupt();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        send_int(0, 1, 9, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Irecv(value, 3, odd, 0, 1, MPI_COMM_WORLD, &request);
        recv_int(0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, &status);
        for (i = 0; i < 24; i++)
            CHECK(value[i] == (i % 2 ? -1 : i));
        MPI_Recv(value, 3, odd, 0, 2, MPI_COMM_WORLD, &status);
        CHECK(count_of(&status, MPI_INT) == 12 && value[22] == 11 && value[23] == -1);
        MPI_Recv(value, 8, MPI_INT, 0, 3, MPI_COMM_WORLD, &status);
        CHECK(count_of(&status, MPI_INT) == 8 && value[7] == 14);
    }
}

static void receive_pending_with_type(void)
{
    int value[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    MPI_Request request;

    if (rank == 1) {
        MPI_Irecv(value, 1, odd, 0, 1, other, &request);
        interrupt();
        send_int(0, 0, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(value[0] == 5 && value[1] == -1 && value[6] == 8);
    } else if (rank == 0) {
        int data[4] = {5, 6, 7, 8};

        recv_int(1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(data, 4, MPI_INT, 1, 1, other);
    }
}

static void nobody_and_nothing(void)
{
    MPI_Request request[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status, statuses[3];
    MPI_Message message;
    int value = 3, flag, index;

    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
    CHECK(value == 3 && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, &value, 1, MPI_INT, MPI_PROC_NULL, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_PROC_NULL, 1, MPI_COMM_WORLD,
                         &status);
    CHECK(value == 3 && status.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Probe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, &status);
    CHECK(message == MPI_MESSAGE_NO_PROC);
    MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
    CHECK(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL);
    message = MPI_MESSAGE_NO_PROC;
    MPI_Imrecv(&value, 1, MPI_INT, &message, &request[0]);
    MPI_Wait(&request[0], &status);
    CHECK(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request[2]);
    if (rank == 0)
        interrupt();
    MPI_Waitall(3, request, statuses);
    CHECK(statuses[2].MPI_SOURCE == MPI_PROC_NULL && statuses[2].MPI_TAG == MPI_ANY_TAG &&
          statuses[1].MPI_SOURCE == MPI_ANY_SOURCE);
    MPI_Waitany(3, request, &index, &status);
    CHECK(index == MPI_UNDEFINED && status.MPI_TAG == MPI_ANY_TAG);
    MPI_Waitsome(3, request, &flag, &index, MPI_STATUSES_IGNORE);
    CHECK(flag == MPI_UNDEFINED);
    MPI_Testsome(3, request, &flag, &index, statuses);
    CHECK(flag == MPI_UNDEFINED);
    MPI_Testany(3, request, &index, &flag, MPI_STATUS_IGNORE);
    CHECK(flag && index == MPI_UNDEFINED);
    MPI_Testall(3, request, &flag, MPI_STATUSES_IGNORE);
    CHECK(flag);
    MPI_Test(&request[0], &flag, &status);
    CHECK(flag && status.MPI_SOURCE == MPI_ANY_SOURCE);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
}

/* Rank 0 blocks in each call in turn; rank 1 interrupts it there, then lets it go. */
static void blocked_receives(void)
{
    MPI_Message message;
    MPI_Request request[3];
    MPI_Status status, statuses[3];
    int value[3] = {0, 0, 0}, index, some, indices[3];

    if (rank == 1) {
        for (int tag = 1; tag <= 6; tag++) {
            interrupt();
            send_int(tag, 0, tag, MPI_COMM_WORLD);
        }
        for (int tag = 7; tag <= 9; tag++) {
            send_int(tag, 0, 10 * tag, MPI_COMM_WORLD);
            interrupt();
            send_int(tag, 0, tag, MPI_COMM_WORLD);
        }
    } else if (rank == 0) {
        CHECK(recv_int(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status) == 1 && status.MPI_SOURCE == 1);
        MPI_Probe(1, 2, MPI_COMM_WORLD, &status);
        CHECK(recv_int(1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == 2);
        MPI_Mprobe(1, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        CHECK(value[0] == 3);
        MPI_Irecv(value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &request[0]);
        MPI_Wait(&request[0], &status);
        CHECK(value[0] == 4 && status.MPI_TAG == 4);
        request[1] = MPI_REQUEST_NULL;
        MPI_Irecv(&value[0], 1, MPI_INT, 1, 1000, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(&value[2], 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request[2]);
        MPI_Waitany(3, request, &index, &status);
        CHECK(index == 2 && value[2] == 5 && request[2] == MPI_REQUEST_NULL);
        MPI_Irecv(&value[2], 1, MPI_INT, 1, 6, MPI_COMM_WORLD, &request[2]);
        MPI_Waitsome(3, request, &some, indices, statuses);
        CHECK(some == 1 && indices[0] == 2 && value[2] == 6 && statuses[0].MPI_TAG == 6);
        for (int tag = 7; tag <= 9; tag++) {
            MPI_Irecv(&value[1], 1, MPI_INT, 1, tag, MPI_COMM_WORLD, &request[1]);
            MPI_Irecv(&value[2], 1, MPI_INT, 1, 10 * tag, MPI_COMM_WORLD, &request[2]);
            MPI_Waitall(2, &request[1], statuses);
            CHECK(value[1] == tag && value[2] == tag && statuses[1].MPI_TAG == 10 * tag);
        }
        MPI_Cancel(&request[0]);
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    }
}

static void blocked_sends(void)
{
    int value = 1, tag = 1;
    char *in;

    if (rank == 0) {
        big_fill(9);
        MPI_Send(big, BIG, MPI_CHAR, 1, tag++, MPI_COMM_WORLD);
        MPI_Ssend(&value, 1, MPI_INT, 1, tag++, MPI_COMM_WORLD);
        MPI_Rsend(big, BIG, MPI_CHAR, 1, tag++, MPI_COMM_WORLD);
    } else if (rank == 1) {
        in = malloc(BIG);
        interrupt();
        MPI_Recv(big, BIG, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(big_is(9));
        interrupt();
        CHECK(recv_int(0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == 1);
        interrupt();
        MPI_Recv(in, BIG, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(memcmp(in, big, BIG) == 0);
        free(in);
    }
}

/* The receive half is complete, the send half is not, and the other way round. */
static void halves_of_sendrecv(void)
{
    char *in = calloc(1, BIG);
    MPI_Status status;
    int value = 0;

    big_fill(4);
    if (rank == 0) {
        MPI_Sendrecv(big, BIG, MPI_CHAR, 1, 1, &value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &status);
        CHECK(value == 22 && status.MPI_TAG == 2);
        value = 5;
        MPI_Sendrecv(&value, 1, MPI_INT, 1, 3, in, BIG, MPI_CHAR, 1, 4, MPI_COMM_WORLD, &status);
        CHECK(memcmp(in, big, BIG) == 0 && count_of(&status, MPI_CHAR) == BIG);
        MPI_Sendrecv_replace(big, BIG, MPI_CHAR, 1, 5, 1, 6, MPI_COMM_WORLD, &status);
        CHECK(big[7] == 6 && count_of(&status, MPI_CHAR) == 100);
    } else if (rank == 1) {
        send_int(22, 0, 2, MPI_COMM_WORLD);
        interrupt();
        MPI_Recv(in, BIG, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(memcmp(in, big, BIG) == 0);
        CHECK(recv_int(0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == 5);
        interrupt();
        MPI_Send(big, BIG, MPI_CHAR, 0, 4, MPI_COMM_WORLD);
        memset(in, 6, 100);
        MPI_Send(in, 100, MPI_CHAR, 0, 6, MPI_COMM_WORLD);
        interrupt();
        MPI_Recv(in, BIG, MPI_CHAR, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(memcmp(in, big, BIG) == 0);
    }
    free(in);
}

static void isendrecv_requests(void)
{
    MPI_Request request[2];
    MPI_Status status;
    int in = 0, out = rank + 10, both = rank + 20, flag, peer = 1 - rank;

    if (rank > 1)
        return;
    if (rank == 1)
        interrupt();
    MPI_Isendrecv(&out, 1, MPI_INT, peer, 1, &in, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Isendrecv_replace(&both, 1, MPI_INT, peer, 2, peer, 2, MPI_COMM_WORLD, &request[1]);
    if (rank == 0)
        stub_checkpoint();
    for (flag = 0; !flag;)
        MPI_Test(&request[0], &flag, &status);
    CHECK(in == peer + 10 && status.MPI_TAG == 1);
    MPI_Waitall(1, &request[1], MPI_STATUSES_IGNORE);
    CHECK(both == peer + 20);
}

/* Rank 1's requests complete in the drain; each completion call must see them afterwards. */
static void completed_by_drain(void)
{
    MPI_Request request[8];
    MPI_Status status, statuses[8];
    int value[8], flag, index, some, indices[8], left = 8;

    if (rank == 0) {
        for (int tag = 0; tag < 8; tag++)
            send_int(100 + tag, 1, tag, MPI_COMM_WORLD);
        interrupt();
        recv_int(1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        for (int tag = 0; tag < 8; tag++)
            MPI_Irecv(&value[tag], 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &request[tag]);
        gate_await();
        MPI_Request_get_status(request[0], &flag, &status);
        CHECK(flag && request[0] != MPI_REQUEST_NULL && status.MPI_TAG == 0);
        MPI_Waitany(8, request, &index, &status);
        CHECK(index == 0 && status.MPI_SOURCE == 0 && value[0] == 100);
        MPI_Testany(8, request, &index, &flag, &status);
        CHECK(flag && index == 1 && request[1] == MPI_REQUEST_NULL);
        MPI_Wait(&request[7], &status);
        CHECK(status.MPI_TAG == 7 && value[7] == 107);
        MPI_Test(&request[6], &flag, MPI_STATUS_IGNORE);
        CHECK(flag);
        MPI_Waitall(1, &request[2], statuses);
        MPI_Testall(1, &request[3], &flag, statuses);
        CHECK(flag && statuses[0].MPI_TAG == 3);
        MPI_Testsome(5, request, &some, indices, statuses);
        CHECK(some == 1 && indices[0] == 4);
        for (left = 1; left > 0; left -= some)
            MPI_Waitsome(8, request, &some, indices, statuses);
        CHECK(indices[0] == 5 && value[5] == 105 && statuses[0].MPI_TAG == 5);
        send_int(0, 0, 1, MPI_COMM_WORLD);
    }
}

static int class_of(int code)
{
    int class;

    PMPI_Error_class(code, &class);
    return class;
}

static void truncation(void)
{
    MPI_Request request[2];
    MPI_Status status, statuses[2];
    int value[4] = {1, 2, 3, 4}, one = 0;

    stub_comm_errors_return(1);
    if (rank == 0) {
        MPI_Send(value, 4, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Send(value, 4, MPI_INT, 1, 2, MPI_COMM_WORLD);
        interrupt();
        recv_int(1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int tag = 3; tag <= 6; tag++)
            MPI_Send(value, 4, MPI_INT, 1, tag, MPI_COMM_WORLD);
        MPI_Send(big, BIG, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
        stub_checkpoint();
    } else if (rank == 1) {
        MPI_Irecv(&one, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request[0]);
        gate_await();
        CHECK(class_of(MPI_Wait(&request[0], &status)) == MPI_ERR_TRUNCATE);
        CHECK(class_of(MPI_Recv(&one, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &status)) ==
              MPI_ERR_TRUNCATE);
        CHECK(status.MPI_TAG == 2 && status.MPI_SOURCE == 0);
        send_int(0, 0, 1, MPI_COMM_WORLD);
        usleep(20000);
        CHECK(class_of(MPI_Recv(&one, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status)) ==
              MPI_ERR_TRUNCATE);
        MPI_Irecv(&one, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(value, 4, MPI_INT, 0, 5, MPI_COMM_WORLD, &request[1]);
        CHECK(class_of(MPI_Waitall(2, request, statuses)) == MPI_ERR_IN_STATUS);
        CHECK(class_of(statuses[0].MPI_ERROR) == MPI_ERR_TRUNCATE);
        CHECK(statuses[1].MPI_ERROR == MPI_SUCCESS && statuses[1].MPI_TAG == 5);
        MPI_Irecv(&one, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &request[0]);
        while (request[0] != MPI_REQUEST_NULL)
            class_of(MPI_Testsome(2, request, &value[0], &value[1], statuses));
        CHECK(value[0] == 1 && class_of(statuses[0].MPI_ERROR) == MPI_ERR_TRUNCATE);
        CHECK(class_of(MPI_Recv(big, 5000, MPI_CHAR, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status)) ==
              MPI_ERR_TRUNCATE);
        CHECK(status.MPI_SOURCE == 0);
    }
    stub_comm_errors_return(0);
}

static void bad_arguments(void)
{
    MPI_Request request = MPI_REQUEST_NULL, stale;
    MPI_Status status;
    int value = 0, flag, buffer[100];

    stub_comm_errors_return(1);
    CHECK(class_of(MPI_Send(&value, 1, MPI_INT, size, 1, MPI_COMM_WORLD)) == MPI_ERR_RANK);
    CHECK(class_of(MPI_Recv(&value, 1, MPI_INT, size, 1, MPI_COMM_WORLD, &status)) == MPI_ERR_RANK);
    CHECK(class_of(MPI_Isend(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD, &request)) == MPI_ERR_TAG);
    CHECK(class_of(MPI_Irecv(&value, -1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request)) ==
          MPI_ERR_COUNT);
    CHECK(class_of(MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_NULL)) == MPI_ERR_COMM);
    CHECK(class_of(MPI_Sendrecv(&value, 1, MPI_INT, size, 1, &value, 1, MPI_INT, 0, 1,
                                MPI_COMM_WORLD, &status)) == MPI_ERR_RANK);
    CHECK(class_of(MPI_Start(&request)) == MPI_ERR_REQUEST);
    CHECK(class_of(MPI_Request_free(&request)) == MPI_ERR_REQUEST);
    CHECK(class_of(MPI_Cancel(&request)) == MPI_ERR_REQUEST);
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request);
    stale = request;
    MPI_Wait(&request, &status);
    CHECK(class_of(MPI_Wait(&stale, &status)) == MPI_ERR_REQUEST);
    CHECK(class_of(MPI_Testall(1, &stale, &flag, MPI_STATUSES_IGNORE)) == MPI_ERR_REQUEST);
    CHECK(class_of(MPI_Bsend(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD)) == MPI_ERR_BUFFER);
    MPI_Buffer_attach(buffer, sizeof buffer);
    CHECK(class_of(MPI_Buffer_attach(buffer, sizeof buffer)) == MPI_ERR_BUFFER);
    void *address;
    MPI_Buffer_detach(&address, &value);
    CHECK(address == buffer && value == sizeof buffer);
    stub_comm_errors_return(0);
}

static void buffered_sends(void)
{
    int length = 3 * (BIG + MPI_BSEND_OVERHEAD) - 1, at;
    char *buffer = malloc((size_t)length), *block = malloc(BIG);
    MPI_Request request, again;
    void *address;

    if (rank == 0) {
        big_fill(1);
        memcpy(block, big, BIG);
        MPI_Buffer_attach(buffer, length);
        MPI_Bsend(block, BIG, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Ibsend(block, BIG, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        memset(block, 0, BIG);
        MPI_Bsend_init(&length, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &again);
        MPI_Start(&again);
        MPI_Wait(&again, MPI_STATUS_IGNORE);
        stub_comm_errors_return(1);
        CHECK(class_of(MPI_Bsend(block, BIG, MPI_CHAR, 1, 1, MPI_COMM_WORLD)) == MPI_ERR_BUFFER);
        stub_comm_errors_return(0);
        interrupt();
        MPI_Start(&again);
        MPI_Buffer_detach(&address, &at);
        CHECK(address == buffer && at == length);
        MPI_Wait(&again, MPI_STATUS_IGNORE);
        MPI_Request_free(&again);
    } else if (rank == 1) {
        gate_await();
        for (int i = 0; i < 2; i++) {
            MPI_Recv(big, BIG, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(big_is(1));
        }
        CHECK(recv_int(0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == length);
        CHECK(recv_int(0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == length);
    }
    free(buffer);
    free(block);
}

static void intercommunicator(void)
{
    MPI_Status status;
    MPI_Request request;
    int value = 0;

    if (rank == 0) {
        send_int(1, 0, 1, halves);
        interrupt();
        MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, halves, &request);
        stub_checkpoint();
        MPI_Wait(&request, &status);
        CHECK(value == 2 && status.MPI_SOURCE == 0);
    } else if (rank == 1) {
        gate_await();
        CHECK(recv_int(MPI_ANY_SOURCE, 1, halves, &status) == 1 && status.MPI_SOURCE == 0);
        send_int(2, 0, 2, halves);
    }
}

static void done_count(struct ft_rank *self, void *argument)
{
    *(int *)argument += self != NULL;
}

static void collectives(void)
{
    MPI_Request real[2], request[2];
    struct ft_comm *comm = ft_comm_find(ft_self, other);
    int in = rank, out[2] = {-1, -1}, done = 0, expected = size * (size - 1) / 2;

    PMPI_Iallreduce(&in, &out[0], 1, MPI_INT, MPI_SUM, comm->real, &real[0]);
    request[0] =
        ft_request_collective(ft_self, real[0], comm, ft_image_alloc(10), done_count, &done);
    PMPI_Ibcast(&out[1], 1, MPI_INT, 0, comm->real, &real[1]);
    request[1] = ft_request_collective(ft_self, real[1], comm, NULL, NULL, NULL);
    if (rank == 0) {
        usleep(10000);
        stub_checkpoint();
    } else {
        gate_await();
    }
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    CHECK(out[0] == expected && done == 1 && (rank != 0 || out[1] == -1));
}

static void many_requests(void)
{
    enum { MANY = 5000 };
    MPI_Request *request = malloc(MANY * sizeof *request);
    int *value = calloc(MANY, sizeof *value), index, ended = 0;

    for (int i = 0; i < MANY && rank < 2; i++) {
        value[i] = rank == 0 ? i : -1;
        if (rank == 0)
            MPI_Isend(&value[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &request[i]);
        else
            MPI_Irecv(&value[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &request[i]);
        if (i % 2000 == 1000)
            stub_checkpoint();
    }
    if (rank == 0)
        MPI_Waitall(MANY, request, MPI_STATUSES_IGNORE);
    for (; rank == 1 && ended < 100; ended++) {
        MPI_Waitany(MANY, request, &index, MPI_STATUS_IGNORE);
        CHECK(value[index] == index && request[index] == MPI_REQUEST_NULL);
    }
    for (int i = MANY; rank == 1 && i-- > 0;) {
        MPI_Wait(&request[i], MPI_STATUS_IGNORE);
        CHECK(value[i] == i);
    }
    free(request);
    free(value);
}

static void freed_requests(void)
{
    static int value[300];
    MPI_Request request;

    for (int i = 0; i < 300 && rank < 2; i++) {
        value[i] = rank == 0 ? i : -1;
        if (rank == 0)
            MPI_Isend(&value[i], 1, MPI_INT, 1, i, other, &request);
        else
            MPI_Irecv(&value[i], 1, MPI_INT, 0, i, other, &request);
        MPI_Request_free(&request);
        if (i == 150 && rank == 0)
            interrupt();
    }
    if (rank == 0)
        send_int(1, 1, 1000, other);
    if (rank == 1) {
        recv_int(0, 1000, other, MPI_STATUS_IGNORE);
        for (int i = 0; i < 300; i++)
            CHECK(value[i] == i);
    }
    stub_checkpoint();
}

struct scenario {
    const char *name;
    void (*run)(void);
};

#define SCENARIO(name)                                                                             \
    {                                                                                              \
#name, name                                                                                \
    }

static const struct scenario scenarios[] = {
    SCENARIO(stream_keeps_order),
    SCENARIO(out_of_tag_order),
    SCENARIO(messages_to_oneself),
    SCENARIO(zero_bytes),
    SCENARIO(persistent_requests),
    SCENARIO(pending_isends),
    SCENARIO(probed_not_received),
    SCENARIO(matched_big_message),
    SCENARIO(cancelled_requests),
    SCENARIO(derived_types),
    SCENARIO(receive_pending_with_type),
    SCENARIO(nobody_and_nothing),
    SCENARIO(blocked_receives),
    SCENARIO(blocked_sends),
    SCENARIO(halves_of_sendrecv),
    SCENARIO(isendrecv_requests),
    SCENARIO(completed_by_drain),
    SCENARIO(truncation),
    SCENARIO(bad_arguments),
    SCENARIO(buffered_sends),
    SCENARIO(intercommunicator),
    SCENARIO(collectives),
    SCENARIO(many_requests),
    SCENARIO(freed_requests),
};

static int wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return 1;
    return argc == 1;
}

static MPI_Datatype odd_type(void)
{
    MPI_Datatype vector, resized;

    PMPI_Type_vector(4, 1, 2, MPI_INT, &vector);
    PMPI_Type_create_resized(vector, 0, 8 * sizeof(int), &resized);
    PMPI_Type_commit(&resized);
    PMPI_Type_free(&vector);
    return stub_type(resized);
}

int main(int argc, char **argv)
{
    stub_start(&argc, &argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    other = stub_comm_dup();
    meeting = stub_comm_dup();
    halves = stub_comm_halves();
    odd = odd_type();
    big = malloc(BIG);
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        scenario_name = scenarios[i].name;
        if (!wanted(scenario_name, argc, argv))
            continue;
        stub_gates = 0;
        scenarios[i].run();
        meet();
        if (rank == 0)
            printf("%s: passed, %u gates\n", scenario_name, stub_gates);
    }
    free(big);
    stub_finish();
    return 0;
}
