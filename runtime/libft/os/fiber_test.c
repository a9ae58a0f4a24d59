/* Fibers: several under way, left and entered in any order, and one that is never entered again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "os/fiber.h"

static char said[64], lower[] = "a", upper[] = "A";

static void say(char letter)
{
    said[strlen(said)] = letter;
}

/* Floating point and locals must live across a pause. */
static void count(void *argument)
{
    double half = 0.5;
    char letter = *(const char *)argument;

    for (int i = 0; i < 3; i++) {
        say((char)(letter + i));
        assert_int_equal(ft_fiber_pause(), 1);
        half *= 2;
    }
    if (half == 4.0)
        say('.');
}

static void fibers_alternate(void **state)
{
    struct ft_fiber *small = ft_fiber_create(count, lower), *big = ft_fiber_create(count, upper);

    (void)state;
    memset(said, 0, sizeof said);
    assert_int_equal(ft_fiber_pause(), 0); /* outside: nothing */
    assert_int_equal(ft_fiber_resume(small), 0);
    assert_int_equal(ft_fiber_resume(big), 0);
    assert_int_equal(ft_fiber_resume(big), 0);
    assert_int_equal(ft_fiber_resume(small), 0);
    assert_int_equal(ft_fiber_resume(small), 0);
    assert_int_equal(ft_fiber_resume(small), 1);
    ft_fiber_pause();
    assert_int_equal(ft_fiber_resume(big), 0);
    assert_int_equal(ft_fiber_resume(big), 1);
    assert_string_equal(said, "aABbc.C.");
    ft_fiber_destroy(small);
    ft_fiber_destroy(big);
}

static void one_is_left(void **state)
{
    struct ft_fiber *left = ft_fiber_create(count, upper);

    (void)state;
    assert_int_equal(ft_fiber_resume(left), 0);
    for (int i = 0; i < 1000; i++) {
        struct ft_fiber *fiber = ft_fiber_create(count, lower);

        memset(said, 0, sizeof said);
        while (!ft_fiber_resume(fiber))
            ;
        assert_string_equal(said, "abc.");
        ft_fiber_destroy(fiber);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fibers_alternate),
        cmocka_unit_test(one_is_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
