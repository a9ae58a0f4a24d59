/* undo_found_test: is what is there now, or what is put back, the same that was seen: by its type,
 * its size, and its time or content (undo_seen.c). */
#include "files/undo_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "files/undo_stub.h"

/* What was seen, and what is put back. */

/* Rank 2 changes the file between the look and the change that is undone, and keeps that: what is
 * put back is its doing. */
static void change_between(void (*change)(int), void (*undone)(int))
{
    uint64_t time = look(0, file, 1), cut;

    change(2);
    cut = checkpoint(2, 4);
    undone(1);
    go_back(0, -1, 0);
    go_back(1, -1, 0);
    go_back(2, 4, cut);
    expect_misfit_of(0, 2, time);
}

static void grow(int r)
{
    append(r, file);
}

static void overwrite(int r)
{
    put(r, file, "w", "other");
}

static void take_away(int r)
{
    removed(r, file);
}

static void what_is_put_back_was_not_seen(void **state)
{
    (void)state;
    put(-1, file, "w", "first");
    change_between(overwrite, grow);
}

static void what_is_put_back_had_grown(void **state)
{
    (void)state;
    put(-1, file, "w", "first");
    change_between(grow, grow);
}

static void a_copy_that_is_put_back_was_not_seen(void **state)
{
    (void)state;
    put(-1, file, "w", "first");
    change_between(overwrite, take_away);
}

static void nothing_is_put_back_where_something_was(void **state)
{
    (void)state;
    put(-1, file, "w", "first");
    change_between(take_away, grow);
}

static void something_is_put_back_where_nothing_was(void **state)
{
    (void)state;
    change_between(grow, take_away);
}

/* Rank 2 has changed it before rank 0 looked, and keeps that, with what it may have done since. */
static void put_back(int hashed, void (*undone)(int), int whose)
{
    uint64_t cut;

    put(-1, file, "w", "of long ago");
    put(2, file, "w", "first");
    dated(file, 1000);
    look(0, file, hashed);
    cut = checkpoint(2, 4);
    undone(whose);
    go_back(0, -1, 0);
    go_back(1, -1, 0);
    go_back(2, 4, cut);
}

static void grow_and_overwrite(int r)
{
    grow(r);
    overwrite(r);
}

static void grow_and_overwrite_again(int r)
{
    grow_and_overwrite(r);
    checkpoint(r, 9);
    put(r, file, "w", "once more");
}

static void what_is_put_back_was_seen(void **state)
{
    static void (*const undone[])(int) = {grow, overwrite, take_away, grow_and_overwrite,
                                          grow_and_overwrite_again};

    for (int i = 0; i < 20; i++) {
        put_back(i % 2, undone[i / 4], 1 + i / 2 % 2);
        assert_int_equal(fit(-1), 0);
        ranks_teardown(state);
        setup(state);
    }
}

static void hashed_set(struct ft_undo_entry *entry, uint32_t hashed)
{
    assert_int_equal(entry->kind, FT_UNDO_COPY);
    entry->hashed = hashed;
    entry->content = 0;
}

/* The file system shares the copy, so that it was not read. */
static void a_copy_without_a_hash_is_read(void **state)
{
    char name[160];

    (void)state;
    put_back(1, overwrite, 1);
    snprintf(name, sizeof name, "%s/00000000-000000000000.data", ranks_store(1));
    put(-1, name, "w", "fIrst");
    assert_int_equal(fit(-1), 0);
    put(-1, name, "w", "first");
    strcpy(strrchr(name, '.'), ".undo");
    stub_entry_set(name, hashed_set, 0);
    assert_int_equal(fit(-1), 0);
    strcpy(strrchr(name, '.'), ".data");
    put(-1, name, "w", "fIrst");
    expect_misfit(0, 2);
    put(-1, name, "w", "firs");
    expect_misfit(0, 2);
    put(-1, name, "w", "first and more");
    assert_int_equal(fit(-1), 0);
    assert_int_equal(unlink(name), 0);
    expect_misfit(0, 2);
}

/* The bytes below a size are those in the file, if there are as many. */
static void a_size_is_of_the_file(void **state)
{
    (void)state;
    put_back(1, grow, 1);
    put(-1, file, "w", "firs");
    expect_misfit(0, 2);
    put(-1, file, "w", "fIrst!");
    expect_misfit(0, 2);
    put(-1, file, "w", "first!");
    assert_int_equal(fit(-1), 0);
    removed(-1, file);
    expect_misfit(0, 2);
    assert_int_equal(mkdir(file, 0700), 0);
    expect_misfit(0, 2);
    removed(-1, file);
    assert_int_equal(mkfifo(file, 0600), 0);
    expect_misfit(0, 2);
    removed(-1, file);
    put(-1, path_of("other"), "w", "first!");
    assert_int_equal(symlink("other", file), 0);
    expect_misfit(0, 2);
}

/* Size and time or content. */

static void overwrite_alike(int r)
{
    put(r, file, "w", "fIrst");
    dated(file, 1000);
}

static void the_time_tells_unless_it_was_too_young(void **state)
{
    for (int hashed = 0; hashed < 2; hashed++) {
        put(1, file, "w", "first");
        dated(file, 1000);
        look(0, file, hashed);
        go_back(0, -1, 0);
        assert_int_equal(fit(-1), 0);
        dated(file, 1001);
        assert_int_equal(fit(-1), !hashed);
        overwrite_alike(-1);
        assert_int_equal(fit(-1), hashed);
        ranks_teardown(state);
        setup(state);
    }
}

static void a_nanosecond_tells(void **state)
{
    (void)state;
    put(1, file, "w", "first");
    dated(file, 1000);
    look(0, file, 0);
    dated_finely(file, 1000, 1);
    go_back(0, -1, 0);
    expect_misfit(0, 1);
}

static void the_same_of_what_is_put_back(void **state)
{
    static void (*const undone[])(int) = {grow, overwrite};

    for (int i = 0; i < 6; i++) {
        uint64_t cut;

        put(2, file, "w", "first");
        dated(file, 1000);
        look(0, file, i % 2);
        if (i < 2)
            overwrite_alike(2);
        else
            dated_finely(file, 1000 + i / 4, i / 4 == 0);
        cut = checkpoint(2, 4);
        undone[i % 2](1);
        go_back(0, -1, 0);
        go_back(1, -1, 0);
        go_back(2, 4, cut);
        assert_int_equal(fit(-1), i < 2 ? i % 2 : !(i % 2));
        ranks_teardown(state);
        setup(state);
    }
}

static void an_empty_file_has_a_content(void **state)
{
    (void)state;
    put(1, file, "w", "");
    look(0, file, 1);
    go_back(0, -1, 0);
    assert_int_equal(fit(-1), 0);
    put(-1, file, "w", "1");
    expect_misfit(0, 1);
}

/* It was empty and is not there any more: what is put back is a size of nothing. */
static void what_cannot_be_read_has_none(void **state)
{
    uint64_t cut;

    (void)state;
    put(2, file, "w", "");
    look(0, file, 1);
    cut = checkpoint(2, 4);
    append(1, file);
    go_back(0, -1, 0);
    go_back(1, -1, 0);
    go_back(2, 4, cut);
    assert_int_equal(fit(-1), 0);
    removed(-1, file);
    expect_misfit(0, 2);
}

/* Types. */

enum type { NOTHING, FILE_, FOLDER, FIFO, LINK, TYPES };

static void make(int r, enum type type)
{
    int code = 0;

    act_as(r);
    if (type == FOLDER)
        code = mkdir(file, 0700);
    else if (type == FIFO)
        code = mkfifo(file, 0600);
    else if (type == LINK)
        code = symlink("nowhere", file);
    act_as(-1);
    if (type == FILE_) {
        put(r, file, "w", "text");
        dated(file, 1000);
    }
    assert_int_equal(code, 0);
}

static void change_type(int r, enum type from, enum type to)
{
    if (from != NOTHING)
        removed(r, file);
    make(r, to);
}

/* Rank 2 makes one thing, rank 0 sees it, and somebody else (so that it is no sign of a change)
 * puts another in its place. Then rank 1 does something about it, or not. */
static void types(enum type seen, enum type then, int is_undone)
{
    uint64_t cut;

    make(2, FOLDER);
    change_type(2, FOLDER, seen);
    look(0, file, 0);
    if (then != seen)
        change_type(-1, seen, then);
    cut = checkpoint(2, 4);
    if (is_undone)
        change_type(1, then, then == FILE_ ? FIFO : FILE_);
    go_back(0, -1, 0);
    go_back(1, -1, 0);
    go_back(2, 4, cut);
    if (fit(-1) != (seen != then))
        fail_msg("type %d, then %d, undone %d: %d is late", seen, then, is_undone, misfit.late);
}

static void the_type_must_be_the_same(void **state)
{
    for (int i = 0; i < TYPES * TYPES * 2; i++) {
        types(i % TYPES, i / TYPES % TYPES, i / TYPES / TYPES);
        ranks_teardown(state);
        setup(state);
    }
}

static void mode_set(struct ft_undo_entry *entry, uint32_t mode)
{
    assert_int_equal(entry->kind, FT_UNDO_MISSED);
    entry->mode = mode;
}

/* Whatever else its entry says. */
static void what_was_missed_has_no_type(void **state)
{
    char name[160];

    (void)state;
    make(1, FOLDER);
    removed(1, file);
    look(0, file, 0);
    snprintf(name, sizeof name, "%s/00000000.reads", ranks_store(0));
    stub_entry_set(name, mode_set, S_IFDIR);
    go_back(0, -1, 0);
    assert_int_equal(fit(-1), 0);
    make(-1, FOLDER);
    expect_misfit(0, 1);
}

/* A folder's time and size change with what is in it. */
static void a_folder_is_one_whatever_is_in_it(void **state)
{
    (void)state;
    make(1, FOLDER);
    look(0, file, 0);
    append(1, path_of("file/inner"));
    dated(file, 1);
    go_back(0, -1, 0);
    assert_int_equal(fit(-1), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, ranks_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_is_put_back_was_not_seen),
        CASE(what_is_put_back_had_grown),
        CASE(a_copy_that_is_put_back_was_not_seen),
        CASE(nothing_is_put_back_where_something_was),
        CASE(something_is_put_back_where_nothing_was),
        CASE(what_is_put_back_was_seen),
        CASE(a_copy_without_a_hash_is_read),
        CASE(a_size_is_of_the_file),
        CASE(the_time_tells_unless_it_was_too_young),
        CASE(a_nanosecond_tells),
        CASE(the_same_of_what_is_put_back),
        CASE(an_empty_file_has_a_content),
        CASE(what_cannot_be_read_has_none),
        CASE(the_type_must_be_the_same),
        CASE(what_was_missed_has_no_type),
        CASE(a_folder_is_one_whatever_is_in_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
