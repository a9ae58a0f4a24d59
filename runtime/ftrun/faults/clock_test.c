/* clock_test: moments and victims that seeds draw. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "faults/faults.h"

enum { SEEDS = 1000, RANKS = 8 };

/* Seeds that follow one another draw moments as if they had nothing to do with each other: a
 * campaign takes 1, 2, 3. */
static void near_seeds_draw_unlike_moments(void **state)
{
    int ranks[RANKS] = {0, 1, 2, 3, 4, 5, 6, 7}, victims[RANKS] = {0};
    double sum = 0, squares = 0, products = 0, before = 1;

    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct ft_fault_clock clock = {
            .random = 1, .shape = 1, .scale = 1, .left = 9, .ranks = ranks, .count = RANKS};

        ft_fault_clock_seed(&clock, seed);
        assert_int_equal(ft_fault_clock_next(&clock), 1);
        sum += clock.at;
        squares += clock.at * clock.at;
        products += (clock.at - 1) * (before - 1);
        before = clock.at;
        victims[ft_fault_clock_rank(&clock)]++;
    }
    assert_true(fabs(sum / SEEDS - 1) < 0.15);
    assert_true(fabs(squares / SEEDS - 2) < 0.6);
    assert_true(fabs(products / SEEDS) < 0.15);
    for (int i = 0; i < RANKS; i++)
        assert_true(victims[i] > SEEDS / RANKS / 2 && victims[i] < 2 * SEEDS / RANKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(near_seeds_draw_unlike_moments)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
