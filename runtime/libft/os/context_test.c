/* Places to continue: the floating-point environment is as it was, rounding and exceptions. */
#include "os/os.h"

#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* The long double takes the x87 unit, the double mxcsr. */
static void divide_long(void)
{
    volatile long double one = 1, zero = 0, quotient = one / zero;

    (void)quotient;
}

static void divide(void)
{
    volatile double one = 1, zero = 0, quotient = one / zero;

    (void)quotient;
}

static long double third(void)
{
    volatile long double one = 1, three = 3;

    return one / three;
}

/* The exceptions raised at the place when it is continued after `between`. */
static int raised(void (*before)(void), void (*between)(void))
{
    struct ft_os_context context;

    feclearexcept(FE_ALL_EXCEPT);
    if (before)
        before();
    if (ft_os_context_save(&context) == 0) {
        feclearexcept(FE_ALL_EXCEPT);
        if (between)
            between();
        ft_os_context_continue(&context);
    }
    return fetestexcept(FE_ALL_EXCEPT);
}

static void raise_all(void)
{
    feraiseexcept(FE_ALL_EXCEPT);
}

static void exceptions_come_back(void **state)
{
    (void)state;
    assert_int_equal(raised(divide_long, NULL), FE_DIVBYZERO);
    assert_int_equal(raised(divide, NULL), FE_DIVBYZERO);
    assert_int_equal(raised(raise_all, NULL), FE_ALL_EXCEPT);
}

static void later_ones_do_not(void **state)
{
    (void)state;
    assert_int_equal(raised(NULL, divide_long), 0);
    assert_int_equal(raised(NULL, divide), 0);
    assert_int_equal(raised(divide_long, raise_all), FE_DIVBYZERO);
}

/* The unit is fit for use behind it: rounding as it was, eight free registers. */
static void unit_works(void **state)
{
    struct ft_os_context context;
    long double down, near = third();

    (void)state;
    fesetround(FE_DOWNWARD);
    down = third();
    divide_long();
    if (ft_os_context_save(&context) == 0) {
        fesetround(FE_TONEAREST);
        feclearexcept(FE_ALL_EXCEPT);
        ft_os_context_continue(&context);
    }
    assert_int_equal(fegetround(), FE_DOWNWARD);
    assert_true(third() == down && down < near);
    fesetround(FE_TONEAREST);
    feclearexcept(FE_ALL_EXCEPT);
    __asm__ volatile("fld1; fld1; fld1; fld1; fld1; fld1; fld1; fld1;"
                     "fstp %st(0); fstp %st(0); fstp %st(0); fstp %st(0);"
                     "fstp %st(0); fstp %st(0); fstp %st(0); fstp %st(0)");
    assert_int_equal(fetestexcept(FE_INVALID), 0); /* a register stack that overflows is that */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exceptions_come_back),
        cmocka_unit_test(later_ones_do_not),
        cmocka_unit_test(unit_works),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
