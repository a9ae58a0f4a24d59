/* Sets of message numbers against a plain table of bits. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "process.h"
#include "stream/numbers.h"

enum { LIMIT = 60, TURNS = 3000 };

void *ft_image_realloc(void *block, size_t bytes)
{
    return realloc(block, bytes);
}

static void check_same(const struct ft_numbers *numbers, const char *bit)
{
    uint64_t count = 0, last = 0;

    for (uint64_t i = 1; i <= LIMIT; i++) {
        assert_int_equal(ft_numbers_have(numbers, i), bit[i]);
        count += (uint64_t)bit[i];
        last = bit[i] ? i : last;
        assert_int_equal(ft_numbers_until(numbers, i), count);
    }
    assert_int_equal(ft_numbers_last(numbers), last);
    assert_true(numbers->count == 0 || numbers->beyond[0] > numbers->prefix + 1);
}

static void random_order(void **state)
{
    (void)state;
    srand(1);
    for (int turn = 0; turn < TURNS; turn++) {
        struct ft_numbers numbers = {0};
        char bit[LIMIT + 2] = {0};

        for (int i = 0; i < turn % LIMIT; i++) {
            uint64_t number = 1 + (uint64_t)(rand() % LIMIT);

            assert_int_equal(ft_numbers_add(&numbers, number) == 0, !bit[number]);
            bit[number] = 1;
        }
        check_same(&numbers, bit);
        free(numbers.beyond);
    }
}

/* The number falls out: those above it move down. */
static void closing_a_gap(void **state)
{
    (void)state;
    srand(2);
    for (int turn = 0; turn < TURNS; turn++) {
        struct ft_numbers numbers = {0};
        char bit[LIMIT + 2] = {0};
        uint64_t gap = 1 + (uint64_t)(rand() % LIMIT);

        for (uint64_t i = 1; i <= LIMIT; i++)
            if (i != gap && rand() % 3) {
                ft_numbers_add(&numbers, i);
                bit[i] = 1;
            }
        ft_numbers_close(&numbers, gap);
        memmove(bit + gap, bit + gap + 1, LIMIT - gap + 1);
        check_same(&numbers, bit);
        free(numbers.beyond);
    }
}

static void set_from_words(void **state)
{
    const uint64_t beyond[] = {7, 9};
    struct ft_numbers numbers = {0};

    (void)state;
    ft_numbers_set(&numbers, 5, beyond, 2);
    assert_int_equal(ft_numbers_last(&numbers), 9);
    assert_int_equal(ft_numbers_until(&numbers, 8), 6);
    assert_int_equal(ft_numbers_add(&numbers, 6), 0);
    assert_int_equal(numbers.prefix, 7);
    ft_numbers_set(&numbers, 0, NULL, 0);
    assert_int_equal(ft_numbers_last(&numbers), 0);
    free(numbers.beyond);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_order),
        cmocka_unit_test(closing_a_gap),
        cmocka_unit_test(set_from_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
