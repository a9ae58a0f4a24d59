/* Files that ranks of two clusters change: each rank is a party. */
#include "files/undo_ranks.h"

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

/* Rank 0 goes back to `number`, of the moment `cut`; rank 1 likewise. */
static int fit_two(int number, uint64_t cut, int other, uint64_t other_cut)
{
    go_back(0, number, cut);
    go_back(1, other, other_cut);
    return fit(-1);
}

static void own_files_are_no_matter(void **state)
{
    (void)state;
    append(0, path_of("mine"));
    append(1, common);
    assert_int_equal(fit_two(-1, 0, FT_UNDO_STAYS, stub_now()), 0);
}

static void who_stays_is_too_late(void **state)
{
    (void)state;
    append(0, common);
    append(1, common);
    assert_int_equal(fit_two(-1, 0, FT_UNDO_STAYS, stub_now()), 1);
    assert_string_equal(misfit.path, common);
    assert_int_equal(misfit.early, 0);
    assert_int_equal(misfit.late, 1);
    assert_true(misfit.time <= stub_now());
}

static void read_names(int r)
{
    char names[128];

    strcpy(names, common);
    strrchr(names, '/')[1] = 0;
    look(r, names, 0);
}

/* Its file would be among the names that were read before it. */
static void who_makes_a_name_that_was_not_there_is_too_late(void **state)
{
    (void)state;
    append(1, path_of("before"));
    read_names(0);
    assert_int_equal(fit_two(-1, 0, FT_UNDO_STAYS, stub_now()), 0);
    append(1, common);
    assert_int_equal(fit_two(-1, 0, FT_UNDO_STAYS, stub_now()), 1);
    assert_int_equal(misfit.late, 1);
    assert_int_equal(fit_two(-1, 0, -1, 0), 0);
    assert_int_equal(fit_two(FT_UNDO_STAYS, stub_now(), -1, 0), 0);
    act_as(1);
    assert_int_equal(unlink(common), 0);
    act_as(-1);
    assert_int_equal(fit_two(-1, 0, FT_UNDO_STAYS, stub_now()), 0);
}

static void who_removes_a_name_that_was_there_is_too_late(void **state)
{
    (void)state;
    put(-1, common, "w", "first");
    read_names(0);
    put(1, common, "w", "second");
    assert_int_equal(fit_two(-1, 0, FT_UNDO_STAYS, stub_now()), 0);
    act_as(1);
    assert_int_equal(unlink(common), 0);
    act_as(-1);
    assert_int_equal(fit_two(-1, 0, FT_UNDO_STAYS, stub_now()), 1);
    assert_int_equal(misfit.late, 1);
}

static void all_back_to_the_start_fit(void **state)
{
    (void)state;
    append(0, common);
    append(1, common);
    assert_int_equal(fit_two(-1, 0, -1, 0), 0);
}

static void what_precedes_the_checkpoint_is_no_matter(void **state)
{
    uint64_t cut;

    (void)state;
    append(0, common);
    cut = checkpoint(0, 4);
    append(1, common);
    assert_int_equal(fit_two(4, cut, FT_UNDO_STAYS, stub_now()), 0);
    append(0, common);
    assert_int_equal(fit_two(4, cut, FT_UNDO_STAYS, stub_now()), 1);
}

/* Rank 1 has never changed what rank 0 makes again, before its checkpoint. */
static void a_first_change_behind_the_checkpoint_is_no_matter(void **state)
{
    uint64_t cut;

    (void)state;
    append(0, common);
    cut = checkpoint(1, 5);
    append(1, common);
    assert_int_equal(fit_two(-1, 0, FT_UNDO_STAYS, stub_now()), 1);
    assert_int_equal(fit_two(-1, 0, 5, cut), 0);
    cut = checkpoint(1, 6);
    assert_int_equal(fit_two(-1, 0, 6, cut), 1);
}

/* Rank 0 found what rank 1 has written over since. */
static void what_changed_for_a_reader_is_kept_or_not(void **state)
{
    uint64_t cut;

    (void)state;
    put(-1, common, "w", "first");
    look(0, common, 0);
    cut = checkpoint(1, 5);
    put(1, common, "a", " and second");
    assert_int_equal(fit_two(-1, 0, FT_UNDO_STAYS, stub_now()), 1);
    assert_int_equal(fit_two(-1, 0, 5, cut), 0);
}

static void checkpoints_of_one_moment_fit(void **state)
{
    uint64_t cut;

    (void)state;
    append(0, common);
    append(1, common);
    cut = stub_now();
    checkpoint(0, 4);
    checkpoint(1, 4);
    append(0, common);
    append(1, common);
    assert_int_equal(fit_two(4, cut, 4, cut), 0);
}

/* Rank 1's line behind rank 0's is in its checkpoint, and would go with rank 0's. */
static void a_change_between_the_checkpoints_does_not_fit(void **state)
{
    uint64_t cut[3];

    (void)state;
    cut[0] = checkpoint(0, 4);
    cut[1] = checkpoint(1, 5);
    append(0, common);
    append(1, common);
    cut[2] = checkpoint(1, 6);
    assert_int_equal(fit_two(4, cut[0], 6, cut[2]), 1);
    assert_int_equal(misfit.late, 1);
    assert_true(misfit.time > cut[1] && misfit.time < cut[2]);
    assert_int_equal(fit_two(4, cut[0], 5, cut[1]), 0);
}

/* Both put back a file to checkpoints of two moments: only rank 1 had changed it between them. */
static void two_go_back_to_two_moments(void **state)
{
    const char *folder[] = {ranks_store(0), ranks_store(1)};
    struct ft_undo_party party[] = {{&folder[0], 1, 4, 0}, {&folder[1], 1, 5, 0}};
    char failed[FAILED];
    struct stat status;

    (void)state;
    party[0].cut = checkpoint(0, 4);
    append(1, common);
    party[1].cut = checkpoint(1, 5);
    append(0, common);
    append(1, common);
    assert_int_equal(fit_two(4, party[0].cut, 5, party[1].cut), 0);
    assert_int_equal(ft_undo_apply(party, 2, failed, NULL, NULL), 0);
    assert_int_equal(stat(common, &status), 0);
    assert_int_equal(status.st_size, strlen("line\n"));
}

static void only_the_one_that_is_asked_for(void **state)
{
    (void)state;
    append(0, common);
    append(1, common);
    go_back(0, -1, 0);
    assert_int_equal(fit(0), 0);
    assert_int_equal(fit(2), 0);
    assert_int_equal(fit(1), 1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, ranks_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(own_files_are_no_matter),
        CASE(who_stays_is_too_late),
        CASE(who_makes_a_name_that_was_not_there_is_too_late),
        CASE(who_removes_a_name_that_was_there_is_too_late),
        CASE(all_back_to_the_start_fit),
        CASE(what_precedes_the_checkpoint_is_no_matter),
        CASE(a_first_change_behind_the_checkpoint_is_no_matter),
        CASE(what_changed_for_a_reader_is_kept_or_not),
        CASE(checkpoints_of_one_moment_fit),
        CASE(a_change_between_the_checkpoints_does_not_fit),
        CASE(two_go_back_to_two_moments),
        CASE(only_the_one_that_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
