/* Changes that others have made to a job's files since the checkpoint survive when those are put
 * back. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/undo_tree.h"

static void expect_text(const char *name, const char *wanted)
{
    char text[64] = "";
    int fd = open(tree_path(name), O_RDONLY);

    assert_true(fd >= 0);
    assert_true(read(fd, text, sizeof text - 1) >= 0);
    close(fd);
    assert_string_equal(text, wanted);
}

static void goes_back(void)
{
    char failed[FT_WIRE_PATH] = "";
    int code;

    act_as(-1);
    code = undo_first(-1, failed);
    if (code != 0)
        fail_msg("undo of %s: %s", failed, strerror(-code));
}

/* A program that keeps the file before under another name dies between the two. */
static void test_a_name_that_the_program_gave(void **state)
{
    tree_setup(state);
    file_put("restart", "w", "newer");
    file_put("restart.old", "w", "older");
    act_as(0);
    assert_int_equal(unlink(tree_path("restart.old")), 0);
    assert_int_equal(link(tree_path("restart"), tree_path("restart.old")), 0);
    goes_back();
    expect_text("restart", "newer");
    expect_text("restart.old", "older");
}

static void test_a_name_that_a_user_gave(void **state)
{
    tree_setup(state);
    file_put("restart", "w", "before");
    file_put("log", "w", "one");
    act_as(0);
    file_put("restart", "w", "since");
    file_put("log", "a", " two");
    act_as(-1);
    assert_int_equal(link(tree_path("restart"), tree_path("keep")), 0);
    assert_int_equal(link(tree_path("log"), tree_path("keep.log")), 0);
    goes_back();
    expect_text("restart", "before");
    expect_text("keep", "since");
    expect_text("log", "one");
    expect_text("keep.log", "one two");
}

/* Names of one file from before the checkpoint stay so. */
static void test_names_of_one_file_stay_so(void **state)
{
    struct stat one, other;

    tree_setup(state);
    file_put("a", "w", "before");
    assert_int_equal(link(tree_path("a"), tree_path("b")), 0);
    act_as(0);
    file_put("a", "w", "since");
    goes_back();
    expect_text("b", "before");
    assert_int_equal(stat(tree_path("a"), &one), 0);
    assert_int_equal(stat(tree_path("b"), &other), 0);
    assert_int_equal(one.st_ino, other.st_ino);
}

/* Readers of the FIFO read on. */
static void test_a_fifo_that_is_there_stays(void **state)
{
    char text[8] = "";
    int end, fd;

    tree_setup(state);
    assert_int_equal(mkfifo(tree_path("pipe"), 0640), 0);
    end = open(tree_path("pipe"), O_RDONLY | O_NONBLOCK);
    act_as(0);
    fd = open(tree_path("pipe"), O_WRONLY | O_TRUNC);
    assert_true(fd >= 0);
    close(fd);
    goes_back();
    fd = open(tree_path("pipe"), O_WRONLY | O_NONBLOCK);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "again", 5), 5);
    assert_int_equal(read(end, text, 5), 5);
    assert_string_equal(text, "again");
    close(fd);
    close(end);
}

static void test_a_link_that_is_right_stays(void **state)
{
    struct stat before, after;
    int held;

    tree_setup(state);
    file_put("a", "w", "what it leads to");
    assert_int_equal(symlink("a", tree_path("right")), 0);
    assert_int_equal(symlink("a", tree_path("wrong")), 0);
    held = open(tree_path("right"), O_PATH | O_NOFOLLOW); /* or its number is used again */
    assert_int_equal(fstat(held, &before), 0);
    act_as(0);
    assert_int_equal(rename(tree_path("none"), tree_path("right")), -1);
    assert_int_equal(unlink(tree_path("wrong")), 0);
    assert_int_equal(symlink("b", tree_path("wrong")), 0);
    goes_back();
    assert_int_equal(lstat(tree_path("right"), &after), 0);
    assert_int_equal(after.st_ino, before.st_ino);
    expect_text("wrong", "what it leads to");
    close(held);
}

/* Where a folder was there is a link now: what it leads to is somebody else's. */
static void test_nothing_is_removed_behind_a_link(void **state)
{
    struct stat status;

    tree_setup(state);
    assert_int_equal(mkdir(tree_path("d"), 0700), 0);
    assert_int_equal(mkdir(tree_path("elsewhere"), 0700), 0);
    file_put("elsewhere/x", "w", "a user's");
    act_as(0);
    file_put("d/x", "w", "new");
    assert_int_equal(unlink(tree_path("d/x")), 0);
    assert_int_equal(rmdir(tree_path("d")), 0);
    assert_int_equal(symlink("elsewhere", tree_path("d")), 0);
    goes_back();
    expect_text("elsewhere/x", "a user's");
    assert_int_equal(lstat(tree_path("d"), &status), 0);
    assert_true(S_ISDIR(status.st_mode));
    assert_int_equal(access(tree_path("d/x"), F_OK), -1);
}

/* A child process, or a core dump. */
static void test_a_new_folder_that_others_have_filled_stays(void **state)
{
    tree_setup(state);
    act_as(0);
    assert_int_equal(mkdir(tree_path("new"), 0700), 0);
    file_put("new/own", "w", "own");
    act_as(-1);
    file_put("new/core", "w", "of others");
    goes_back();
    expect_text("new/core", "of others");
    assert_int_equal(access(tree_path("new/own"), F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_name_that_the_program_gave),
        cmocka_unit_test(test_a_name_that_a_user_gave),
        cmocka_unit_test(test_names_of_one_file_stay_so),
        cmocka_unit_test(test_a_fifo_that_is_there_stays),
        cmocka_unit_test(test_a_link_that_is_right_stays),
        cmocka_unit_test(test_nothing_is_removed_behind_a_link),
        cmocka_unit_test(test_a_new_folder_that_others_have_filled_stays)};

    setvbuf(stdout, NULL, _IONBF, 0);
    return cmocka_run_group_tests(tests, tree_setup, tree_teardown);
}
