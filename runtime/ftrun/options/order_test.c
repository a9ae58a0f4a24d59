/* Kill orders of the command line. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "options/order.h"
#include "calls/calls.h"
#include "points/points.h"

static const struct {
    const char *text;
    int rank;
    uint32_t point, call;
    uint64_t number;
    int signal;
} good[] = {
    {"3@hook:12", 3, FT_POINT_HOOK, FT_CALL_NONE, 12, 9},
    {"0@call:1:exit", 0, FT_POINT_CALL, FT_CALL_NONE, 1, 0},
    {"0@call:7:SIGSEGV", 0, FT_POINT_CALL, FT_CALL_NONE, 7, 11},
    {"12@MPI_Send:3", 12, FT_POINT_MPI, FT_CALL_MPI_Send, 3, 9},
    {"1@MPI_Comm_split_type:2:6", 1, FT_POINT_MPI, FT_CALL_MPI_Comm_split_type, 2, 6},
};

static const char *const bad[] = {
    "",
    "3",
    "3@hook",
    "3@hook:0",
    "3@hook:x",
    "-1@hook:3",
    "4294967298@hook:5",
    " 1@hook:5",
    "3@nook:3",
    "3@no call:3",
    "3@call:3:",
    "3@call:3:NOSIG",
    "3@call:3:9x",
    "3@call:3:99",
    "3@MPI_Send",
    "3@mpi_send:3",
    "3@MPI_Send:3 ",
};

static void test_good(void **state)
{
    struct ft_kill_order order;

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_int_equal(ft_order_read(good[i].text, &order), 0);
        assert_int_equal(order.rank, good[i].rank);
        assert_int_equal(order.fault.point, good[i].point);
        assert_int_equal(order.fault.call, good[i].call);
        assert_int_equal(order.fault.number, good[i].number);
        assert_int_equal(order.fault.kind, good[i].signal ? FT_FAULT_KILL : FT_FAULT_EXIT_NOW);
        assert_int_equal(order.fault.value, good[i].signal ? good[i].signal : 1);
        assert_string_equal(order.text, good[i].text);
    }
}

static void test_bad(void **state)
{
    struct ft_kill_order order;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(ft_order_read(bad[i], &order), -EINVAL);
}

static void test_harmless_signals(void **state)
{
    struct ft_kill_order order;

    (void)state;
    assert_int_equal(ft_order_read("3@hook:3:STOP", &order), -EDOM);
    assert_int_equal(ft_order_read("3@call:3:SIGCHLD", &order), -EDOM);
    assert_int_equal(ft_order_read("3@MPI_Send:3:28", &order), -EDOM);
}

static void test_no_such_call(void **state)
{
    struct ft_kill_order order;

    (void)state;
    assert_int_equal(ft_order_read("3@MPI_Zend:3", &order), -ENOENT);
    assert_int_equal(ft_order_read("3@MPI_Zend:3:NOSIG", &order), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_good), cmocka_unit_test(test_bad),
                                       cmocka_unit_test(test_harmless_signals),
                                       cmocka_unit_test(test_no_such_call)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
