/* A second life is compared with the first, mark by mark. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "determinant/determinant_stub.h"

struct image {
    struct ft_determinants determinants;
    struct ft_trail trail;
};

static struct image image_take(void)
{
    ft_determinants_close(&rank);
    return (struct image){*spbc.determinants, *spbc.trail};
}

static void image_put(struct image image)
{
    *spbc.determinants = image.determinants;
    *spbc.trail = image.trail;
    ft_determinants_restore(&rank);
    ft_trail_restore(&rank);
}

/* Whether a difference stops `work`. */
static int stops(void (*work)(void))
{
    int end = end_of(work);

    assert_true(end == 0 || end == DIFFERS);
    return end == DIFFERS;
}

static void calls_make(int number, int tag)
{
    recorder.call = 5;
    for (int i = 0; i < number; i++)
        ft_trail_call(&rank, 1, 2, tag, 100, 0);
}

static void call_one(void)
{
    calls_make(1, 7);
}

static void call_two(void)
{
    calls_make(2, 7);
}

static void call_another(void)
{
    calls_make(1, 8);
}

static void poll_early(void)
{
    ft_determinant_poll_note(&rank, 1);
}

static void test_calls(void **state)
{
    struct image image = image_take();

    (void)state;
    call_two();
    image_put(image);
    assert_true(ft_trail_owed(&rank));
    assert_true(stops(call_another));
    call_two();
    assert_false(ft_trail_owed(&rank));
    assert_false(stops(call_another)); /* the first life had not come here */
}

/* Neither may come while the other is owed. */
static void test_determinants_between(void **state)
{
    struct image image = image_take();
    int flag;

    (void)state;
    call_one();
    ft_determinant_poll_note(&rank, 1);
    call_one();
    image_put(image);
    assert_true(stops(call_two) == 0); /* a poll that was not asked for is found at its end */
    call_one();
    assert_int_equal(ft_determinant_poll(&rank, &flag), 1);
    assert_true(stops(poll_early));
    call_one();
    assert_false(stops(poll_early));
    ft_determinant_poll_note(&rank, 1);
    image_put(image);
    call_two();
    assert_true(stops(call_one));
}

/* Messages of collectives count where none is under way. */
static void test_lanes(void **state)
{
    struct image image = image_take();

    (void)state;
    spbc.open = 1;
    spbc.told = 3;
    call_one();
    spbc.open = 0;
    spbc.told = 9;
    call_one();
    image_put(image);
    spbc.open = 1;
    call_one();
    spbc.open = 0;
    spbc.told = 8;
    assert_true(stops(call_one));
    spbc.told = 9;
    assert_false(stops(call_one));
}

/* When there are more marks than the ring holds, the later ones stand for the first ones. */
static void test_ring(void **state)
{
    struct image image = image_take();

    (void)state;
    calls_make(3 * CAPACITY, 7);
    image_put(image);
    calls_make(3 * CAPACITY, 7);
    assert_false(ft_trail_owed(&rank));
    image_put(image);
    call_another();
    calls_make(2 * CAPACITY - 1, 7);
    assert_true(stops(call_two));
}

/* A second death before the place of the first. */
static void test_deaths(void **state)
{
    struct image image = image_take(), second;

    (void)state;
    calls_make(5, 7);
    image_put(image);
    calls_make(2, 7);
    second = image_take();
    calls_make(1, 7);
    image_put(second);
    calls_make(2, 7);
    assert_true(stops(call_another));
    call_one();
    assert_false(ft_trail_owed(&rank));
    assert_int_equal(recorder.trail, 5);
}

static void iteration(int first, int second)
{
    ft_trail_loosen(&rank);
    calls_make(1, first);
    calls_make(1, second);
    ft_trail_tighten(&rank);
}

static void iteration_other(void)
{
    iteration(8, 8);
    call_one();
}

/* In an iteration of a trusted pattern the order is open, but not what is done. */
static void test_loose(void **state)
{
    struct image image = image_take();

    (void)state;
    call_one();
    iteration(7, 8);
    call_one();
    image_put(image);
    call_one();
    assert_true(stops(iteration_other));
    iteration(8, 7);
    assert_true(ft_trail_owed(&rank));
    assert_true(stops(call_another));
    call_one();
    assert_false(ft_trail_owed(&rank));
}

static void poll_and_call(void)
{
    calls_make(1, 8);
    ft_determinant_poll_note(&rank, 1);
    calls_make(1, 7);
    ft_trail_tighten(&rank);
    call_one();
}

/* Nor is it known then whether a poll came before a call. */
static void test_loose_polls(void **state)
{
    struct image image = image_take();

    (void)state;
    ft_trail_loosen(&rank);
    calls_make(1, 7);
    calls_make(1, 8);
    image_put(image);
    ft_trail_loosen(&rank);
    assert_false(ft_trail_owed(&rank));
    assert_false(stops(poll_and_call));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_determinants_between, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lanes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ring, setup, teardown),
        cmocka_unit_test_setup_teardown(test_deaths, setup, teardown),
        cmocka_unit_test_setup_teardown(test_loose, setup, teardown),
        cmocka_unit_test_setup_teardown(test_loose_polls, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
