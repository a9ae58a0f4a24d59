/* turns_test: whose turn it is to access a file again, and when it has done so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "putback/turns_stub.h"

/* Who waits for whom. */

static void a_read_waits_for_the_write_before_it(void **state)
{
    uint32_t number;

    (void)state;
    did(0, 10, 3, CHANGE, "/f");
    number = did(1, 20, 2, READ, "/f");
    publish();
    assert_false(has_turn(1, number));
    enters(0, 2);
    assert_false(has_turn(1, number));
    enters(0, 3);
    assert_true(has_turn(1, number));
}

static void a_write_waits_for_the_read_before_it(void **state)
{
    uint32_t number;

    (void)state;
    did(0, 10, 1, READ, "/f");
    number = did(1, 20, 1, CHANGE, "/f");
    publish();
    assert_false(has_turn(1, number));
    enters(0, 1);
    assert_true(has_turn(1, number));
}

static void a_write_waits_for_the_write_before_it(void **state)
{
    uint32_t number;

    (void)state;
    number = did(1, 20, 1, CHANGE, "/f");
    did(0, 10, 1, CHANGE, "/f");
    publish();
    assert_false(has_turn(1, number));
    enters(0, 1);
    assert_true(has_turn(1, number));
}

static void reads_do_not_wait_for_reads(void **state)
{
    uint32_t number;

    (void)state;
    did(0, 10, 1, READ, "/f");
    number = did(1, 20, 1, READ, "/f");
    publish();
    assert_true(has_turn(1, number));
}

static void who_was_first_waits_for_nobody(void **state)
{
    uint32_t number = did(0, 10, 1, CHANGE, "/f");

    (void)state;
    did(1, 20, 1, CHANGE, "/f");
    publish();
    assert_true(has_turn(0, number));
}

static void nobody_waits_for_itself(void **state)
{
    uint32_t number;

    (void)state;
    did(1, 10, 1, CHANGE, "/f");
    number = did(1, 20, 2, CHANGE, "/f");
    publish();
    assert_true(has_turn(1, number));
}

static void other_files_are_no_matter(void **state)
{
    static const char *const other[] = {"/", "/f/", "/f/g", "/ff", "/e", "/g"};
    uint32_t number;

    (void)state;
    for (int i = 0; i < 6; i++)
        did(0, 10, 1, CHANGE, other[i]);
    number = did(1, 20, 1, CHANGE, "/f");
    publish();
    assert_true(has_turn(1, number));
}

/* The readings of names are accesses of a path that ends in a slash. */
static void who_reads_names_waits_for_those_in_the_folder(void **state)
{
    uint32_t number, made;

    (void)state;
    made = did(0, 10, 1, CHANGE, "/f/a");
    did(0, 11, 4, CHANGE, "/f/a/b");
    did(0, 12, 4, READ, "/f/c");
    did(0, 13, 4, CHANGE, "/g/a");
    did(0, 14, 4, CHANGE, "/f");
    did(1, 15, 4, CHANGE, "/f/mine");
    did(0, 30, 4, CHANGE, "/f/z");
    number = did(1, 20, 1, READ, "/f/");
    publish();
    assert_false(has_turn(1, number));
    enters(0, 1);
    assert_true(has_turn(1, number));
    assert_true(has_turn(0, made));
}

static void who_changes_a_name_waits_for_who_reads_it(void **state)
{
    uint32_t number, deeper, later;

    (void)state;
    later = did(0, 5, 1, CHANGE, "/f/a");
    number = did(0, 20, 1, CHANGE, "/f/b");
    deeper = did(0, 21, 1, CHANGE, "/f/b/c");
    did(1, 10, 1, READ, "/f/");
    publish();
    assert_false(has_turn(0, number));
    assert_true(has_turn(0, deeper));
    assert_true(has_turn(0, later));
    enters(1, 1);
    assert_true(has_turn(0, number));
}

static void two_that_read_names_do_not_wait(void **state)
{
    uint32_t number;

    (void)state;
    did(0, 10, 1, READ, "/f/");
    did(0, 12, 1, READ, "/f/a");
    number = did(1, 20, 1, READ, "/f/");
    publish();
    assert_true(has_turn(1, number));
}

static void all_that_were_before_are_waited_for(void **state)
{
    uint32_t number;

    (void)state;
    did(0, 10, 1, CHANGE, "/f");
    did(1, 20, 1, READ, "/f");
    did(2, 25, 1, READ, "/f");
    number = did(2, 30, 2, CHANGE, "/f");
    publish();
    enters(1, 1);
    assert_false(has_turn(2, number));
    enters(0, 1);
    enters(1, 0);
    assert_false(has_turn(2, number));
    enters(1, 1);
    assert_true(has_turn(2, number));
}

/* There are a read and an own change in between. */
static void a_read_waits_for_a_write_of_long_ago(void **state)
{
    uint32_t number;

    (void)state;
    did(0, 10, 1, CHANGE, "/f");
    did(1, 20, 1, READ, "/f");
    did(2, 30, 1, CHANGE, "/f");
    number = did(2, 40, 2, READ, "/f");
    publish();
    assert_false(has_turn(2, number));
    enters(0, 1);
    assert_true(has_turn(2, number));
}

static void the_first_time_counts(void **state)
{
    uint32_t number;

    (void)state;
    did(0, 10, 1, CHANGE, "/f");
    number = did(1, 20, 1, READ, "/f");
    assert_int_equal(did(0, 90, 1, CHANGE, "/f"), number);
    publish();
    expect_told(0, "0:1:c:/f ");
    expect_told(1, "2:1:r:/f ");
    assert_false(has_turn(1, number));
}

/* Two want to make it: rank 0 said so first, but rank 1 was faster. */
static void who_was_late_is_behind_the_other(void **state)
{
    uint32_t lost = did(0, 10, 1, CHANGE, "/f"), won = did(1, 20, 1, CHANGE, "/f");

    (void)state;
    was_late(0, 30, 1, READ, "/f");
    did(0, 40, 1, CHANGE, "/f");
    was_late(0, 50, 1, CHANGE, "/f");
    publish();
    assert_true(has_turn(1, won));
    assert_false(has_turn(0, lost));
    enters(1, 1);
    assert_true(has_turn(0, lost));
    expect_told(0, "1:1:r:/f ");
}

static void what_differs_is_something_else(void **state)
{
    (void)state;
    assert_int_equal(did(0, 10, 1, READ, "/f"), 1);
    assert_int_equal(did(1, 10, 1, READ, "/f"), 2);
    assert_int_equal(did(0, 10, 2, READ, "/f"), 3);
    assert_int_equal(did_once_more(2, 0, 10, 1, CHANGE, "/f"), 4);
    assert_int_equal(did(0, 10, 1, READ, "/ff"), 5);
    assert_int_equal(did(0, 10, 1, READ, "/e"), 6);
}

/* When an access is over. */

/* Rank 1 waits for the second of three accesses between two calls of rank 0. */
static uint32_t three(uint32_t number[3])
{
    uint32_t waits;

    number[0] = did(0, 10, 4, READ, "/before");
    number[1] = did(0, 20, 4, CHANGE, "/f");
    number[2] = did(0, 50, 4, READ, "/behind");
    waits = did(1, 40, 4, READ, "/f");
    did(2, 5, 1, CHANGE, "/before");
    did(2, 5, 1, CHANGE, "/behind");
    publish();
    enters(0, 3);
    return waits;
}

static void who_waits_for_something_later_has_done_it(void **state)
{
    uint32_t number[3], waits = three(number);

    (void)state;
    awaits(0, number[0]);
    assert_false(has_turn(1, waits));
    awaits(0, number[1]);
    assert_false(has_turn(1, waits));
    awaits(0, number[2]);
    assert_true(has_turn(1, waits));
}

/* Before its next call it may access the path again: that is on no list. */
static void who_waits_for_something_earlier_may_come_back(void **state)
{
    uint32_t number[3], waits, between;

    (void)state;
    between = did(0, 30, 4, READ, "/behind");
    waits = three(number);
    awaits(0, between);
    assert_false(has_turn(1, waits));
}

/* Rank 0 looks at the file until rank 1 has made it: four times in vain. */
static void who_waits_for_what_it_looks_for_has_looked_before(void **state)
{
    uint32_t made, found;

    (void)state;
    did(0, 10, 4, READ, "/f");
    made = did(1, 40, 2, CHANGE, "/f");
    found = did_once_more(5, 0, 50, 4, READ, "/f");
    publish();
    enters(0, 3);
    assert_false(has_turn(1, made));
    awaits(0, found);
    assert_true(has_turn(1, made));
    assert_false(has_turn(0, found));
    awaits(1, 0);
    enters(1, 2);
    assert_true(has_turn(0, found));
}

/* The same life after life, but the second one found it at once, and changed it. */
static void a_look_of_another_life_is_the_same_one(void **state)
{
    (void)state;
    assert_int_equal(did(0, 10, 4, READ, "/f"), 1);
    assert_int_equal(did_once_more(5, 0, 50, 4, READ, "/f"), 2);
    assert_int_equal(did(1, 60, 1, READ, "/f"), 3);
    publish();
    assert_int_equal(did(0, 70, 4, CHANGE, "/f"), 3);
    publish();
    enters(0, 3);
    assert_false(has_turn(1, 3));
    enters(0, 4);
    assert_true(has_turn(1, 3));
}

/* Another life takes the lock at the second look in place of the fifth. In a third one that is
 * no turn: it would come behind all that others did in their first lives. */
static void what_a_later_life_did_on_the_way_is_no_turn(void **state)
{
    (void)state;
    did(0, 10, 4, READ, "/f");
    did_once_more(5, 0, 50, 4, CHANGE, "/f");
    did(0, 60, 5, READ, "/f");
    assert_int_equal(did(1, 70, 9, CHANGE, "/f"), 4);
    publish();
    did(0, 100, 4, READ, "/f");
    did_once_more(2, 0, 110, 4, CHANGE, "/f");
    did(0, 120, 4, READ, "/g");
    did(0, 130, 5, READ, "/f");
    did_once_more(2, 0, 140, 5, READ, "/f");
    did(0, 150, 5, READ, "/g");
    did(0, 160, 6, READ, "/f");
    publish();
    assert_int_equal(run.turns.count, 7);
    expect_told(0, "0:4:r:/f 0:4:c:/f 0:5:r:/f 5:5:r:/f 7:6:r:/f ");
    did(0, 5, 2, READ, "/f"); /* of the first life, before the checkpoint of the second one */
    publish();
    assert_int_equal(run.turns.count, 8);
}

/* Nobody does it again: nobody waits for it, and who would change what was only read there,
 * neither.
 */
static void what_was_before_all_checkpoints_is_forgotten(void **state)
{
    (void)state;
    did(0, 1000, 4, READ, "/f");
    did(1, 2000, 6, CHANGE, "/f");
    did(0, 5000, 9, READ, "/f"); /* again behind the checkpoint, which was taken on the way */
    did(2, 7000, 3, CHANGE, "/f");
    ft_turns_forget_past(&run);
    assert_int_equal(run.turns.count, 4); /* the ranks can go back to main */
    keeps(0, 6000, 8);
    keeps(1, 6000, 7);
    ft_turns_forget_past(&run);
    assert_int_equal(run.turns.count, 4); /* one of them can */
    keeps(2, 1500, 1);
    ft_turns_forget_past(&run);
    assert_int_equal(run.turns.count, 3);
    keeps(2, 6500, 2);
    members[2].cluster->dropped = 0; /* the beginning is there besides */
    ft_turns_forget_past(&run);
    assert_int_equal(run.turns.count, 3);
    members[2].cluster->dropped = 1;
    ft_turns_forget_past(&run);
    publish();
    assert_int_equal(run.turns.count, 2);
    expect_told(0, "0:9:r:/f ");
    expect_told(1, "");
    expect_told(2, "2:3:c:/f ");
    keeps(0, 8000, 9); /* in a call that may be a poll: then it enters the ninth one again */
    ft_turns_forget_past(&run);
    assert_int_equal(run.turns.count, 2);
    keeps(0, 8000, 10);
    ft_turns_forget_past(&run);
    assert_int_equal(run.turns.count, 1);
    keeps(1, 6800, 8);
    keeps(2, 6900, 4);
    ft_turns_forget_past(&run);
    assert_int_equal(run.turns.count, 1); /* rank 1 can go back to before it */
    keeps(1, 7100, 8);
    keeps(2, 7200, 4);
    ft_turns_forget_past(&run);
    assert_int_equal(run.turns.count, 0);
}

/* What was told of a look before it was made counts from when it was, if it has changed something.
 */
static void an_access_that_was_told_too_early(void **state)
{
    (void)state;
    did_once_more(2, 0, 20, 4, READ, "/f");
    did_once_more(2, 0, 50, 4, CHANGE, "/f");
    assert_int_equal(did(1, 30, 3, CHANGE, "/f"), 2);
    publish();
    enters(0, 3);
    enters(1, 2);
    assert_false(has_turn(0, 1));
    assert_true(run.turns.count == 2);
    enters(1, 3);
    assert_true(has_turn(0, 1));
}

/* What libc has found is of the life that did it first, too. */
static void a_later_life_is_not_late(void **state)
{
    (void)state;
    did(0, 10, 4, READ, "/f");
    did(1, 20, 1, CHANGE, "/f");
    publish();
    late = 1;
    did(0, 100, 4, READ, "/f");
    late = 0;
    publish();
    enters(0, 3);
    enters(1, 0);
    assert_true(has_turn(0, 1));
    assert_false(has_turn(1, 2));
}

/* It goes on to look for something, or to wait for nothing that others know of. */
static void who_is_where_it_was_has_done_all(void **state)
{
    uint32_t number;

    (void)state;
    did(0, 10, 4, CHANGE, "/f");
    number = did(1, 20, 2, READ, "/f");
    publish();
    enters(0, 3);
    recorders[0].reached = 3;
    recorders[0].reached_accesses = 7;
    recorders[0].accesses = (uint64_t)4 << 32 | 6;
    assert_false(has_turn(1, number));
    recorders[0].accesses = (uint64_t)4 << 32 | 7;
    recorders[0].accessing = 1;
    assert_false(has_turn(1, number));
    recorders[0].accessing = 0;
    assert_true(has_turn(1, number));
}

/* Where another rank is, or was at another place, says nothing. */
static void somebody_elses_waiting_says_nothing(void **state)
{
    uint32_t number[3], waits, elsewhere, others;

    (void)state;
    elsewhere = did(0, 50, 3, CHANGE, "/g");
    others = did(2, 60, 4, CHANGE, "/g");
    waits = three(number);
    awaits(0, elsewhere);
    assert_false(has_turn(1, waits));
    awaits(0, others);
    assert_false(has_turn(1, waits));
    awaits(0, others + 100);
    assert_false(has_turn(1, waits));
    awaits(0, 0);
    awaits(2, number[2]);
    assert_false(has_turn(1, waits));
}

static void who_waits_for_all_is_where_it_was(void **state)
{
    uint32_t number[3], waits = three(number);

    (void)state;
    awaits(0, FT_AWAITS_ALL);
    assert_true(has_turn(1, waits));
}

static void who_has_ended_has_done_it(void **state)
{
    uint32_t number[3], waits = three(number);

    (void)state;
    members[0].ended = 1;
    assert_true(has_turn(1, waits));
}

static void the_next_call_ends_it(void **state)
{
    uint32_t number[3], waits = three(number);

    (void)state;
    recorders[0].calls += 5;
    recorders[0].polls += 5;
    assert_false(has_turn(1, waits));
    enters(0, 4);
    assert_true(has_turn(1, waits));
}

static void two_get_their_turns_at_once(void **state)
{
    uint32_t number[2];

    (void)state;
    did(0, 10, 1, CHANGE, "/f");
    number[0] = did(1, 20, 1, READ, "/f");
    number[1] = did(2, 30, 1, READ, "/f");
    publish();
    awaits(2, number[1]);
    assert_false(has_turn(1, number[0]));
    assert_int_equal(recorders[2].granted, 0);
    enters(0, 1);
    assert_true(has_turn(1, number[0]));
    assert_int_equal(recorders[2].granted, number[1]);
    assert_int_equal(recorders[0].granted, 0);
}

static void only_known_numbers_are_granted(void **state)
{
    uint32_t number = did(0, 10, 1, CHANGE, "/f");

    (void)state;
    publish();
    assert_false(has_turn(0, FT_AWAITS_ALL));
    assert_false(has_turn(0, number + 1));
    assert_true(has_turn(0, number));
    awaits(0, 0);
    ft_turns_look(&run);
    assert_int_equal(recorders[0].granted, number);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_read_waits_for_the_write_before_it),
        CASE(a_write_waits_for_the_read_before_it),
        CASE(a_write_waits_for_the_write_before_it),
        CASE(reads_do_not_wait_for_reads),
        CASE(who_was_first_waits_for_nobody),
        CASE(nobody_waits_for_itself),
        CASE(other_files_are_no_matter),
        CASE(who_reads_names_waits_for_those_in_the_folder),
        CASE(who_changes_a_name_waits_for_who_reads_it),
        CASE(two_that_read_names_do_not_wait),
        CASE(all_that_were_before_are_waited_for),
        CASE(a_read_waits_for_a_write_of_long_ago),
        CASE(the_first_time_counts),
        CASE(who_was_late_is_behind_the_other),
        CASE(what_differs_is_something_else),
        CASE(who_waits_for_something_later_has_done_it),
        CASE(who_waits_for_something_earlier_may_come_back),
        CASE(who_waits_for_what_it_looks_for_has_looked_before),
        CASE(a_look_of_another_life_is_the_same_one),
        CASE(what_a_later_life_did_on_the_way_is_no_turn),
        CASE(what_was_before_all_checkpoints_is_forgotten),
        CASE(an_access_that_was_told_too_early),
        CASE(a_later_life_is_not_late),
        CASE(who_is_where_it_was_has_done_all),
        CASE(somebody_elses_waiting_says_nothing),
        CASE(who_waits_for_all_is_where_it_was),
        CASE(who_has_ended_has_done_it),
        CASE(the_next_call_ends_it),
        CASE(two_get_their_turns_at_once),
        CASE(only_known_numbers_are_granted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
