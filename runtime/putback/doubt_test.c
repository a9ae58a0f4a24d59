/* doubt_test: which ranks have made, removed or renamed a path, and in which order (doubt.c,
 * untangle.c). Rank r is in its call r + 4, so what it did behind the one before is of moment r
 * + 4.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "putback/putback.h"
#include "putback/turns.h"

#define RANKS 3

enum { A, B, C };

static struct ft_recorder recorders[RANKS];
static struct ft_member members[RANKS];
static struct ft_run run;

static struct ft_manifest newest; /* of all */

struct ft_manifest *ft_cluster_newest(const struct ft_cluster *cluster)
{
    (void)cluster;
    return &newest;
}

static uint64_t moment_of(int r)
{
    return (uint64_t)r + 4;
}

static int setup(void **state)
{
    (void)state;
    memset(recorders, 0, sizeof(recorders));
    newest.frozen = 0;
    run = (struct ft_run){.size = RANKS, .members = members};
    for (int r = 0; r < RANKS; r++) {
        recorders[r].calls = moment_of(r) - 1;
        recorders[r].accesses = moment_of(r) << 32 | 5;
        members[r] = (struct ft_member){.run = &run, .rank = r, .recorder = &recorders[r]};
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ft_turns_free(&run.turns);
    return 0;
}

static enum ft_access_needs there; /* where a change is told of */

static void add(int r, uint64_t time, enum ft_access_change change, enum ft_access_needs needs,
                uint32_t late, const char *path)
{
    _Alignas(struct ft_undo_access) char room[sizeof(struct ft_undo_access) + 64];
    struct ft_undo_access *access = (struct ft_undo_access *)room;

    *access = (struct ft_undo_access){.time = time,
                                      .moment = moment_of(r),
                                      .look = late ? late : time,
                                      .change = change,
                                      .needs = needs,
                                      .late = late != 0,
                                      .found = late ? FT_NEEDS_NOTHING : there};
    strcpy(access->path, path);
    assert_int_equal(ft_turns_add(&run.turns, r, access), 0);
}

/* It has told of it, and has not heard. */
static void tries(int r, uint64_t time, enum ft_access_needs needs, const char *path)
{
    add(r, time, FT_ACCESS_NAME, needs, 0, path);
    recorders[r].accessing = FT_ACCESSING_COUNTED;
}

static void does(int r, uint64_t begun, uint64_t done, enum ft_access_needs needs, const char *path)
{
    add(r, begun, FT_ACCESS_NAME, needs, 0, path);
    add(r, done, FT_ACCESS_NAME, needs, (uint32_t)begun, path);
}

static void makes(int r, uint64_t begun, uint64_t done)
{
    does(r, begun, done, FT_NEEDS_ABSENCE, "/lock");
}

static void removes(int r, uint64_t begun, uint64_t done)
{
    does(r, begun, done, FT_NEEDS_PRESENCE, "/lock");
}

static void finds(int r, uint64_t time, enum ft_access_needs found)
{
    add(r, time, FT_ACCESS_READ, found, 0, "/lock");
}

/* It renames something to it, and has found this there before. */
static void replaces(int r, uint64_t begun, uint64_t done, enum ft_access_needs found)
{
    there = found;
    does(r, begun, done, FT_NEEDS_NOTHING, "/lock");
    there = FT_NEEDS_NOTHING;
}

/* The order of the path, as RANK r|c|n: of what is done to it, and who has looked. */
static void expect_order(const char *path, const char *wanted)
{
    char told[128] = "";

    assert_int_equal(ft_turns_doubt(&run), 0);
    assert_int_equal(ft_turns_sort(&run.turns), 0);
    for (size_t i = 0; i < run.turns.count; i++) {
        const struct ft_access *access = run.turns.sorted[i];

        if (strcmp(access->path, path) == 0)
            sprintf(told + strlen(told), "%c%c ", "ABC"[access->rank], "rcn"[access->change]);
    }
    assert_string_equal(told, wanted);
}

/* What the rank's look at the path has found. */
static void expect_found(int r, enum ft_access_needs found)
{
    int looks = 0;

    for (size_t i = 0; i < run.turns.count; i++) {
        const struct ft_access *access = run.turns.sorted[i];

        if (access->rank != r || access->change != FT_ACCESS_READ)
            continue;
        assert_int_equal(access->needs, found);
        looks++;
    }
    assert_int_equal(looks, 1);
}

static void expect_counted(int r, uint32_t count)
{
    assert_int_equal(recorders[r].accesses, moment_of(r) << 32 | count);
}

/* Doubts. */

static void who_does_not_know_has_not_made_what_another_one_has(void **state)
{
    (void)state;
    tries(A, 10, FT_NEEDS_ABSENCE, "/lock");
    makes(B, 20, 30);
    finds(C, 40, FT_NEEDS_PRESENCE);
    expect_order("/lock", "Bn Ar Cr ");
    expect_found(A, FT_NEEDS_PRESENCE);
    expect_counted(A, 4);
}

static void nor_what_was_there(void **state)
{
    (void)state;
    makes(B, 5, 6);
    tries(A, 10, FT_NEEDS_ABSENCE, "/lock");
    removes(B, 20, 30);
    expect_order("/lock", "Bn Ar Bn ");
    expect_counted(A, 4);
}

/* That it was removed before the checkpoint is in no list any more. */
static void what_was_before_the_checkpoint_tells_nothing(void **state)
{
    (void)state;
    makes(B, 5, 6);
    newest.frozen = 8e-9;
    tries(A, 10, FT_NEEDS_ABSENCE, "/lock");
    expect_order("/lock", "Bn An ");
    expect_counted(A, 5);
}

/* A file was made in between, and that it was, by a call that needs nothing. */
static void nor_does_who_has_something_else(void **state)
{
    (void)state;
    tries(A, 10, FT_NEEDS_PRESENCE, "/lock");
    add(B, 20, FT_ACCESS_CONTENT, FT_NEEDS_NOTHING, 0, "/lock");
    removes(B, 30, 40);
    expect_order("/lock", "An Bc Bn ");
    expect_counted(A, 5);
}

static void nor_removed_what_another_one_has(void **state)
{
    (void)state;
    tries(A, 10, FT_NEEDS_PRESENCE, "/lock");
    removes(B, 20, 30);
    expect_order("/lock", "Bn Ar ");
    expect_found(A, FT_NEEDS_NOTHING);
    expect_counted(A, 4);
}

static void where_nobody_tells_it_has(void **state)
{
    (void)state;
    makes(B, 5, 6);
    removes(B, 7, 8);
    tries(A, 10, FT_NEEDS_ABSENCE, "/lock");
    removes(C, 20, 30);
    expect_order("/lock", "Bn Bn An Cn ");
    expect_counted(A, 5);
}

/* What is on the way to another name, too. */
static void a_file_has_one_new_name(void **state)
{
    (void)state;
    tries(A, 10, FT_NEEDS_PRESENCE, "/token");
    tries(A, 11, FT_NEEDS_NOTHING, "/lock");
    does(B, 20, 30, FT_NEEDS_PRESENCE, "/token");
    does(B, 21, 31, FT_NEEDS_NOTHING, "/lock");
    expect_order("/token", "Bn Ar ");
    expect_order("/lock", "Bn Ar ");
    expect_counted(A, 3);
}

static void what_replaces_is_in_vain_for_nobody(void **state)
{
    (void)state;
    does(B, 5, 6, FT_NEEDS_NOTHING, "/lock");
    tries(A, 9, FT_NEEDS_PRESENCE, "/mine");
    tries(A, 10, FT_NEEDS_NOTHING, "/lock");
    does(C, 20, 30, FT_NEEDS_NOTHING, "/lock");
    expect_order("/lock", "Bn An Cn ");
    expect_counted(A, 5);
}

static void what_was_not_begun_is_not_counted(void **state)
{
    (void)state;
    tries(A, 10, FT_NEEDS_ABSENCE, "/lock");
    recorders[A].accessing = FT_ACCESSING_LISTED;
    makes(B, 20, 30);
    expect_order("/lock", "Bn Ar ");
    expect_counted(A, 5);
}

static void of_two_one_has_made_it(void **state)
{
    (void)state;
    tries(B, 12, FT_NEEDS_ABSENCE, "/lock");
    tries(A, 10, FT_NEEDS_ABSENCE, "/lock");
    expect_order("/lock", "An Br ");
    expect_counted(A, 5);
    expect_counted(B, 4);
}

static void who_has_heard_knows(void **state)
{
    (void)state;
    makes(A, 10, 11); /* before B's, and that was removed by somebody unknown */
    recorders[A].accessing = FT_ACCESSING_COUNTED;
    makes(B, 20, 30);
    expect_order("/lock", "An Bn ");
    tries(C, 40, FT_NEEDS_ABSENCE, "/other");
    makes(B, 50, 60);
    recorders[C].accessing = FT_ACCESSING_NONE; /* it has gone on */
    does(A, 70, 80, FT_NEEDS_ABSENCE, "/other");
    expect_order("/other", "Cn An ");
}

static void what_is_long_ago_is_no_doubt(void **state)
{
    (void)state;
    tries(A, 10, FT_NEEDS_ABSENCE, "/lock");
    recorders[A].calls++;
    makes(B, 20, 30);
    expect_order("/lock", "An Bn ");
    expect_counted(A, 5);
}

/* The next life has heard. */
static void a_doubt_is_judged_once(void **state)
{
    (void)state;
    tries(A, 10, FT_NEEDS_ABSENCE, "/lock");
    expect_order("/lock", "An ");
    add(A, 110, FT_ACCESS_NAME, FT_NEEDS_ABSENCE, 10, "/lock");
    makes(B, 120, 130);
    expect_order("/lock", "An Bn ");
    expect_counted(A, 5);
}

/* It had entered the next call before: what it did since it came back it did then, too. */
static void what_is_done_again_is_not_new(void **state)
{
    (void)state;
    finds(A, 10, FT_NEEDS_ABSENCE);
    makes(B, 20, 30);
    expect_order("/lock", "Ar Bn ");
    recorders[A].reached = moment_of(A);
    members[A].life_began = 100e-9;
    finds(A, 90, FT_NEEDS_PRESENCE); /* in an interval that was not gone back to */
    finds(A, 110, FT_NEEDS_PRESENCE);
    expect_order("/lock", "Ar Bn Ar ");
    recorders[B].reached = moment_of(B) - 1;
    finds(B, 120, FT_NEEDS_PRESENCE);
    expect_order("/lock", "Ar Bn Ar Br ");
}

/* Order. */

/* It has told that it wants the lock, and got it when others were through. */
static void who_waits_comes_when_it_is_done(void **state)
{
    (void)state;
    makes(A, 10, 40);
    makes(B, 12, 20);
    removes(B, 25, 30);
    expect_order("/lock", "Bn Bn An ");
}

static void who_has_seen_it_comes_behind_it(void **state)
{
    (void)state;
    finds(B, 5, FT_NEEDS_ABSENCE);
    makes(A, 10, 40);
    finds(B, 20, FT_NEEDS_PRESENCE);
    finds(C, 30, FT_NEEDS_PRESENCE);
    expect_order("/lock", "Br An Br Cr ");
}

static void who_has_removed_it_comes_behind_it(void **state)
{
    (void)state;
    finds(C, 5, FT_NEEDS_ABSENCE);
    makes(A, 10, 40);
    removes(B, 20, 30);
    makes(C, 35, 50);
    expect_order("/lock", "Cr An Bn Cn ");
    finds(A, 60, FT_NEEDS_PRESENCE);
    expect_order("/lock", "Cr An Bn Cn Ar "); /* and stays there */
}

/* The release was told of late: by the other name it was before what others did next. */
static void both_names_of_a_file_change_at_once(void **state)
{
    (void)state;
    does(A, 1, 2, FT_NEEDS_PRESENCE, "/token");
    does(A, 2, 3, FT_NEEDS_NOTHING, "/lock");
    does(A, 10, 60, FT_NEEDS_PRESENCE, "/lock");
    does(A, 11, 61, FT_NEEDS_NOTHING, "/token");
    does(B, 20, 30, FT_NEEDS_PRESENCE, "/token");
    does(B, 21, 31, FT_NEEDS_NOTHING, "/lock");
    expect_order("/token", "An An Bn ");
    expect_order("/lock", "An An Bn ");
}

/* Nobody had looked before; and who has made it needed that it was not there. */
static void who_has_seen_it_first_comes_behind_it(void **state)
{
    (void)state;
    makes(A, 10, 40);
    finds(B, 20, FT_NEEDS_PRESENCE);
    finds(C, 50, FT_NEEDS_PRESENCE);
    expect_order("/lock", "An Br Cr ");
}

/* It was there from the beginning, was removed, and made again. */
static void who_has_seen_another_one_keeps_its_place(void **state)
{
    (void)state;
    makes(A, 10, 40);
    finds(B, 20, FT_NEEDS_PRESENCE);
    removes(C, 25, 30);
    expect_order("/lock", "Br Cn An ");
}

/* A file that was renamed to where nothing was, was taken before that was told to be done. */
static void who_has_taken_it_comes_behind_who_found_nothing(void **state)
{
    (void)state;
    replaces(A, 10, 40, FT_NEEDS_ABSENCE);
    finds(B, 20, FT_NEEDS_PRESENCE);
    removes(B, 25, 30);
    expect_order("/lock", "An Br Bn ");
}

/* What was there before may be what was seen, */
static void who_replaces_it_may_come_behind(void **state)
{
    (void)state;
    replaces(A, 10, 40, FT_NEEDS_PRESENCE);
    finds(B, 20, FT_NEEDS_PRESENCE);
    removes(B, 25, 30);
    expect_order("/lock", "Br Bn An ");
}

/* and so may what went when nothing was found. */
static void who_found_nothing_may_come_behind_who_removed_it(void **state)
{
    (void)state;
    removes(C, 5, 30);
    replaces(A, 10, 40, FT_NEEDS_ABSENCE);
    finds(B, 20, FT_NEEDS_PRESENCE);
    expect_order("/lock", "Br Cn An ");
}

/* Something else has made it. */
static void what_was_not_begun_comes_later(void **state)
{
    (void)state;
    finds(C, 5, FT_NEEDS_ABSENCE);
    finds(B, 20, FT_NEEDS_PRESENCE);
    makes(A, 21, 40);
    expect_order("/lock", "Cr Br An ");
}

static void a_change_of_the_content_keeps_its_place(void **state)
{
    (void)state;
    add(A, 10, FT_ACCESS_CONTENT, FT_NEEDS_NOTHING, 0, "/lock");
    finds(B, 12, FT_NEEDS_ABSENCE);
    finds(C, 14, FT_NEEDS_PRESENCE);
    removes(C, 20, 50);
    finds(B, 30, FT_NEEDS_PRESENCE);
    finds(A, 40, FT_NEEDS_ABSENCE);
    expect_order("/lock", "Ac Br Cr Br Cn Ar ");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(who_does_not_know_has_not_made_what_another_one_has),
        CASE(nor_what_was_there),
        CASE(nor_removed_what_another_one_has),
        CASE(what_was_before_the_checkpoint_tells_nothing),
        CASE(nor_does_who_has_something_else),
        CASE(where_nobody_tells_it_has),
        CASE(a_file_has_one_new_name),
        CASE(what_replaces_is_in_vain_for_nobody),
        CASE(what_was_not_begun_is_not_counted),
        CASE(of_two_one_has_made_it),
        CASE(who_has_heard_knows),
        CASE(what_is_long_ago_is_no_doubt),
        CASE(a_doubt_is_judged_once),
        CASE(what_is_done_again_is_not_new),
        CASE(who_waits_comes_when_it_is_done),
        CASE(who_has_seen_it_comes_behind_it),
        CASE(who_has_removed_it_comes_behind_it),
        CASE(both_names_of_a_file_change_at_once),
        CASE(who_has_seen_it_first_comes_behind_it),
        CASE(who_has_seen_another_one_keeps_its_place),
        CASE(who_has_taken_it_comes_behind_who_found_nothing),
        CASE(who_replaces_it_may_come_behind),
        CASE(who_found_nothing_may_come_behind_who_removed_it),
        CASE(what_was_not_begun_comes_later),
        CASE(a_change_of_the_content_keeps_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
