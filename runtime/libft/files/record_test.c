/* record_test: what a rank writes down before it accesses a file (record.c). */
#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include <dirent.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "files/record.h"
#include "files/undo_ranks.h"

static char file[128], failed[3072];

static int setup(void **state)
{
    int code = ranks_setup(state);

    strcpy(file, path_of("file"));
    put(-1, file, "w", "first");
    return code;
}

static void reads(const char *path)
{
    look(0, path);
}

static void changes(const char *path)
{
    append(0, path);
}

static void undo(int number)
{
    const char *folder = ranks_store(0);
    struct ft_undo_party party = {.folders = &folder, .count = 1, .number = number};

    assert_int_equal(ft_undo_apply(&party, 1, failed, NULL, NULL), 0);
}

static int count_of(const char *ending)
{
    char pattern[160];
    glob_t found;
    int count;

    snprintf(pattern, sizeof pattern, "%s/*%s", ranks_store(0), ending);
    count = glob(pattern, 0, NULL, &found) == 0 ? (int)found.gl_pathc : 0;
    globfree(&found);
    return count;
}

static off_t reads_size(void)
{
    char name[160];
    struct stat status;

    snprintf(name, sizeof name, "%s/00000000.reads", ranks_store(0));
    return stat(name, &status) == 0 ? status.st_size : 0;
}

static void a_read_is_on_record_once_an_interval(void **state)
{
    off_t one;

    (void)state;
    reads(file);
    one = reads_size();
    assert_true(one > 0);
    reads(file);
    assert_int_equal(reads_size(), one);
    assert_int_equal(count_of(".undo"), 0);
    reads(path_of("missing"));
    assert_true(reads_size() > one);
    one = reads_size();
    reads(path_of("missing"));
    assert_int_equal(reads_size(), one);
    reads(path_of("no/folder"));
    assert_true(reads_size() > one);
}

static void with_one_cluster_no_read_is_on_record(void **state)
{
    (void)state;
    ft_life.boot.clusters = 1;
    reads(file);
    changes(file);
    assert_int_equal(count_of(".reads"), 0);
    assert_int_equal(count_of(".undo"), 1);
}

/* Another rank may use the other name. A symbolic link is the file that it leads to. */
static void each_name_of_a_file_is_on_record(void **state)
{
    off_t one;

    (void)state;
    assert_int_equal(link(file, path_of("other")), 0);
    assert_int_equal(symlink("file", path_of("link")), 0);
    reads(file);
    one = reads_size();
    reads(path_of("link"));
    assert_int_equal(reads_size(), one);
    reads(path_of("other"));
    assert_true(reads_size() > one);
}

static void what_is_the_kernels_is_not_on_record(void **state)
{
    (void)state;
    reads("/proc/self/status");
    reads("/sys/kernel");
    reads("/dev/null");
    assert_int_equal(reads_size(), 0);
}

static void the_names_in_a_folder_are_on_record(void **state)
{
    off_t one;

    (void)state;
    reads(work);
    one = reads_size();
    act_as(0);
    closedir(opendir(work));
    act_as(-1);
    assert_true(reads_size() > one);
    mkdir(path_of("inner"), 0700);
    reads(path_of("inner"));
    one = reads_size();
    act_as(0);
    closedir(fdopendir(open(path_of("inner"), O_RDONLY)));
    act_as(-1);
    assert_true(reads_size() > one);
}

/* A new interval has a list of its own; that of an abandoned checkpoint is kept. */
static void a_checkpoint_forgets(void **state)
{
    (void)state;
    reads(file);
    changes(file);
    checkpoint(0, 0);
    reads(file);
    changes(file);
    assert_int_equal(count_of(".undo"), 2);
    assert_int_equal(count_of(".reads"), 2);
    checkpoint(0, 0);
    assert_int_equal(count_of(".undo"), 2);
    assert_int_equal(count_of(".reads"), 1);
}

/* A rank does not read what it has written itself. */
static void who_has_changed_a_file_does_not_read_it(void **state)
{
    (void)state;
    changes(file);
    reads(file);
    reads(file);
    assert_int_equal(reads_size(), 0);
    assert_int_equal(count_of(".undo"), 1);
}

/* mkdir of a folder that is there, rmdir of one that is not empty. */
static void a_call_that_fails_leaves_no_record_of_a_folder(void **state)
{
    (void)state;
    mkdir(path_of("folder"), 0700);
    put(-1, path_of("folder/of others"), "w", "");
    act_as(0);
    assert_int_equal(rmdir(path_of("folder")), -1);
    assert_int_equal(mkdir(path_of("folder"), 0700), -1);
    assert_int_equal(mkdir(path_of("none/folder"), 0700), -1);
    act_as(-1);
    assert_int_equal(count_of(".undo"), 0);
    act_as(0);
    assert_int_equal(mkdir(path_of("own"), 0700), 0);
    assert_int_equal(mkdir(path_of("own"), 0700), -1);
    act_as(-1);
    assert_int_equal(count_of(".undo"), 1);
    act_as(0);
    assert_int_equal(rmdir(path_of("own")), 0);
    act_as(-1);
    assert_int_equal(count_of(".undo"), 2);
}

/* By the rank with the mark, and only once. */
static void a_folder_that_stayed_is_made_again(void **state)
{
    const char *path = path_of("folder");
    char marks[200], mark[300];

    (void)state;
    mkdir(path, 0700);
    snprintf(marks, sizeof marks, "%s/" FT_UNDO_STAYED_FOLDER, ranks_store(0));
    snprintf(mark, sizeof mark, "%s/" FT_UNDO_STAYED_NAME, marks,
             (unsigned long long)XXH3_64bits(path, strlen(path)));
    mkdir(marks, 0700);
    put(-1, mark, "w", "");
    act_as(0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(mkdir(path, 0700), -1);
    act_as(-1);
    assert_int_equal(count_of(".undo"), 1);
    assert_int_equal(access(mark, F_OK), -1);
}

/* An open file may be read without a call that is seen. */
static void what_is_open_is_on_record_at_a_checkpoint(void **state)
{
    int fd, written;

    (void)state;
    put(-1, path_of("written"), "w", "first");
    act_as(0);
    fd = open(file, O_RDONLY);
    written = open(path_of("written"), O_RDWR);
    act_as(-1);
    checkpoint(0, 0);
    assert_int_equal(count_of(".reads"), 2);
    assert_int_equal(count_of(".undo"), 2);
    close(fd);
    close(written);
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
 * been written in its midst. The undo takes that record away, and the rank rolls back once more. */
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
        files_record_forget(ft_self->files);
        act_as(-1);
        put(0, file, "w", "third");
        assert_int_equal(count_of(".data"), 1);
    }
    undo(-1);
    expect_content("first");
}

/* A stream may write anywhere in the file that it has open: at a checkpoint its content is
 * copied, and so it is in each life that rolls back to that. */
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
        files_record_forget(ft_self->files);
        assert_int_equal(files_note_open(ft_self->files, fd, FILES_OVERWRITE), 0);
        act_as(-1);
        assert_int_equal(count_of(".data"), 2);
    }
    close(fd);
}

/* Only what the file had when its size was put on record is copied; what a rank has written behind
 * that goes away with a rollback anyway. */
static void what_has_grown_is_overwritten_without_a_copy(void **state)
{
    int fd;

    (void)state;
    act_as(0);
    fd = open(file, O_RDWR);
    assert_int_equal(pwrite(fd, "more", 4, 5), 4);
    assert_int_equal(pwrite(fd, "less", 4, 6), 4);
    assert_int_equal(count_of(".data"), 0);
    assert_int_equal(pwrite(fd, "F", 1, 4), 1);
    assert_int_equal(count_of(".data"), 1);
    close(fd);
    act_as(-1);
    undo(-1);
    expect_content("first");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, ranks_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(
            a_folder_that_stayed_is_made_again), /* first: marks are looked for once in a process */
        CASE(a_read_is_on_record_once_an_interval),
        CASE(with_one_cluster_no_read_is_on_record),
        CASE(each_name_of_a_file_is_on_record),
        CASE(what_is_the_kernels_is_not_on_record),
        CASE(the_names_in_a_folder_are_on_record),
        CASE(a_checkpoint_forgets),
        CASE(who_has_changed_a_file_does_not_read_it),
        CASE(a_call_that_fails_leaves_no_record_of_a_folder),
        CASE(what_is_open_is_on_record_at_a_checkpoint),
        CASE(a_file_that_grows_is_copied_when_it_is_overwritten),
        CASE(what_was_undone_is_recorded_again),
        CASE(what_has_grown_is_overwritten_without_a_copy),
        CASE(what_a_stream_may_overwrite_is_copied_in_each_life),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
