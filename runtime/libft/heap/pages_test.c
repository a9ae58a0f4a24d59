/* Pages whose content is not needed: this process keeps them, a clone finds nothing to write. */
#include "heap/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "os/os.h"
#include "process.h"

#define BYTES ((size_t)4 << 20)
#define HALF (BYTES / 2)

static int count(void *closure, uintptr_t begin, uintptr_t end)
{
    *(size_t *)closure += end - begin;
    return 0;
}

static size_t touched(const char *pages, size_t bytes)
{
    size_t found = 0;

    ft_os_touched((uintptr_t)pages, (uintptr_t)pages + bytes, count, &found);
    return found;
}

/* The pages that a clone of this process sees: 1: the first half alone; 2: all; 0: something
 * else. */
static int clone_sees(const char *pages)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        if (pages[0] != 7 || pages[HALF - 1] != 7)
            _exit(0);
        if (touched(pages, BYTES) == BYTES && pages[HALF] == 7)
            _exit(2);
        _exit(touched(pages, BYTES) == HALF && pages[HALF] == 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void what_is_skipped(void **state)
{
    char *pages = ft_image_pages(BYTES);

    (void)state;
    assert_int_equal((uintptr_t)pages % 4096, 0);
    assert_int_equal(pages[BYTES - 1], 0);
    ft_image_pages_touch(pages, HALF);
    assert_int_equal(pages[HALF - 1], 0);
    memset(pages, 7, BYTES);
    assert_int_equal(clone_sees(pages), 2);
    ft_image_pages_skip(pages + HALF, HALF);
    assert_int_equal(clone_sees(pages), 1);
    assert_int_equal(pages[BYTES - 1], 7);
    assert_int_equal(touched(pages, BYTES), BYTES);
    ft_image_pages_use(pages + HALF, HALF);
    assert_int_equal(clone_sees(pages), 2);
    ft_image_pages_drop(pages + HALF, HALF);
    assert_int_equal(pages[0], 7);
    assert_int_equal(touched(pages, BYTES), HALF);
    ft_image_pages_free(pages, BYTES);
    assert_int_equal(ft_heap_get()->count, 0);
}

static int mapping_add(void *closure, const struct ft_os_mapping *mapping)
{
    *(size_t *)closure += mapping->end - mapping->begin;
    return 0;
}

static void what_is_apart(void **state)
{
    char *pages = ft_image_pages(BYTES);
    size_t mapped = 0;
    int status;
    pid_t child;

    (void)state;
    memset(pages, 7, BYTES);
    ft_image_pages_apart(pages, HALF);
    child = fork();
    if (child == 0) {
        ft_os_mappings((uintptr_t)pages, (uintptr_t)pages + BYTES, mapping_add, &mapped);
        _exit(mapped != HALF || pages[HALF] != 7);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(pages[0], 7);
    assert_int_equal(touched(pages, BYTES), BYTES);
    ft_image_pages_free(pages, BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_skipped),
                                       cmocka_unit_test(what_is_apart)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
