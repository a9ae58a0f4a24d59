/* below_test: whose turn it is in a folder that others have made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "files/format.h"
#include "putback/turns_stub.h"

enum { NAME = FT_ACCESS_NAME };

static void a_file_of_ones_own_waits_for_its_folder(void **state)
{
    uint32_t number;

    (void)state;
    did(0, 10, 3, NAME, "/f");
    number = did(1, 20, 2, CHANGE, "/f/own");
    publish();
    expect_told(0, "0:3:c:/f ");
    assert_false(has_turn(1, number));
    enters(0, 2);
    assert_false(has_turn(1, number));
    enters(0, 3);
    assert_true(has_turn(1, number));
}

static void a_look_waits_too(void **state)
{
    uint32_t number, names;

    (void)state;
    did(0, 10, 3, NAME, "/f");
    number = did(1, 20, 2, READ, "/f/missing");
    names = did(2, 20, 2, READ, "/f/");
    publish();
    assert_false(has_turn(1, number));
    assert_false(has_turn(2, names));
    enters(0, 3);
    assert_true(has_turn(1, number));
    assert_true(has_turn(2, names));
}

static void the_nearest_folder_counts(void **state)
{
    uint32_t number;

    (void)state;
    did(0, 10, 3, NAME, "/f");
    did(0, 11, 5, READ, "/f/g/h"); /* whose name stays */
    did(2, 12, 4, NAME, "/f/g");
    number = did(1, 20, 2, CHANGE, "/f/g/h/own");
    publish();
    enters(0, 9);
    assert_false(has_turn(1, number));
    enters(2, 4);
    assert_true(has_turn(1, number));
}

static void it_waits_for_each_that_was_before(void **state)
{
    uint32_t number;

    (void)state;
    did(0, 10, 3, NAME, "/f");
    did(2, 11, 3, READ, "/f");
    did(2, 12, 3, NAME, "/f");
    did(0, 30, 9, NAME, "/f");
    number = did(1, 20, 2, CHANGE, "/f/own");
    publish();
    enters(0, 3);
    assert_false(has_turn(1, number));
    enters(2, 3);
    assert_true(has_turn(1, number));
}

static void other_names_are_no_matter(void **state)
{
    static const char *const other[] = {"/", "/f", "/f/", "/f/a", "/f/aa", "/f/a.b", "/f/a/b/c"};
    uint32_t number;

    (void)state;
    for (int i = 0; i < 7; i++)
        did(0, 10, 3, i == 1 ? CHANGE : NAME, other[i]);
    did(1, 15, 1, NAME, "/f/ab");
    number = did(1, 20, 2, CHANGE, "/f/ab/own");
    publish();
    assert_true(has_turn(1, number));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_file_of_ones_own_waits_for_its_folder),
        CASE(a_look_waits_too),
        CASE(the_nearest_folder_counts),
        CASE(it_waits_for_each_that_was_before),
        CASE(other_names_are_no_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
