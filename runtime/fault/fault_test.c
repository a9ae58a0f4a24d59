/* Kill orders, carried out in a child. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "fault/fault.h"

enum { SEND = 30, RECV = 31, BARRIER = 32 };

struct ft_life ft_life;
static int outside;                  /* calls */
static struct ft_recorder *recorder; /* shared, as with ftrun */
static struct ft_rank rank;

void ft_outside(struct ft_rank *self)
{
    assert_ptr_equal(self, &rank);
    outside++;
}

static void begin_life(void)
{
    rank = (struct ft_rank){.recorder = recorder, .mpi_state = 1};
    ft_fault_arm(&rank);
}

static int setup(void **state)
{
    (void)state;
    recorder =
        mmap(NULL, FT_RECORDER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(&ft_life, 0, sizeof ft_life);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return munmap(recorder, FT_RECORDER_BYTES);
}

static void order(uint32_t event, uint32_t call, uint64_t number)
{
    ft_life.boot.kill[ft_life.boot.kills++] =
        (struct ft_wire_kill){.event = event, .signal = 0, .number = number, .call = call};
}

static void enter(uint32_t call)
{
    recorder->call = call;
    rank.calls++;
    if (rank.calls >= rank.kill_call)
        ft_fault_call(&rank);
}

/* A life: Send, Recv, hook, three times, and a Barrier. Returns the call in which it died, 0: none;
 * hooks count as call 1000. */
static uint64_t live(void)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        begin_life();
        for (int i = 0; i < 3; i++) {
            enter(SEND);
            enter(RECV);
            rank.hooks++;
            if (rank.hooks >= rank.kill_hook) {
                recorder->polls = 1000;
                ft_fault_hook(&rank);
                recorder->polls = 0;
            }
        }
        enter(BARRIER);
        _exit(7);
    }
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 7)
        return 0;
    assert_int_equal(WEXITSTATUS(status), 1);
    return recorder->polls ? recorder->polls : recorder->call;
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
    order(FT_KILL_CALL, 0, 4);
    order(FT_KILL_HOOK, 0, 3);
    assert_int_equal(live(), RECV);
    assert_int_equal(recorder->kills_fired, 1);
    assert_int_equal(live(), 1000);
    recorder->polls = 0;
    assert_int_equal(live(), 0);
    assert_int_equal(count_of(SEND), 0); /* nobody wants to know */
}

/* Kinds are counted in all lives: the third Send is the first of the second life. */
static void test_kinds(void **state)
{
    (void)state;
    order(FT_KILL_KIND, SEND, 2);
    order(FT_KILL_KIND, SEND, 3);
    order(FT_KILL_KIND, BARRIER, 1);
    assert_int_equal(live(), SEND);
    assert_int_equal(count_of(RECV), 1);
    assert_int_equal(live(), SEND);
    assert_int_equal(count_of(SEND), 3);
    assert_int_equal(live(), BARRIER);
    assert_int_equal(live(), 0);
    assert_int_equal(recorder->kills_fired, 7);
}

static void test_counts(void **state)
{
    (void)state;
    ft_life.boot.call_events = 1;
    assert_int_equal(live(), 0);
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
        enter(SEND);
        enter(RECV);
        assert_int_equal(outside, rank.mpi_state == 1 ? 0 : 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_numbers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_kinds, setup, teardown),
        cmocka_unit_test_setup_teardown(test_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_outside, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
