/* The region's extents stay ascending and disjoint under a random sequence, and memory is really
 * there and really gone. */
#include "heap/heap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void check(void)
{
    const struct ft_heap *heap = ft_heap_get();
    uintptr_t last = FT_HEAP_BASE + sizeof *heap;

    for (uint64_t i = 0; i < heap->count; i++) {
        assert_true(heap->extent[i].begin >= last);
        assert_true(heap->extent[i].end > heap->extent[i].begin);
        last = heap->extent[i].end;
    }
    assert_true(last <= FT_HEAP_END);
}

static void random_sequence(void **state)
{
    struct {
        char *at;
        size_t bytes;
    } block[40] = {{0}};

    (void)state;
    srandom(7);
    for (int i = 0; i < 4000; i++) {
        int k = (int)(random() % 40);

        if (block[k].at) {
            assert_int_equal(block[k].at[block[k].bytes - 1], (char)k);
            assert_int_equal(ft_heap_unmap(block[k].at, block[k].bytes), 0);
            block[k].at = NULL;
        } else {
            size_t align = 4096UL << random() % 6;

            block[k].bytes = (size_t)(random() % 64 + 1) * 4096;
            block[k].at = ft_heap_map(block[k].bytes, align, PROT_READ | PROT_WRITE);
            assert_ptr_not_equal(block[k].at, MAP_FAILED);
            assert_int_equal((uintptr_t)block[k].at % align, 0);
            memset(block[k].at, k, block[k].bytes);
        }
        check();
    }
    for (int k = 0; k < 40; k++)
        if (block[k].at)
            assert_int_equal(ft_heap_unmap(block[k].at, block[k].bytes), 0);
    assert_int_equal(ft_heap_get()->count, 0);
}

static void cuts_a_hole(void **state)
{
    char *at = ft_heap_map(10 * 4096, 4096, PROT_READ | PROT_WRITE);

    (void)state;
    assert_int_equal(ft_heap_unmap(at + 3 * 4096, 2 * 4096), 0);
    check();
    assert_int_equal(ft_heap_get()->count, 2);
    at[0] = at[5 * 4096] = 1;
    char *hole = ft_heap_map(2 * 4096, 4096, PROT_READ | PROT_WRITE);
    assert_ptr_equal(hole, at + 3 * 4096);
    assert_int_equal(ft_heap_unmap(at, 10 * 4096), 0);
    assert_int_equal(ft_heap_get()->count, 0);
}

static void refuses_too_much(void **state)
{
    (void)state;
    assert_ptr_equal(ft_heap_map(FT_HEAP_BYTES, 4096, PROT_READ), MAP_FAILED);
    assert_ptr_equal(ft_heap_map(0, 4096, PROT_READ), MAP_FAILED);
    check();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_sequence),
        cmocka_unit_test(cuts_a_hole),
        cmocka_unit_test(refuses_too_much),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
