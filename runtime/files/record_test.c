/* record_test: what a rank writes down before it accesses a file: lists of accesses, records and
 * reads (record.c). */
#include "files/record_rank.h"

#include <fcntl.h>
#include <stdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* Lists. */

static void an_access_is_listed_once_a_moment(void **state)
{
    (void)state;
    reads(file);
    reads(file);
    expect_listed("1r/file ");
    enters(0, 5);
    reads(file);
    expect_listed("1r/file ");
    enters(1, 0);
    reads(file);
    reads(file);
    expect_listed("1r/file 2r/file ");
    enters(2, 1);
    changes(file);
    changes(file);
    reads(file);
    expect_listed("1r/file 2r/file 4c/file ");
}

static void a_change_behind_a_read_is_listed(void **state)
{
    (void)state;
    reads(file);
    changes(file);
    reads(file);
    changes(file);
    expect_listed("1r/file 1c/file ");
    enters(1, 0);
    reads(file);
    expect_listed("1r/file 1c/file 2r/file ");
    changes(file);
    expect_listed("1r/file 1c/file 2r/file 2c/file ");
}

static void each_path_is_listed(void **state)
{
    (void)state;
    reads(file);
    reads(path_of("missing"));
    changes(path_of("new"));
    reads(file);
    reads(path_of("missing"));
    for (int i = 0; i < 3; i++)
        reads(path_of("new"));
    expect_listed("1r/file 1r/missing 1c/new ");
}

/* What is open is the file of that name. */
static void what_is_open_is_listed(void **state)
{
    int fd;
    char byte;

    (void)state;
    act_as(0);
    fd = open(file, O_RDWR);
    act_as(-1);
    expect_listed("1c/file ");
    enters(1, 0);
    act_as(0);
    pread(fd, &byte, 1, 0);
    pread(fd, &byte, 1, 0);
    act_as(-1);
    expect_listed("1c/file 2r/file ");
    enters(1, 0);
    act_as(0);
    pwrite(fd, "x", 1, 0);
    pwrite(fd, "x", 1, 0);
    act_as(-1);
    close(fd);
    expect_listed("1c/file 2r/file 3c/file ");
}

/* A stream that keeps nothing back writes in each call, one that keeps lines at their ends. */
static void what_a_stream_writes_at_once_is_listed(void **state)
{
    static const int modes[] = {_IOLBF, _IONBF, _IOFBF};
    FILE *stream;

    (void)state;
    for (int i = 0; i < 3; i++) {
        act_as(0);
        stream = fopen(file, "a");
        setvbuf(stream, NULL, modes[i], 100);
        act_as(-1);
        enters(1, 0);
        act_as(0);
        fprintf(stream, "%d\n", 1);
        fputs("two\n", stream);
        act_as(-1);
        enters(1, 0);
        fclose(stream);
    }
    expect_listed("1c/file 2c/file 3c/file 4c/file 5c/file ");
}

static void links_are_the_file(void **state)
{
    (void)state;
    assert_int_equal(symlink("file", path_of("link")), 0);
    reads(path_of("link"));
    reads(file);
    expect_listed("1r/file ");
}

static void what_is_the_kernels_is_not_listed(void **state)
{
    (void)state;
    reads("/proc/self/status");
    reads("/sys/kernel");
    reads("/dev/null");
    expect_listed("");
}

/* A new interval has a list of its own. */
static void a_checkpoint_forgets(void **state)
{
    (void)state;
    reads(file);
    changes(file);
    checkpoint(0, 0);
    assert_int_equal(count_of(".accesses"), 1);
    reads(file);
    changes(file);
    expect_listed("1r/file 1c/file 1r/file 1c/file ");
    assert_int_equal(count_of(".accesses"), 2);
    assert_int_equal(count_of(".undo"), 2);
    assert_int_equal(count_of(".reads"), 2);
    checkpoint(0, 0); /* once more: the last one was abandoned */
    assert_int_equal(count_of(".accesses"), 1);
    assert_int_equal(count_of(".reads"), 1);
    expect_listed("1r/file 1c/file 1r/file 1c/file ");
}

static void with_one_cluster_nothing_is_listed(void **state)
{
    (void)state;
    ft_life.boot.clusters = 1;
    reads(file);
    changes(file);
    enters(1, 0);
    changes(file);
    expect_listed("");
    assert_int_equal(count_of(".accesses"), 0);
    assert_int_equal(count_of(".reads"), 0);
    assert_int_equal(count_of(".undo"), 1);
}

/* Reads. */

static void a_read_is_on_record_once_an_interval(void **state)
{
    off_t one;

    (void)state;
    reads(file);
    one = reads_size();
    assert_true(one > 0);
    for (int i = 0; i < 3; i++) {
        enters(1, 0);
        reads(file);
    }
    assert_int_equal(reads_size(), one);
    assert_int_equal(count_of(".undo"), 0);
    reads(path_of("missing"));
    assert_true(reads_size() > one);
}

/* What it finds is its own doing. */
static void who_has_changed_a_file_does_not_read_it(void **state)
{
    (void)state;
    changes(file);
    reads(file);
    enters(1, 0);
    reads(file);
    assert_int_equal(reads_size(), 0);
    assert_int_equal(count_of(".undo"), 1);
}

static void a_file_that_grows_is_copied_when_it_is_overwritten(void **state)
{
    (void)state;
    changes(file);
    assert_int_equal(count_of(".data"), 0);
    put(0, file, "w", "second");
    assert_int_equal(count_of(".data"), 1);
    put(0, file, "w", "third");
    assert_int_equal(count_of(".undo"), 2);
}

/* After a rollback. */

static void expect_content(const char *wanted)
{
    char text[64] = "";
    int fd = open(file, O_RDONLY);

    assert_true(fd >= 0);
    assert_true(read(fd, text, sizeof text - 1) >= 0);
    close(fd);
    assert_string_equal(text, wanted);
}

/* The image of a checkpoint says that the content is on record: of a file that is open, and has
 * been written in its midst. The undo takes that record away, and the rank goes back once more. */
static void what_was_undone_is_recorded_again(void **state)
{
    (void)state;
    put(0, file, "w", "second");
    assert_int_equal(count_of(".data"), 1);
    for (int i = 0; i < 2; i++) {
        undo(-1);
        expect_content("first");
        assert_int_equal(count_of(".undo"), 0);
        act_as(0);
        files_record_forget(ft_self->files, ft_self->calls - ft_self->polls);
        act_as(-1);
        put(0, file, "w", "third");
        assert_int_equal(count_of(".data"), 1);
    }
    undo(-1);
    expect_content("first");
}

static void what_was_undone_is_listed_again(void **state)
{
    (void)state;
    reads(file);
    changes(file);
    undo(-1);
    expect_listed("");
    act_as(0);
    files_record_forget(ft_self->files, ft_self->calls - ft_self->polls);
    act_as(-1);
    reads(file);
    expect_listed("1r/file ");
    assert_true(reads_size() > 0);
}

/* A stream may write anywhere in the file that it has open: at a checkpoint its content is copied,
 * and so it is in each life that goes back to that. */
static void what_a_stream_may_overwrite_is_copied_in_each_life(void **state)
{
    struct stat old;
    int fd;

    (void)state;
    act_as(0);
    fd = open(file, O_RDWR);
    pwrite(fd, "F", 1, 0);
    act_as(-1);
    assert_int_equal(stat(file, &old), 0);
    checkpoint(0, 0);
    act_as(0);
    ft_depth = 1;
    assert_int_equal(files_note_open(ft_self->files, fd, FILES_OVERWRITE), 0);
    act_as(-1);
    assert_int_equal(count_of(".data"), 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pwrite(fd, "???", 3, 0), 3);
        undo(0);
        expect_content("First");
        assert_int_equal(count_of(".data"), 1);
        act_as(0);
        ft_depth = 1;
        files_record_forget(ft_self->files, ft_self->calls - ft_self->polls);
        assert_int_equal(files_note_open(ft_self->files, fd, FILES_OVERWRITE), 0);
        act_as(-1);
        assert_int_equal(count_of(".data"), 2);
    }
    close(fd);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, ranks_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_access_is_listed_once_a_moment),
        CASE(a_change_behind_a_read_is_listed),
        CASE(each_path_is_listed),
        CASE(what_is_open_is_listed),
        CASE(what_a_stream_writes_at_once_is_listed),
        CASE(links_are_the_file),
        CASE(what_is_the_kernels_is_not_listed),
        CASE(a_checkpoint_forgets),
        CASE(with_one_cluster_nothing_is_listed),
        CASE(a_read_is_on_record_once_an_interval),
        CASE(who_has_changed_a_file_does_not_read_it),
        CASE(a_file_that_grows_is_copied_when_it_is_overwritten),
        CASE(what_was_undone_is_recorded_again),
        CASE(what_was_undone_is_listed_again),
        CASE(what_a_stream_may_overwrite_is_copied_in_each_life),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
