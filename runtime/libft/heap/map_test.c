/* mmap and its kin, called by a program in a rank: what an image could not carry does not come in.
 */
#include "heap/heap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "os/os.h"
#include "process.h"

#define PAGE 4096UL

struct ft_rank *ft_self = (struct ft_rank *)PAGE; /* nobody looks into it */
__thread int ft_depth;                            /* 0: the program asks */

static jmp_buf refused;

void ft_refuse(const char *what, const void *site, const char *why)
{
    (void)what;
    (void)site;
    (void)why;
    longjmp(refused, 1);
}

static int file_make(size_t bytes)
{
    char path[] = "/tmp/ft_map_XXXXXX", page[PAGE];
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    unlink(path);
    memset(page, 'f', sizeof page);
    for (size_t done = 0; done < bytes; done += PAGE)
        assert_int_equal(write(fd, page, bytes - done < PAGE ? bytes - done : PAGE),
                         bytes - done < PAGE ? bytes - done : PAGE);
    return fd;
}

static int count(void *closure, uintptr_t begin, uintptr_t end)
{
    *(size_t *)closure += end - begin;
    return 0;
}

static int take_protection(void *closure, const struct ft_os_mapping *mapping)
{
    *(int *)closure = mapping->prot;
    return 0;
}

static char *pages_map(size_t bytes)
{
    char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(ft_heap_holds(at));
    memset(at, 'a', bytes);
    return at;
}

/* All of the file is there before anybody looks: an image holds touched pages. */
static void file_over_own_pages_is_a_copy(void **state)
{
    char *at = pages_map(4 * PAGE);
    int fd = file_make(2 * PAGE - 100), prot = -1;
    size_t touched = 0;

    (void)state;
    assert_ptr_equal(mmap(at + PAGE, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0),
                     at + PAGE);
    close(fd);
    ft_os_touched((uintptr_t)at + PAGE, (uintptr_t)at + 3 * PAGE, count, &touched);
    assert_int_equal(touched, 2 * PAGE);
    assert_int_equal(at[PAGE - 1], 'a');
    assert_int_equal(at[PAGE], 'f');
    assert_int_equal(at[3 * PAGE - 101], 'f');
    assert_int_equal(at[3 * PAGE - 100], 0);
    assert_int_equal(at[3 * PAGE], 'a');
    ft_os_mappings((uintptr_t)at + PAGE, (uintptr_t)at + 2 * PAGE, take_protection, &prot);
    assert_int_equal(prot, PROT_READ);
    assert_int_equal(munmap(at, 4 * PAGE), 0);
}

static void no_file_changes_nothing(void **state)
{
    char *at = pages_map(PAGE);

    (void)state;
    assert_ptr_equal(mmap(at, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, -1, 0), MAP_FAILED);
    assert_int_equal(errno, EBADF);
    assert_int_equal(at[0], 'a');
    assert_int_equal(munmap(at, PAGE), 0);
}

/* Sizes that are no multiples of a page keep the page in which they end, and nothing of what lies
 * behind is touched. */
static void less_of_a_mapping_leaves_its_neighbour(void **state)
{
    char *at = pages_map(4 * PAGE);

    (void)state;
    assert_ptr_equal(mremap(at, 2 * PAGE, PAGE + 900, 0), at);
    assert_int_equal(at[2 * PAGE], 'a');
    assert_ptr_equal(mremap(at, 2 * PAGE, 100, 0), at);
    assert_int_equal(at[0] + at[2 * PAGE] + at[3 * PAGE], 3 * 'a');
    assert_int_equal(munmap(at, 4 * PAGE), 0);
}

/* The byte of a hidden page that a child of this process sees. */
static int seen_by_child(const volatile char *page)
{
    pid_t child = fork();
    int status;

    if (child == 0)
        _exit(*page);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The clone that writes an image is such a child. */
static void advice_hides_nothing(void **state)
{
    static const int advice[] = {MADV_DONTFORK, MADV_WIPEONFORK};
    char *at = pages_map(PAGE);

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(madvise(at, PAGE, advice[i]), 0);
        assert_int_equal(seen_by_child(at), 'a');
    }
    assert_int_equal(madvise(at, PAGE, MADV_DONTNEED), 0);
    assert_int_equal(at[0], 0);
    assert_int_equal(munmap(at, PAGE), 0);
}

static void the_runtime_may_hide(void **state)
{
    char *at = pages_map(PAGE);

    (void)state;
    ft_image_pages_skip(at, PAGE);
    assert_int_equal(seen_by_child(at), 0);
    assert_int_equal(munmap(at, PAGE), 0);
}

static void break_is_refused(void **state)
{
    char *end = sbrk(0);

    (void)state;
    if (setjmp(refused) == 0) {
        brk(end + PAGE);
        fail_msg("the break was moved");
    }
    if (setjmp(refused) == 0) {
        sbrk((intptr_t)PAGE);
        fail_msg("the break was moved");
    }
    ft_depth = 1; /* the MPI library */
    assert_int_equal(brk(end + PAGE), 0);
    assert_int_equal(brk(end), 0);
    ft_depth = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_over_own_pages_is_a_copy),
        cmocka_unit_test(no_file_changes_nothing),
        cmocka_unit_test(less_of_a_mapping_leaves_its_neighbour),
        cmocka_unit_test(advice_hides_nothing),
        cmocka_unit_test(the_runtime_may_hide),
        cmocka_unit_test(break_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
