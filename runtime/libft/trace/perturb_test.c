/* The choices of a perturbed run: the same seed chooses the same again, and every choice is within
 * its bounds. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "base/base.h"
#include "os/os.h"
#include "trace/perturb.h"

enum { CHOICES = 20000 };

void ft_panic(const char *format, ...)
{
    (void)format;
    abort();
}

static uint64_t digest(uint64_t seed, int rank)
{
    struct ft_perturb perturb;
    uint64_t sum = 0;

    ft_perturb_start(&perturb, seed, rank, 4);
    for (int i = 0; i < CHOICES; i++) {
        enum ft_perturb_kind kind = (enum ft_perturb_kind)(i % FT_PERTURB_PICK);

        sum = sum * 31 + ft_perturb_delay(&perturb, kind, i % 4);
        sum = sum * 31 + (uint64_t)ft_perturb_pick(&perturb, 1 + i % 7);
        sum = sum * 31 + (uint64_t)ft_perturb_skips(&perturb);
    }
    return sum;
}

static void same_seed_same_choices(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        assert_true(digest(seed, 2) == digest(seed, 2));
        assert_true(digest(seed, 2) != digest(seed + 1, 2));
        assert_true(digest(seed, 2) != digest(seed, 3));
    }
}

/* One kind's choices do not depend on how many of another kind came between. */
static void kinds_are_independent(void **state)
{
    struct ft_perturb one, two;

    (void)state;
    ft_perturb_start(&one, 5, 1, 4);
    ft_perturb_start(&two, 5, 1, 4);
    for (int i = 0; i < CHOICES; i++) {
        for (int polls = 0; polls < i % 5; polls++)
            ft_perturb_skips(&two);
        assert_int_equal(ft_perturb_delay(&one, FT_PERTURB_SEND, 0),
                         ft_perturb_delay(&two, FT_PERTURB_SEND, 0));
    }
}

static void nothing_without_a_seed(void **state)
{
    struct ft_perturb perturb;

    (void)state;
    ft_perturb_start(&perturb, 0, 0, 4);
    for (int i = 0; i < CHOICES; i++) {
        assert_int_equal(ft_perturb_delay(&perturb, FT_PERTURB_SEND, 1), 0);
        assert_int_equal(ft_perturb_pick(&perturb, 5), 0);
        assert_int_equal(ft_perturb_skips(&perturb), 0);
    }
}

static void choices_are_bounded(void **state)
{
    struct ft_perturb perturb;
    int row = 0, picked[5] = {0}, skipped = 0, delayed = 0, longest = 0;

    (void)state;
    ft_perturb_start(&perturb, 99, 0, 4);
    for (int i = 0; i < CHOICES; i++) {
        unsigned delay = ft_perturb_delay(&perturb, FT_PERTURB_RECV, -1);

        assert_true(delay <= 4000);
        delayed += delay > 0;
        longest += delay > 1000;
        picked[ft_perturb_pick(&perturb, 5)]++;
        row = ft_perturb_skips(&perturb) ? row + 1 : 0;
        skipped += row > 0;
        assert_true(row <= 3);
    }
    for (int i = 0; i < 5; i++)
        assert_in_range(picked[i], CHOICES / 6, CHOICES / 4);
    assert_in_range(skipped, CHOICES / 20, CHOICES / 4);
    assert_in_range(delayed, CHOICES / 20, CHOICES / 2);
    assert_in_range(longest, CHOICES / 200, CHOICES / 4);
}

/* Over many seeds every rank is slow at some time, and nobody at others. */
static void victims_vary(void **state)
{
    int victims[5] = {0};

    (void)state;
    for (uint64_t seed = 1; seed < 400; seed++) {
        struct ft_perturb perturb;

        ft_perturb_start(&perturb, seed, 0, 4);
        victims[perturb.victim + 1]++;
    }
    for (int i = 0; i < 5; i++)
        assert_in_range(victims[i], 40, 160);
}

static void waiting_is_bounded(void **state)
{
    struct ft_perturb perturb;
    double begun = ft_os_now();

    (void)state;
    ft_perturb_start(&perturb, 1, 0, 4);
    perturb.budget = 0.05;
    perturb.expected = 100;
    for (int i = 0; i < 100000; i++)
        ft_perturb_wait(&perturb, 100, 50);
    assert_true(perturb.waited > 0.3 && perturb.waited < 1.5);
    assert_true(ft_os_now() - begun < 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_seed_same_choices), cmocka_unit_test(kinds_are_independent),
        cmocka_unit_test(nothing_without_a_seed), cmocka_unit_test(choices_are_bounded),
        cmocka_unit_test(victims_vary),           cmocka_unit_test(waiting_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
