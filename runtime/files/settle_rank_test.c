/* settle_rank_test: what an access of a file waits for (settle.c, settle_await.c). */
#include "files/settle_stub.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "os/os.h"

/* A rank that is as far as it was. */

static void what_was_put_back_waits_until_all_is_settled(void **state)
{
    (void)state;
    put_back("folder/file");
    put_back("missing");
    go(5);
    assert_int_equal(waits_for_all(path_of("folder/file"), FILES_PATH), 3);
    assert_int_equal(waits_for_all(path_of("folder/file"), FILES_CHANGE), 3);
    assert_int_equal(waits_for_all(path_of("missing"), FILES_PATH), 3);
    assert_int_equal(waits_for_all(path_of("undo/../missing"), FILES_PATH), 3);
    assert_int_equal(waits_for_all(path_of("link"), FILES_PATH), 3);
}

static void what_was_not_put_back_does_not_wait(void **state)
{
    (void)state;
    put_back("folder/file");
    go(5);
    assert_int_equal(waits_for_all(path_of("file"), FILES_PATH), 0);
    assert_int_equal(waits_for_all(path_of("folder/fil"), FILES_PATH), 0);
    assert_int_equal(waits_for_all(path_of("folder/file2"), FILES_PATH), 0);
    assert_int_equal(waits_for_all(path_of("folder"), FILES_PATH), 0);
    assert_int_equal(waits_for_all(path_of("missing"), FILES_CHANGE), 0);
    assert_int_equal(waits_for_all("relative", FILES_PATH), 0);
    assert_int_equal(waits_for_all(NULL, FILES_ANYTHING), 0);
}

static void a_link_is_what_may_be_put_back(void **state)
{
    (void)state;
    put_back("link");
    go(5);
    assert_int_equal(waits_for_all(path_of("link"), FILES_PATH), 3);
    assert_int_equal(waits_for_all(path_of("folder/file"), FILES_PATH), 0);
}

static void names_in_a_folder_wait_for_what_is_in_it(void **state)
{
    (void)state;
    put_back("folder/file");
    go(5);
    assert_int_equal(waits_for_all(path_of("folder"), FILES_FOLDER), 3);
    assert_int_equal(waits_for_all(path_of("folder/"), FILES_FOLDER), 3);
    assert_int_equal(waits_for_all(path_of("way"), FILES_FOLDER), 3);
    assert_int_equal(waits_for_all(path_of("fold"), FILES_FOLDER), 0);
    assert_int_equal(waits_for_all(path_of("undo"), FILES_FOLDER), 0);
}

static void what_nobody_knows_waits(void **state)
{
    (void)state;
    put_back("folder/file");
    go(5);
    assert_int_equal(waits_for_all("/*", FILES_ANYTHING), 3);
}

/* Somebody is to make it again. */
static void a_way_through_a_folder_that_is_gone_waits(void **state)
{
    (void)state;
    put_back("gone");
    go(5);
    assert_int_equal(waits_for_all(path_of("gone/file"), FILES_PATH), 3);
    assert_int_equal(waits_for_all(path_of("lost"), FILES_PATH), 0);
    put_back("nowhere");
    go(5);
    assert_int_equal(waits_for_all(path_of("lost"), FILES_PATH), 3);
    assert_int_equal(waits_for_all(path_of("lost"), FILES_REMOVE), 0); /* of the link itself */
}

static void the_way_is_looked_for_again(void **state)
{
    (void)state;
    put_back("folder/file");
    put_back("folder/new");
    go(5);
    assert_int_equal(waits(path_of("folder/new/file"), FILES_PATH, makes_folder), 3);
    assert_int_equal(awaited, FT_AWAITS_ALL);
    rmdir(path_of("folder/new"));
}

static int waits_at(int folder, const char *path)
{
    passes = 0;
    happens = settles;
    recorder.unsettled = lists;
    files_settle(&self, folder, path, FILES_PATH, "openat", NULL);
    return passes;
}

static void relative_to_a_folder(void **state)
{
    int folder = open(path_of("folder"), O_RDONLY | O_DIRECTORY);
    int above = open(work, O_RDONLY | O_DIRECTORY);

    (void)state;
    put_back("folder/file");
    put_back("lost");
    go(5);
    assert_int_equal(waits_at(folder, "other"), 0);
    assert_int_equal(waits_at(folder, "file"), 1);
    assert_int_equal(waits_at(above, "file"), 0);
    assert_int_equal(waits_at(above, "link"), 1);
    mkdir(path_of("nowhere"), 0700);
    assert_int_equal(waits_at(above, "lost"), 1);
    rmdir(path_of("nowhere"));
    close(folder);
    close(above);
}

static void no_list_and_nobody_waits(void **state)
{
    (void)state;
    put_back("folder/file");
    go(5);
    happens = settles;
    recorder.unsettled = 0;
    files_settle(&self, AT_FDCWD, path_of("folder/file"), FILES_PATH, "open", NULL);
    assert_int_equal(passes, 0);
    recorder.unsettled = lists;
    self.mpi_state = 0;
    files_settle(&self, AT_FDCWD, path_of("folder/file"), FILES_PATH, "open", NULL);
    assert_int_equal(passes, 0);
}

static void lists_anew(void)
{
    remove(path_of("undo/unsettled"));
    put_back("other");
    recorder.unsettled = ++lists;
}

static void a_new_list_is_read(void **state)
{
    (void)state;
    put_back("folder/file");
    go(5);
    assert_int_equal(waits(path_of("folder/file"), FILES_PATH, lists_anew), 3);
    assert_int_equal(waits_for_all(path_of("other"), FILES_PATH), 3);
}

/* A rank that does again what it did. */

static void who_does_it_again_waits_for_its_turn(void **state)
{
    (void)state;
    put_back("folder/file");
    has_turn(6, NUMBER, 0, "folder/file");
    go(8);
    assert_int_equal(waits_for_turn(path_of("folder/file"), FILES_PATH), 3);
    assert_int_equal(waits_for_turn(path_of("link"), FILES_PATH), 3);
    has_turn(6, NUMBER, 0, "lost");
    mkdir(path_of("nowhere"), 0700);
    go(8);
    assert_int_equal(waits_for_turn(path_of("lost"), FILES_PATH), 3);
    rmdir(path_of("nowhere"));
}

static void nobody_waits_for_what_is_not_its_turn(void **state)
{
    (void)state;
    put_back("folder/file");
    has_turn(5, NUMBER, 1, "folder/file");
    has_turn(7, NUMBER, 1, "folder/file");
    has_turn(6, NUMBER, 1, "folder/file2");
    has_turn(6, NUMBER, 1, "folder");
    go(6);
    assert_int_equal(waits_for_turn(path_of("folder/file"), FILES_PATH), 0);
}

static void a_turn_that_others_wait_for_waits_for_nobody(void **state)
{
    (void)state;
    put_back("folder/file");
    has_turn(6, 0, 1, "folder/file");
    go(5);
    assert_int_equal(waits_for_turn(path_of("folder/file"), FILES_PATH), 0);
}

/* It was read, and then changed: the change has a turn of its own. */
static void a_change_has_its_own_turn(void **state)
{
    (void)state;
    has_turn(6, 0, 0, "folder/file");
    has_turn_at(2, 6, NUMBER, 1, "folder/file");
    go(8);
    assert_int_equal(waits_for_turn(path_of("folder/file"), FILES_PATH), 0);
    assert_int_equal(waits_for_turn(path_of("folder/file"), FILES_FOLDER), 0);
    look_now = 2;
    assert_int_equal(waits_for_turn(path_of("folder/file"), FILES_CHANGE), 3);
}

/* It was looked for four times until it was there. */
static void a_look_that_found_it_waits_and_those_before_do_not(void **state)
{
    (void)state;
    put_back("missing");
    has_turn(6, 0, 0, "missing");
    has_turn_at(5, 6, NUMBER, 0, "missing");
    go(5);
    for (look_now = 1; look_now < 5; look_now++)
        assert_int_equal(waits_for_turn(path_of("missing"), FILES_PATH), 0);
    assert_int_equal(waits_for_turn(path_of("missing"), FILES_PATH), 3);
    look_now++;
    assert_int_equal(waits_for_all(path_of("missing"), FILES_PATH), 3);
}

/* It made the file, wrote it, and removed it; others looked in between. */
static void each_change_of_a_name_has_its_turn(void **state)
{
    (void)state;
    has_turn_at(ft_undo_look(0, 3), 6, NUMBER + 1, FT_ACCESS_NAME, "folder/file");
    has_turn_at(ft_undo_look(1, 4), 6, NUMBER, FT_ACCESS_NAME, "folder/file");
    has_turn_at(ft_undo_look(2, 1), 6, NUMBER + 1, FT_ACCESS_READ, "folder/file");
    go(5);
    look_now = ft_undo_look(1, 1);
    assert_int_equal(waits_for_turn(path_of("folder/file"), FILES_CHANGE), 0);
    look_now = ft_undo_look(1, 2);
    assert_int_equal(waits_for_turn(path_of("folder/file"), FILES_PATH), 0);
    assert_int_equal(waits_for_turn(path_of("folder/file"), FILES_REMOVE), 3);
    look_now = ft_undo_look(1, 9);
    assert_int_equal(waits_for_turn(path_of("folder/file"), FILES_REMOVE), 0);
}

/* Now it is there at the first look, and then it is changed. */
static void a_change_has_its_turn_behind_fewer_looks(void **state)
{
    (void)state;
    has_turn(6, 0, 0, "folder/file");
    has_turn_at(5, 6, NUMBER + 1, 0, "folder/file");
    has_turn_at(6, 6, NUMBER, 1, "folder/file");
    has_turn_at(7, 6, NUMBER + 1, 1, "folder/file");
    go(5);
    look_now = 2;
    assert_int_equal(waits_for_turn(path_of("folder/file"), FILES_PATH), 0);
    assert_int_equal(waits_for_turn(path_of("folder/file"), FILES_CHANGE), 3);
}

/* It had opened a file, and goes on to write it; or it looks once more for one. A survivor that had
 * seen it waits. */
static void who_has_begun_goes_on(void **state)
{
    (void)state;
    put_back("folder/file");
    go(5);
    files_settle_back(&self);
    assert_int_equal(waits_for_all(path_of("folder/file"), FILES_CHANGE), 3);
    look_now = 2;
    assert_int_equal(waits_for_all(path_of("folder/file"), FILES_CHANGE), 0);
    assert_int_equal(waits_for_all(path_of("folder/file"), FILES_PATH), 0);
    go(5);
    assert_int_equal(waits_for_all(path_of("folder/file"), FILES_PATH), 3);
}

static void another_turn_is_not_its_own(void **state)
{
    (void)state;
    has_turn(6, NUMBER + 1, 1, "folder/file");
    go(8);
    rounds = 2;
    happens = settles;
    recorder.granted = NUMBER;
    files_settle(&self, AT_FDCWD, path_of("folder/file"), FILES_PATH, "open", NULL);
    assert_int_equal(passes, 3);
    assert_int_equal(awaited, NUMBER + 1);
}

static int waits_for_folder(const char *name)
{
    passes = 0;
    rounds = 2;
    recorder.granted = NUMBER;
    happens = makes_folder;
    files_settle(&self, AT_FDCWD, path_of(name), FILES_CHANGE, "open", NULL);
    rmdir(path_of("folder/new"));
    return passes;
}

/* It waits for its turn, and for the folder. */
static void a_turn_behind_a_folder_that_is_gone(void **state)
{
    (void)state;
    put_back("folder/new");
    has_turn(6, NUMBER, 1, "folder/new/file");
    assert_int_equal(symlink("folder/new/file", path_of("nowhere")), 0);
    go(8);
    assert_int_equal(waits_for_folder("folder/new/file"), 3);
    assert_int_equal(waits_for_folder("folder//new/./other/..//file"), 3);
    assert_int_equal(waits_for_folder("way/new/file"), 3);
    assert_int_equal(waits_for_folder("nowhere"), 3);
    unlink(path_of("nowhere"));
}

/* Nobody was before it, but for who makes the folder. */
static void the_first_one_waits_for_its_folder(void **state)
{
    (void)state;
    put_back("folder/new");
    has_turn(6, NUMBER, 1, "folder/new/file");
    first_waits_not("undo/rank/turns");
    go(8);
    assert_int_equal(waits_for_folder("folder/new/file"), 3);
    assert_int_equal(awaited, NUMBER);
}

/* Then nobody makes it again. */
static void a_folder_that_was_not_put_back_is_not_waited_for(void **state)
{
    (void)state;
    has_turn(6, NUMBER, 1, "folder/new/file");
    go(8);
    assert_int_equal(waits_for_turn(path_of("folder/new/file"), FILES_CHANGE), 3);
    first_waits_not("undo/rank/turns");
    go(8);
    assert_int_equal(waits_for_turn(path_of("folder/new/file"), FILES_CHANGE), 0);
}

/* The folder may be gone again: nobody waits for a look. */
static void who_found_nothing_needs_no_folder(void **state)
{
    (void)state;
    put_back("folder/new");
    has_found(FT_NEEDS_ABSENCE, 6, NUMBER, "folder/new/file");
    go(8);
    assert_int_equal(waits_for_turn(path_of("folder/new/file"), FILES_PATH), 3);
}

/* A link that is removed, or was to be made, is not what it leads to. */
static void a_link_has_its_own_turn(void **state)
{
    (void)state;
    has_turn(6, NUMBER, FT_ACCESS_NAME, "folder/file");
    go(8);
    assert_int_equal(waits_for_turn(path_of("link"), FILES_REMOVE), 0);
    assert_int_equal(waits_for_turn(path_of("link"), FILES_REPLACE), 0);
    assert_int_equal(waits_for_turn(path_of("link"), FILES_MAKE), 0);
    assert_int_equal(waits_for_turn(path_of("link"), FILES_CHANGE), 3);
}

static void the_last_call_is_none_that_is_done_again(void **state)
{
    (void)state;
    put_back("folder/file");
    go(6);
    assert_int_equal(waits_for_all(path_of("folder/file"), FILES_PATH), 0);
    self.calls++;
    assert_int_equal(waits_for_all(path_of("folder/file"), FILES_PATH), 3);
    self.polls++;
    assert_int_equal(waits_for_all(path_of("folder/file"), FILES_PATH), 0);
}

/* What is open. */

static int open_waits(int fd, enum files_kind kind, void (*what)(void))
{
    passes = awaited = recorder.granted = 0;
    happens = what;
    recorder.unsettled = lists;
    errno = EXDEV;
    files_settle_open(&self, fd, kind, "read", NULL);
    assert_int_equal(errno, EXDEV);
    assert_int_equal(recorder.awaits, 0);
    assert_int_equal(ft_depth, 0);
    return passes;
}

static void what_is_open_waits_likewise(void **state)
{
    int file = open(path_of("link"), O_RDONLY), folder = open(work, O_RDONLY), ends[2];
    int other = open(path_of("undo"), O_RDONLY);

    (void)state;
    put_back("folder/file");
    put_back("missing");
    has_turn(7, NUMBER, 1, "folder/file");
    go(5);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(open_waits(file, FILES_PATH, settles), 1);
    assert_int_equal(open_waits(folder, FILES_PATH, settles), 0);
    assert_int_equal(open_waits(folder, FILES_FOLDER, settles), 1);
    assert_int_equal(open_waits(other, FILES_FOLDER, settles), 0);
    assert_int_equal(open_waits(ends[0], FILES_ANYTHING, settles), 0);
    assert_int_equal(open_waits(-1, FILES_ANYTHING, settles), 0);
    self.calls++;
    assert_int_equal(open_waits(file, FILES_CHANGE, grants), 1);
    assert_int_equal(awaited, NUMBER);
    self.mpi_state = 2;
    assert_int_equal(open_waits(file, FILES_CHANGE, grants), 0);
    close(file);
    close(other);
    close(folder);
    close(ends[0]);
    close(ends[1]);
}

static void a_path_may_be_asked_for(void **state)
{
    (void)state;
    put_back("folder/file");
    go(8);
    assert_true(files_is_unsettled(&self, path_of("folder/file")));
    assert_false(files_is_unsettled(&self, path_of("folder")));
    assert_false(files_is_unsettled(&self, "/folder/file"));
    remove(path_of("undo/unsettled")); /* it is read once */
    assert_true(files_is_unsettled(&self, path_of("folder/file")));
    recorder.unsettled = 0;
    assert_false(files_is_unsettled(&self, path_of("folder/file")));
}

/* Nobody is to make the folder on the way to it. */
static void a_way_that_never_was_is_not_waited_for(void **state)
{
    (void)state;
    put_back("folder/file");
    has_turn(6, NUMBER, FT_ACCESS_CONTENT, "folder/file");
    go(5);
    assert_int_equal(waits_for_turn(path_of("never/file"), FILES_PATH), 0);
    assert_int_equal(waits_for_turn(path_of("never/more/file"), FILES_CHANGE), 0);
    put_back("never");
    go(5);
    assert_int_equal(waits(path_of("never/more/file"), FILES_CHANGE, settles), 3);
}

/* Threads, and callbacks: they may not come to the gate. */

static void *access_file(void *unused)
{
    (void)unused;
    ft_depth = 0;
    files_settle(&self, AT_FDCWD, path_of("folder/file"), FILES_PATH, "open", NULL);
    return &self;
}

static void *in_a_thread(void)
{
    pthread_t thread;
    void *end;

    assert_int_equal(pthread_create(&thread, NULL, access_file, NULL), 0);
    assert_int_equal(pthread_join(thread, &end), 0);
    assert_int_equal(passes, 0);
    return end;
}

static void a_thread_waits_and_is_refused_in_the_end(void **state)
{
    (void)state;
    put_back("folder/file");
    go(5);
    clock_step = 1;
    clock_looks = 0;
    assert_null(in_a_thread());
    assert_true(clock_looks > 60);
    assert_non_null(strstr(refused, "open: this waits for a file"));
    clock_step = 0;
}

/* Answers NULL when another one has said where it is. */
static void *call_mpi(void *unused)
{
    int there = 1;

    (void)unused;
    while (__atomic_load_n(&clock_looks, __ATOMIC_ACQUIRE) < 500) {
        __atomic_add_fetch(&self.calls, 1, __ATOMIC_RELAXED);
        there &= __atomic_load_n(&recorder.where, __ATOMIC_RELAXED) == FT_WHERE_BLOCK;
    }
    __atomic_store_n(&recorder.unsettled, 0, __ATOMIC_RELEASE);
    return there ? &self : NULL;
}

/* Others get from this rank what they need. And it is elsewhere than the thread. */
static void a_thread_waits_while_another_one_calls_mpi(void **state)
{
    pthread_t other;
    void *there;

    (void)state;
    put_back("folder/file");
    go(5);
    clock_step = 1;
    clock_looks = 0;
    recorder.where = FT_WHERE_BLOCK;
    assert_int_equal(pthread_create(&other, NULL, call_mpi, NULL), 0);
    assert_non_null(in_a_thread());
    assert_int_equal(pthread_join(other, &there), 0);
    assert_non_null(there);
    assert_string_equal(refused, "");
    clock_step = 0;
}

static void *settle_later(void *unused)
{
    (void)unused;
    while (__atomic_load_n(&recorder.awaits, __ATOMIC_ACQUIRE) != FT_AWAITS_ALL)
        usleep(100);
    usleep(5000);
    __atomic_store_n(&recorder.unsettled, 0, __ATOMIC_RELEASE);
    return NULL;
}

static void a_thread_goes_on_when_all_is_settled(void **state)
{
    pthread_t other;

    (void)state;
    put_back("folder/file");
    go(5);
    assert_int_equal(pthread_create(&other, NULL, settle_later, NULL), 0);
    assert_non_null(in_a_thread());
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_string_equal(refused, "");
}

static void a_callback_waits_without_the_gate(void **state)
{
    pthread_t other;

    (void)state;
    put_back("folder/file");
    go(5);
    self.in_callback = 1;
    happens = nothing_happens;
    assert_int_equal(pthread_create(&other, NULL, settle_later, NULL), 0);
    files_settle(&self, AT_FDCWD, path_of("folder/file"), FILES_PATH, "open", NULL);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_int_equal(passes, 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_was_put_back_waits_until_all_is_settled),
        CASE(what_was_not_put_back_does_not_wait),
        CASE(a_link_is_what_may_be_put_back),
        CASE(names_in_a_folder_wait_for_what_is_in_it),
        CASE(what_nobody_knows_waits),
        CASE(a_way_through_a_folder_that_is_gone_waits),
        CASE(the_way_is_looked_for_again),
        CASE(relative_to_a_folder),
        CASE(no_list_and_nobody_waits),
        CASE(a_new_list_is_read),
        CASE(who_does_it_again_waits_for_its_turn),
        CASE(nobody_waits_for_what_is_not_its_turn),
        CASE(a_turn_that_others_wait_for_waits_for_nobody),
        CASE(a_change_has_its_own_turn),
        CASE(a_look_that_found_it_waits_and_those_before_do_not),
        CASE(each_change_of_a_name_has_its_turn),
        CASE(a_change_has_its_turn_behind_fewer_looks),
        CASE(who_has_begun_goes_on),
        CASE(another_turn_is_not_its_own),
        CASE(a_turn_behind_a_folder_that_is_gone),
        CASE(a_link_has_its_own_turn),
        CASE(the_first_one_waits_for_its_folder),
        CASE(a_folder_that_was_not_put_back_is_not_waited_for),
        CASE(who_found_nothing_needs_no_folder),
        CASE(the_last_call_is_none_that_is_done_again),
        CASE(what_is_open_waits_likewise),
        CASE(a_path_may_be_asked_for),
        CASE(a_way_that_never_was_is_not_waited_for),
        CASE(a_thread_waits_and_is_refused_in_the_end),
        CASE(a_thread_waits_while_another_one_calls_mpi),
        CASE(a_thread_goes_on_when_all_is_settled),
        CASE(a_callback_waits_without_the_gate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
