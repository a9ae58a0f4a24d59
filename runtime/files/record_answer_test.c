/* record_answer_test: libc has found something else than the look before its call (answer.c). */
#include "files/record_rank.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* It is made, or goes, between our look and libc's. */
static void what_came_between_is_listed(void **state)
{
    const char *path = path_of("missing");
    struct ft_files *files;

    (void)state;
    reads(path);
    act_as(0);
    files = ft_self->files;
    assert_int_equal(files_note(files, AT_FDCWD, path, FILES_READ, 1), 0);
    act_as(-1);
    put(-1, path, "w", "a");
    act_as(0);
    assert_int_equal(files_note_ends(files, AT_FDCWD, path, 1, FILES_UNKNOWN), 0);
    assert_int_equal(files_note_ends(files, AT_FDCWD, path, 1, FILES_UNKNOWN), 0);
    act_as(-1);
    expect_looks("1r 3r ", 0);
    reads(path);
    expect_looks("1r 3r ", 0);
    act_as(0);
    assert_int_equal(files_note(files, AT_FDCWD, path, FILES_READ, 1), 0);
    act_as(-1);
    unlink(path);
    act_as(0);
    assert_int_equal(files_note_ends(files, AT_FDCWD, path, 1, FILES_UNKNOWN), 0);
    act_as(-1);
    reads(path);
    expect_looks("1r 3r 5r ", 0);
}

/* Libc says so: then it is this look, behind what another rank did. A lock that another one got is
 * a look, and one that was free after all a change. */
static void what_libc_has_found_counts(void **state)
{
    const char *path = path_of("missing");
    struct ft_files *files;

    (void)state;
    act_as(0);
    files = ft_self->files;
    assert_int_equal(files_note_make(files, AT_FDCWD, path, 0), 0);
    assert_int_equal(files_note_ends(files, AT_FDCWD, path, 0, FILES_NAMED), 0);
    act_as(-1);
    expect_looks("1n 1n! ", 1);
    act_as(0);
    assert_int_equal(files_note_make(files, AT_FDCWD, path, 0), 0);
    act_as(-1);
    put(-1, path, "w", "a");
    act_as(0);
    assert_int_equal(files_note_ends(files, AT_FDCWD, path, 0, FILES_EXCLUDED), 0);
    act_as(-1);
    expect_looks("1n 1n! 1:1n 1:1r! ", 1);
    act_as(0);
    assert_int_equal(files_note_make(files, AT_FDCWD, path, 0), 0);
    assert_int_equal(files_note_ends(files, AT_FDCWD, path, 0, FILES_EXCLUDED), 0);
    act_as(-1);
    expect_looks("1n 1n! 1:1n 1:1r! ", 1);
    act_as(0);
    assert_int_equal(files_note_make(files, AT_FDCWD, path, 0), 0);
    assert_int_equal(files_note_ends(files, AT_FDCWD, path, 0, FILES_NAMED), 0);
    act_as(-1);
    expect_looks("1n 1n! 1:1n 1:1r! 1:3n! ", 2);
}

/* Who fails because it is there fails so again; who fails otherwise asks libc again. */
static void why_nothing_was_made_counts(void **state)
{
    const char *path = path_of("folder");

    (void)state;
    act_as(0);
    assert_int_equal(mkdir(path_of("missing/folder"), 0700), -1);
    assert_int_equal(link(path_of("missing"), path), -1);
    assert_int_equal(errno, ENOENT);
    act_as(-1);
    expect_needs(path, FT_NEEDS_NOTHING);
    assert_int_equal(mkdir(path, 0700), 0);
    act_as(0);
    assert_int_equal(mkdir(path, 0700), -1);
    act_as(-1);
    expect_needs(path, FT_NEEDS_PRESENCE);
    act_as(0);
    assert_int_equal(link(path_of("missing"), path), -1);
    assert_int_equal(errno, ENOENT);
    act_as(-1);
    expect_needs(path, FT_NEEDS_NOTHING);
    assert_int_equal(rmdir(path), 0);
    act_as(0);
    assert_int_equal(files_note_make(ft_self->files, AT_FDCWD, path, FILES_FREE), 0);
    assert_int_equal(files_note_ends(ft_self->files, AT_FDCWD, path, 0, FILES_EXCLUDED), 0);
    act_as(-1);
    expect_needs(path, FT_NEEDS_PRESENCE); /* it has gone since */
}

/* Then nothing of it has to be put back: its cluster need not go back with that of who was. What it
 * does there later is a change. */
static void who_is_not_the_first_has_made_nothing(void **state)
{
    const char *path = path_of("folder");

    (void)state;
    act_as(0);
    assert_int_equal(files_note_make(ft_self->files, AT_FDCWD, path, FILES_FREE), 0);
    act_as(-1);
    assert_int_equal(count_of(".undo"), 1);
    assert_int_equal(mkdir(path, 0700), 0);
    act_as(0);
    assert_int_equal(files_note_ends(ft_self->files, AT_FDCWD, path, 0, FILES_EXCLUDED), 0);
    act_as(-1);
    assert_int_equal(count_of(".undo"), 0);
    assert_true(reads_size() > 0);
    act_as(0);
    assert_int_equal(rmdir(path), 0);
    act_as(-1);
    assert_int_equal(count_of(".undo"), 1);
    undo(-1);
    assert_int_equal(access(path, F_OK), 0);
}

/* But its own making of before stays on record. */
static void who_was_the_first_before_has(void **state)
{
    const char *path = path_of("folder");

    (void)state;
    act_as(0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(files_note_make(ft_self->files, AT_FDCWD, path, FILES_FREE), 0);
    act_as(-1);
    assert_int_equal(mkdir(path, 0700), 0);
    act_as(0);
    assert_int_equal(files_note_ends(ft_self->files, AT_FDCWD, path, 0, FILES_EXCLUDED), 0);
    act_as(-1);
    assert_int_equal(count_of(".undo"), 1);
}

/* It went back, and the folder stayed: who goes back with all others leaves nothing there. */
static void a_folder_that_stayed_was_not_there(void **state)
{
    const char *path = path_of("folder");

    (void)state;
    assert_int_equal(mkdir(path, 0700), 0);
    act_as(0);
    assert_int_equal(files_note_make(ft_self->files, AT_FDCWD, path, FILES_OURS), 0);
    assert_int_equal(files_note_ends(ft_self->files, AT_FDCWD, path, 0, FILES_NAMED), 0);
    act_as(-1);
    undo(-1);
    assert_int_not_equal(access(path, F_OK), 0);
}

/* Behind the next access all that were listed before are over. */
static void an_access_is_over_at_the_next_one(void **state)
{
    int fd;

    (void)state;
    act_as(0);
    fd = creat(path_of("new"), 0600);
    act_as(-1);
    close(fd);
    assert_int_equal((uint32_t)recorder.accesses, 1);
    assert_int_equal(recorder.accessing, FT_ACCESSING_COUNTED);
    reads(file);
    assert_int_equal((uint32_t)recorder.accesses, 1);
    assert_int_equal(recorder.accessing, FT_ACCESSING_NONE);
}

/* Or when libc has said whether it is done. What was not is not counted. */
static void a_name_is_over_when_libc_has_answered(void **state)
{
    const char *path = path_of("missing");

    (void)state;
    act_as(0);
    assert_int_equal(files_note_make(ft_self->files, AT_FDCWD, path, FILES_FREE), 0);
    assert_int_equal((uint32_t)recorder.accesses, 1);
    assert_int_equal(recorder.accessing, FT_ACCESSING_COUNTED);
    assert_int_equal(files_note_ends(ft_self->files, AT_FDCWD, path, 0, FILES_NAMED), 0);
    assert_int_equal((uint32_t)recorder.accesses, 1);
    assert_int_equal(recorder.accessing, FT_ACCESSING_NONE);
    assert_int_equal(files_note(ft_self->files, AT_FDCWD, path, FILES_OVERWRITE, 0), 0);
    assert_int_equal((uint32_t)recorder.accesses, 2);
    assert_int_equal(files_note_replaced(ft_self->files, AT_FDCWD, path_of("new")), 0);
    assert_int_equal((uint32_t)recorder.accesses, 3);
    assert_int_equal(recorder.accessing, FT_ACCESSING_COUNTED);
    assert_int_equal(files_note_named(ft_self->files, AT_FDCWD, path, FILES_KEPT), 0);
    assert_int_equal(files_note_named(ft_self->files, AT_FDCWD, path_of("new"), FILES_KEPT), 0);
    assert_int_equal((uint32_t)recorder.accesses, 1);
    assert_int_equal(recorder.accessing, FT_ACCESSING_NONE);
    act_as(-1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, ranks_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_came_between_is_listed),       CASE(what_libc_has_found_counts),
        CASE(why_nothing_was_made_counts),       CASE(who_is_not_the_first_has_made_nothing),
        CASE(who_was_the_first_before_has),      CASE(a_folder_that_stayed_was_not_there),
        CASE(an_access_is_over_at_the_next_one), CASE(a_name_is_over_when_libc_has_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
