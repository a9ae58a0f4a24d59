/* record_look_test: accesses of one path between two calls: which of them are listed, by what
 * number, and how many count (access.c, names.c). */
#include "files/record_rank.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* It looks until another rank has done it. */
static void a_look_that_finds_something_else_is_listed(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        reads(path_of("missing"));
    expect_looks("1r ", 0);
    put(-1, path_of("missing"), "w", "a");
    for (int i = 0; i < 3; i++)
        reads(path_of("missing"));
    expect_looks("1r 5r ", 0);
    put(-1, path_of("missing"), "a", "b");
    for (int i = 0; i < 3; i++)
        reads(path_of("missing"));
    expect_looks("1r 5r 8r ", 0);
    unlink(path_of("missing"));
    for (int i = 0; i < 3; i++)
        reads(path_of("missing"));
    expect_looks("1r 5r 8r 11r ", 0);
}

/* A lock that somebody else has; then it is free, then ours, and then somebody else's. */
static void so_is_each_change_of_a_name(void **state)
{
    const char *lock = path_of("lock");

    (void)state;
    put(-1, lock, "w", "");
    act_as(0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(open(lock, O_CREAT | O_EXCL, 0600), -1);
    act_as(-1);
    expect_looks("1r ", 0);
    unlink(lock);
    act_as(0);
    close(open(lock, O_CREAT | O_EXCL, 0600));
    unlink(lock);
    act_as(-1);
    expect_looks("1r 5n 5n! 1:1n 1:1n! ", 2);
    put(-1, path_of("other"), "w", ""); /* or the next one could be the same inode */
    put(-1, lock, "w", "");
    act_as(0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(open(lock, O_CREAT | O_EXCL, 0600), -1);
    act_as(-1);
    expect_looks("1r 5n 5n! 1:1n 1:1n! 2:1r ", 2);
}

/* And what is written counts each time: behind it others may be told of it. */
static void our_own_changes_are_not_listed(void **state)
{
    (void)state;
    reads(file);
    for (int i = 0; i < 4; i++) {
        changes(file);
        reads(file);
    }
    expect_looks("1r 2c ", 5);
}

/* It is known by another name. */
static void a_name_that_another_file_gets_is_listed(void **state)
{
    const char *path = path_of("missing");

    (void)state;
    for (int i = 0; i < 3; i++) {
        reads(path);
        reads(file);
    }
    expect_listed("1r/missing 1r/file ");
    assert_int_equal(rename(file, path), 0);
    for (int i = 0; i < 3; i++)
        reads(path);
    expect_listed("1r/missing 1r/file 1r/missing ");
    expect_looks("1r 1r 4r ", 0);
}

static void a_status_is_a_look(void **state)
{
    struct stat status;
    int fd = -1;

    (void)state;
    for (int i = 0; i < 6; i++) {
        act_as(0);
        fd = fd < 0 ? open(file, O_RDONLY) : fd;
        assert_int_equal(fstat(fd, &status), 0);
        assert_int_equal(recorder.accessing, 0);
        act_as(-1);
        if (i == 3)
            put(-1, file, "a", "more");
    }
    close(fd);
    expect_looks("1r 6r ", 0);
}

static void who_enters_a_folder_looks_for_it(void **state)
{
    (void)state;
    enters(1, 0);
    act_as(0);
    assert_int_equal(chdir(path_of("none")), -1);
    assert_int_equal(chdir(work), 0);
    act_as(-1);
    assert_int_equal(chdir("/"), 0);
    expect_looks("1r 1r ", 0);
}

/* At the end of a file it waits for more. */
static void who_meets_the_end_looks_again(void **state)
{
    char byte;
    int fd;

    (void)state;
    act_as(0);
    fd = open(file, O_RDONLY);
    for (off_t at = 0; pread(fd, &byte, 1, at) == 1; at++)
        ;
    assert_int_equal(pread(fd, &byte, 1, 5), 0);
    assert_int_equal(pread(fd, &byte, 1, 5), 0);
    act_as(-1);
    expect_looks("1r ", 0);
    put(-1, file, "a", "more");
    act_as(0);
    assert_int_equal(pread(fd, &byte, 1, 5), 1);
    assert_int_equal(pread(fd, &byte, 1, 6), 1);
    act_as(-1);
    close(fd);
    expect_looks("1r 5r ", 0);
}

/* A checkpoint between two calls: the next access is the third one, be it from there or from
 * before. The same in another life. */
static void a_checkpoint_does_not_count_anew(void **state)
{
    struct ft_files *files;

    (void)state;
    reads(file);
    reads(file);
    checkpoint(0, 0);
    reads(file);
    reads(file);
    expect_looks("1r 3r ", 0);
    act_as(0);
    assert_int_equal(files_look_next(ft_self->files, file), 5);
    files = ft_self->files;
    ft_self = NULL; /* as in a new life */
    files_record_forget(files, 0);
    act_as(0);
    assert_int_equal(files_look_next(ft_self->files, file), 5);
    act_as(-1);
    enters(1, 0);
    act_as(0);
    assert_int_equal(files_look_next(ft_self->files, file), 1);
    act_as(-1);
}

static void read_names(void)
{
    char folder[128];
    DIR *stream;

    strcpy(folder, file);
    *strrchr(folder, '/') = 0;
    act_as(0);
    stream = opendir(folder);
    assert_non_null(stream);
    assert_non_null(readdir(stream));
    assert_non_null(readdir(stream));
    act_as(-1);
    closedir(stream);
}

/* Of a folder that is read it is listed that it is there, and what is in it; the names again when
 * there are others. */
static void the_names_in_a_folder_are_listed(void **state)
{
    char folder[128], wanted[192];

    (void)state;
    read_names();
    read_names();
    strcpy(folder, file);
    *strrchr(folder, '/') = 0;
    sprintf(wanted, "1r%s 1r/ ", strrchr(folder, '/'));
    expect_listed(wanted);
    put(-1, path_of("other"), "w", "");
    read_names();
    strcat(wanted, "1r/ ");
    expect_listed(wanted);
    assert_true(reads_size() > 0);
}

/* Between the two calls somebody else makes one; and who reads them once more looks once more. */
static void names_are_read_where_the_first_is(void **state)
{
    char folder[128], wanted[192];
    DIR *stream;

    (void)state;
    strcpy(folder, file);
    *strrchr(folder, '/') = 0;
    sprintf(wanted, "1r%s 1r/ ", strrchr(folder, '/'));
    act_as(0);
    stream = opendir(folder);
    act_as(-1);
    put(-1, path_of("other"), "w", "");
    act_as(0);
    while (readdir(stream) != NULL)
        ;
    act_as(-1);
    expect_listed(wanted);
    put(-1, path_of("more"), "w", "");
    act_as(0);
    rewinddir(stream);
    assert_non_null(readdir64(stream));
    act_as(-1);
    strcat(wanted, "1r/ ");
    expect_listed(wanted);
    closedir(stream);
}

static void what_came_while_names_were_read_is_before_it(void **state)
{
    char folder[128];

    (void)state;
    strcpy(folder, file);
    *strrchr(folder, '/') = 0;
    act_as(0);
    assert_int_equal(files_note_names(ft_self->files, AT_FDCWD, folder), 0);
    act_as(-1);
    put(-1, path_of("other"), "w", "");
    act_as(0);
    assert_int_equal(files_note_names_end(ft_self->files, AT_FDCWD, folder), 0);
    assert_int_equal(files_note_names_end(ft_self->files, AT_FDCWD, folder), 0);
    act_as(-1);
    expect_looks("1r 1r! ", 0);
}

static uint64_t time_of_folder(void)
{
    char folder[128];
    struct stat status;

    strcpy(folder, file);
    *strrchr(folder, '/') = 0;
    assert_int_equal(stat(folder, &status), 0);
    return (uint64_t)status.st_mtim.tv_sec * 1000000000U + (uint64_t)status.st_mtim.tv_nsec;
}

/* Somebody else makes a file; its time is another one behind that. */
static uint64_t folder_changes(const char *name)
{
    usleep(20000);
    put(-1, path_of(name), "w", "");
    return time_of_folder();
}

static void the_time_of_the_folder_is_told(void **state)
{
    uint64_t before = time_of_folder(), since;
    char names[128];

    (void)state;
    strcpy(names, file);
    strrchr(names, '/')[1] = 0;
    act_as(0);
    assert_int_equal(files_note_names(ft_self->files, AT_FDCWD, names), 0);
    act_as(-1);
    since = folder_changes("other");
    act_as(0);
    assert_int_equal(files_note_names_end(ft_self->files, AT_FDCWD, names), 0);
    act_as(-1);
    assert_int_equal(told_last(names, 0)->seen, before);
    assert_int_equal(told_last(names, 1)->seen, since);
    usleep(20000);
    changes(path_of("made"));
    assert_int_equal(told_last(path_of("made"), 0)->seen, 0);
    reads(path_of("made"));
    before = folder_changes("more");
    act_as(0);
    assert_int_equal(rename(file, path_of("to")), 0);
    act_as(-1);
    assert_int_equal(told_last(file, 0)->seen, before);
    assert_int_equal(told_last(path_of("to"), 0)->seen, before);
    assert_int_equal(told_last(file, 1)->seen, time_of_folder());
    assert_int_equal(told_last(path_of("to"), 1)->seen, time_of_folder());
}

/* What was there when a change was told of. */
static void what_a_change_has_found_is_told(void **state)
{
    const char *to = path_of("to");

    (void)state;
    act_as(0);
    assert_int_equal(rename(file, to), 0);
    act_as(-1);
    assert_int_equal(told_last(file, 0)->found, FT_NEEDS_PRESENCE);
    assert_int_equal(told_last(to, 0)->found, FT_NEEDS_ABSENCE);
    changes(file);
    assert_int_equal(told_last(file, 0)->found, FT_NEEDS_ABSENCE);
    enters(1, 0);
    changes(file);
    assert_int_equal(told_last(file, 0)->found, FT_NEEDS_PRESENCE);
    act_as(0);
    assert_int_equal(rename(file, to), 0);
    act_as(-1);
    assert_int_equal(told_last(to, 0)->found, FT_NEEDS_PRESENCE);
    reads(to);
    assert_int_equal(told_last(to, 0)->found, FT_NEEDS_NOTHING);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, ranks_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_look_that_finds_something_else_is_listed),
        CASE(so_is_each_change_of_a_name),
        CASE(our_own_changes_are_not_listed),
        CASE(a_name_that_another_file_gets_is_listed),
        CASE(a_status_is_a_look),
        CASE(who_enters_a_folder_looks_for_it),
        CASE(who_meets_the_end_looks_again),
        CASE(a_checkpoint_does_not_count_anew),
        CASE(the_names_in_a_folder_are_listed),
        CASE(names_are_read_where_the_first_is),
        CASE(what_came_while_names_were_read_is_before_it),
        CASE(the_time_of_the_folder_is_told),
        CASE(what_a_change_has_found_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
