/* Scenarios of drain_test about the messages themselves: their order, sizes, types, and matches. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "request/drain_test.h"

void stream_keeps_order(void)
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

void out_of_tag_order(void)
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

void messages_to_oneself(void)
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

void zero_bytes(void)
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

void probed_not_received(void)
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

void matched_big_message(void)
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

void derived_types(void)
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

void receive_pending_with_type(void)
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

void intercommunicator(void)
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

/* A rank that has received everything goes on with the making of communicators, because others
 * may need that to receive. */
void message_on_unborn_communicator(void)
{
    if (rank == 0) {
        send_int(5, 1, 1, other);
        gate_await();
    } else if (rank == 1) {
        stub_comm_unborn(other);
        interrupt();
        gate_await();
        CHECK(recv_int(0, 1, other, MPI_STATUS_IGNORE) == 5);
    }
}

/* Another rank of the own cluster. */
static int neighbour(void)
{
    return ft_self->spbc ? 2 : 1;
}

static int has_ended(MPI_Request *request)
{
    int flag = 0;

    for (int i = 0; i < 100 && !flag; i++)
        MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    return flag;
}

/* A message that a drain takes into the receiver's image has not met a receive. */
void synchronous_sends_meet(void)
{
    MPI_Request request[2];
    int value[] = {1, 2};

    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Issend(&value[i], 1, MPI_INT, neighbour(), 9, MPI_COMM_WORLD, &request[i]);
        interrupt();
        CHECK(!has_ended(&request[0]) && !has_ended(&request[1]));
        send_int(3, neighbour(), 10, MPI_COMM_WORLD);
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
        interrupt();
        CHECK(!has_ended(&request[1]));
        send_int(4, neighbour(), 10, MPI_COMM_WORLD);
        MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    } else if (rank == neighbour()) {
        gate_await();
        CHECK(recv_int(0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == 3);
        CHECK(recv_int(0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == 1);
        CHECK(recv_int(0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == 4);
        CHECK(recv_int(0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == 2);
    }
}

/* The same of one that waits; when it goes on, the receiver has said that it will receive. */
void blocked_synchronous_send(void)
{
    int value = 5, flag;

    if (rank == 0) {
        MPI_Ssend(&value, 1, MPI_INT, neighbour(), 9, MPI_COMM_WORLD);
        MPI_Iprobe(neighbour(), 11, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        CHECK(flag);
        recv_int(neighbour(), 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == neighbour()) {
        interrupt();
        usleep(20000);
        send_int(0, 0, 11, MPI_COMM_WORLD);
        CHECK(recv_int(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == 5);
    }
}

/* Behind others of its kind it is known, when it is the last message of all. In front of others it
 * is not, and ends. */
void synchronous_among_others(void)
{
    MPI_Request request[4];
    int value[] = {1, 2, 3, 4};

    if (rank == 0) {
        MPI_Isend(&value[0], 1, MPI_INT, neighbour(), 9, MPI_COMM_WORLD, &request[0]);
        MPI_Issend(&value[1], 1, MPI_INT, neighbour(), 9, MPI_COMM_WORLD, &request[1]);
        interrupt();
        CHECK(!has_ended(&request[1]));
        MPI_Issend(&value[2], 1, MPI_INT, neighbour(), 9, MPI_COMM_WORLD, &request[2]);
        MPI_Isend(&value[3], 1, MPI_INT, neighbour(), 9, MPI_COMM_WORLD, &request[3]);
        interrupt();
        CHECK(!has_ended(&request[1]) && has_ended(&request[2]));
        send_int(5, neighbour(), 10, MPI_COMM_WORLD);
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    } else if (rank == neighbour()) {
        gate_await();
        CHECK(recv_int(0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == 5);
        for (int i = 1; i <= 4; i++)
            CHECK(recv_int(0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == i);
    }
}

/* One that has met a posted receive, as nobody has asked yet, ends; what lies in the store is a
 * later one. */
void synchronous_met_unasked(void)
{
    MPI_Request request[2];
    int value[] = {1, 2};

    if (rank == 0) {
        recv_int(neighbour(), 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Issend(&value[0], 1, MPI_INT, neighbour(), 9, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(&value[1], 1, MPI_INT, neighbour(), 9, MPI_COMM_WORLD, &request[1]);
        interrupt();
        CHECK(has_ended(&request[0]));
        MPI_Wait(&request[1], MPI_STATUS_IGNORE);
        send_int(3, neighbour(), 10, MPI_COMM_WORLD);
    } else if (rank == neighbour()) {
        MPI_Irecv(&value[0], 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &request[0]);
        send_int(0, 0, 11, MPI_COMM_WORLD);
        gate_await();
        CHECK(recv_int(0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == 3);
        CHECK(recv_int(0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == 2);
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
        CHECK(value[0] == 1);
    }
}
