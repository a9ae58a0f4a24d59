/* calloc: zeros, whatever the block held before, and no more touched than that needs. */
#include "heap/heap.h"

#include <errno.h>
#include <malloc.h>
#include <mimalloc.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "os/os.h"
#include "process.h"

#define MB (1UL << 20)

struct ft_rank *ft_self;
__thread int ft_depth; /* 0: the program asks */

/* Refusals that only a program in a rank may meet. */
void ft_refuse(const char *what, const void *site, const char *why)
{
    (void)site;
    ft_panic("%s: %s", what, why);
}

static void check_zeros(const char *block, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (block[i] != 0)
            fail_msg("byte %zu of %zu is %d", i, bytes, block[i]);
}

static int count(void *closure, uintptr_t begin, uintptr_t end)
{
    *(size_t *)closure += end - begin;
    return 0;
}

static size_t touched(const void *block, size_t bytes)
{
    uintptr_t begin = (uintptr_t)block & ~(FT_HEAP_PAGE - 1);
    size_t found = 0;

    ft_os_touched(begin, (uintptr_t)block + bytes, count, &found);
    return found;
}

/* Without the barrier the compiler leaves out what is written to a block before it is freed. */
static void give_back(void *block)
{
    __asm__ volatile("" : : "r"(block) : "memory");
    free(block);
}

/* A block of these sizes that was full of something is given back, and comes again. */
static void clears_what_is_dirty(void **state)
{
    static const size_t sizes[] = {1,      24,         1000,    4095,    4096,
                                   100000, MB + 10000, 10 * MB, 20 * MB, 40 * MB};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int turn = 0; turn < 3; turn++) {
            char *block = calloc(sizes[i], 1);

            assert_true(ft_heap_holds(block));
            check_zeros(block, sizes[i]);
            memset(block, 0xa5, malloc_usable_size(block));
            give_back(block);
            block = malloc(sizes[i]);
            memset(block, 0xa5, malloc_usable_size(block));
            give_back(block);
        }
}

/* Bytes that the allocator gave beyond those asked for stay as they are. */
static void clears_no_more(void **state)
{
    size_t bytes = MB + 10000, usable;
    char *other = malloc(bytes); /* without it, the allocator gives all memory back */
    char *block = malloc(bytes), *again;

    (void)state;
    usable = malloc_usable_size(block);
    assert_true(usable > bytes);
    memset(block, 0xa5, usable);
    give_back(block);
    again = calloc(1, bytes);
    assert_ptr_equal(again, block);
    check_zeros(again, bytes);
    for (size_t i = bytes; i < usable; i++)
        assert_int_equal((unsigned char)again[i], 0xa5);
    give_back(again);
    give_back(other);
}

/* The first block of fresh memory holds a link to the next one. */
static void clears_links(void **state)
{
    static char *block[10000]; /* more than one segment of the allocator's */
    size_t count = sizeof block / sizeof *block;

    (void)state;
    for (size_t i = 0; i < count; i++) {
        block[i] = calloc(1, 5000);
        check_zeros(block[i], 5000);
    }
    for (size_t i = 0; i < count; i++)
        give_back(block[i]);
}

/* A large array of which little is used takes little memory. */
static void leaves_fresh_pages_alone(void **state)
{
    size_t bytes = 256 * MB; /* too much to be kept */
    char *block = calloc(bytes / 8, 8);

    (void)state;
    assert_true(touched(block, bytes) <= 2 * FT_HEAP_PAGE);
    check_zeros(block, 2 * FT_HEAP_PAGE);
    give_back(block);
}

static void refuses_too_much(void **state)
{
    volatile size_t half = SIZE_MAX / 2 + 1;

    (void)state;
    errno = 0;
    assert_null(calloc(half, 2));
    assert_int_equal(errno, ENOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clears_what_is_dirty), cmocka_unit_test(clears_no_more),
        cmocka_unit_test(clears_links),         cmocka_unit_test(leaves_fresh_pages_alone),
        cmocka_unit_test(refuses_too_much),
    };

    mi_option_set(mi_option_decommit_delay, 3600 * 1000); /* no page becomes zero by itself */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
