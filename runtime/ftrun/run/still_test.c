/* still_test: who moves, and for how long nobody does. The clock is the test's. */
#include "run/still.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "run/run.h"

#define RANKS 3

static struct ft_recorder recorders[RANKS];
static struct ft_member members[RANKS];
static struct ft_cluster clusters[RANKS];
static struct ft_run run = {.size = RANKS, .members = members, .state = FT_RUN_RUNNING};
static struct ft_still *still;
static double now;

double ft_loop_now(void)
{
    return now;
}

static int setup(void **state)
{
    (void)state;
    for (int i = 0; i < RANKS; i++) {
        recorders[i] = (struct ft_recorder){.calls = 100, .where = FT_WHERE_GATE};
        clusters[i].fallen = 0;
        members[i] = (struct ft_member){
            .run = &run, .cluster = &clusters[i], .rank = i, .pid = 1, .recorder = &recorders[i]};
    }
    run.state = FT_RUN_RUNNING;
    now = 1000;
    assert_int_equal(ft_still_create(RANKS, &still), 0);
    ft_still_begin(still);
    ft_still_look(still, &run);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ft_still_destroy(still);
    return 0;
}

static double look_after(double seconds)
{
    now += seconds;
    return ft_still_look(still, &run);
}

static void nobody_moves(void **state)
{
    (void)state;
    recorders[1].where = FT_WHERE_CALL;
    recorders[2].where = FT_WHERE_BLOCK;
    assert_float_equal(look_after(10), 10, 0.001);
    assert_float_equal(look_after(20), 30, 0.001);
}

static void another_call_is_a_movement(void **state)
{
    (void)state;
    look_after(10);
    recorders[1].calls++;
    assert_float_equal(look_after(1), 0, 0.001);
    assert_float_equal(look_after(2), 2, 0.001);
}

static void who_computes_is_waited_for(void **state)
{
    (void)state;
    recorders[1].where = FT_WHERE_USER;
    assert_float_equal(look_after(7200), 0, 0.001);
}

static void who_is_to_end_does_not_count(void **state)
{
    (void)state;
    recorders[1].where = FT_WHERE_USER;
    clusters[1].fallen = 1;
    run.state = FT_RUN_LEAVING;
    assert_float_equal(look_after(10), 10, 0.001);
    members[1].pid = 0;
    clusters[1].fallen = 0;
    assert_float_equal(look_after(10), 20, 0.001);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(nobody_moves),
        CASE(another_call_is_a_movement),
        CASE(who_computes_is_waited_for),
        CASE(who_is_to_end_does_not_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
