/* Two copies of a rank with one ring: the one that follows gets what the one that leads records,
 * also what that counts up in place, and leads when it is told to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "determinant/determinant_stub.h"
#include "determinant/reading.h"

static struct ft_pair pair;
static struct ft_determinants copies[FT_COPIES], *first;

/* From here on the process is this copy. */
static void be(uint32_t copy)
{
    spbc.determinants = &copies[copy];
    ft_life.boot.copy = copy;
}

static int setup_copies(void **state)
{
    setup(state);
    first = spbc.determinants;
    memset(&pair, 0, sizeof pair);
    ft_life.pair = &pair;
    copies[0] = copies[1] = *first;
    be(1);
    ft_determinants_restore(&rank);
    return 0;
}

static int teardown_copies(void **state)
{
    ft_life.pair = NULL;
    spbc.determinants = first;
    return teardown(state);
}

static void lead_nothing(int polls)
{
    be(0);
    for (int i = 0; i < polls; i++)
        ft_determinant_poll_note(&rank, 0);
    be(1);
}

/* The follower asks as often as it may. Answers how often it found nothing. */
static int follow_nothing(void)
{
    int flag, polls = 0;

    ft_determinants_follow(&rank);
    while (ft_determinants_ready(&rank, FT_CLOCKS)) {
        assert_int_equal(ft_determinant_poll(&rank, &flag), 1);
        if (flag)
            return -polls;
        polls++;
    }
    return polls;
}

static void test_polls_are_counted_up(void **state)
{
    (void)state;
    assert_true(ft_determinants_follows(&rank));
    assert_true(ft_determinants_replay(spbc.determinants));
    assert_int_equal(follow_nothing(), 0);
    lead_nothing(3);
    assert_int_equal(follow_nothing(), 3);
    assert_int_equal(follow_nothing(), 0);
    lead_nothing(2); /* in the same entry */
    assert_int_equal(pair.determinants, 1);
    assert_int_equal(follow_nothing(), 2);
    lead_nothing(4);
    be(0);
    ft_determinant_poll_note(&rank, 1);
    be(1);
    assert_int_equal(follow_nothing(), -4);
    assert_int_equal(follow_nothing(), 0);
    assert_int_equal(recorder.determinants, 0);
}

static void test_the_follower_leads(void **state)
{
    uint32_t number;
    int source, with;

    (void)state;
    lead_nothing(2);
    be(0);
    ft_determinant_receive_note(&rank, 0, ft_determinant_receive_new(&rank), 7, 99);
    be(1);
    assert_int_equal(follow_nothing(), 2);
    pair.leads = 1;
    assert_int_equal(ft_determinants_follow(&rank), 1);
    assert_false(ft_determinants_follows(&rank));
    assert_true(ft_determinants_ready(&rank, FT_CLOCKS));
    assert_true(ft_determinants_replay(spbc.determinants)); /* of the receive */
    assert_int_equal(ft_determinant_receive(&rank, &number, &source, &with), FT_POST_NAMED);
    assert_int_equal(source, 7);
    assert_int_equal(with, 99);
    assert_false(ft_determinants_replay(spbc.determinants));
    ft_determinant_poll_note(&rank, 0);
    assert_int_equal(pair.determinants, 3);
    be(0); /* which begins its next life */
    ft_determinants_restore(&rank);
    assert_true(ft_determinants_follows(&rank));
    assert_int_equal(follow_nothing(), 1);
}

static void test_rows_of_readings(void **state)
{
    int64_t told[20], moment;

    (void)state;
    for (int round = 0; round < 4; round++) {
        be(0);
        for (int i = 0; i < 5; i++)
            told[5 * round + i] =
                ft_reading_note(&rank, FT_CLOCK_WTIME, 1000000 + 100 * (5 * round + i));
        be(1);
        ft_determinants_follow(&rank);
        for (int i = 0; i < 5; i++) {
            assert_true(ft_determinants_ready(&rank, FT_CLOCK_WTIME));
            assert_int_equal(ft_reading_again(&rank, FT_CLOCK_WTIME, &moment), 1);
            assert_int_equal(moment, told[5 * round + i]);
        }
        assert_false(ft_determinants_ready(&rank, FT_CLOCK_WTIME));
    }
    assert_in_range(pair.determinants, 1, 19); /* rows, not readings */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_polls_are_counted_up, setup_copies, teardown_copies),
        cmocka_unit_test_setup_teardown(test_the_follower_leads, setup_copies, teardown_copies),
        cmocka_unit_test_setup_teardown(test_rows_of_readings, setup_copies, teardown_copies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
