/* input_test: what rank 0 reads is the standard input, and its end is that of the standard input.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "console/input.h"

/* In place of the C library's, which fails, or finds the end, for a while. */
static int failing;
ssize_t __real_pread(int fd, void *bytes, size_t length, off_t at);
ssize_t __wrap_pread(int fd, void *bytes, size_t length, off_t at);

ssize_t __wrap_pread(int fd, void *bytes, size_t length, off_t at)
{
    if (!failing)
        return __real_pread(fd, bytes, length, at);
    errno = EIO;
    return failing < 0 ? -1 : 0;
}

/* In place of the C library's, likewise. */
static int syncs;
int fdatasync(int fd)
{
    (void)fd;
    syncs++;
    errno = EIO;
    return failing;
}

static struct ft_loop *loop;
static struct ft_input *input;
static char spool[] = "/tmp/input_test.XXXXXX";
static int pipes[2], old;

/* A life that begins behind the first two bytes of what was kept; all of that is the input. */
static int begin(void **state)
{
    int fd = mkstemp(spool), null = open("/dev/null", O_RDONLY);

    (void)state;
    failing = syncs = 0;
    old = dup(STDIN_FILENO);
    if (fd < 0 || write(fd, "kept", 4) != 4 || close(fd) || dup2(null, STDIN_FILENO) < 0 ||
        close(null) || pipe2(pipes, O_NONBLOCK) || ft_loop_create(&loop))
        return -1;
    return ft_input_create(loop, spool, &input);
}

static int end(void **state)
{
    (void)state;
    ft_input_destroy(input);
    ft_loop_destroy(loop);
    close(pipes[0]);
    dup2(old, STDIN_FILENO);
    close(old);
    unlink(spool);
    strcpy(strrchr(spool, '.'), ".XXXXXX");
    return 0;
}

static void stop(void *context)
{
    *(int *)context = 1;
}

static void run_for(double seconds)
{
    struct ft_timer timer = {0};
    int done = 0;

    ft_loop_after(loop, &timer, seconds, stop, &done);
    assert_int_equal(ft_loop_run(loop, &done), 0);
}

static void expect_rest(void)
{
    char text[8] = "";

    assert_int_equal(read(pipes[0], text, sizeof(text)), 2);
    assert_string_equal(text, "pt");
    assert_int_equal(read(pipes[0], text, sizeof(text)), 0);
}

static void what_is_kept_is_given_again(void **state)
{
    (void)state;
    ft_input_attach(input, pipes[1], 2);
    run_for(0.01);
    expect_rest();
}

/* A program that finds an end of its input goes on without the rest. */
static void what_cannot_be_read_is_not_the_end(void **state)
{
    char byte;

    (void)state;
    for (failing = -1; failing <= 1; failing += 2) {
        ft_input_attach(input, pipes[1], 2);
        assert_int_equal(read(pipes[0], &byte, 1), -1);
        assert_int_equal(errno, EAGAIN);
        pipes[1] = dup(pipes[1]);
    }
    failing = 0;
    close(pipes[1]);
    run_for(1.2);
    expect_rest();
}

/* Once, for what there is, and again where it failed. */
static void what_is_kept_is_synced(void **state)
{
    (void)state;
    failing = -1;
    assert_int_equal(ft_input_sync(input), -EIO);
    failing = 0;
    assert_int_equal(ft_input_sync(input), 0);
    assert_int_equal(ft_input_sync(input), 0);
    assert_int_equal(syncs, 2);
    close(pipes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_kept_is_given_again, begin, end),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_is_not_the_end, begin, end),
        cmocka_unit_test_setup_teardown(what_is_kept_is_synced, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
