/* names_test: who reads the names in a folder, and what they have shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "putback/turns.h"
#include "putback/turns_stub.h"

enum { A, B, C };

/* It gives the file its name, and says so before and behind that; of the folder's time then. */
static void names_at(int r, uint64_t begun, uint64_t done, uint64_t seen, uint64_t behind,
                     const char *path)
{
    struct ft_undo_access told = {.time = begun,
                                  .moment = 4,
                                  .look = 1,
                                  .change = FT_ACCESS_NAME,
                                  .found = FT_NEEDS_ABSENCE,
                                  .seen = seen};

    tells(r, &told, path);
    told.time = done;
    told.seen = behind;
    told.late = 1;
    tells(r, &told, path);
}

static void names(int r, uint64_t begun, uint64_t done, const char *path)
{
    names_at(r, begun, done, 90, 110, path);
}

static void looks(int r, uint64_t time, enum ft_access_needs found, const char *path)
{
    tells(r, &(struct ft_undo_access){.time = time, .moment = 4, .look = time, .needs = found},
          path);
}

/* It reads the names in /f/, whose time is that. */
static uint32_t reads(int r, uint64_t time, uint64_t seen)
{
    return tells(
        r,
        &(struct ft_undo_access){
            .time = time, .moment = 4, .look = time, .needs = FT_NEEDS_PRESENCE, .seen = seen},
        "/f/");
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

static void what_they_may_have_shown_was_before(void **state)
{
    (void)state;
    names(B, 100, 140, "/f/a");
    expect_waits(A, reads(A, 120, 110), 1, 1);
}

/* Another one may have changed the folder, too. */
static void also_where_it_may_be_another_one(void **state)
{
    (void)state;
    names(B, 100, 140, "/f/a");
    expect_waits(A, reads(A, 120, 100), 1, 1);
}

static void the_time_of_the_folder_tells_that_they_have_not(void **state)
{
    (void)state;
    names(B, 100, 140, "/f/a");
    expect_waits(A, reads(A, 120, 90), 1, 0);
}

static void also_where_another_change_is_not_shown_that_was_before(void **state)
{
    (void)state;
    names(B, 100, 140, "/f/a");
    expect_waits(A, reads(A, 120, 80), 1, 0);
}

/* The kernel's clock has steps. */
static void a_folder_may_keep_its_time(void **state)
{
    (void)state;
    names_at(B, 100, 140, 90, 90, "/f/a");
    expect_waits(A, reads(A, 120, 90), 1, 1);
}

static void but_has_none_that_it_had_before(void **state)
{
    (void)state;
    names_at(B, 100, 140, 90, 90, "/f/a");
    expect_waits(A, reads(A, 120, 80), 1, 0);
}

static void what_is_told_of_later_is_not_shown(void **state)
{
    (void)state;
    names_at(B, 121, 140, 90, 90, "/f/a");
    expect_waits(A, reads(A, 120, 90), 1, 0);
    assert_int_equal(run.turns.access[0]->time, 140);
}

static void who_has_looked_in_vain_since_tells_that_they_have_not(void **state)
{
    (void)state;
    looks(C, 130, FT_NEEDS_ABSENCE, "/f/a");
    names(B, 100, 140, "/f/a");
    enters(C, 4);
    expect_waits(A, reads(A, 120, 100), 2, 0);
}

static void who_has_looked_before_tells_nothing(void **state)
{
    (void)state;
    looks(C, 119, FT_NEEDS_ABSENCE, "/f/a");
    names(B, 100, 140, "/f/a");
    enters(C, 4);
    expect_waits(A, reads(A, 120, 100), 2, 1);
}

static void nor_does_who_has_looked_for_something_else(void **state)
{
    (void)state;
    looks(C, 130, FT_NEEDS_ABSENCE, "/f/Z");
    names(B, 100, 140, "/f/a");
    enters(C, 4);
    expect_waits(A, reads(A, 120, 100), 2, 1);
}

static void what_happens_in_folders_below_is_not_shown(void **state)
{
    (void)state;
    names(B, 100, 140, "/f/g/a");
    reads(A, 120, 100);
    publish();
    assert_false(run.turns.access[1]->waits);
}

static void each_that_may_be_shown_was_before(void **state)
{
    uint32_t number;

    (void)state;
    names(B, 100, 150, "/f/b");
    names(C, 100, 140, "/f/c");
    number = reads(A, 120, 100);
    publish();
    enters(B, 3);
    enters(C, 3);
    awaits(B, 1);
    awaits(C, 2);
    assert_false(has_turn(A, number));
    enters(C, 4);
    assert_false(has_turn(A, number));
    enters(B, 4);
    assert_true(has_turn(A, number));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_they_may_have_shown_was_before),
        CASE(also_where_it_may_be_another_one),
        CASE(the_time_of_the_folder_tells_that_they_have_not),
        CASE(also_where_another_change_is_not_shown_that_was_before),
        CASE(a_folder_may_keep_its_time),
        CASE(but_has_none_that_it_had_before),
        CASE(what_is_told_of_later_is_not_shown),
        CASE(who_has_looked_in_vain_since_tells_that_they_have_not),
        CASE(who_has_looked_before_tells_nothing),
        CASE(nor_does_who_has_looked_for_something_else),
        CASE(what_happens_in_folders_below_is_not_shown),
        CASE(each_that_may_be_shown_was_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
