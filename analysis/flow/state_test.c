/* A copy of a state is another state, whatever they share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "analysis/flow/flow.h"
#include "analysis/flow/memory.h"

enum { FAR = 5000 }; /* a cell many pages from the first ones */

static struct an_flow_value number(int64_t value)
{
    struct an_flow_value made;

    memset(&made, 0, sizeof made);
    made.number = value;
    return made;
}

static void copies_are_apart(void **state)
{
    struct an_flow_state one = {NULL, 0}, two, three;

    (void)state;
    an_flow_put(&one, 3, number(3));
    an_flow_put(&one, FAR, number(4));
    two = an_flow_state_copy(&one);
    three = an_flow_state_copy(&two);
    assert_true(an_flow_state_same(&one, &two));
    an_flow_put(&one, 3, number(5));
    an_flow_at(&two, FAR)->number = 6;
    assert_int_equal(an_flow_held(&one, 3)->number, 5);
    assert_int_equal(an_flow_held(&one, FAR)->number, 4);
    assert_int_equal(an_flow_held(&two, 3)->number, 3);
    assert_int_equal(an_flow_held(&two, FAR)->number, 6);
    an_flow_state_free(&one);
    an_flow_state_free(&two);
    assert_int_equal(an_flow_held(&three, 3)->number, 3);
    assert_int_equal(an_flow_held(&three, FAR)->number, 4);
    an_flow_state_free(&three);
}

/* Cells that nobody has written cost nothing, and an empty state can be copied. */
static void untouched_cells_are_free(void **state)
{
    struct an_flow_state one = {NULL, 0}, two = an_flow_state_copy(&one);

    (void)state;
    assert_non_null(two.pages);
    assert_int_equal(an_flow_get(&one, FAR)->kind, AN_FLOW_FREE);
    assert_true(one.count > FAR);
    an_flow_put(&one, FAR, number(0));
    assert_int_equal(an_flow_held(&two, FAR)->number, 0);
    an_flow_state_free(&one);
    an_flow_state_free(&two);
}

/* A difference far behind a page that both have. */
static void states_differ_by_one_value(void **state)
{
    struct an_flow_state one = {NULL, 0}, two;
    struct an_flow_value value = number(0);

    (void)state;
    an_flow_put(&one, 1, number(1));
    two = an_flow_state_copy(&one);
    value.kind = AN_FLOW_ORDER;
    an_flow_put(&two, FAR, value);
    assert_false(an_flow_state_same(&one, &two));
    assert_false(an_flow_state_same(&two, &one));
    an_flow_state_free(&one);
    an_flow_state_free(&two);
}

/* Branches are joined by turns: neither state may grow beyond the cells that the other one has. */
static void joins_do_not_grow_each_other(void **state)
{
    enum { JOINS = 40 };
    struct an_flow_set none = {0}, *sets[] = {&none};
    struct an_flow_memory memory = {.sets = sets, .set_count = 1};
    struct an_flow flow;
    struct an_flow_state one = {NULL, 0}, two = {NULL, 0};

    (void)state;
    memset(&flow, 0, sizeof flow);
    flow.memory = &memory;
    an_flow_put(&one, FAR, number(1));
    an_flow_put(&two, 1, number(2));
    unsigned count = one.count;
    for (unsigned i = 0; i < JOINS; i++) {
        an_flow_state_join(&flow, &two, &one, number(0), NULL);
        an_flow_state_join(&flow, &one, &two, number(0), NULL);
        assert_int_equal(one.count, count);
        assert_int_equal(two.count, count);
        an_flow_state_free(&two);
        an_flow_put(&two, 1, number(2));
    }
    an_flow_state_free(&one);
    an_flow_state_free(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_apart),
        cmocka_unit_test(untouched_cells_are_free),
        cmocka_unit_test(states_differ_by_one_value),
        cmocka_unit_test(joins_do_not_grow_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
