/* gather_test: tables of what ranks report, and the orders that must follow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "run/gather.h"

enum { RANKS = 3 };
static struct ft_gather *gather;
static enum ft_gather_order orders[RANKS];
static const struct ft_gather_block idle[RANKS];

static int make(void **state)
{
    (void)state;
    gather = ft_gather_create(RANKS, 0);
    ft_gather_begin(gather);
    return !gather;
}

static int make_loose(void **state)
{
    (void)state;
    gather = ft_gather_create(RANKS, 1);
    ft_gather_begin(gather);
    return !gather;
}

static int drop(void **state)
{
    (void)state;
    ft_gather_destroy(gather);
    return 0;
}

static void report(int rank, int waiting, uint64_t comm, uint64_t clock)
{
    struct ft_wire_gate gate = {.generation = 1, .waiting = (uint32_t)waiting, .count = 1};
    struct ft_wire_clock clocks[] = {{comm, clock}};

    assert_int_equal(ft_gather_report(gather, rank, &gate, clocks), 0);
}

static void expect(enum ft_gather_order a, enum ft_gather_order b, enum ft_gather_order c)
{
    assert_int_equal(orders[0], a);
    assert_int_equal(orders[1], b);
    assert_int_equal(orders[2], c);
}

static void equal_clocks_freeze(void **state)
{
    (void)state;
    report(0, 0, 1, 5);
    report(1, 1, 1, 5);
    assert_int_equal(ft_gather_decide(gather, idle, orders), 0);
    expect(FT_GATHER_NOTHING, FT_GATHER_NOTHING, FT_GATHER_NOTHING);
    report(2, 0, 1, 5);
    assert_int_equal(ft_gather_decide(gather, idle, orders), 1);
    expect(FT_GATHER_FREEZE, FT_GATHER_FREEZE, FT_GATHER_FREEZE);
}

static void who_is_behind_goes_on(void **state)
{
    (void)state;
    report(0, 0, 1, 5);
    report(1, 0, 1, 6);
    report(2, 0, 1, 6);
    assert_int_equal(ft_gather_decide(gather, idle, orders), 0);
    expect(FT_GATHER_RELEASE, FT_GATHER_NOTHING, FT_GATHER_NOTHING);
    assert_false(ft_gather_holds(gather, 0));
    report(0, 0, 1, 6);
    assert_int_equal(ft_gather_decide(gather, idle, orders), 1);
}

static void who_ends_is_never_behind(void **state)
{
    (void)state;
    report(0, FT_WAITING_END, 1, 6);
    report(1, FT_WAITING_END, 1, 5);
    report(2, 0, 1, 5);
    assert_int_equal(ft_gather_decide(gather, idle, orders), 0);
    expect(FT_GATHER_NOTHING, FT_GATHER_NOTHING, FT_GATHER_RELEASE);
    report(2, FT_WAITING_END, 1, 5);
    assert_int_equal(ft_gather_decide(gather, idle, orders), 1);
    expect(FT_GATHER_FREEZE, FT_GATHER_FREEZE, FT_GATHER_FREEZE);
}

static void a_blocked_rank_pulls_the_others(void **state)
{
    struct ft_gather_block blocks[RANKS] = {{0}, {0}, {1, 0, 1, 7}};

    (void)state;
    report(0, 0, 1, 6);
    report(1, 0, 2, 1);
    assert_int_equal(ft_gather_decide(gather, blocks, orders), 0);
    expect(FT_GATHER_RELEASE, FT_GATHER_NOTHING, FT_GATHER_NOTHING);
}

static void other_communicators_do_not_matter(void **state)
{
    (void)state;
    report(0, 0, 1, 1);
    report(1, 0, 2, 9);
    report(2, 0, 3, 4);
    assert_int_equal(ft_gather_decide(gather, idle, orders), 1);
}

static void patience_ends_with_one_step_for_all(void **state)
{
    struct ft_gather_block blocks[RANKS] = {{0}, {0}, {1, 0, 1, 6}};

    (void)state;
    report(0, 0, 1, 6);
    report(1, 1, 1, 6);
    for (int i = 0; i < FT_GATHER_PATIENCE - 1; i++) {
        assert_int_equal(ft_gather_tick(gather, blocks, orders), 0);
        expect(FT_GATHER_NOTHING, FT_GATHER_NOTHING, FT_GATHER_NOTHING);
    }
    assert_int_equal(ft_gather_tick(gather, blocks, orders), 0);
    expect(FT_GATHER_RELEASE, FT_GATHER_RELEASE, FT_GATHER_NOTHING);
}

static void a_computing_rank_is_waited_for(void **state)
{
    (void)state;
    report(0, 0, 1, 6);
    report(1, 1, 1, 6);
    for (int i = 0; i < 10 * FT_GATHER_PATIENCE; i++) {
        assert_int_equal(ft_gather_tick(gather, idle, orders), 0);
        expect(FT_GATHER_NOTHING, FT_GATHER_NOTHING, FT_GATHER_NOTHING);
    }
}

/* It may be in a call that a dead rank never answers: nobody is to move meanwhile. */
static void a_rank_inside_of_mpi_is_no_reason_for_a_rest(void **state)
{
    (void)state;
    report(0, 0, 1, 6);
    report(1, 1, 1, 6);
    for (int i = 0; i < 10 * FT_GATHER_STRETCH; i++) {
        assert_int_equal(ft_gather_tick(gather, idle, orders), 0);
        expect(FT_GATHER_NOTHING, FT_GATHER_NOTHING, FT_GATHER_NOTHING);
    }
}

/* Ticks with ranks 0 and 1 held and rank 2 in its own code, until they are released. */
static int ticks_until_release(void)
{
    struct ft_gather_block blocks[RANKS] = {{0}, {0}, {.outside = 1}};
    int ticks = 1;

    report(0, 0, 1, 6);
    report(1, 1, 1, 6);
    while (assert_int_equal(ft_gather_tick(gather, blocks, orders), 0),
           orders[0] != FT_GATHER_RELEASE)
        assert_true(ft_gather_holds(gather, 1) && ticks++ < 1 << 20);
    expect(FT_GATHER_RELEASE, FT_GATHER_RELEASE, FT_GATHER_NOTHING);
    return ticks;
}

static int ticks_of_rest(void)
{
    int ticks = 0;

    for (; ft_gather_rests(gather); ticks++)
        assert_int_equal(ft_gather_tick(gather, idle, orders), 0);
    return ticks;
}

static void a_rank_that_waits_without_mpi_lets_the_others_go_on(void **state)
{
    int rest = FT_GATHER_REST;

    (void)state;
    for (int i = 0; i < 8; i++) {
        assert_false(ft_gather_rests(gather));
        assert_int_equal(ticks_until_release(), FT_GATHER_STRETCH);
        assert_int_equal(ticks_of_rest(), rest);
        rest *= rest < FT_GATHER_STRETCH / 2 ? 2 : 1;
    }
    assert_true(rest < FT_GATHER_STRETCH);
    ft_gather_begin(gather);
    assert_int_equal(ticks_until_release(), FT_GATHER_STRETCH);
    assert_int_equal(ticks_of_rest(), FT_GATHER_REST);
}

static void a_rest_ends_when_the_awaited_rank_comes(void **state)
{
    (void)state;
    ticks_until_release();
    report(0, 0, 1, 6);
    assert_true(ft_gather_rests(gather));
    report(2, 0, 1, 6);
    assert_false(ft_gather_rests(gather));
    report(1, 0, 1, 6);
    assert_int_equal(ft_gather_decide(gather, idle, orders), 1);
}

static void long_reports_add_up(void **state)
{
    struct ft_wire_gate first = {.generation = 4, .count = 1, .more = 1};
    struct ft_wire_gate last = {.generation = 4, .count = 1};
    struct ft_wire_clock a = {1, 1}, b = {2, 1};

    (void)state;
    report(1, 0, 1, 2);
    report(2, 0, 2, 1);
    ft_gather_report(gather, 0, &first, &a);
    assert_false(ft_gather_holds(gather, 0));
    ft_gather_report(gather, 0, &last, &b);
    assert_true(ft_gather_holds(gather, 0));
    assert_int_equal(ft_gather_generation(gather, 0), 4);
    assert_int_equal(ft_gather_decide(gather, idle, orders), 0);
    expect(FT_GATHER_RELEASE, FT_GATHER_NOTHING, FT_GATHER_NOTHING);
}

static void loose_clocks_may_differ(void **state)
{
    (void)state;
    report(0, 1, 1, 6);
    report(1, 1, 1, 5);
    report(2, 0, 1, 4);
    assert_int_equal(ft_gather_decide(gather, idle, orders), 1);
    expect(FT_GATHER_FREEZE, FT_GATHER_FREEZE, FT_GATHER_FREEZE);
}

static void a_blocked_rank_pulls_loose_ones_too(void **state)
{
    struct ft_gather_block blocks[RANKS] = {{0}, {0}, {1, 0, 1, 6}};

    (void)state;
    report(0, 0, 1, 5);
    report(1, 0, 1, 6);
    assert_int_equal(ft_gather_decide(gather, blocks, orders), 0);
    expect(FT_GATHER_RELEASE, FT_GATHER_NOTHING, FT_GATHER_NOTHING);
}

static void the_dead_are_not_waited_for(void **state)
{
    struct ft_gather_block blocks[RANKS] = {{0}, {1, 0, 1, 9}, {0}};

    (void)state;
    ft_gather_excuse(gather, 1);
    report(0, 0, 1, 6);
    assert_int_equal(ft_gather_decide(gather, blocks, orders), 0);
    report(2, 0, 1, 6);
    assert_int_equal(ft_gather_decide(gather, blocks, orders), 1);
    expect(FT_GATHER_FREEZE, FT_GATHER_NOTHING, FT_GATHER_FREEZE);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(equal_clocks_freeze),
        CASE(who_is_behind_goes_on),
        CASE(who_ends_is_never_behind),
        CASE(a_blocked_rank_pulls_the_others),
        CASE(other_communicators_do_not_matter),
        CASE(patience_ends_with_one_step_for_all),
        CASE(a_computing_rank_is_waited_for),
        CASE(a_rank_inside_of_mpi_is_no_reason_for_a_rest),
        CASE(a_rank_that_waits_without_mpi_lets_the_others_go_on),
        CASE(a_rest_ends_when_the_awaited_rank_comes),
        CASE(long_reports_add_up),
        cmocka_unit_test_setup_teardown(loose_clocks_may_differ, make_loose, drop),
        cmocka_unit_test_setup_teardown(a_blocked_rank_pulls_loose_ones_too, make_loose, drop),
        cmocka_unit_test_setup_teardown(the_dead_are_not_waited_for, make_loose, drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
