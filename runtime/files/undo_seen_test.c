/* Files that one rank reads and others change: who must go back with whom. Rank 0 reads, and goes
 * back; rank 1 is to go back, too, where something is undone that rank 0 did not do; rank 2, or 1
 * where it is alone, keeps what it did. */
#include "files/undo_ranks.h"

#include <errno.h>
#include <fcntl.h>
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
#include "files/undo_stub.h"

static char file[128];

static int setup(void **state)
{
    int code = ranks_setup(state);

    strcpy(file, path_of("file"));
    return code;
}

static void expect_misfit(int early, int late)
{
    assert_int_equal(fit(-1), 1);
    assert_int_equal(misfit.early, early);
    assert_int_equal(misfit.late, late);
    assert_string_equal(misfit.path, file);
}

static void expect_misfit_of(int early, int late, uint64_t time)
{
    expect_misfit(early, late);
    assert_int_equal(misfit.time, time);
}

static void removed(int r, const char *path)
{
    act_as(r);
    assert_int_equal(remove(path), 0);
    act_as(-1);
}

/* Nobody's: the time of modification, plus nanoseconds. */
static void dated_finely(const char *path, time_t seconds, long more)
{
    struct timespec times[2] = {{.tv_sec = seconds, .tv_nsec = more},
                                {.tv_sec = seconds, .tv_nsec = more}};

    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void dated(const char *path, time_t seconds)
{
    dated_finely(path, seconds, 0);
}

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
    int fd;

    (void)state;
    append(-1, file);
    act_as(1);
    fd = open(file, O_WRONLY | O_APPEND);
    act_as(-1);
    assert_true(fd >= 0);
    cut[1] = checkpoint(1, 3);
    cut[0] = checkpoint(0, 4);
    look(0, file, 0);
    go_back(0, 4, cut[0]);
    go_back(1, 3, cut[1]);
    assert_int_equal(fit(-1), 0);
    assert_int_equal(write(fd, "more", 4), 4);
    close(fd);
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
        CASE(only_the_one_that_is_asked_for),
        CASE(paths_are_told_apart),
        CASE(there_is_an_end_of_it),
        CASE(unfinished_reads_count_for_nothing),
        CASE(damaged_reads_are_refused),
        CASE(strange_reads_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
