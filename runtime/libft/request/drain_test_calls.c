/* Scenarios of drain_test about single calls: blocked in, with nobody at the other end, in error.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "request/drain_test.h"

/* Each blocking call with nobody at the other end. */
static void nobody_calls(void)
{
    MPI_Status status;
    MPI_Message message;
    int value = 3;

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
}

void nobody_and_nothing(void)
{
    MPI_Request request[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status, statuses[3];
    MPI_Message message = MPI_MESSAGE_NO_PROC;
    int value = 3, some = 3, flag, index;

    nobody_calls();
    MPI_Irecv(&value, 1, MPI_INT, rank, 1, MPI_COMM_WORLD,
              &request[0]); /* its entry is used again */
    MPI_Send(&some, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&request[0], &status);
    MPI_Imrecv(&value, 1, MPI_INT, &message, &request[0]);
    MPI_Wait(&request[0], &status);
    MPI_Get_count(&status, MPI_INT, &some);
    CHECK(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL && some == 0);
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

static void receives_interrupt(void)
{
    for (int tag = 1; tag <= 6; tag++) {
        interrupt();
        send_int(tag, 0, tag, MPI_COMM_WORLD);
    }
    for (int tag = 7; tag <= 9; tag++) {
        send_int(tag, 0, 10 * tag, MPI_COMM_WORLD);
        interrupt();
        send_int(tag, 0, tag, MPI_COMM_WORLD);
    }
}

static void receives_block(void)
{
    MPI_Message message;
    MPI_Request request[3];
    MPI_Status status, statuses[3];
    int value[3] = {0, 0, 0}, index, some, indices[3];

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

/* Rank 0 blocks in each call in turn; rank 1 interrupts it there, then lets it go. */
void blocked_receives(void)
{
    if (rank == 1)
        receives_interrupt();
    else if (rank == 0)
        receives_block();
}

void blocked_sends(void)
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
void halves_of_sendrecv(void)
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

static void long_messages_send(void)
{
    int value[4] = {1, 2, 3, 4};

    MPI_Send(value, 4, MPI_INT, 1, 1, MPI_COMM_WORLD);
    MPI_Send(value, 4, MPI_INT, 1, 2, MPI_COMM_WORLD);
    interrupt();
    recv_int(1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int tag = 3; tag <= 6; tag++)
        MPI_Send(value, 4, MPI_INT, 1, tag, MPI_COMM_WORLD);
    MPI_Send(big, BIG, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
    stub_checkpoint();
}

static void long_messages_receive(void)
{
    MPI_Request request[2];
    MPI_Status status, statuses[2];
    int value[4] = {1, 2, 3, 4}, one = 0, flag;

    MPI_Irecv(&one, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request[0]);
    gate_await();
    CHECK(class_of(MPI_Request_get_status(request[0], &flag, &status)) == MPI_ERR_TRUNCATE);
    CHECK(flag && status.MPI_SOURCE == 0);
    CHECK(class_of(MPI_Wait(&request[0], &status)) == MPI_ERR_TRUNCATE);
    CHECK(class_of(MPI_Recv(&one, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &status)) == MPI_ERR_TRUNCATE);
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

/* The size in the handle of a basic datatype is the library's. */
void basic_sizes(void)
{
    static const MPI_Datatype types[] = {MPI_CHAR,
                                         MPI_BYTE,
                                         MPI_WCHAR,
                                         MPI_SHORT,
                                         MPI_INT,
                                         MPI_LONG,
                                         MPI_FLOAT,
                                         MPI_DOUBLE,
                                         MPI_LONG_DOUBLE,
                                         MPI_PACKED,
                                         MPI_2INT,
                                         MPI_INT8_T,
                                         MPI_UINT64_T,
                                         MPI_C_BOOL,
                                         MPI_C_COMPLEX,
                                         MPI_C_DOUBLE_COMPLEX,
                                         MPI_AINT,
                                         MPI_COUNT,
                                         MPI_INTEGER,
                                         MPI_2DOUBLE_PRECISION,
                                         MPI_C_LONG_DOUBLE_COMPLEX};

    needs_no_gate();
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        int bytes = -1;

        PMPI_Type_size(types[i], &bytes);
        CHECK(ft_library_type_is_basic(types[i]));
        CHECK((int)ft_library_type_basic_size(types[i]) == bytes);
    }
}

void truncation(void)
{
    stub_comm_errors_return(1);
    if (rank == 0)
        long_messages_send();
    else if (rank == 1)
        long_messages_receive();
    stub_comm_errors_return(0);
}

void bad_arguments(void)
{
    MPI_Request request = MPI_REQUEST_NULL, stale;
    MPI_Status status;
    int value = 0, flag, buffer[100];

    needs_no_gate();
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

void buffered_sends(void)
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
