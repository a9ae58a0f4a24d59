/* names_test: who reads the names in a folder, and what they have shown. Times are milliseconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "putback/turns_stub.h"

#define MS 1000000U

enum { A, B, C };

static void tells_at(int r, uint64_t time, uint64_t moment, struct ft_undo_access told,
                     const char *path)
{
    told.time = time * MS;
    told.moment = moment;
    told.look = told.look ? told.look : 1;
    told.seen *= MS;
    tells(r, &told, path);
}

/* It makes a file in the folder, says so before, and does so until it tells of the next thing. */
static void makes(int r, uint64_t time, uint64_t moment, const char *path)
{
    tells_at(r, time, moment,
             (struct ft_undo_access){.change = FT_ACCESS_CONTENT, .found = FT_NEEDS_ABSENCE}, path);
}

/* It writes to a file that is there. */
static void writes(int r, uint64_t time, uint64_t moment, const char *path)
{
    tells_at(r, time, moment,
             (struct ft_undo_access){.change = FT_ACCESS_CONTENT, .found = FT_NEEDS_PRESENCE},
             path);
}

/* It gives the file its name, and says so before and behind that. */
static void names(int r, uint64_t begun, uint64_t done, uint64_t moment, const char *path)
{
    struct ft_undo_access told = {.change = FT_ACCESS_NAME, .found = FT_NEEDS_ABSENCE};

    tells_at(r, begun, moment, told, path);
    told.late = 1;
    tells_at(r, done, moment, told, path);
}

/* It reads the names in /f/, whose time is that. */
static uint32_t reads(int r, uint64_t time, uint64_t look, uint64_t seen)
{
    tells_at(r, time, 4,
             (struct ft_undo_access){.look = look, .needs = FT_NEEDS_PRESENCE, .seen = seen},
             "/f/");
    return (uint32_t)run.turns.count;
}

/* Has it to wait for B, which is where it does that? */
static void expect_waits(int r, uint32_t number, uint32_t other, int waits)
{
    publish();
    awaits(B, other);
    enters(B, 3);
    assert_int_equal(!has_turn(r, number), waits);
    enters(B, 4);
    assert_true(has_turn(r, number));
}

static void what_they_have_shown_was_before(void **state)
{
    (void)state;
    names(B, 100, 140, 4, "/f/a");
    expect_waits(A, reads(A, 120, 1, 110), 1, 1);
}

/* The clock of the files has steps. */
static void also_where_the_time_of_the_folder_is_early(void **state)
{
    (void)state;
    names(B, 100, 140, 4, "/f/a");
    expect_waits(A, reads(A, 120, 1, 91), 1, 1);
}

static void what_was_begun_later_is_not_shown(void **state)
{
    (void)state;
    names(B, 100, 140, 4, "/f/a");
    expect_waits(A, reads(A, 120, 1, 80), 1, 0);
}

static void what_is_told_to_be_done_may_be_it(void **state)
{
    (void)state;
    names(C, 98, 112, 4, "/f/c");
    enters(C, 4);
    names(B, 100, 140, 4, "/f/a");
    expect_waits(A, reads(A, 120, 1, 110), 2, 0);
}

static void what_was_done_before_that_time_is_not(void **state)
{
    (void)state;
    names(C, 98, 105, 4, "/f/c");
    enters(C, 4);
    names(B, 100, 140, 4, "/f/a");
    expect_waits(A, reads(A, 120, 1, 110), 2, 1);
}

/* They are other ones than the last time, and all else had been done by then. */
static void nor_what_was_done_when_they_were_read_before(void **state)
{
    (void)state;
    makes(C, 90, 4, "/f/c");
    makes(C, 96, 4, "/g");
    enters(C, 4);
    names(B, 100, 140, 4, "/f/a");
    reads(A, 98, 1, 80);
    expect_waits(A, reads(A, 120, 2, 94), 3, 1);
}

static void what_they_have_shown_before_is_nothing_new(void **state)
{
    (void)state;
    names(B, 100, 140, 4, "/f/a");
    reads(A, 98, 1, 95);
    expect_waits(A, reads(A, 120, 2, 95), 1, 0);
}

/* That was read by another one. */
static void what_others_have_read_is_no_matter(void **state)
{
    (void)state;
    names(B, 100, 140, 4, "/f/a");
    reads(C, 98, 1, 95);
    expect_waits(A, reads(A, 120, 1, 95), 1, 1);
}

/* Nobody knows until when a rank had made a file if it did nothing else. */
static void what_may_have_been_made_then_may_be_it(void **state)
{
    (void)state;
    makes(C, 90, 4, "/f/c");
    enters(C, 4);
    names(B, 100, 140, 4, "/f/a");
    expect_waits(A, reads(A, 120, 1, 110), 2, 0);
}

static void who_writes_to_a_file_changes_no_name(void **state)
{
    (void)state;
    writes(C, 90, 4, "/f/c");
    enters(C, 4);
    names(B, 100, 140, 4, "/f/a");
    expect_waits(A, reads(A, 120, 1, 110), 2, 1);
}

static void nor_does_what_happens_in_folders_below(void **state)
{
    (void)state;
    names(C, 98, 112, 4, "/f/g/c");
    enters(C, 4);
    names(B, 100, 140, 4, "/f/a");
    expect_waits(A, reads(A, 120, 1, 110), 2, 1);
}

/* Both may be it. The one that was told to be done first was. */
static void of_two_one_was_before(void **state)
{
    uint32_t number;

    (void)state;
    names(B, 100, 150, 4, "/f/b");
    names(C, 100, 140, 4, "/f/c");
    number = reads(A, 120, 1, 110);
    publish();
    enters(B, 3);
    enters(C, 3);
    awaits(B, 1);
    awaits(C, 2);
    assert_false(has_turn(A, number));
    enters(C, 4);
    assert_true(has_turn(A, number));
}

/* One's own change is shown, too. */
static void ones_own_change_may_be_it(void **state)
{
    (void)state;
    names(A, 105, 112, 4, "/f/c");
    names(B, 100, 140, 4, "/f/a");
    expect_waits(A, reads(A, 120, 1, 110), 2, 0);
}

/* Where nothing is told of the folder's time. */
static void who_does_not_tell_has_shown_nothing(void **state)
{
    (void)state;
    names(B, 100, 140, 4, "/f/a");
    expect_waits(A, reads(A, 120, 1, 0), 1, 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_they_have_shown_was_before),
        CASE(also_where_the_time_of_the_folder_is_early),
        CASE(what_was_begun_later_is_not_shown),
        CASE(what_is_told_to_be_done_may_be_it),
        CASE(what_was_done_before_that_time_is_not),
        CASE(nor_what_was_done_when_they_were_read_before),
        CASE(what_they_have_shown_before_is_nothing_new),
        CASE(what_others_have_read_is_no_matter),
        CASE(what_may_have_been_made_then_may_be_it),
        CASE(who_writes_to_a_file_changes_no_name),
        CASE(nor_does_what_happens_in_folders_below),
        CASE(of_two_one_was_before),
        CASE(ones_own_change_may_be_it),
        CASE(who_does_not_tell_has_shown_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
