/* settle_make_test: locks in files and folders that are made again (settle.c). */
#include "files/settle_stub.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static enum files_place is_taken(const char *name)
{
    enum files_place taken;

    passes = 0;
    rounds = 2;
    awaited = recorder.granted = 0;
    happens = grants;
    errno = EXDEV;
    taken = files_settle_make(&self, AT_FDCWD, path_of(name), "open", NULL);
    assert_int_equal(errno, EXDEV);
    assert_int_equal(recorder.awaits, 0);
    assert_int_equal(ft_depth, 0);
    return taken;
}

/* A lock that another rank had until the fifth try: it is not taken before. */
static void a_lock_is_taken_in_turn(void **state)
{
    (void)state;
    has_turn(6, 0, FT_ACCESS_READ, "missing");
    has_turn_at(5, 6, NUMBER, FT_ACCESS_NAME, "missing");
    go(5);
    for (look_now = 1; look_now < 6; look_now++) {
        assert_int_equal(is_taken("missing"), FILES_FREE);
        assert_int_equal(passes, 3);
    }
    look_now = ft_undo_look(1, 1);
    assert_int_equal(is_taken("missing"), FILES_FREE);
    assert_int_equal(passes, 0);
    put_back("missing");
    go(5);
    recorder.unsettled = 0;
    assert_int_equal(is_taken("folder/file"), FILES_FREE); /* libc is asked */
}

/* It had never got it: nor does it now, before it is where it was; and then not before all are. */
static void a_lock_that_was_not_taken_is_not(void **state)
{
    (void)state;
    put_back("missing");
    has_found(FT_NEEDS_PRESENCE, 6, 0, "missing");
    go(8);
    files_settle_back(&self);
    for (look_now = 1; look_now < 5; look_now++) {
        assert_int_equal(is_taken("missing"), FILES_TAKEN);
        assert_int_equal(passes, 0);
    }
    recorder.reached = 5;
    passes = 0;
    rounds = 2;
    happens = settles;
    assert_int_equal(files_settle_make(&self, AT_FDCWD, path_of("missing"), "open", NULL),
                     FILES_FREE);
    assert_int_equal(passes, 3);
    assert_int_equal(awaited, FT_AWAITS_ALL);
}

/* While another rank has it nobody waits, and each try fails, whatever libc would find. */
static void a_lock_of_another_rank_is_taken(void **state)
{
    (void)state;
    has_found(FT_NEEDS_PRESENCE, 6, 0, "folder/file");
    has_turn_at(5, 6, NUMBER, FT_ACCESS_NAME, "folder/file");
    go(5);
    for (look_now = 1; look_now < 5; look_now++) {
        assert_int_equal(is_taken("folder/file"), FILES_TAKEN);
        assert_int_equal(passes, 0);
    }
    put_back("folder");
    stayed("folder");
    go(5);
    look_now = 1;
    self.calls--;
    assert_int_equal(is_taken("folder"),
                     FILES_OURS); /* it has made this one, and others have filled it */
    assert_int_equal(passes, 0);
}

static int was_made(const char *name)
{
    uint32_t number = recorder.unsettled;
    enum files_place place;

    passes = rounds = 0;
    happens = settles;
    place = files_settle_make(&self, AT_FDCWD, path_of(name), "mkdir", NULL);
    recorder.unsettled = number;
    return place == FILES_OURS;
}

/* Between two calls the accesses tell how far it was. */
static void the_last_accesses_are_done_again(void **state)
{
    (void)state;
    put_back("folder/file");
    put_back("folder");
    put_back("undo");
    stayed("folder");
    stayed("undo");
    go(5);
    recorder.accesses = (uint64_t)6 << 32 | 3;
    recorder.reached_accesses = 5;
    recorder.calls = 5;
    assert_int_equal(waits_for_all(path_of("folder/file"), FILES_PATH), 0);
    assert_true(was_made("folder"));
    recorder.accesses = (uint64_t)6 << 32 | 5;
    assert_int_equal(waits_for_all(path_of("folder/file"), FILES_PATH), 3);
    assert_false(was_made("undo"));
}

/* What another path waits for is nothing to it. */
static void another_path_behind_a_folder_that_is_gone_has_no_turn(void **state)
{
    (void)state;
    put_back("folder/new");
    has_turn(6, NUMBER, FT_ACCESS_NAME, "folder/file");
    has_turn(6, NUMBER, FT_ACCESS_NAME, "folder/new/file");
    go(8);
    assert_int_equal(is_taken("folder/new/other"), FILES_FREE);
    assert_int_equal(passes, 0);
    assert_int_equal(waits_for_turn(path_of("folder/new/other"), FILES_CHANGE), 0);
    go(5);
    assert_int_equal(waits_for_all(path_of("folder/new/other"), FILES_CHANGE), 3);
}

/* It had failed for another reason than that it was there. */
static void who_failed_otherwise_asks_libc_again(void **state)
{
    (void)state;
    has_found(FT_NEEDS_NOTHING, 6, 0, "missing");
    has_found(FT_NEEDS_NOTHING, 6, 0, "folder/file");
    has_found(FT_NEEDS_PRESENCE, 6, 0, "lost");
    go(8);
    assert_int_equal(is_taken("missing"), FILES_FREE);
    assert_int_equal(is_taken("folder/file"), FILES_FREE);
    assert_int_equal(is_taken("lost"), FILES_TAKEN);
}

static void a_folder_that_others_have_filled_was_made(void **state)
{
    static const char *const back[] = {"folder", "folder/file", "missing", "way", "undo"};

    (void)state;
    for (int i = 0; i < 5; i++)
        put_back(back[i]);
    for (int i = 0; i < 4; i++)
        stayed(back[i]);
    go(6);
    assert_false(was_made("way"));
    assert_false(was_made("folder/file"));
    assert_false(was_made("missing"));
    assert_false(was_made("undo")); /* it was there before, or is another rank's */
    assert_int_equal(ft_depth, 0);
    recorder.reached = 5;
    assert_false(was_made("folder"));
    recorder.reached = 6;
    recorder.unsettled = 0;
    assert_false(was_made("folder"));
    recorder.unsettled = lists;
    assert_true(was_made("folder/"));
}

/* The second time it is there, in whatever list. */
static void it_is_made_once(void **state)
{
    (void)state;
    put_back("folder");
    stayed("folder");
    go(8);
    assert_true(was_made("folder"));
    assert_false(was_made("folder"));
    go(8);
    assert_false(was_made("folder"));
    stayed("way");
    free(files.made);
    files = (struct ft_files){0}; /* it has gone back to before that */
    assert_true(was_made("folder"));
}

/* Who goes on has emptied it since; and who goes back, too, had looked for it. */
static void a_folder_that_others_have_emptied_was_made(void **state)
{
    (void)state;
    put_back("folder/new");
    stayed("folder/new");
    makes_folder();
    has_turn(6, 0, FT_ACCESS_NAME, "folder/new");
    go(8);
    assert_true(was_made("folder/new"));
    rmdir(path_of("folder/new"));
}

/* It had tried, and another rank has made it again. */
static void a_folder_that_was_there_is_taken(void **state)
{
    (void)state;
    put_back("folder");
    stayed("folder");
    has_found(FT_NEEDS_PRESENCE, 6, 0, "folder");
    has_turn_at(5, 6, 0, FT_ACCESS_NAME, "folder");
    go(6);
    for (look_now = 1; look_now < 5; look_now++) {
        assert_int_equal(is_taken("folder"), FILES_TAKEN);
        assert_int_equal(passes, 0);
    }
    assert_int_equal(is_taken("folder"), FILES_OURS);
}

/* What it had found not free it waits for, and only then for the turn in which it made it. */
static void who_tried_in_vain_does_so_again_before_its_turn(void **state)
{
    (void)state;
    has_turn(6, NUMBER + 1, FT_ACCESS_READ, "missing");
    has_turn_at(5, 6, NUMBER, FT_ACCESS_NAME, "missing");
    go(5);
    passes = 0;
    rounds = 1;
    happens = grants;
    recorder.granted = NUMBER + 1;
    assert_int_equal(files_settle_make(&self, AT_FDCWD, path_of("missing"), "open", NULL),
                     FILES_FREE);
    assert_int_equal(passes, 2);
    assert_int_equal(awaited, NUMBER);
    passes = 0;
    happens = settles;
    recorder.granted = NUMBER;
    assert_int_equal(files_settle_make(&self, AT_FDCWD, path_of("missing"), "open", NULL),
                     FILES_FREE);
    assert_int_equal(passes, 2);
    assert_int_equal(awaited, NUMBER + 1);
}
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_lock_is_taken_in_turn),
        CASE(a_lock_that_was_not_taken_is_not),
        CASE(a_lock_of_another_rank_is_taken),
        CASE(the_last_accesses_are_done_again),
        CASE(who_failed_otherwise_asks_libc_again),
        CASE(another_path_behind_a_folder_that_is_gone_has_no_turn),
        CASE(a_folder_that_others_have_filled_was_made),
        CASE(it_is_made_once),
        CASE(a_folder_that_others_have_emptied_was_made),
        CASE(a_folder_that_was_there_is_taken),
        CASE(who_tried_in_vain_does_so_again_before_its_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
