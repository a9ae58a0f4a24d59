/* What others have made of a job's files since the checkpoint is spared when they are put back. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_name_that_the_program_gave),
                                       cmocka_unit_test(test_a_name_that_a_user_gave),
                                       cmocka_unit_test(test_names_of_one_file_stay_so)};

    setvbuf(stdout, NULL, _IONBF, 0);
    return cmocka_run_group_tests(tests, tree_setup, tree_teardown);
}
