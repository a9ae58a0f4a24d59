/* Scenarios of drain_test about requests: kept ones, cancelled ones, very many, and collectives. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "request/drain_test.h"

void persistent_requests(void)
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

/* Receives of the usual kind that are started again and again: gates meet them pending, and what
 * was started in another epoch ends as any request. */
void started_windows(void)
{
    enum { WINDOW = 8 };
    MPI_Request request[WINDOW];
    MPI_Status status[WINDOW];
    int value[WINDOW];

    for (int i = 0; i < WINDOW && rank == 0; i++)
        MPI_Send_init(&value[i], 1, MPI_INT, 1, i % 2, MPI_COMM_WORLD, &request[i]);
    for (int i = 0; i < WINDOW && rank == 1; i++)
        MPI_Recv_init(&value[i], 1, MPI_INT, 0, i % 2, MPI_COMM_WORLD, &request[i]);
    for (int round = 1; round <= 12 && rank < 2; round++) {
        for (int i = 0; i < WINDOW; i++)
            value[i] = rank == 0 ? 100 * round + i : 0;
        if (rank == 0 && round % 3 == 0)
            interrupt();
        MPI_Startall(WINDOW, request);
        if (rank == 0 && round % 3 == 1)
            stub_checkpoint();
        if (round % 2)
            MPI_Wait(&request[0], &status[0]);
        MPI_Waitall(WINDOW - round % 2, request + round % 2, status + round % 2);
        for (int i = 0; i < WINDOW; i++)
            CHECK(request[i] != MPI_REQUEST_NULL && value[i] == 100 * round + i &&
                  (rank == 0 || (status[i].MPI_SOURCE == 0 && status[i].MPI_TAG == i % 2)));
    }
    for (int i = 0; i < WINDOW && rank < 2; i++)
        MPI_Request_free(&request[i]);
}

void pending_isends(void)
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

/* Sends that the library takes at once share one request: it ends in each call, for itself
 * alone, also behind a gate, and when another one was freed or cancelled. */
void sends_at_once(void)
{
    enum { SENDS = 12 };
    MPI_Request request[SENDS];
    MPI_Status status[SENDS];
    int value[SENDS], index[4], flag = 0, found;

    for (int i = 0; i < SENDS && rank == 0; i++) {
        value[i] = i;
        MPI_Isend(&value[i], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request[i]);
        CHECK(request[i] != MPI_REQUEST_NULL);
    }
    if (rank == 0) {
        stub_checkpoint();
        MPI_Request_free(&request[0]);
        MPI_Cancel(&request[1]);
        MPI_Wait(&request[1], &status[1]);
        PMPI_Test_cancelled(&status[1], &flag);
        CHECK(!flag && status[1].MPI_SOURCE == MPI_ANY_SOURCE);
        MPI_Request_get_status(request[2], &flag, &status[2]);
        CHECK(flag && request[2] != MPI_REQUEST_NULL);
        MPI_Test(&request[2], &flag, &status[2]);
        CHECK(flag && count_of(&status[2], MPI_INT) == 0);
        MPI_Waitany(SENDS, request, &found, MPI_STATUS_IGNORE);
        CHECK(found == 3 && request[3] == MPI_REQUEST_NULL && request[4] != MPI_REQUEST_NULL);
        MPI_Waitsome(3, &request[4], &found, index, status);
        CHECK(found == 3 && index[0] == 0 && index[2] == 2);
        MPI_Testsome(1, &request[7], &found, index, status);
        CHECK(found == 1);
        MPI_Testall(2, &request[8], &flag, status);
        CHECK(flag);
        MPI_Waitall(SENDS, request, status);
        CHECK(status[10].MPI_SOURCE == MPI_ANY_SOURCE && status[11].MPI_TAG == MPI_ANY_TAG);
        for (int i = 0; i < SENDS; i++)
            CHECK(request[i] == MPI_REQUEST_NULL);
    }
    for (int i = 0; i < SENDS && rank == 1; i++)
        CHECK(recv_int(0, 1, MPI_COMM_WORLD, &status[i]) == i);
}

void cancelled_requests(void)
{
    MPI_Request request[3];
    MPI_Status status;
    int value[3] = {0, 0, 0}, flag;

    if (rank == 1) {
        for (int i = 0; i < 3; i++)
            MPI_Irecv(&value[i], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request[i]);
        MPI_Cancel(&request[0]);
        interrupt();
        ft_wait_point(ft_self, FT_WAITING_MESSAGE);
        /* Posted again, it could meet a message that natively is another one's. */
        CHECK(ft_request_find(ft_self, request[0])->state == FT_REQUEST_COMPLETE);
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

void isendrecv_requests(void)
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
void completed_by_drain(void)
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

static void done_count(struct ft_rank *self, void *argument)
{
    *(int *)argument += self != NULL;
}

void collectives(void)
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

enum { LATE = 70, LONGER = 10 }; /* more than MPI_Waitall asks about at once */

static void backwards_send(int too_long)
{
    int value[2] = {0, 0};

    for (int i = LATE; i-- > 0;) {
        value[0] = i;
        MPI_Send(value, i == too_long ? 2 : 1, MPI_INT, 1, i, MPI_COMM_WORLD);
        if (i % 25 == 20)
            interrupt();
    }
}

/* Receives by name and by wildcard, and what is no receive or has ended already. */
static void backwards_post(MPI_Request request[], int value[])
{
    for (int i = 0; i < LATE; i++) {
        value[i] = -1;
        MPI_Irecv(&value[i], 1, MPI_INT, i % 9 == 7 ? MPI_ANY_SOURCE : 0, i, MPI_COMM_WORLD,
                  &request[i]);
    }
    request[LATE] = MPI_REQUEST_NULL;
    MPI_Isend(value, 0, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request[LATE + 1]);
}

static void backwards_receive(int too_long)
{
    MPI_Request request[LATE + 2];
    MPI_Status status[LATE + 2];
    int value[LATE];

    backwards_post(request, value);
    CHECK(class_of(MPI_Waitall(LATE + 2, request, status)) ==
          (too_long < LATE ? MPI_ERR_IN_STATUS : MPI_SUCCESS));
    for (int i = 0; i < LATE; i++) {
        CHECK(status[i].MPI_SOURCE == 0 && status[i].MPI_TAG == i);
        CHECK(value[i] == i || i == too_long);
        if (too_long < LATE)
            CHECK(class_of(status[i].MPI_ERROR) ==
                  (i == too_long ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
    }
    for (int i = 0; i < LATE + 2; i++)
        CHECK(request[i] == MPI_REQUEST_NULL);
    CHECK(status[LATE].MPI_SOURCE == MPI_ANY_SOURCE && status[LATE + 1].MPI_TAG == MPI_ANY_TAG);
}

/* The first message is asked about last, with the gate in between. */
void ends_in_another_order(void)
{
    stub_comm_errors_return(1);
    for (int too_long = LATE; too_long >= LONGER; too_long -= LATE - LONGER)
        if (rank == 0)
            backwards_send(too_long);
        else if (rank == 1)
            backwards_receive(too_long);
    stub_comm_errors_return(0);
}

void many_requests(void)
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

void freed_requests(void)
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
