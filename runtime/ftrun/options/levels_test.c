/* levels_test: what --levels may say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "options/levels.h"

static void test_read(void **state)
{
    static const struct {
        const char *text;
        struct ft_levels levels;
    } right[] = {{"partner", {1, 1, 0}},
                 {"partner,shared:10", {1, 1, 10}},
                 {"rs:1+1", {1, 1, 0}},
                 {"rs:2+2,shared:1", {2, 3, 1}},
                 {"rs:30+2", {30, 31, 0}}};
    static const char *const wrong[] = {
        "",         "shared:3", "partner,",       "partner,shared:0",         "partner,shared:x",
        "rs:2",     "rs:0+1",   "rs:2+0",         "rs:2+2,shared:3,shared:3", "rs:31+2",
        "rs:+1",    "mirror",   "partner,rs:1+1", "partner,shared:3,partner", "rs:2+2x",
        "partner ", "rs:-1+2"};
    struct ft_levels levels;
    char why[256];

    (void)state;
    for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
        assert_int_equal(ft_levels_read(right[i].text, &levels, why, sizeof(why)), 0);
        assert_memory_equal(&levels, &right[i].levels, sizeof(levels));
    }
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_not_equal(ft_levels_read(wrong[i], &levels, why, sizeof(why)), 0);
}

static void test_name(void **state)
{
    const struct ft_levels levels = {2, 3, 0}, partner = {1, 1, 0};

    (void)state;
    assert_string_equal(ft_levels_name(&levels, 1), "rs:2+2");
    assert_string_equal(ft_levels_name(&levels, 0), "store");
    assert_string_equal(ft_levels_name(&partner, 1), "partner");
}

static void test_check(void **state)
{
    char why[256];

    (void)state;
    assert_int_equal(ft_levels_check(NULL, NULL, 0, why, sizeof(why)), 0);
    assert_int_equal(ft_levels_check("/disk", NULL, 0, why, sizeof(why)), 0);
    assert_int_equal(ft_levels_check("/disk", "partner", 0, why, sizeof(why)), 0);
    assert_int_not_equal(ft_levels_check("disk", NULL, 0, why, sizeof(why)), 0);
    assert_int_not_equal(ft_levels_check("/disk", "mirror", 0, why, sizeof(why)), 0);
    assert_int_not_equal(ft_levels_check(NULL, "partner", 0, why, sizeof(why)), 0);
    assert_int_not_equal(ft_levels_check("/disk", NULL, 1, why, sizeof(why)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_read), cmocka_unit_test(test_name),
                                       cmocka_unit_test(test_check)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
