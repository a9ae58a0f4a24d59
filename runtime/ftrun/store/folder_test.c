/* folder_test: what in a folder is the store's, and whose store it is. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "store/store_fixture.h"

/* In place of the C library's: the run that has the store ends, and removes it, just before. */
static int ends;
int flock(int fd, int operation)
{
    if (ends) {
        ft_store_close(store, 1);
        store = NULL;
    }
    return (int)syscall(SYS_flock, fd, operation);
}

static void list_is_newest_first_without_temporaries(void **state)
{
    uint32_t *numbers;

    (void)state;
    commit(2);
    commit(10);
    commit(9);
    assert_int_equal(ft_store_begin(store, 11), 0);
    assert_int_equal(ft_store_list(store, &numbers), 3);
    assert_true(numbers[0] == 10 && numbers[1] == 9 && numbers[2] == 2);
    free(numbers);
    assert_int_equal(ft_store_drop(store, 9), 1);
    assert_int_equal(ft_store_drop(store, 9), 0);
    ft_store_sweep(store);
    snprintf(path, sizeof(path), "%s/ckpt-11.tmp", ft_store_path(store));
    assert_int_equal(access(path, F_OK), -1);
    snprintf(path, sizeof(path), "%s/old-9", ft_store_path(store));
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(ft_store_list(store, &numbers), 2);
    free(numbers);
}

/* One of some checkpoints would be taken for one of all. */
static void list_is_whole_or_none(void **state)
{
    uint32_t *numbers;

    (void)state;
    commit(2);
    no_memory = 1;
    assert_int_equal(ft_store_list(store, &numbers), -ENOMEM);
    assert_null(numbers);
    no_memory = 0;
    no_folder = 1;
    assert_int_equal(ft_store_list(store, &numbers), -EIO);
    assert_null(numbers);
    no_folder = 0;
    no_status = 1;
    assert_int_equal(ft_store_list(store, &numbers), -EIO);
    assert_null(numbers);
    no_status = 0;
    assert_int_equal(ft_store_list(store, &numbers), 1);
    free(numbers);
}

static void what_is_set_aside_is_there_until_it_is_cleared(void **state)
{
    (void)state;
    commit(1);
    assert_int_equal(ft_store_begin(store, 2), 0);
    assert_int_equal(ft_store_discard(store, 2), 1);
    assert_int_equal(ft_store_discard(store, 1), 0);
    assert_int_equal(ft_store_begin(store, 3), 0);
    snprintf(path, sizeof(path), "%s/old-2", ft_store_path(store));
    assert_int_equal(access(path, F_OK), 0);
    ft_store_clear(store);
    assert_int_equal(access(path, F_OK), -1);
    snprintf(path, sizeof(path), "%s/ckpt-3.tmp", ft_store_path(store));
    assert_int_equal(access(path, F_OK), 0);
    ft_store_image(store, 1, 1, 0, path);
    assert_int_equal(access(path, F_OK), 0);
}

/* A job that was killed before its first checkpoint leaves nothing to the next one. */
static void what_is_left_is_removed(void **state)
{
    char file[FT_STORE_PATH];

    (void)state;
    assert_int_equal(ft_store_begin(store, 0), 0);
    ft_store_file(store, "stdin", path);
    assert_int_equal(close(creat(path, 0600)), 0);
    ft_store_file(store, "undo", file);
    assert_int_equal(mkdir(file, 0700), 0);
    ft_store_empty(store);
    assert_true(access(path, F_OK) && access(file, F_OK));
    ft_store_image(store, 0, 0, 1, path);
    *strrchr(path, '/') = 0;
    assert_int_equal(access(path, F_OK), -1);
    ft_store_file(store, "lock", path);
    assert_int_equal(access(path, F_OK), 0);
}

static const char *const foreign[] = {
    "ckpt-000100.h5", "ckpt-000100",  "ckpt-7",       "ckpt-8.tmp", "ckpt-1.tmp.old",  "ckpt-",
    "ckpt- 1",        "old-restart",  "old-05",       "old-6",      "log/mine",        "trace/mine",
    "undo/mine",      "output.txt",   "lock.old",     "environs",   "ckpt-4294967296", "log/run-1",
    "log/stayed",     "trace/rank-0", "trace/stayed", "undo/run-1"};

static int is_folder_of_theirs(const char *name)
{
    return !strchr(name, '.') && strcmp(name, "ckpt-7") && strcmp(name, "old-6");
}

/* The program may write into the same folder: "." is allowed. */
static void what_is_not_ours_stays(void **state)
{
    uint32_t *numbers;

    (void)state;
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
        ft_store_file(store, foreign[i], path);
        if (strchr(foreign[i], '/')) {
            *strrchr(path, '/') = 0;
            assert_true(!mkdir(path, 0700) || errno == EEXIST);
            ft_store_file(store, foreign[i], path);
        }
        assert_int_equal(
            is_folder_of_theirs(foreign[i]) ? mkdir(path, 0700) : close(creat(path, 0600)), 0);
    }
    commit(3);
    assert_int_equal(ft_store_begin(store, 4), 0);
    assert_int_equal(ft_store_begin(store, 8), -EEXIST);
    assert_int_equal(ft_store_list(store, &numbers), 1);
    assert_int_equal(numbers[0], 3);
    free(numbers);
    ft_store_sweep(store);
    ft_store_empty(store);
    assert_int_equal(ft_store_list(store, &numbers), 0);
    free(numbers);
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
        ft_store_file(store, foreign[i], path);
        if (access(path, F_OK))
            fail_msg("%s is gone", foreign[i]);
        remove(path);
    }
    ft_store_empty(store);
}

static void write_lock(const char *text)
{
    snprintf(path, sizeof(path), "%s/other/lock", base);
    FILE *lock = fopen(path, "w");
    assert_non_null(lock);
    fputs(text, lock);
    fclose(lock);
}

/* Opens base/other, whose mode tells whether it was touched; output: with a file in it. */
static int open_other(int output, int create)
{
    char file[128];
    struct stat status;
    struct ft_store *other;
    int code;

    snprintf(file, sizeof(file), "%s/other/output", base);
    if (output)
        assert_int_equal(close(creat(file, 0600)), 0);
    snprintf(path, sizeof(path), "%s/other", base);
    assert_int_equal(chmod(path, 0755), 0);
    code = ft_store_open(path, create, &other, why);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, code ? 0755 : 0700);
    if (!code)
        ft_store_close(other, 0);
    if (output)
        assert_int_equal(unlink(file), 0);
    return code;
}

/* A lock is anybody's file; one without all of the word was written when an ftrun was killed. */
static void folder_with_a_lock_is_no_store(void **state)
{
    char lock[128], *slash;

    (void)state;
    snprintf(lock, sizeof(lock), "%s/other/lock", base);
    slash = strrchr(lock, '/');
    *slash = 0;
    assert_int_equal(mkdir(lock, 0755), 0);
    *slash = '/';
    write_lock("");
    assert_int_equal(open_other(1, 1), -ENOTEMPTY);
    assert_int_equal(open_other(0, 0), -ENODATA);
    write_lock("1234\n");
    assert_int_equal(open_other(1, 1), -ENOTEMPTY);
    assert_int_equal(open_other(0, 1), -ENOTEMPTY);
    write_lock("ftrun store\nand more");
    assert_int_equal(open_other(0, 1), -ENOTEMPTY);
    write_lock("ftrun s");
    assert_int_equal(open_other(0, 1), 0);
    assert_int_equal(open_other(1, 1), 0); /* it is one now */
    assert_int_equal(open_other(1, 0), 0);
    assert_int_equal(unlink(lock), 0);
    assert_int_equal(open_other(1, 1), -ENOTEMPTY);
    assert_int_equal(mkdir(lock, 0700), 0);
    assert_int_equal(open_other(0, 1), -ENOTEMPTY);
    assert_int_equal(rmdir(lock), 0);
    *slash = 0;
    assert_int_equal(rmdir(lock), 0);
}

/* Nothing is said of a folder, and nothing done to it, when it cannot be looked at. */
static void what_cannot_be_read_is_nobody_elses(void **state)
{
    struct rlimit limit, one;
    char lock[128];
    int next = dup(0);

    (void)state;
    assert_int_equal(close(next), 0);
    snprintf(lock, sizeof(lock), "%s/other", base);
    assert_int_equal(mkdir(lock, 0755), 0);
    no_folder = 1;
    assert_int_equal(open_other(0, 1), -EIO);
    no_folder = 0;
    write_lock("ftrun store\n");
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    one = (struct rlimit){(rlim_t)next + 1, limit.rlim_max}; /* for the folder alone */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &one), 0);
    assert_int_equal(open_other(0, 1), -EMFILE);
    assert_non_null(strstr(why, strerror(EMFILE)));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(open_other(0, 1), 0);
    snprintf(path, sizeof(path), "%s/lock", lock);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(lock), 0);
}

static void second_user_is_refused(void **state)
{
    struct ft_store *other;
    struct stat status;

    (void)state;
    assert_int_equal(ft_store_open(ft_store_path(store), 1, &other, why), -EBUSY);
    assert_non_null(strstr(why, "another ftrun"));
    assert_int_equal(stat(ft_store_path(store), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_int_equal(ft_store_open("/nonexistent/store", 0, &other, why), -ENOENT);
}

/* The path that a link stands for is longer than any path of a store. */
static void long_path_is_refused(void **state)
{
    enum { DEEP = 14, NAME = 250 };
    char deep[DEEP * NAME + 128], link[128];
    struct ft_store *other;

    (void)state;
    int length = snprintf(deep, sizeof(deep), "%s", base);
    for (int i = 0; i < DEEP; i++) {
        length += snprintf(deep + length, sizeof(deep) - (size_t)length, "/%0*d", NAME - 1, i);
        assert_int_equal(mkdir(deep, 0700), 0);
    }
    snprintf(link, sizeof(link), "%s/link", base);
    assert_int_equal(symlink(deep, link), 0);
    assert_int_equal(ft_store_open(link, 1, &other, why), -ENAMETOOLONG);
    assert_non_null(strstr(why, "/link: File name too long"));
    unlink(link);
    for (; length > (int)strlen(base); deep[length -= NAME] = 0)
        assert_int_equal(rmdir(deep), 0);
}

/* Another one could have a lock then, too, on a file that has the name. */
static void what_is_being_removed_is_in_use(void **state)
{
    struct ft_store *other;

    (void)state;
    ends = 1;
    assert_int_equal(ft_store_open(path, 1, &other, why), -EBUSY);
    ends = 0;
    assert_null(store);
    assert_int_equal(ft_store_open(path, 1, &store, why), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(list_is_newest_first_without_temporaries, open_store,
                                        close_store),
        cmocka_unit_test_setup_teardown(list_is_whole_or_none, open_store, close_store),
        cmocka_unit_test_setup_teardown(what_is_set_aside_is_there_until_it_is_cleared, open_store,
                                        close_store),
        cmocka_unit_test_setup_teardown(what_is_left_is_removed, open_store, close_store),
        cmocka_unit_test_setup_teardown(what_is_not_ours_stays, open_store, close_store),
        cmocka_unit_test_setup_teardown(folder_with_a_lock_is_no_store, open_store, close_store),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_is_nobody_elses, open_store,
                                        close_store),
        cmocka_unit_test_setup_teardown(second_user_is_refused, open_store, close_store),
        cmocka_unit_test_setup_teardown(what_is_being_removed_is_in_use, open_store, close_store),
        cmocka_unit_test_setup_teardown(long_path_is_refused, open_store, close_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
