/* generalized: requests that the program itself ends, alone and among others in each kind of wait and
 * test, cancelled, and given up; error classes that are made and deleted; an operation for large
 * counts.
 *
 * arguments: [steps 200]
 *
 * ranks: 2
 * test: 40
 * soak: 300
 * pace: 5000
 * kill: 1@hook:20
 * kill: 0@MPI_Grequest_complete:90
 * kill: 1@MPI_Grequest_start:60:exit 0@MPIX_Delete_error_class:40
 */
#include "program.h"

struct work {
    int tag, cancelled, released;
    MPI_Request request;
};

static int released; /* requests that were freed */

static int query(void *state, MPI_Status *status)
{
    struct work *work = state;

    MPI_Status_set_elements(status, MPI_INT, work->tag);
    MPI_Status_set_cancelled(status, work->cancelled);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = work->tag;
    return MPI_SUCCESS;
}

static int release(void *state)
{
    ((struct work *)state)->released = 1;
    released++;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    struct work *work = state;

    if (!complete) {
        work->cancelled = 1;
        MPI_Grequest_complete(work->request);
    }
    return MPI_SUCCESS;
}

static void begin(struct work *work, int tag)
{
    *work = (struct work){.tag = tag};
    MPI_Grequest_start(query, release, cancel, work, &work->request);
}

static void look(const MPI_Status *status, int tag, long number)
{
    int count;

    MPI_Get_count(status, MPI_INT, &count);
    check(count == tag && status->MPI_TAG == tag, "status", number);
}

/* One alone, which a test does not find complete. */
static void alone(long number)
{
    struct work work;
    MPI_Status status;
    int flag;

    begin(&work, 7);
    MPI_Test(&work.request, &flag, &status);
    check(!flag, "test", number);
    MPI_Grequest_complete(work.request);
    MPI_Request_get_status(work.request, &flag, &status);
    check(flag && !work.released, "get_status", number);
    look(&status, 7, number);
    MPI_Wait(&work.request, &status);
    look(&status, 7, number);
    check(work.released && work.request == MPI_REQUEST_NULL, "wait", number);
}

/* Two beside a message, which waits over a checkpoint. */
static uint64_t among(uint64_t value, long number)
{
    struct work first, second;
    MPI_Request requests[3];
    MPI_Status statuses[3];
    uint64_t got = 0;
    int index;

    begin(&first, 3);
    begin(&second, 5);
    requests[0] = first.request;
    requests[2] = second.request;
    MPI_Irecv(&got, 1, MPI_UINT64_T, 1 - rank, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Grequest_complete(second.request);
    step(number);
    MPI_Waitany(3, requests, &index, &statuses[0]);
    check(index == 2, "waitany", number);
    look(&statuses[0], 5, number);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&value, 1, MPI_UINT64_T, 1 - rank, 1, MPI_COMM_WORLD);
    MPI_Grequest_complete(first.request);
    MPI_Waitall(3, requests, statuses);
    look(&statuses[0], 3, number);
    return mix(value ^ got);
}

static void given_up(long number)
{
    struct work work;
    MPI_Status status;
    MPI_Request request;
    int flag;

    begin(&work, 2);
    MPI_Cancel(&work.request);
    MPI_Wait(&work.request, &status);
    MPI_Test_cancelled(&status, &flag);
    check(flag, "cancelled", number);
    begin(&work, 4);
    request = work.request;
    MPI_Request_free(&work.request);
    MPI_Grequest_complete(request);
    check(work.released, "free", number);
}

/* Numbers of classes are given again. */
static uint64_t errors(void)
{
    int class, code, again;

    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "one of the program's");
    MPIX_Delete_error_string(code);
    MPIX_Delete_error_code(code);
    MPIX_Delete_error_class(class);
    MPI_Add_error_class(&again);
    MPIX_Delete_error_class(again);
    return mix((uint64_t)class ^ ((uint64_t)again << 32));
}

static void fold(void *in, void *inout, MPI_Count *count, MPI_Datatype *type)
{
    uint64_t *to = inout, *from = in;

    check(*type == MPI_UINT64_T, "type", *count);
    for (MPI_Count i = 0; i < *count; i++)
        to[i] = mix(to[i] + 1) ^ mix(from[i] + 1);
}

int main(int argc, char **argv)
{
    uint64_t value = 1, all[2];
    MPI_Op op;

    program_start(&argc, &argv);
    MPI_Op_create_c(fold, 1, &op);
    for (long number = 1; number <= argument(argc, argv, 1, 200); number++) {
        alone(number);
        value = among(value, number);
        given_up(number);
        value = mix(value ^ errors());
        MPI_Allreduce((uint64_t[]){value, mix(value)}, all, 2, MPI_UINT64_T, op, MPI_COMM_WORLD);
        value = mix(value ^ all[0] ^ all[1] ^ (uint64_t)released);
    }
    MPI_Op_free(&op);
    return program_end("generalized", value);
}
