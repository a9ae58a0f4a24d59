/* input_test: what rank 0 reads is the standard input, and its end is that of the standard input.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

/* In place of the C library's: the standard input fails with this. */
static int broken;
ssize_t __real_read(int fd, void *bytes, size_t length);
ssize_t __wrap_read(int fd, void *bytes, size_t length);

ssize_t __wrap_read(int fd, void *bytes, size_t length)
{
    if (fd != STDIN_FILENO || !broken)
        return __real_read(fd, bytes, length);
    errno = broken;
    return -1;
}

/* In place of the C library's: the standard input is our terminal. */
static int terminal;
int isatty(int fd)
{
    return fd == STDIN_FILENO && terminal;
}

pid_t tcgetpgrp(int fd)
{
    (void)fd;
    return getpgrp();
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
static int pipes[2], old, losses, lost_by;

static void on_lost(void *context, int error)
{
    (*(int *)context)++;
    lost_by = error;
}

/* A life that begins behind the first two bytes of what was kept; all of that is the input. */
static int begin(void **state)
{
    int fd = mkstemp(spool), null = open("/dev/null", O_RDONLY);

    (void)state;
    failing = syncs = losses = broken = terminal = 0;
    old = dup(STDIN_FILENO);
    if (fd < 0 || write(fd, "kept", 4) != 4 || close(fd) || dup2(null, STDIN_FILENO) < 0 ||
        close(null) || pipe2(pipes, O_NONBLOCK) || ft_loop_create(&loop))
        return -1;
    return ft_input_create(loop, spool, on_lost, &losses, &input);
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
    failing = -1;
    ft_input_attach(input, pipes[1], 2);
    assert_int_equal(read(pipes[0], &byte, 1), -1);
    assert_int_equal(errno, EAGAIN);
    failing = 0;
    run_for(1.2);
    expect_rest();
    assert_int_equal(losses, 0);
}

/* Nor is what somebody has cut off, which does not come again. */
static void what_was_cut_is_not_the_end(void **state)
{
    char byte;

    (void)state;
    failing = 1;
    ft_input_attach(input, pipes[1], 2);
    ft_input_pause(input, 1);
    ft_input_pause(input, 0);
    assert_int_equal(losses, 1);
    assert_int_equal(read(pipes[0], &byte, 1), -1);
    assert_int_equal(errno, EAGAIN);
}

/* Input that comes then is not put after a hole. */
static void nothing_follows_what_was_cut(void **state)
{
    char text[8] = "";
    int more[2];

    (void)state;
    assert_true(pipe(more) == 0 && dup2(more[0], STDIN_FILENO) == STDIN_FILENO);
    ft_input_attach(input, pipes[1], 2);
    run_for(0.01);
    assert_int_equal(read(pipes[0], text, sizeof(text)), 2);
    assert_int_equal(truncate(spool, 0), 0);
    assert_int_equal(write(more[1], "more", 4), 4);
    run_for(0.01);
    assert_int_equal(losses, 1);
    assert_int_equal(read(pipes[0], text, sizeof(text)), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(ft_input_kept(input), 4);
    close(more[0]);
    close(more[1]);
}

/* The input is now a file, or something else with an end at once. */
static void take_input(int fd)
{
    assert_true(fd >= 0 && dup2(fd, STDIN_FILENO) == STDIN_FILENO && close(fd) == 0);
    ft_input_destroy(input);
    assert_int_equal(ft_input_create(loop, spool, on_lost, &losses, &input), 0);
}

/* The file server answers again. */
static void a_file_that_fails_is_read_again(void **state)
{
    static const int errors[] = {EIO, ESTALE};
    char text[8] = "";

    (void)state;
    FILE *file = tmpfile();
    assert_true(file && fputs("kept", file) >= 0 && fputs("on", file) >= 0 && fflush(file) == 0);
    rewind(file);
    take_input(dup(fileno(file)));
    fclose(file);
    broken = EIO;
    ft_input_attach(input, pipes[1], 2);
    run_for(0.01);
    assert_int_equal(read(pipes[0], text, sizeof(text)), 2);
    for (int i = 0; i < 2; i++) {
        broken = errors[i];
        run_for(1.2);
        assert_int_equal(read(pipes[0], text, sizeof(text)), -1);
        assert_int_equal(errno, EAGAIN);
    }
    broken = 0;
    run_for(1.2);
    assert_int_equal(read(pipes[0], text, sizeof(text)), 2);
    assert_memory_equal(text, "on", 2);
    assert_int_equal(read(pipes[0], text, sizeof(text)), 0);
    assert_int_equal(losses, 0);
}

/* A connection that was broken: nobody has seen the end of the input. */
static void what_is_broken_is_not_the_end(void **state)
{
    static const int errors[] = {ECONNRESET, EISDIR, EIO};
    char text[8] = "";

    (void)state;
    for (int i = 0; i < 3; i++) {
        take_input(open("/dev/null", O_RDONLY));
        broken = errors[i];
        ft_input_attach(input, dup(pipes[1]), 4);
        run_for(0.01);
        assert_int_equal(losses, i + 1);
        assert_int_equal(lost_by, errors[i]);
        broken = 0;
        ft_input_pause(input, 0);
        assert_int_equal(read(pipes[0], text, sizeof(text)), -1);
        assert_int_equal(errno, EAGAIN);
    }
    close(pipes[1]);
}

/* Somebody else has read what was there. */
static void who_comes_too_late_waits_for_more(void **state)
{
    char text[8] = "";
    int more[2];

    (void)state;
    assert_int_equal(pipe(more), 0);
    take_input(more[0]);
    assert_int_equal(write(more[1], "on", 2), 2);
    broken = EAGAIN;
    ft_input_attach(input, pipes[1], 4);
    run_for(0.01);
    assert_int_equal(read(pipes[0], text, sizeof(text)), -1);
    broken = 0;
    run_for(0.01);
    assert_int_equal(read(pipes[0], text, sizeof(text)), 2);
    assert_memory_equal(text, "on", 2);
    assert_int_equal(losses, 0);
    close(more[1]);
}

/* The inputs of nohup and of a terminal that is gone. */
static void nobody_misses_what_cannot_be_read(void **state)
{
    int own[2];
    char byte;

    (void)state;
    for (terminal = 0; terminal < 2; terminal++) {
        take_input(open("/dev/null", O_RDONLY));
        broken = terminal ? EIO : EBADF;
        assert_int_equal(pipe2(own, O_NONBLOCK), 0);
        ft_input_attach(input, own[1], 4);
        run_for(0.01);
        assert_int_equal(read(own[0], &byte, 1), 0);
        assert_int_equal(losses, 0);
        close(own[0]);
    }
    close(pipes[1]);
}

/* Once, for what there is; and what could not be written once is not taken for written later. */
static void what_is_kept_is_synced(void **state)
{
    (void)state;
    assert_int_equal(ft_input_sync(input, 0), 0);
    assert_int_equal(ft_input_sync(input, 0), 0);
    assert_int_equal(syncs, 1);
    close(pipes[1]);
}

static void what_could_not_be_synced_is_in_doubt(void **state)
{
    (void)state;
    failing = -1;
    assert_int_equal(ft_input_sync(input, 0), -EIO);
    failing = 0;
    assert_int_equal(ft_input_sync(input, 0), -EIO);
    assert_int_equal(ft_input_sync(input, 3), -EIO);
    assert_int_equal(ft_input_sync(input, 4), 0);
    close(pipes[1]);
}

/* A job that had read `read` bytes is continued with this file, of which `passed` bytes were read
 * before. */
static int check_file(const char *content, off_t passed, uint64_t read)
{
    char name[] = "/tmp/input_test.XXXXXX";
    int fd = mkstemp(name), code;

    assert_true(fd >= 0 && write(fd, content, strlen(content)) == (ssize_t)strlen(content));
    assert_int_equal(lseek(fd, passed, SEEK_SET), passed);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    ft_input_destroy(input);
    assert_int_equal(ft_input_create(loop, spool, on_lost, &losses, &input), 0);
    assert_int_equal(lseek(fd, 0, SEEK_CUR), passed + 4); /* behind what is kept */
    code = ft_input_check(input, read);
    close(fd);
    unlink(name);
    return code;
}

static void what_was_read_is_in_the_file(void **state)
{
    (void)state;
    assert_int_equal(ft_input_check(input, 4), 0);
    assert_int_equal(ft_input_check(input, 5), -ENODATA);
    assert_int_equal(check_file("kept and more", 0, 4), 0);
    assert_int_equal(check_file("kept and more", 0, 13), 0);
    assert_int_equal(check_file("kept and more", 0, 14), -EBADMSG);
    assert_int_equal(check_file("kept", 0, 4), 0);
    assert_int_equal(check_file("kep", 0, 3), -EBADMSG);
    assert_int_equal(check_file("keep and more", 0, 3), -EBADMSG);
    assert_int_equal(check_file("a head, kept and more", 8, 4), 0);
    assert_int_equal(check_file("a head, kept and more", 0, 4), -EBADMSG);
    close(pipes[1]);
}

/* However much was dropped: the end of what is kept is there. */
static void a_file_is_known_behind_what_was_dropped(void **state)
{
    static char content[200001];

    (void)state;
    memset(content, 'x', 200000);
    FILE *file = fopen(spool, "w");
    assert_true(file && fwrite(content, 200000, 1, file) == 1 && fclose(file) == 0);
    ft_input_destroy(input);
    assert_int_equal(ft_input_create(loop, spool, on_lost, &losses, &input), 0);
    ft_input_drop(input, 200000);
    close(pipes[1]);
    FILE *given = tmpfile();
    assert_true(given && fwrite(content, 200000, 1, given) == 1 && fflush(given) == 0);
    rewind(given);
    assert_int_equal(dup2(fileno(given), STDIN_FILENO), STDIN_FILENO);
    ft_input_destroy(input);
    assert_int_equal(ft_input_create(loop, spool, on_lost, &losses, &input), 0);
    assert_int_equal(ft_input_check(input, 200000), 0);
    assert_int_equal(pwrite(fileno(given), "y", 1, 199999), 1);
    assert_int_equal(ft_input_check(input, 200000), -EBADMSG);
    fclose(given);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_kept_is_given_again, begin, end),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_is_not_the_end, begin, end),
        cmocka_unit_test_setup_teardown(what_was_cut_is_not_the_end, begin, end),
        cmocka_unit_test_setup_teardown(nothing_follows_what_was_cut, begin, end),
        cmocka_unit_test_setup_teardown(a_file_that_fails_is_read_again, begin, end),
        cmocka_unit_test_setup_teardown(what_is_broken_is_not_the_end, begin, end),
        cmocka_unit_test_setup_teardown(who_comes_too_late_waits_for_more, begin, end),
        cmocka_unit_test_setup_teardown(nobody_misses_what_cannot_be_read, begin, end),
        cmocka_unit_test_setup_teardown(what_is_kept_is_synced, begin, end),
        cmocka_unit_test_setup_teardown(what_could_not_be_synced_is_in_doubt, begin, end),
        cmocka_unit_test_setup_teardown(what_was_read_is_in_the_file, begin, end),
        cmocka_unit_test_setup_teardown(a_file_is_known_behind_what_was_dropped, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
