/* interval_test: the optimum against values worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "commit/interval.h"

static void follows_the_formula(void **state)
{
    static const struct {
        double cost, mtbf, interval;
    } cases[] = {
        {0.1, 86400, 131.4},          /* sqrt(2 * 0.1 * 86400) = 131.45, less the cost */
        {0, 86400, FT_INTERVAL_MIN},  /* nothing to save */
        {60, 86400, FT_INTERVAL_MAX}, /* 3200 s would be later than ten minutes */
        {10, 4, 4},                   /* dearer than the failures */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double got = ft_interval_optimal(cases[i].cost, cases[i].mtbf);

        assert_true(fabs(got - cases[i].interval) < 0.1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(follows_the_formula)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
