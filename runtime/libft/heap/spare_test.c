/* A large block that was given back comes again, as zeros, to whoever asks for something like it;
 * not to others, not beyond the limit, and not after spares were dropped. */
#include "heap/spare.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "heap/heap.h"

#define MB (1UL << 20)

static char *dirty_block(size_t bytes)
{
    char *block = ft_heap_map(bytes, 4 * MB, PROT_READ | PROT_WRITE);

    assert_ptr_not_equal(block, MAP_FAILED);
    memset(block, 0xa5, bytes);
    return block;
}

static void comes_again_as_zeros(void **state)
{
    char *block = dirty_block(8 * MB);

    (void)state;
    assert_true(ft_heap_spare_keep(block, 8 * MB));
    assert_ptr_equal(ft_heap_spare_take(7 * MB, 4 * MB), block);
    for (size_t i = 0; i < 7 * MB; i++)
        assert_int_equal(block[i], 0);
    assert_int_equal(ft_heap_get()->count, 1);
    assert_int_equal(ft_heap_get()->extent[0].end, (uintptr_t)block + 7 * MB);
    ft_heap_unmap(block, 7 * MB);
    assert_int_equal(ft_heap_get()->count, 0);
}

/* The allocator gives back addresses that it never took into use, too. */
static void may_be_unreadable(void **state)
{
    char *block = ft_heap_map(4 * MB, 4 * MB, PROT_NONE);

    (void)state;
    assert_true(ft_heap_spare_keep(block, 4 * MB));
    assert_ptr_equal(ft_heap_spare_take(4 * MB, 4 * MB), block);
    block[4 * MB - 1] = 1;
    ft_heap_unmap(block, 4 * MB);
    assert_int_equal(ft_heap_get()->count, 0);
}

static void fits_or_not(void **state)
{
    char *block = dirty_block(8 * MB);

    (void)state;
    assert_true(ft_heap_spare_keep(block, 8 * MB));
    assert_null(ft_heap_spare_take(9 * MB, 4 * MB));
    assert_null(ft_heap_spare_take(6 * MB, 4 * MB));
    assert_null(ft_heap_spare_take(8 * MB, 1UL << 40));
    ft_heap_spare_drop();
    assert_null(ft_heap_spare_take(8 * MB, 4 * MB));
    assert_int_equal(ft_heap_get()->count, 0);
}

static void keeps_so_many(void **state)
{
    char *block[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        block[i] = dirty_block(20 * MB);
    for (int i = 0; i < 3; i++)
        assert_true(ft_heap_spare_keep(block[i], 20 * MB));
    assert_false(ft_heap_spare_keep(block[3], 20 * MB));
    assert_int_equal((unsigned char)block[3][20 * MB - 1], 0xa5);
    assert_false(ft_heap_spare_keep(block[3], 4096));
    ft_heap_unmap(block[3], 20 * MB);
    ft_heap_spare_drop();
    assert_int_equal(ft_heap_get()->count, 0);
}

/* The clone that writes an image finds nothing to write in a spare, and a block in use whole. */
static void is_empty_in_a_clone(void **state)
{
    char *used = dirty_block(2 * MB), *spare = dirty_block(2 * MB);
    int status;

    (void)state;
    assert_true(ft_heap_spare_keep(used, 2 * MB));
    assert_ptr_equal(ft_heap_spare_take(2 * MB, 4 * MB), used);
    memset(used, 0x5a, 2 * MB);
    assert_true(ft_heap_spare_keep(spare, 2 * MB));
    pid_t child = fork();
    if (child == 0)
        _exit(spare[MB] == 0 && used[MB] == 0x5a ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    ft_heap_spare_drop();
    ft_heap_unmap(used, 2 * MB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_again_as_zeros), cmocka_unit_test(may_be_unreadable),
        cmocka_unit_test(fits_or_not),          cmocka_unit_test(keeps_so_many),
        cmocka_unit_test(is_empty_in_a_clone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
