/* Orders of a fault plan, carried out in a child. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "fault/fault.h"
#include "image/layout.h"

enum { SEND = 30, RECV = 31, BARRIER = 32, TO_THE_END = 7, AT_A_HOOK = 1000, AT_A_POINT = 2000 };

struct ft_life ft_life;
struct ft_rank *ft_self;
__thread int ft_depth;
__thread unsigned ft_site;

static int outside;                  /* calls */
static struct ft_recorder *recorder; /* shared, as with ftrun */
static struct ft_rank rank;

void ft_outside(struct ft_rank *self)
{
    assert_ptr_equal(self, &rank);
    outside++;
}

void ft_gate_enter(struct ft_rank *self, enum ft_waiting waiting)
{
    (void)self;
    (void)waiting;
}

_Noreturn void ft_panic(const char *format, ...)
{
    (void)format;
    abort();
}

void ft_await_answer(void)
{
}

int ft_wire_send(int socket, uint32_t type, const void *payload, size_t length, const void *tail,
                 size_t tail_length, int fd)
{
    const struct ft_wire_fired *fired = payload;

    (void)socket;
    (void)tail;
    (void)tail_length;
    (void)fd;
    assert_int_equal(type, FT_WIRE_FIRED);
    assert_int_equal(length, sizeof(*fired));
    assert_true(recorder->fault_done[fired->index] > 0);
    recorder->logged++;
    return 0;
}

static void begin_life(void)
{
    rank = (struct ft_rank){.recorder = recorder, .mpi_state = 1};
    ft_self = &rank;
    ft_fault_start();
    ft_fault_arm(&rank);
}

static int setup(void **state)
{
    (void)state;
    recorder = mmap((void *)FT_RECORDER_AT, FT_RECORDER_BYTES, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    memset(&ft_life, 0, sizeof ft_life);
    memset(ft_fault_armed, 0, sizeof ft_fault_armed);
    return recorder == MAP_FAILED;
}

static int teardown(void **state)
{
    (void)state;
    return munmap(recorder, FT_RECORDER_BYTES);
}

static struct ft_wire_fault *order(uint32_t point, uint32_t call, uint64_t number)
{
    struct ft_wire_fault *fault = &ft_life.boot.fault[ft_life.boot.faults++];

    *fault = (struct ft_wire_fault){.point = point,
                                    .kind = FT_FAULT_EXIT_NOW,
                                    .value = 1,
                                    .number = number,
                                    .times = 1,
                                    .call = call};
    return fault;
}

/* A call whose wait loop turns once. */
static void call(uint32_t number)
{
    recorder->polls = 0;
    ft_enter(&rank, number, NULL);
    recorder->polls = 1;
    ft_wait_point(&rank, FT_WAITING_NOT);
    recorder->polls = 2;
    ft_leave(&rank, 0);
    recorder->polls = 3;
}

static void at(uint64_t where)
{
    recorder->hooks = where;
}

/* A life: Send, Recv, hook, points, three times, and a Barrier. Returns the call in which it died,
 * TO_THE_END: none. */
static uint64_t live(void)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        begin_life();
        for (int i = 0; i < 3; i++) {
            at(0);
            call(SEND);
            call(RECV);
            at(AT_A_HOOK);
            rank.hooks++;
            if (rank.hooks >= rank.fault_hook)
                ft_fault_hook(&rank);
            at(AT_A_POINT);
            ft_fault_at("ONE", i, 5, 6);
            ft_fault_at("TWO", i, 5, 6);
            ft_fault_point(FT_POINT_CHECKPOINT_BEGIN, 10 + i);
        }
        at(0);
        call(BARRIER);
        _exit(TO_THE_END);
    }
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == TO_THE_END)
        return TO_THE_END;
    assert_int_equal(WEXITSTATUS(status), 1);
    return recorder->hooks ? recorder->hooks : recorder->call;
}

static uint64_t count_of(uint32_t call)
{
    for (int i = 0; i < FT_RECORDER_KINDS; i++) {
        if (recorder->kinds[i].call == call)
            return recorder->kinds[i].count;
    }
    return 0;
}

static void test_numbers(void **state)
{
    (void)state;
    order(FT_POINT_CALL, 0, 4);
    order(FT_POINT_HOOK, 0, 3);
    assert_int_equal(live(), RECV);
    assert_int_equal(recorder->fault_done[0], 1);
    assert_int_equal(recorder->fault_done[1], 0);
    assert_int_equal(live(), AT_A_HOOK);
    assert_int_equal(live(), TO_THE_END);
    assert_int_equal(recorder->logged, 2); /* both were told */
    assert_int_equal(count_of(SEND), 0);   /* nobody wants to know */
}

/* Kinds of calls are counted in all lives: the third Send is the first of the second life. */
static void test_kinds_of_calls(void **state)
{
    (void)state;
    order(FT_POINT_MPI, SEND, 2);
    order(FT_POINT_MPI, SEND, 3);
    order(FT_POINT_MPI, BARRIER, 1);
    assert_int_equal(live(), SEND);
    assert_int_equal(live(), SEND);
    assert_int_equal(live(), BARRIER);
    assert_int_equal(live(), TO_THE_END);
}

static void test_moments(void **state)
{
    (void)state;
    order(FT_POINT_MPI, RECV, 1)->moment = FT_MOMENT_INSIDE;
    order(FT_POINT_MPI, RECV, 2)->moment = FT_MOMENT_AFTER;
    order(FT_POINT_MPI, 0, 6)->moment = FT_MOMENT_BEFORE;
    assert_int_equal(live(), RECV);
    assert_int_equal(recorder->polls, 1);
    assert_int_equal(live(), RECV);
    assert_int_equal(recorder->polls, 2);
    live();
    assert_int_equal(recorder->fault_done[2], 1);
    assert_int_equal(recorder->polls, 0);
    assert_int_equal(live(), TO_THE_END);
}

static void test_points_of_the_program(void **state)
{
    struct ft_wire_fault *fault;

    (void)state;
    fault = order(FT_POINT_PROGRAM, 0, 1);
    strcpy(fault->name, "TWO");
    fault->compared = 3;
    fault->argument[0] = 2;
    fault->argument[1] = 5;
    fault = order(FT_POINT_PROGRAM, 0, 1);
    strcpy(fault->name, "THREE");
    assert_int_equal(live(), AT_A_POINT);
    assert_int_equal(recorder->calls, 6);
    assert_int_equal(live(), TO_THE_END);
}

static void test_points_of_the_runtime(void **state)
{
    struct ft_wire_fault *fault;

    (void)state;
    fault = order(FT_POINT_CHECKPOINT_BEGIN, 0, 1);
    fault->compared = 1;
    fault->argument[0] = 11;
    fault->times = 2;
    assert_int_equal(live(), AT_A_POINT);
    assert_int_equal(recorder->calls, 4);
    assert_int_equal(live(), AT_A_POINT);
    assert_int_equal(live(), TO_THE_END);
}

static void test_what_the_caller_carries_out(void **state)
{
    (void)state;
    order(FT_POINT_CHECKPOINT_WRITE, 0, 1)->kind = FT_FAULT_FULL;
    begin_life();
    assert_int_equal(ft_fault_point(FT_POINT_CHECKPOINT_WRITE, 0), FT_FAULT_FULL);
    assert_int_equal(ft_fault_point(FT_POINT_CHECKPOINT_WRITE, 1), 0);
    assert_int_equal(ft_fault_point(FT_POINT_CHECKPOINT_SYNC, 0), 0);
}

static int status_of(enum ft_fault_kind kind, int value, uint64_t delay, uint64_t instruction)
{
    struct ft_wire_fault *fault = order(FT_POINT_CHECKPOINT_BEGIN, 0, 1);
    int status;

    fault->kind = kind;
    fault->value = value;
    fault->delay = delay;
    fault->instruction = instruction;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* cmocka has handlers */
        signal(SIGABRT, SIG_DFL);
        begin_life();
        ft_fault_point(FT_POINT_CHECKPOINT_BEGIN, 0);
        for (volatile int i = 0; i < 2000000000; i++)
            ;
        _exit(TO_THE_END);
    }
    waitpid(child, &status, WUNTRACED);
    if (WIFSTOPPED(status)) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    ft_life.boot.faults = 0;
    memset(recorder, 0, sizeof *recorder);
    return status;
}

static void test_kinds_of_faults(void **state)
{
    (void)state;
    assert_int_equal(WTERMSIG(status_of(FT_FAULT_KILL, SIGTERM, 0, 0)), SIGTERM);
    signal(SIGTERM, SIG_IGN);
    assert_int_equal(WTERMSIG(status_of(FT_FAULT_KILL, SIGTERM, 0, 0)), SIGTERM);
    signal(SIGTERM, SIG_DFL);
    assert_int_equal(WEXITSTATUS(status_of(FT_FAULT_EXIT, 9, 0, 0)), 9);
    assert_int_equal(WTERMSIG(status_of(FT_FAULT_SEGV, 0, 0, 0)), SIGSEGV);
    assert_int_equal(WTERMSIG(status_of(FT_FAULT_ABORT, 0, 0, 0)), SIGABRT);
    assert_int_equal(WSTOPSIG(status_of(FT_FAULT_HANG, 0, 0, 0)), SIGSTOP);
    assert_int_equal(WTERMSIG(status_of(FT_FAULT_KILL, SIGKILL, 50000, 0)), SIGKILL);
    assert_int_equal(WTERMSIG(status_of(FT_FAULT_KILL, SIGKILL, 0, 100000)), SIGKILL);
}

static void test_slow(void **state)
{
    struct ft_wire_fault *fault = order(FT_POINT_EPOCH_START, 0, 1);
    struct timespec before, after;

    (void)state;
    fault->kind = FT_FAULT_SLOW;
    fault->seconds = 0.05;
    begin_life();
    clock_gettime(CLOCK_MONOTONIC, &before);
    ft_fault_point(FT_POINT_EPOCH_START, 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true((double)(after.tv_sec - before.tv_sec) +
                    (double)(after.tv_nsec - before.tv_nsec) / 1e9 >
                0.049);
}

static void test_flip(void **state)
{
    static uint8_t byte = 4;
    struct ft_wire_fault *fault = order(FT_POINT_PROGRAM, 0, 1);

    (void)state;
    strcpy(fault->name, "ONE");
    fault->kind = FT_FAULT_FLIP;
    fault->address = (uint64_t)(uintptr_t)&byte;
    fault->bit = 2;
    begin_life();
    ft_fault_at("ONE", 0, 0, 0);
    assert_int_equal(byte, 0);
}

static void test_counts(void **state)
{
    (void)state;
    ft_life.boot.call_events = 1;
    assert_int_equal(live(), TO_THE_END);
    assert_int_equal(count_of(SEND), 3);
    assert_int_equal(count_of(RECV), 3);
    assert_int_equal(count_of(BARRIER), 1);
}

/* Each call that is not between MPI_Init and MPI_Finalize is looked at, and none of the others. */
static void test_outside(void **state)
{
    (void)state;
    rank = (struct ft_rank){.recorder = recorder};
    for (rank.mpi_state = 0; rank.mpi_state <= 2; rank.mpi_state++) {
        outside = 0;
        ft_fault_arm(&rank);
        call(SEND);
        call(RECV);
        assert_int_equal(outside, rank.mpi_state == 1 ? 0 : 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_numbers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_kinds_of_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_moments, setup, teardown),
        cmocka_unit_test_setup_teardown(test_points_of_the_program, setup, teardown),
        cmocka_unit_test_setup_teardown(test_points_of_the_runtime, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_the_caller_carries_out, setup, teardown),
        cmocka_unit_test_setup_teardown(test_kinds_of_faults, setup, teardown),
        cmocka_unit_test_setup_teardown(test_slow, setup, teardown),
        cmocka_unit_test_setup_teardown(test_flip, setup, teardown),
        cmocka_unit_test_setup_teardown(test_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_outside, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
