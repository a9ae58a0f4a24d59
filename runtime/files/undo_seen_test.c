/* undo_seen_test: who must go back with whom for what was read: the reader, who changed the file
 * before, and who did so since (undo_fit.c, undo_seen.c). */
#include "files/undo_file.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "files/undo_stub.h"

/* The reader and the first undone change. */

static void who_reads_again_what_is_put_back_waits(void **state)
{
    uint64_t younger;

    (void)state;
    append(1, file);
    younger = checkpoint(0, 5);
    look(0, file, 0);
    go_back(0, 5, younger);
    go_back(1, -1, 0);
    assert_int_equal(fit(-1), 0);
}

static void who_stays_has_read(void **state)
{
    (void)state;
    append(1, file);
    checkpoint(0, 4);
    look(0, file, 0);
    go_back(1, -1, 0);
    assert_int_equal(fit(-1), 0);
}

static void what_was_read_before_is_not_read_again(void **state)
{
    uint64_t cut;

    (void)state;
    append(1, file);
    look(0, file, 0);
    cut = checkpoint(0, 4);
    look(0, path_of("other"), 0);
    go_back(0, 4, cut);
    go_back(1, -1, 0);
    assert_int_equal(fit(-1), 0);
}

static void who_reads_what_it_wrote_is_no_matter(void **state)
{
    uint64_t cut;

    (void)state;
    append(0, file);
    look(0, file, 0);
    go_back(0, -1, 0);
    assert_int_equal(fit(-1), 0);
    cut = checkpoint(0, 4);
    look(0, file, 0);
    append(0, file);
    go_back(0, 4, cut);
    assert_int_equal(fit(-1), 0);
}

/* Open for writing, and so on record; but nothing was written. */
static void what_is_put_back_to_what_it_is_is_no_matter(void **state)
{
    uint64_t cut[2];
    int fd, other;

    (void)state;
    append(-1, file);
    act_as(0);
    other = open(file, O_WRONLY | O_APPEND);
    act_as(1);
    fd = open(file, O_WRONLY | O_APPEND);
    act_as(-1);
    assert_true(fd >= 0 && other >= 0);
    cut[1] = checkpoint(1, 3);
    cut[0] = checkpoint(0, 4);
    look(0, file, 0);
    go_back(0, 4, cut[0]);
    go_back(1, 3, cut[1]);
    assert_int_equal(fit(-1), 0);
    assert_int_equal(write(fd, "more", 4), 4);
    close(fd);
    close(other);
    expect_misfit(1, 0);
}

/* Rank 1 had changed it, and rank 0 looks at it behind that. */
static void what_all_do_again_is_no_matter(void **state)
{
    uint64_t cut;

    (void)state;
    append(-1, file);
    cut = checkpoint(0, 4);
    append(1, file);
    look(0, file, 0);
    append(1, file);
    go_back(0, 4, cut);
    go_back(1, -1, 0);
    assert_int_equal(fit(-1), 0);
}

/* What was seen, and what is there. */

static void who_changed_what_was_seen_is_late(void **state)
{
    uint64_t cut, time;

    (void)state;
    append(1, file);
    cut = checkpoint(0, 4);
    time = look(0, file, 0);
    append(1, file);
    go_back(0, 4, cut);
    expect_misfit_of(0, 1, time);
}

/* As putback/putback.c does: to its newest checkpoint before that. */
static void an_older_checkpoint_of_the_other_fits(void **state)
{
    uint64_t before, after, time;

    (void)state;
    append(1, file);
    before = checkpoint(1, 7);
    time = look(0, file, 0);
    append(1, file);
    after = checkpoint(1, 8);
    append(1, file);
    go_back(0, -1, 0);
    go_back(1, 8, after);
    expect_misfit_of(0, 1, time);
    go_back(1, 8, time);
    assert_int_equal(fit(-1), 0);
    go_back(1, 7, before);
    assert_int_equal(fit(-1), 0);
}

static void written_once_and_read_since_is_no_matter(void **state)
{
    uint64_t cut[2];

    (void)state;
    put(1, file, "w", "input");
    look(0, file, 0);
    look(2, file, 1);
    go_back(0, -1, 0);
    go_back(2, -1, 0);
    assert_int_equal(fit(-1), 0);
    assert_int_equal(fit(1), 0);
    cut[0] = checkpoint(0, 4);
    cut[1] = checkpoint(2, 4);
    checkpoint(1, 4);
    look(0, file, 1);
    look(2, file, 0);
    go_back(0, 4, cut[0]);
    go_back(2, 4, cut[1]);
    assert_int_equal(fit(-1), 0);
    assert_int_equal(fit(1), 0);
}

static void what_came_after_it_was_missed_was_made_by_the_late(void **state)
{
    uint64_t time = look(0, file, 0);

    (void)state;
    go_back(0, -1, 0);
    assert_int_equal(fit(-1), 0);
    append(1, file);
    expect_misfit_of(0, 1, time);
}

static void what_is_still_missed_is_no_matter(void **state)
{
    (void)state;
    append(1, file);
    removed(1, file);
    look(0, file, 0);
    go_back(0, -1, 0);
    assert_int_equal(fit(-1), 0);
}

/* Who asks until it is there, would ask for ever. */
static void what_came_and_went_was_there(void **state)
{
    uint64_t time = look(0, file, 0), cut;

    (void)state;
    append(1, file);
    removed(1, file);
    cut = checkpoint(1, 4);
    go_back(0, -1, 0);
    expect_misfit_of(0, 1, time);
    go_back(1, 4, cut);
    expect_misfit_of(0, 1, time);
    go_back(1, -1, 0);
    assert_int_equal(fit(-1), 0);
}

static void what_went_and_came_was_away(void **state)
{
    uint64_t time;

    (void)state;
    put(-1, file, "w", "token");
    time = look(0, file, 1);
    put(1, file, "w", "other");
    put(1, file, "w", "token");
    go_back(0, -1, 0);
    expect_misfit_of(0, 1, time);
}

/* That is on record by its size alone, and would have grown. */
static void what_is_open_and_did_not_grow_is_no_matter(void **state)
{
    (void)state;
    put(-1, file, "w", "header");
    look(0, file, 1);
    put(1, file, "a", "");
    go_back(0, -1, 0);
    assert_int_equal(fit(-1), 0);
}

/* Only its time of modification, and it is the same, tells of a file that was seen so; and a folder
 * is made again and again by those that need it. */
static void what_only_seemed_to_change_is_no_matter(void **state)
{
    (void)state;
    put(-1, file, "w", "text");
    dated(file, 1000);
    assert_int_equal(mkdir(path_of("folder"), 0700), 0);
    look(0, file, 0);
    look(0, path_of("folder"), 0);
    put(1, file, "r+", "");
    act_as(1);
    assert_int_equal(mkdir(path_of("folder"), 0700), -1);
    act_as(-1);
    go_back(0, -1, 0);
    assert_int_equal(fit(-1), 0);
}

static void strangers_are_no_matter(void **state)
{
    (void)state;
    look(0, file, 0);
    append(-1, file);
    append(2, path_of("other"));
    go_back(0, -1, 0);
    assert_int_equal(fit(-1), 0);
}

static void who_stays_reads_nothing_again(void **state)
{
    (void)state;
    append(1, file);
    look(0, file, 0);
    append(1, file);
    assert_int_equal(fit(-1), 0);
}

/* Of one interval: it has written before, and nobody knows when it wrote last. */
static void a_change_on_record_may_have_gone_on(void **state)
{
    uint64_t time;

    (void)state;
    put(1, file, "w", "1");
    time = look(0, file, 0);
    put(1, file, "w", "12");
    go_back(0, -1, 0);
    expect_misfit_of(0, 1, time);
}

/* It was as it is now, and had been different once more. */
static void each_interval_has_seen_something(void **state)
{
    uint64_t cut, time;

    (void)state;
    put(1, file, "w", "a");
    dated(file, 1);
    cut = checkpoint(0, 4);
    look(0, file, 0);
    put(1, file, "w", "bb");
    checkpoint(0, 5);
    time = look(0, file, 0);
    put(1, file, "w", "a");
    dated(file, 1);
    go_back(0, 4, cut);
    expect_misfit_of(0, 1, time);
}

/* The question. */

static void only_the_one_that_is_asked_for(void **state)
{
    uint64_t younger, time;

    (void)state;
    append(1, file);
    younger = checkpoint(0, 4);
    time = look(0, file, 0);
    append(2, file);
    go_back(0, 4, younger);
    assert_int_equal(fit(0), 0);
    assert_int_equal(fit(1), 1);
    assert_int_equal(fit(2), 1);
    assert_int_equal(misfit.early, 0);
    assert_int_equal(misfit.time, time);
}

/* Read and changed, only read, only changed: paths before, between and behind each other. */
static void paths_are_told_apart(void **state)
{
    static const char *name[] = {"a", "b", "c", "d", "e", "f", "g"};
    uint64_t cut;

    (void)state;
    for (int only = 0; only < 7; only++) {
        append(1, path_of("b"));
        append(1, path_of("c"));
        append(1, path_of("e"));
        append(1, path_of("f"));
        append(1, path_of(name[only]));
        look(0, path_of("a"), 0);
        cut = checkpoint(0, (uint32_t)only);
        for (int i = 0; i < 7; i++)
            if (i != 1 && i != 5)
                look(0, path_of(name[i]), 0);
        go_back(0, only, cut);
        assert_int_equal(fit(-1), 0);
        append(1, path_of(name[only]));
        assert_int_equal(fit(-1), only != 1 && only != 5);
        if (only != 1 && only != 5)
            assert_string_equal(misfit.path, path_of(name[only]));
    }
}

/* One misfit after the other, each time to the newest checkpoint that precedes it. */
static void there_is_an_end_of_it(void **state)
{
    uint64_t time[2], older[RANKS], younger;

    (void)state;
    append(1, file);
    for (int r = 0; r < RANKS; r++)
        older[r] = checkpoint(r, 4);
    time[0] = look(0, file, 0);
    append(1, file);
    younger = checkpoint(1, 5);
    time[1] = look(2, file, 0);
    append(1, file);
    go_back(2, 4, older[2]);
    expect_misfit_of(2, 1, time[1]);
    go_back(1, 5, younger);
    assert_int_equal(fit(-1), 0);
    go_back(0, 4, older[0]);
    expect_misfit_of(0, 1, time[0]);
    go_back(1, 4, older[1]);
    assert_int_equal(fit(-1), 0);
}

static void unfinished_reads_count_for_nothing(void **state)
{
    char name[160];
    struct stat status;
    uint64_t time;

    (void)state;
    time = look(0, file, 0);
    append(1, file);
    look(0, path_of("other"), 0);
    append(1, path_of("other"));
    snprintf(name, sizeof name, "%s/00000000.reads", ranks_store(0));
    assert_int_equal(stat(name, &status), 0);
    assert_int_equal(truncate(name, status.st_size - 1), 0);
    go_back(0, -1, 0);
    expect_misfit_of(0, 1, time);
    assert_int_equal(truncate(name, 1), 0);
    assert_int_equal(fit(-1), 0);
}

static void damaged_reads_are_refused(void **state)
{
    char name[160];

    (void)state;
    look(0, file, 0);
    snprintf(name, sizeof name, "%s/00000000.reads", ranks_store(0));
    put(-1, name, "r+", "what is no record");
    go_back(0, -1, 0);
    assert_int_equal(fit(-1), -EBADMSG);
    assert_string_equal(misfit.path, name);
    stay();
    assert_int_equal(fit(-1), 0);
}

static void bit_flip(struct ft_undo_entry *entry, uint32_t bit)
{
    ((char *)entry)[bit / 8] ^= (char)(1 << bit % 8);
}

/* Damage that the checksum does not show: whatever it says then, asking is safe (FT_SANITIZE). */
static void strange_reads_are_safe(void **state)
{
    char name[160];

    (void)state;
    put(1, file, "w", "first");
    look(0, file, 1);
    append(1, file);
    append(2, file);
    snprintf(name, sizeof name, "%s/00000000.reads", ranks_store(0));
    go_back(0, -1, 0);
    go_back(2, -1, 0);
    for (uint32_t bit = 0; bit < 8 * (sizeof(struct ft_undo_entry) + strlen(file) + 1); bit++) {
        int code;

        stub_entry_set(name, bit_flip, bit);
        code = fit(-1);
        assert_true(code == 0 || code == 1 || code == -EBADMSG);
        stub_entry_set(name, bit_flip, bit);
    }
    expect_misfit(2, 1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, ranks_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(who_reads_again_what_is_put_back_waits),
        CASE(who_stays_has_read),
        CASE(what_was_read_before_is_not_read_again),
        CASE(who_reads_what_it_wrote_is_no_matter),
        CASE(what_is_put_back_to_what_it_is_is_no_matter),
        CASE(what_all_do_again_is_no_matter),
        CASE(who_changed_what_was_seen_is_late),
        CASE(an_older_checkpoint_of_the_other_fits),
        CASE(written_once_and_read_since_is_no_matter),
        CASE(what_came_after_it_was_missed_was_made_by_the_late),
        CASE(what_is_still_missed_is_no_matter),
        CASE(what_came_and_went_was_there),
        CASE(what_went_and_came_was_away),
        CASE(what_is_open_and_did_not_grow_is_no_matter),
        CASE(what_only_seemed_to_change_is_no_matter),
        CASE(strangers_are_no_matter),
        CASE(who_stays_reads_nothing_again),
        CASE(a_change_on_record_may_have_gone_on),
        CASE(each_interval_has_seen_something),
        CASE(only_the_one_that_is_asked_for),
        CASE(paths_are_told_apart),
        CASE(there_is_an_end_of_it),
        CASE(unfinished_reads_count_for_nothing),
        CASE(damaged_reads_are_refused),
        CASE(strange_reads_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
