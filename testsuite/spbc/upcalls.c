/* upcalls: functions of the program that are called inside of MPI calls. Attributes are copied and
 * deleted by functions that communicate, at last in MPI_Finalize; one error handler communicates,
 * too, and another one never returns. An operation asks for the size of its datatype and for the
 * time, inside of polls whose outcomes are given again.
 *
 * arguments: [steps 12]
 *
 * ranks: 4
 * test: 12
 * pace: 12000
 */
#include <setjmp.h>
#include "program.h"

static uint64_t history;
static jmp_buf back;
static long steps;

/* Around all ranks; whoever waits here waits for each of the others. */
static void ring(void)
{
    uint64_t token = mix(history + (uint64_t)rank), got;
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request request;

    MPI_Isend(&token, 1, MPI_UINT64_T, right, 1, MPI_COMM_WORLD, &request);
    MPI_Recv(&got, 1, MPI_UINT64_T, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    history = mix(history + got);
}

static int copy_attribute(MPI_Comm comm, int key, void *extra, void *value, void *copy, int *keep)
{
    uint64_t sum;

    (void)comm, (void)key, (void)extra;
    MPI_Allreduce(&history, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    history = mix(sum + (uint64_t)rank);
    *(void **)copy = (char *)value + 1;
    *keep = 1;
    return MPI_SUCCESS;
}

static int delete_attribute(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    history = mix(history + (uint64_t)(uintptr_t)value);
    ring();
    return MPI_SUCCESS;
}

static int delete_last(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    ring();
    step(steps + 1);
    pause_us(20000);
    ring();
    if (rank == 0)
        printf("at last: %016llx\n", (unsigned long long)history);
    return MPI_SUCCESS;
}

static void answer(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    ring();
}

static void jump(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    longjmp(back, 1);
}

static void make_error(MPI_Comm_errhandler_function *function)
{
    MPI_Errhandler handler;

    MPI_Comm_create_errhandler(function, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    if (!setjmp(back))
        MPI_Send(NULL, 0, MPI_INT, size, 1, MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void combine(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const uint64_t *from = in;
    uint64_t *to = inout;
    int bytes;

    MPI_Type_size(*type, &bytes);
    check(MPI_Wtime() > 0, "time in an operation", *count);
    for (int i = 0; i < *count * bytes / (int)sizeof *to; i++)
        to[i] = mix(from[i]) + to[i];
}

/* A poll waits for a while, so that the operation works inside of one. */
static void reduce(MPI_Op op, MPI_Datatype pair)
{
    uint64_t given[2] = {history, (uint64_t)rank}, got[2] = {0};
    MPI_Request request;
    int done = 0;

    MPI_Iallreduce(given, got, 1, pair, op, MPI_COMM_WORLD, &request);
    while (!done) {
        pause_us(200);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    history = mix(history + got[0] + got[1]);
}

int main(int argc, char **argv)
{
    MPI_Comm comm, other;
    MPI_Datatype pair;
    MPI_Op op;
    int key, last;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 12);
    MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_last, &last, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, last, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    make_error(jump);
    MPI_Op_create(combine, 0, &op);
    MPI_Type_contiguous(2, MPI_UINT64_T, &pair);
    MPI_Type_commit(&pair);
    for (long number = 1; number <= steps; number++) {
        step(number);
        MPI_Comm_set_attr(comm, key, (void *)(uintptr_t)number);
        MPI_Comm_dup(comm, &other);
        MPI_Comm_free(&other);
        make_error(answer);
        make_error(jump);
        MPI_Comm_set_attr(comm, key, (void *)(uintptr_t)(2 * number));
        for (int i = 0; i < 8; i++)
            reduce(op, pair);
    }
    MPI_Op_free(&op);
    MPI_Type_free(&pair);
    MPI_Comm_delete_attr(comm, key);
    return program_end("upcalls", history);
}
