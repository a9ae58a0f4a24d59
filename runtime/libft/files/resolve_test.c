/* resolve_test: names of files whose folder is there, or is not. */
#include "files/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "files/work.h"

static int setup(void **state)
{
    (void)state;
    if (work_make("resolve") != 0)
        return -1;
    assert_int_equal(mkdir(path_of("folder"), 0700), 0);
    assert_int_equal(symlink("folder", path_of("way")), 0);
    assert_int_equal(symlink("missing/file", path_of("lost")), 0);
    assert_int_equal(symlink("folder/new", path_of("next")), 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return work_remove();
}

static void expect_presumed(const char *path, const char *gap, const char *name)
{
    char found_gap[FT_UNDO_PATH], found[FT_UNDO_PATH];

    assert_int_equal(files_presume(AT_FDCWD, path_of(path), found_gap, found), 0);
    assert_string_equal(found_gap, path_of(gap));
    assert_string_equal(found, path_of(name));
}

static void what_is_below_a_missing_folder_has_a_name(void **state)
{
    (void)state;
    expect_presumed("missing/file", "missing", "missing/file");
    expect_presumed("missing/more/file", "missing", "missing/more/file");
    expect_presumed("way/missing//./file/", "folder/missing", "folder/missing/file");
    expect_presumed("missing/more/../file", "missing", "missing/file");
    expect_presumed("missing/../folder/file", "missing", "folder/file");
    expect_presumed("folder/missing/..file", "folder/missing", "folder/missing/..file");
}

static void a_missing_folder_may_be_what_a_link_leads_to(void **state)
{
    char gap[FT_UNDO_PATH], name[FT_UNDO_PATH];

    (void)state;
    expect_presumed("next/file", "folder/new", "folder/new/file");
    expect_presumed("next/../file", "folder/new", "folder/file");
    expect_presumed("next/more/file", "folder/new", "folder/new/more/file");
    expect_presumed("lost/file", "missing", "missing/file/file");
    assert_int_equal(symlink("round/and", path_of("round")), 0);
    assert_int_equal(files_presume(AT_FDCWD, path_of("round/file"), gap, name), -ELOOP);
    unlink(path_of("round"));
}

static void above_the_root_is_the_root(void **state)
{
    char gap[FT_UNDO_PATH], name[FT_UNDO_PATH];

    (void)state;
    assert_int_equal(files_presume(AT_FDCWD, path_of("missing/../../../../../.."), gap, name), 0);
    assert_string_equal(name, "/");
    assert_int_equal(files_presume(AT_FDCWD, path_of("missing/../../../../../../a"), gap, name), 0);
    assert_string_equal(name, "/a");
}

static void relative_to_a_folder(void **state)
{
    char gap[FT_UNDO_PATH], name[FT_UNDO_PATH];
    int folder = open(path_of("folder"), O_RDONLY | O_DIRECTORY);

    (void)state;
    assert_int_equal(files_presume(folder, "missing/file", gap, name), 0);
    assert_string_equal(name, path_of("folder/missing/file"));
    close(folder);
}

static void where_nothing_is_missing_nothing_is_presumed(void **state)
{
    char gap[FT_UNDO_PATH], name[FT_UNDO_PATH], text[FT_UNDO_PATH + 8];

    (void)state;
    assert_int_equal(files_presume(AT_FDCWD, path_of("folder/file"), gap, name), -ENOENT);
    assert_int_equal(files_presume(AT_FDCWD, "file", gap, name), -ENOENT);
    assert_int_equal(files_presume(AT_FDCWD, "/file", gap, name), -ENOENT);
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = 0;
    assert_int_equal(files_presume(AT_FDCWD, text, gap, name), -ENAMETOOLONG);
}

/* Each part fits, and all of them do not. */
static void a_name_that_is_too_long_is_refused(void **state)
{
    char gap[FT_UNDO_PATH], name[FT_UNDO_PATH], text[FT_UNDO_PATH];
    size_t length = (size_t)sprintf(text, "missing");
    int folder = open(path_of("folder"), O_RDONLY | O_DIRECTORY);

    (void)state;
    while (length + 3 < sizeof text)
        length += (size_t)sprintf(text + length, "/a");
    assert_int_equal(files_presume(folder, text, gap, name), -ENAMETOOLONG);
    close(folder);
}

static void a_link_to_what_cannot_be_resolved_tells_where_it_leads(void **state)
{
    char name[FT_UNDO_PATH];

    (void)state;
    assert_int_equal(files_dereference(AT_FDCWD, path_of("next"), name), 0);
    assert_string_equal(name, path_of("folder/new"));
    assert_int_equal(files_dereference(AT_FDCWD, path_of("lost"), name), -ENOENT);
    assert_string_equal(name, path_of("missing/file"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_is_below_a_missing_folder_has_a_name),
        CASE(a_missing_folder_may_be_what_a_link_leads_to),
        CASE(above_the_root_is_the_root),
        CASE(relative_to_a_folder),
        CASE(where_nothing_is_missing_nothing_is_presumed),
        CASE(a_name_that_is_too_long_is_refused),
        CASE(a_link_to_what_cannot_be_resolved_tells_where_it_leads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
