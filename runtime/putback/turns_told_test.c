/* turns_told_test: what ranks are told of the turns at files. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "putback/turns_stub.h"

static void nobody_is_told_what_is_no_matter(void **state)
{
    (void)state;
    did(0, 10, 1, CHANGE, "/own");
    did(0, 20, 2, READ, "/own");
    did(0, 10, 1, READ, "/read");
    did(1, 20, 1, READ, "/read");
    did(2, 30, 1, READ, "/readable");
    did(1, 5, 1, CHANGE, "/rea");
    publish();
    for (int r = 0; r < RANKS; r++)
        expect_told(r, "");
}

static void who_waits_and_who_is_waited_for_are_told(void **state)
{
    (void)state;
    did(0, 10, 1, READ, "/f");
    did(1, 30, 2, READ, "/f");
    did(0, 40, 3, READ, "/f");
    did(1, 50, 4, CHANGE, "/f");
    did(2, 60, 5, READ, "/f");
    did(2, 70, 6, READ, "/other");
    publish();
    expect_told(0, "0:1:r:/f 0:3:r:/f ");
    expect_told(1, "4:4:c:/f "); /* its read before is followed by its own change alone */
    expect_told(2, "5:5:r:/f ");
}

static void of_a_file_that_is_shared_nothing_else_is_told(void **state)
{
    (void)state;
    did(1, 10, 1, READ, "/f");
    did(0, 20, 1, CHANGE, "/f");
    did(0, 30, 2, READ, "/f");
    did(2, 5, 1, CHANGE, "/a");
    did(2, 40, 1, CHANGE, "/z");
    publish();
    expect_told(0, "2:1:c:/f ");
    expect_told(1, "0:1:r:/f ");
    expect_told(2, "");
}

static void who_waits_is_waited_for_too(void **state)
{
    (void)state;
    did(0, 10, 1, CHANGE, "/f");
    did(1, 20, 1, READ, "/f");
    did(2, 30, 1, CHANGE, "/f");
    publish();
    expect_told(0, "0:1:c:/f ");
    expect_told(1, "2:1:r:/f ");
    expect_told(2, "3:1:c:/f ");
}

static void paths_of_any_length_are_told(void **state)
{
    char path[40] = "/", wanted[64];

    (void)state;
    for (size_t length = 1; length < 20; length++) {
        void *none = NULL;

        did(0, 10, 1, CHANGE, path);
        did(1, 20, 1, READ, path);
        publish();
        sprintf(wanted, "2:1:r:%s ", path);
        expect_told(1, wanted);
        strcat(path, "x");
        teardown(&none);
        setup(&none);
    }
}

static void numbers_stay_what_they_are(void **state)
{
    uint32_t number;

    (void)state;
    did(0, 100, 1, CHANGE, "/m");
    number = did(1, 200, 1, READ, "/m");
    publish();
    expect_told(1, "2:1:r:/m ");
    for (uint64_t moment = 2; moment < 600; moment++)
        did(2, 300 + moment, moment, CHANGE, moment % 2 ? "/a" : "/z");
    did(2, 150, 1, CHANGE, "/m");
    publish();
    expect_told(1, "2:1:r:/m ");
    expect_told(2, "601:1:c:/m ");
    enters(0, 1);
    assert_false(has_turn(1, number));
    enters(2, 1);
    assert_true(has_turn(1, number));
}

static void nothing_was_accessed(void **state)
{
    (void)state;
    publish();
    expect_told(0, "");
    ft_turns_look(&run);
    assert_int_equal(recorders[0].granted, 0);
}

static void who_waits_for_a_turn_is_told_of(void **state)
{
    uint32_t number;

    (void)state;
    did(0, 10, 1, CHANGE, "/f");
    number = did(1, 20, 1, READ, "/f");
    publish();
    assert_false(ft_turns_look(&run));
    awaits(0, FT_AWAITS_ALL);
    assert_false(ft_turns_look(&run));
    awaits(1, number);
    assert_true(ft_turns_look(&run));
    assert_int_equal(recorders[1].granted, number);
    assert_true(ft_turns_look(&run));
    awaits(1, 0);
    assert_false(ft_turns_look(&run));
}

/* Rank 0 dies once more, before rank 1 has seen that it has its turn. */
static void a_turn_is_that_of_one_epoch(void **state)
{
    uint32_t number;

    (void)state;
    did(0, 10, 1, CHANGE, "/f");
    number = did(1, 20, 1, READ, "/f");
    publish();
    enters(0, 1);
    assert_true(has_turn(1, number));
    enters(0, 0);
    publish();
    assert_false(has_turn(1, number));
    enters(0, 1);
    assert_true(has_turn(1, number));
}

/* All go back to one moment, and nobody has heard of what they did behind it. */
static void what_nobody_has_heard_of_is_forgotten(void **state)
{
    uint32_t number;

    (void)state;
    did(1, 30, 3, READ, "/f");
    did(0, 10, 1, CHANGE, "/f");
    did(1, 20, 2, READ, "/f");
    did(2, 25, 2, READ, "/f");
    publish();
    ft_turns_forget(&run.turns, 20);
    assert_int_equal(run.turns.count, 2);
    did(2, 90, 2, CHANGE, "/f");
    number = did(1, 99, 3, READ, "/f");
    assert_int_equal(number, 4);
    publish();
    expect_told(0, "0:1:c:/f ");
    expect_told(1, "2:2:r:/f 4:3:r:/f ");
    expect_told(2, "3:2:c:/f ");
    enters(0, 1);
    assert_true(has_turn(1, 2));
    assert_false(has_turn(1, number));
    enters(2, 2);
    assert_true(has_turn(1, number));
}

static void a_list_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    did(0, 10, 1, CHANGE, "/f");
    assert_int_equal(rmdir(folder[1]), 0);
    assert_int_equal(ft_turns_sort(&run.turns), 0);
    assert_int_equal(ft_turns_publish(&run), -ENOENT);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(nobody_is_told_what_is_no_matter),
        CASE(who_waits_and_who_is_waited_for_are_told),
        CASE(of_a_file_that_is_shared_nothing_else_is_told),
        CASE(who_waits_is_waited_for_too),
        CASE(paths_of_any_length_are_told),
        CASE(numbers_stay_what_they_are),
        CASE(nothing_was_accessed),
        CASE(who_waits_for_a_turn_is_told_of),
        CASE(a_turn_is_that_of_one_epoch),
        CASE(what_nobody_has_heard_of_is_forgotten),
        CASE(a_list_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
