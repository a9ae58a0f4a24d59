/* Files that ranks share by writing: each rank is a party. */
#include "files/undo_ranks.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "files/undo_read.h"
#include "files/undo_stub.h"

static char common[128];

static int setup(void **state)
{
    int code = ranks_setup(state);

    strcpy(common, path_of("common"));
    return code;
}

/* All roll back to the start. */
static void all_go_back(void)
{
    for (int r = 0; r < RANKS; r++)
        go_back(r, -1, 0);
}

/* Ranks `one` and `other` share the path, and all must roll back to before a moment in [since,
 * until]. */
static void expect_share(int one, int other, const char *path, uint64_t since, uint64_t until)
{
    assert_int_equal(share_of(), 1);
    assert_string_equal(share.path, path);
    assert_int_equal(share.party[0], one);
    assert_int_equal(share.party[1], other);
    assert_int_equal(share.place[0], 0);
    assert_true(share.time >= since && share.time <= until);
}

static void own_files_are_no_matter(void **state)
{
    (void)state;
    append(0, path_of("mine"));
    append(1, common);
    look(2, path_of("other"));
    go_back(0, -1, 0);
    assert_int_equal(share_of(), 0);
}

static void a_file_that_all_read_is_no_matter(void **state)
{
    (void)state;
    put(-1, common, "w", "input");
    for (int r = 0; r < RANKS; r++)
        look(r, common);
    go_back(0, -1, 0);
    assert_int_equal(share_of(), 0);
}

static void two_that_write_go_back_with_everybody(void **state)
{
    uint64_t since = stub_now(), until;

    (void)state;
    append(0, common);
    until = stub_now();
    append(1, common);
    go_back(0, -1, 0);
    expect_share(0, 1, common, since, until);
    go_back(1, -1, 0);
    expect_share(0, 1, common, since, until); /* rank 2 may have told one of the other */
    all_go_back();
    assert_int_equal(share_of(), 0);
}

static void one_that_reads_what_will_be_undone_goes_back(void **state)
{
    uint64_t since = stub_now();

    (void)state;
    append(0, common);
    look(1, common);
    go_back(0, -1, 0);
    expect_share(0, 1, common, since, stub_now());
}

static void one_that_has_written_over_what_will_be_read_again_goes_back(void **state)
{
    uint64_t since = stub_now();

    (void)state;
    look(1, common);
    append(0, common);
    go_back(1, -1, 0);
    expect_share(1, 0, common, since, stub_now());
    stay();
    go_back(0, -1, 0);
    expect_share(1, 0, common, since, stub_now()); /* it may have looked again since */
}

/* Written once, then read by others: nobody rolls back with the readers, nor with the writer. */
static void a_file_that_was_committed_before_others_read_it_binds_nobody(void **state)
{
    uint64_t cut;

    (void)state;
    append(0, common);
    cut = checkpoint(0, 4);
    look(1, common);
    look(2, common);
    go_back(1, -1, 0);
    assert_int_equal(share_of(), 0);
    go_back(0, 4, cut);
    assert_int_equal(share_of(), 0);
    append(0, common);
    assert_int_equal(share_of(), 1);
}

/* The writer would undo what the reader has seen if it rolled back to before its checkpoint. */
static void going_back_behind_that_checkpoint_takes_the_readers_along(void **state)
{
    uint64_t since = stub_now(), until;

    (void)state;
    append(0, common);
    until = stub_now();
    checkpoint(0, 4);
    look(1, common);
    go_back(0, -1, 0);
    expect_share(0, 1, common, since, until);
}

/* The rank with the first access has taken a checkpoint while the other one had not: the first
 * access may have gone on behind the second. */
static void accesses_that_overlap_bind_both(void **state)
{
    uint64_t cut;

    (void)state;
    look(0, common);
    append(1, common);
    cut = checkpoint(0, 3);
    go_back(1, -1, 0);
    assert_int_equal(share_of(), 1);
    stay();
    go_back(0, 3, cut);
    assert_int_equal(share_of(), 0);
}

static void checkpoints_of_one_moment_fit(void **state)
{
    uint64_t cut;

    (void)state;
    append(0, common);
    append(1, common);
    cut = stub_now();
    for (int r = 0; r < RANKS; r++)
        checkpoint(r, 4);
    append(0, common);
    append(1, common);
    for (int r = 0; r < RANKS; r++)
        go_back(r, 4, cut);
    assert_int_equal(share_of(), 0);
}

/* Messages out of rank 2's log, of before its checkpoint, may tell rank 1 what rank 0 has not done
 * again. */
static void a_younger_checkpoint_of_somebody_else_does_not_do(void **state)
{
    uint64_t since = stub_now(), until, cut;

    (void)state;
    append(0, common);
    until = stub_now();
    cut = checkpoint(2, 5);
    append(1, common);
    all_go_back();
    go_back(2, 5, cut);
    expect_share(0, 1, common, since, until);
}

/* A stream may write without a call that is seen. */
static void a_file_that_is_open_for_writing_counts_as_changed(void **state)
{
    int fd;

    (void)state;
    put(-1, common, "w", "text");
    act_as(0);
    fd = open(common, O_RDWR);
    act_as(-1);
    checkpoint(0, 0);
    look(1, common);
    go_back(0, -1, 0);
    assert_int_equal(share_of(), 1);
    close(fd);
}

static void make_folder(int r, const char *path)
{
    act_as(r);
    assert_int_equal(mkdir(path, 0700), 0);
    act_as(-1);
}

static void remove_folder(int r, const char *path)
{
    act_as(r);
    assert_int_equal(rmdir(path), 0);
    act_as(-1);
}

static void a_folder_is_made_for_all(void **state)
{
    (void)state;
    look(1, common);
    make_folder(0, common);
    look(1, common);
    act_as(2);
    assert_int_equal(mkdir(common, 0700), -1);
    act_as(-1);
    append(2, path_in(common, "file"));
    for (int r = 0; r < RANKS; r++) {
        stay();
        go_back(r, -1, 0);
        assert_int_equal(share_of(), 0);
    }
}

/* As a lock, or by whoever cleans up. */
static void a_folder_that_is_removed_binds_all_that_use_it(void **state)
{
    (void)state;
    make_folder(0, common);
    look(1, common);
    remove_folder(0, common);
    go_back(0, -1, 0);
    assert_int_equal(share_of(), 1);
    assert_string_equal(share.path, common);
}

static void a_file_needs_its_folder(void **state)
{
    (void)state;
    make_folder(-1, common);
    append(1, path_in(common, "file"));
    act_as(1);
    assert_int_equal(unlink(path_in(common, "file")), 0);
    act_as(-1);
    remove_folder(0, common);
    go_back(1, -1, 0);
    assert_int_equal(share_of(), 1);
    assert_int_equal(share.party[0], 1);
    assert_string_equal(share.path, common);
}

static void list_names(int r)
{
    act_as(r);
    closedir(opendir(work));
    act_as(-1);
}

static void a_new_name_binds_all_that_read_the_names(void **state)
{
    (void)state;
    put(-1, common, "w", "old");
    list_names(0);
    append(1, common); /* no other name */
    go_back(0, -1, 0);
    assert_int_equal(share_of(), 0);
    append(1, path_of("new"));
    assert_int_equal(share_of(), 1);
    assert_int_equal(share.party[0], 0);
    assert_int_equal(share.party[1], 1);
}

/* A name that has come and gone. */
static void a_removed_name_binds_too(void **state)
{
    (void)state;
    append(1, common);
    act_as(1);
    assert_int_equal(unlink(common), 0);
    act_as(-1);
    look(0, common);
    list_names(2);
    go_back(2, -1, 0);
    assert_int_equal(share_of(), 1);
    stay();
    go_back(0, -1, 0);
    assert_int_equal(share_of(), 1);
}

/* With several files the one that was accessed first decides: then one step is enough. */
static void the_first_of_all_is_told(void **state)
{
    uint64_t since;

    (void)state;
    append(0, path_of("a"));
    since = stub_now();
    append(2, path_of("z"));
    append(1, path_of("z"));
    append(1, path_of("b"));
    append(0, path_of("b"));
    go_back(0, -1, 0);
    go_back(1, -1, 0);
    expect_share(2, 1, path_of("z"), since, stub_now());
}

/* Two put a file of rank 1's back to two moments: only rank 1 has changed it. */
static void two_go_back_to_two_moments(void **state)
{
    const char *folder[] = {ranks_store(0), ranks_store(1)};
    struct ft_undo_party party[] = {{.folders = &folder[0], .count = 1, .number = 4},
                                    {.folders = &folder[1], .count = 1, .number = 5}};
    char failed[FAILED];
    struct stat status;

    (void)state;
    checkpoint(0, 4);
    append(1, common);
    checkpoint(1, 5);
    append(0, path_of("other"));
    append(1, common);
    assert_int_equal(ft_undo_apply(party, 2, failed, NULL, NULL), 0);
    assert_int_equal(stat(common, &status), 0);
    assert_int_equal(status.st_size, strlen("line\n"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, ranks_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(own_files_are_no_matter),
        CASE(a_file_that_all_read_is_no_matter),
        CASE(two_that_write_go_back_with_everybody),
        CASE(one_that_reads_what_will_be_undone_goes_back),
        CASE(one_that_has_written_over_what_will_be_read_again_goes_back),
        CASE(a_file_that_was_committed_before_others_read_it_binds_nobody),
        CASE(going_back_behind_that_checkpoint_takes_the_readers_along),
        CASE(accesses_that_overlap_bind_both),
        CASE(checkpoints_of_one_moment_fit),
        CASE(a_younger_checkpoint_of_somebody_else_does_not_do),
        CASE(a_file_that_is_open_for_writing_counts_as_changed),
        CASE(a_folder_is_made_for_all),
        CASE(a_folder_that_is_removed_binds_all_that_use_it),
        CASE(a_file_needs_its_folder),
        CASE(a_new_name_binds_all_that_read_the_names),
        CASE(a_removed_name_binds_too),
        CASE(the_first_of_all_is_told),
        CASE(two_go_back_to_two_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
