/* turns_test: whose turn it is to access a file again, and what ranks are told of that. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "files/format.h"
#include "putback/putback.h"

#define RANKS 3

enum { READ, CHANGE };

static struct ft_recorder recorders[RANKS];
static struct ft_member members[RANKS];
static struct ft_cluster clusters[RANKS];
static char work[64], folder[RANKS][96];
static const char *undo[RANKS];
static struct ft_run run;
static uint32_t late; /* of accesses */

static int setup(void **state)
{
    (void)state;
    strcpy(work, "/tmp/turns_test.XXXXXX");
    if (!mkdtemp(work))
        return -1;
    memset(recorders, 0, sizeof(recorders));
    run = (struct ft_run){.size = RANKS, .members = members};
    for (int r = 0; r < RANKS; r++) {
        recorders[r].reached = 1000;
        snprintf(folder[r], sizeof(folder[r]), "%s/%d", work, r);
        undo[r] = folder[r];
        clusters[r] = (struct ft_cluster){.undo = &undo[r], .count = 1};
        members[r] = (struct ft_member){
            .run = &run, .cluster = &clusters[r], .rank = r, .recorder = &recorders[r]};
        mkdir(folder[r], 0700);
    }
    return 0;
}

static const char *turns_of(int r)
{
    static char name[320];

    snprintf(name, sizeof(name), "%s/turns", folder[r]);
    return name;
}

static int teardown(void **state)
{
    (void)state;
    ft_turns_free(&run.turns);
    for (int r = 0; r < RANKS; r++) {
        unlink(turns_of(r));
        rmdir(folder[r]);
    }
    return rmdir(work);
}

/* The rank has accessed the path, before, in its call `moment`. Returns how many accesses are
 * known: its number, if it is new. */
static uint32_t did_once_more(uint64_t look, int r, uint64_t time, uint64_t moment, int change,
                              const char *path)
{
    _Alignas(struct ft_undo_access) char room[sizeof(struct ft_undo_access) + 64];
    struct ft_undo_access *access = (struct ft_undo_access *)room;

    *access = (struct ft_undo_access){
        .time = time, .moment = moment, .change = (uint32_t)change, .look = look, .late = late};
    assert_true(strlen(path) < 64);
    strcpy(access->path, path);
    assert_int_equal(ft_turns_add(&run.turns, r, access), 0);
    return (uint32_t)run.turns.count;
}

static uint32_t did(int r, uint64_t time, uint64_t moment, int change, const char *path)
{
    return did_once_more(1, r, time, moment, change, path);
}

static void publish(void)
{
    assert_int_equal(ft_turns_sort(&run.turns), 0);
    assert_int_equal(ft_turns_publish(&run), 0);
}

/* It has entered so many calls that are no polls. */
static void enters(int r, uint64_t calls)
{
    recorders[r].calls = calls + 7;
    recorders[r].polls = 7;
}

static void awaits(int r, uint32_t number)
{
    recorders[r].awaits = number;
}

static int has_turn(int r, uint32_t number)
{
    awaits(r, number);
    ft_turns_look(&run);
    return recorders[r].granted == number;
}

/* The next turn that the rank is told of; NULL at the end. */
static const struct ft_undo_turn *next_turn(FILE *file)
{
    static _Alignas(struct ft_undo_turn) char room[sizeof(struct ft_undo_turn) + 128];
    struct ft_undo_turn *turn = (struct ft_undo_turn *)room;

    if (fread(turn, sizeof(*turn), 1, file) != 1)
        return NULL;
    assert_true(turn->bytes > sizeof(*turn) && turn->bytes <= sizeof(room));
    assert_int_equal(turn->bytes % 8, 0);
    assert_int_equal(fread(turn->path, turn->bytes - sizeof(*turn), 1, file), 1);
    assert_int_equal(room[turn->bytes - 1], 0);
    return turn;
}

/* What it is told, as "NUMBER:MOMENT:r|c:PATH ". */
static void expect_told(int r, const char *wanted)
{
    FILE *file = fopen(turns_of(r), "r");
    const struct ft_undo_turn *turn;
    char told[512] = "";

    assert_non_null(file);
    while ((turn = next_turn(file)))
        sprintf(told + strlen(told), "%u:%llu:%c:%s ", turn->waits ? turn->number : 0,
                (unsigned long long)turn->moment, turn->change ? 'c' : 'r', turn->path);
    assert_true(feof(file));
    fclose(file);
    assert_string_equal(told, wanted);
}

static void was_late(int r, uint64_t time, uint64_t moment, int change, const char *path)
{
    late = 1;
    did(r, time, moment, change, path);
    late = 0;
}

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

/* What ranks are told. */

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
        CASE(an_access_that_was_told_too_early),
        CASE(a_later_life_is_not_late),
        CASE(who_is_where_it_was_has_done_all),
        CASE(somebody_elses_waiting_says_nothing),
        CASE(who_waits_for_all_is_where_it_was),
        CASE(who_has_ended_has_done_it),
        CASE(the_next_call_ends_it),
        CASE(two_get_their_turns_at_once),
        CASE(only_known_numbers_are_granted),
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
