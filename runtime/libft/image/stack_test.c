/* The program's stack is as long as the system's would be. */
#include "image/stack.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "image/layout.h"

#define GB (1UL << 30)

/* Bytes of the stack that a process with these limits gets, up to its lowest page, written to; the
 * code of ft_stack_open where it fails. */
static long open_in_child(rlim_t stack, rlim_t addresses)
{
    struct rlimit limit[2] = {{stack, stack}, {addresses, addresses}};
    int channel[2], status;
    long answer = 0;
    pid_t child;

    assert_int_equal(pipe(channel), 0);
    child = fork();
    if (child == 0) {
        if (setrlimit(RLIMIT_STACK, &limit[0]) != 0 || setrlimit(RLIMIT_AS, &limit[1]) != 0)
            _exit(77);
        answer = ft_stack_open(0);
        if (answer == 0) {
            answer = (long)ft_stack_bytes();
            *(volatile char *)(FT_STACK_TOP - ft_stack_bytes()) = 1;
        }
        _exit(write(channel[1], &answer, sizeof answer) != sizeof answer);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip(); /* the machine has a lower limit */
    assert_int_equal(status, 0);
    assert_int_equal(read(channel[0], &answer, sizeof answer), sizeof answer);
    close(channel[0]);
    close(channel[1]);
    return answer;
}

static void follows_the_limit(void **state)
{
    (void)state;
    assert_int_equal(open_in_child(16UL << 20, RLIM_INFINITY), (16L << 20) + (256L << 10));
}

/* Natively a recursion goes on as long as there is memory. */
static void unlimited_is_long(void **state)
{
    (void)state;
    assert_true(open_in_child(RLIM_INFINITY, RLIM_INFINITY) >= (long)(64 * GB));
}

static void unlimited_fits_into_few_addresses(void **state)
{
    long bytes;

    (void)state;
    bytes = open_in_child(RLIM_INFINITY, 4 * GB);
    assert_true(bytes >= (long)GB && bytes <= (long)(4 * GB));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_limit),
        cmocka_unit_test(unlimited_is_long),
        cmocka_unit_test(unlimited_fits_into_few_addresses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
