/* undo_names_test: names in a folder that others make and remove, more than once in an interval. */
#include "files/undo_ranks.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "files/undo_stub.h"
#include "process.h"

static char folder[128], name[160];

static int setup(void **state)
{
    int code = ranks_setup(state);

    ft_life.boot.clusters = 2;
    strcpy(folder, path_of("folder"));
    snprintf(name, sizeof name, "%s/name", folder);
    return code == 0 ? mkdir(folder, 0700) : code;
}

static int teardown(void **state)
{
    ft_life.boot.clusters = 1;
    return ranks_teardown(state);
}

static void removes(int r)
{
    act_as(r);
    assert_int_equal(unlink(name), 0);
    act_as(-1);
}

static void reads_names(int r)
{
    DIR *stream;

    act_as(r);
    stream = opendir(folder);
    assert_non_null(stream);
    closedir(stream);
    act_as(-1);
}

/* Rank 0 goes back to the start alone. */
static int goes_back(void)
{
    go_back(0, -1, 0);
    go_back(1, FT_UNDO_STAYS, stub_now());
    return fit(-1);
}

static void expect_too_late(void)
{
    assert_int_equal(goes_back(), 1);
    assert_int_equal(misfit.early, 0);
    assert_int_equal(misfit.late, 1);
    assert_memory_equal(misfit.path, folder, strlen(folder));
    assert_string_equal(misfit.path + strlen(folder), "/");
    go_back(1, -1, 0);
    assert_int_equal(fit(-1), 0);
}

static void a_name_that_was_seen_and_is_gone(void **state)
{
    (void)state;
    append(1, name);
    reads_names(0);
    assert_int_equal(goes_back(), 0);
    removes(1);
    expect_too_late();
}

static void a_name_that_has_come_again(void **state)
{
    (void)state;
    append(1, name);
    removes(1);
    reads_names(0);
    assert_int_equal(goes_back(), 0);
    append(1, name);
    expect_too_late();
}

static void a_name_that_came_and_went(void **state)
{
    (void)state;
    append(1, name);
    removes(1);
    reads_names(0);
    append(1, name);
    removes(1);
    assert_int_equal(goes_back(), 0);
}

static void a_name_that_went_and_came(void **state)
{
    (void)state;
    append(1, name);
    reads_names(0);
    removes(1);
    append(1, name);
    assert_int_equal(goes_back(), 0);
}

/* That it was not there at the first reading, and is not now, says nothing of the second one. */
static void names_that_were_read_twice(void **state)
{
    (void)state;
    reads_names(0);
    append(1, name);
    reads_names(0);
    removes(1);
    expect_too_late();
}

static void what_goes_back_as_well_is_no_matter(void **state)
{
    (void)state;
    append(1, name);
    reads_names(0);
    removes(1);
    go_back(0, -1, 0);
    go_back(1, -1, 0);
    assert_int_equal(fit(-1), 0);
    go_back(0, FT_UNDO_STAYS, stub_now());
    assert_int_equal(fit(-1), 0);
}

static void what_is_in_a_folder_below_is_no_matter(void **state)
{
    char other[160];

    (void)state;
    snprintf(name, sizeof name, "%s/below", folder);
    assert_int_equal(mkdir(name, 0700), 0);
    snprintf(name, sizeof name, "%s/below/name", folder);
    snprintf(other, sizeof other, "%s-name", folder);
    append(1, name);
    append(1, other);
    reads_names(0);
    removes(1);
    strcpy(name, other);
    removes(1);
    assert_int_equal(goes_back(), 0);
}

/* What it does itself it does again. */
static void its_own_names_are_no_matter(void **state)
{
    (void)state;
    append(0, name);
    reads_names(0);
    removes(0);
    assert_int_equal(goes_back(), 0);
}

static void who_is_not_asked_for_is_not_told(void **state)
{
    (void)state;
    append(1, name);
    reads_names(0);
    removes(1);
    go_back(0, -1, 0);
    assert_int_equal(fit(2), 0);
    assert_int_equal(fit(1), 1);
}

/* The one that stays goes back to a moment between the two. */
static void what_is_behind_the_cut_is_not_kept(void **state)
{
    uint64_t cut;

    (void)state;
    append(1, name);
    reads_names(0);
    cut = checkpoint(1, 4);
    removes(1);
    go_back(0, -1, 0);
    go_back(1, 4, cut);
    assert_int_equal(fit(-1), 0);
    expect_too_late();
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_name_that_was_seen_and_is_gone),
        CASE(a_name_that_has_come_again),
        CASE(a_name_that_came_and_went),
        CASE(a_name_that_went_and_came),
        CASE(names_that_were_read_twice),
        CASE(what_goes_back_as_well_is_no_matter),
        CASE(what_is_in_a_folder_below_is_no_matter),
        CASE(its_own_names_are_no_matter),
        CASE(who_is_not_asked_for_is_not_told),
        CASE(what_is_behind_the_cut_is_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
