/* plan_test: every kind of end in every phase. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "recorder/recorder.h"
#include "run/plan.h"

#define EXIT(code) ((code) << 8)

static void judges_each_end(void **state)
{
    static const struct {
        int status;
        uint32_t phase;
        enum ft_verdict verdict;
        int code;
    } cases[] = {
        {EXIT(0), FT_PHASE_START, FT_VERDICT_OWN_EXIT, 0},
        {EXIT(3), FT_PHASE_START, FT_VERDICT_OWN_END, 3},
        {SIGKILL, FT_PHASE_START, FT_VERDICT_FAILURE, 137},
        {EXIT(0), FT_PHASE_RUNNING, FT_VERDICT_FAILURE, 0},
        {EXIT(1), FT_PHASE_RUNNING, FT_VERDICT_FAILURE, 1},
        {SIGSEGV, FT_PHASE_RUNNING, FT_VERDICT_FAILURE, 139},
        {EXIT(0), FT_PHASE_FINALIZED, FT_VERDICT_OWN_EXIT, 0},
        {EXIT(7), FT_PHASE_FINALIZED, FT_VERDICT_OWN_EXIT, 7},
        {SIGKILL, FT_PHASE_FINALIZED, FT_VERDICT_FAILURE, 137},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(ft_plan_judge(cases[i].status, cases[i].phase), cases[i].verdict);
        assert_int_equal(ft_plan_code(cases[i].status), cases[i].code);
    }
}

static void counts_deaths_at_one_place(void **state)
{
    struct ft_plan plan = {0};
    struct ft_place here = {1, 2, 3, 4}, there = {1, 2, 4, 4};

    (void)state;
    assert_int_equal(ft_plan_note(&plan, &here), 1);
    assert_int_equal(ft_plan_note(&plan, &here), 2);
    assert_int_equal(ft_plan_note(&plan, &there), 1);
    assert_int_equal(ft_plan_note(&plan, &here), 1);
    assert_int_equal(ft_plan_note(&plan, &here), 2);
    assert_int_equal(ft_plan_note(&plan, &here), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(judges_each_end),
                                       cmocka_unit_test(counts_deaths_at_one_place)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
