/* settle_test: the list of files that were put back, and how long it is in force. What the loop and
 * turns.c do is the test's. */
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

static struct ft_recorder recorders[RANKS];
static struct ft_member members[RANKS];
static char work[64], said[512], emitted[64];
static struct ft_run run;
static double now, emitted_seconds;
static int emitted_files, emitted_epoch, turns_code, turns_published, turns_looks, turns_freed;
static enum ft_turns_found turns_found;

/* What is asked of the other parts of ftrun. */

double ft_loop_now(void)
{
    return now;
}

void ft_loop_after(struct ft_loop *loop, struct ft_timer *timer, double seconds,
                   void (*fire)(void *context), void *context)
{
    (void)loop;
    *timer = (struct ft_timer){.due = now + seconds, .armed = 1, .fire = fire, .context = context};
}

void ft_say(const char *format, ...)
{
    va_list words;

    va_start(words, format);
    vsnprintf(said, sizeof(said), format, words);
    va_end(words);
}

void ft_events_emit(struct ft_events *events, const char *name, const char *format, ...)
{
    va_list values;

    (void)events;
    assert_string_equal(format, "{s:i, s:f, s:i}");
    snprintf(emitted, sizeof(emitted), "%s", name);
    va_start(values, format);
    assert_string_equal(va_arg(values, const char *), "files");
    emitted_files = va_arg(values, int);
    assert_string_equal(va_arg(values, const char *), "seconds");
    emitted_seconds = va_arg(values, double);
    assert_string_equal(va_arg(values, const char *), "epoch");
    emitted_epoch = va_arg(values, int);
    va_end(values);
}

void ft_store_file(const struct ft_store *store, const char *name, char *out)
{
    (void)store;
    assert_string_equal(name, "undo/unsettled");
    sprintf(out, "%s/unsettled", work);
}

static const char *read_again; /* what ft_turns_read tells */

int ft_turns_doubt(struct ft_run *of)
{
    (void)of;
    return 0;
}

void ft_turns_forget_past(struct ft_run *of)
{
    (void)of;
}

int ft_turns_sort(struct ft_turns *turns)
{
    (void)turns;
    return 0;
}

void ft_turns_read(const struct ft_turns *turns, void (*each)(void *context, const char *path),
                   void *context)
{
    (void)turns;
    if (read_again)
        each(context, read_again);
}

int ft_turns_publish(struct ft_run *all)
{
    (void)all;
    turns_published++;
    return turns_code;
}

enum ft_turns_found ft_turns_look(struct ft_run *all)
{
    (void)all;
    turns_looks++;
    if (turns_found != FT_TURNS_NONE)
        now += 0.00005; /* there is a time until which it looks */
    return turns_found;
}

void ft_turns_free(struct ft_turns *turns)
{
    turns_freed += turns == &run.turns;
}

static int setup(void **state)
{
    (void)state;
    strcpy(work, "/tmp/settle_test.XXXXXX");
    memset(recorders, 0, sizeof(recorders));
    run = (struct ft_run){.size = RANKS, .members = members, .state = FT_RUN_RUNNING, .epoch = 4};
    for (int r = 0; r < RANKS; r++)
        members[r] = (struct ft_member){.run = &run, .rank = r, .recorder = &recorders[r]};
    now = 100;
    read_again = NULL;
    turns_code = turns_published = turns_looks = turns_freed = 0;
    turns_found = FT_TURNS_NONE;
    *said = *emitted = 0;
    return mkdtemp(work) ? 0 : -1;
}

static const char *list_name(void)
{
    static char name[96];

    snprintf(name, sizeof(name), "%s/unsettled", work);
    return name;
}

static int teardown(void **state)
{
    (void)state;
    ft_settle_free(&run);
    unlink(list_name());
    return rmdir(work) || turns_freed != 1;
}

static void publish(void)
{
    assert_int_equal(ft_settle_publish(&run), 0);
}

/* What ranks can read: each path between two zeros, shown as < and >. */
static void expect_list(const char *wanted)
{
    FILE *file = fopen(list_name(), "r");
    char text[512];
    size_t length;

    assert_non_null(file);
    length = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    for (size_t i = 0, open = 1; i < length; i++)
        if (!text[i]) {
            text[i] = open ? '<' : '>';
            open = !open;
        }
    text[length] = 0;
    assert_string_equal(text, wanted);
}

/* As at the begin of an epoch: the rank goes back to so many calls, or goes on from there, and had
 * been as far as `reached`. */
static void begins(int r, uint64_t calls, uint64_t reached)
{
    recorders[r].calls = calls + 9;
    recorders[r].polls = 9;
    recorders[r].reached = reached;
    recorders[r].unsettled = ft_settle_number(&run);
}

static void enters(int r, uint64_t calls)
{
    recorders[r].calls = calls + 9;
}

/* Does ftrun look again at its ranks? Then it does now. */
static int looks(void)
{
    struct ft_timer *timer = &run.settle.timer;

    if (!timer->armed)
        return 0;
    timer->armed = 0;
    now = timer->due;
    timer->fire(timer->context);
    return 1;
}

static void expect_unsettled(uint32_t number)
{
    for (int r = 0; r < RANKS; r++)
        assert_int_equal(recorders[r].unsettled, number);
}

/* One path was put back, for rank 1, which had made 5 calls and is back at 2. */
static void go_back(const char *path)
{
    ft_settle_add(&run, path, FT_UNDO_PENDING);
    publish();
    begins(0, 6, 0);
    begins(1, 2, 5);
    begins(2, 3, 0);
    ft_settle_watch(&run);
}

/* The list. */

static void nothing_was_put_back(void **state)
{
    (void)state;
    publish();
    assert_int_equal(access(list_name(), F_OK), -1);
    assert_int_equal(ft_settle_number(&run), 0);
    assert_int_equal(turns_published, 0);
    ft_settle_watch(&run);
    assert_false(looks());
    assert_string_equal(emitted, "");
}

static void what_was_put_back_is_listed(void **state)
{
    (void)state;
    ft_settle_add(&run, "/f", FT_UNDO_PENDING);
    ft_settle_add(&run, "/folder/of/one", FT_UNDO_PENDING);
    publish();
    expect_list("</f></folder/of/one>");
    assert_int_equal(ft_settle_number(&run), 1);
    assert_int_equal(turns_published, 1);
}

static void each_path_is_listed_once(void **state)
{
    (void)state;
    ft_settle_add(&run, "/a", FT_UNDO_PENDING);
    ft_settle_add(&run, "/b", FT_UNDO_PENDING);
    ft_settle_add(&run, "/a", FT_UNDO_PENDING);
    ft_settle_add(&run, "/b", FT_UNDO_PENDING);
    publish();
    expect_list("</a></b>");
    assert_int_equal(run.settle.files, 2);
}

static void a_folder_that_stayed_is_listed_as_such(void **state)
{
    (void)state;
    ft_settle_add(&run, "/folder", FT_UNDO_PENDING);
    ft_settle_add(&run, "/folder", FT_UNDO_STAYED);
    publish();
    expect_list("</folder><" FT_UNSETTLED_STAYED "/folder>");
    assert_int_equal(run.settle.files, 1);
}

static int is_there(const char *name)
{
    struct stat status;

    return stat(name, &status) == 0;
}

static void make_folder(char name[128], const char *below)
{
    snprintf(name, 128, "%s%s", work, below);
    assert_int_equal(mkdir(name, 0700), 0);
}

/* Whoever looks waits until it is gone, inner ones first; with what somebody has put there it
 * stays. */
static void a_lent_folder_goes_at_the_end(void **state)
{
    char outer[128], inner[128], filled[128], other[128];

    (void)state;
    make_folder(outer, "/outer");
    make_folder(inner, "/outer/inner");
    make_folder(filled, "/filled");
    make_folder(other, "/filled/other");
    ft_settle_add(&run, outer, FT_UNDO_LENT);
    ft_settle_add(&run, inner, FT_UNDO_LENT);
    ft_settle_add(&run, filled, FT_UNDO_LENT);
    publish();
    assert_non_null(memmem(run.settle.text, run.settle.length, inner, strlen(inner) + 1));
    assert_int_equal(run.settle.files, 3);
    assert_true(is_there(inner));
    ft_settle_watch(&run); /* all are where they were */
    assert_false(is_there(outer));
    assert_true(is_there(other));
    assert_true(rmdir(other) == 0 && rmdir(filled) == 0);
}

/* Records tell what it is to be: those of who had removed it, or those of all. */
static void a_folder_is_lent_until_it_is_put_back(void **state)
{
    char one[128], two[128];

    (void)state;
    make_folder(one, "/one");
    make_folder(two, "/two");
    ft_settle_add(&run, one, FT_UNDO_LENT);
    ft_settle_add(&run, one, FT_UNDO_PENDING);
    ft_settle_add(&run, two, FT_UNDO_LENT);
    ft_settle_afresh(&run);
    publish();
    ft_settle_watch(&run);
    assert_true(rmdir(one) == 0 && rmdir(two) == 0);
}

/* It would have nowhere to make its files. */
static void a_folder_that_a_survivor_works_in_stays(void **state)
{
    struct ft_member survivor = {.pid = getpid()}, *list[] = {&survivor};
    struct ft_cluster cluster = {.members = list, .count = 1}, *clusters[] = {&cluster};
    char outer[128], inner[128], other[128];

    (void)state;
    make_folder(outer, "/outer");
    make_folder(inner, "/outer/inner");
    make_folder(other, "/out");
    run.clusters = clusters;
    run.cluster_count = 1;
    assert_int_equal(chdir(inner), 0);
    assert_true(ft_settle_add(&run, outer, FT_UNDO_GOES));
    assert_true(ft_settle_add(&run, inner, FT_UNDO_GOES));
    assert_false(ft_settle_add(&run, other, FT_UNDO_GOES));
    cluster.fallen = 1;
    assert_false(ft_settle_add(&run, inner, FT_UNDO_GOES));
    run.cluster_count = 0;
    assert_int_equal(chdir("/"), 0);
    assert_true(rmdir(inner) == 0 && rmdir(outer) == 0 && rmdir(other) == 0);
}

/* Nobody has it on record then. */
static void a_folder_that_stayed_goes_when_all_go_back(void **state)
{
    char outer[128], inner[128];

    (void)state;
    make_folder(outer, "/outer");
    make_folder(inner, "/outer/inner");
    ft_settle_add(&run, outer, FT_UNDO_STAYED);
    ft_settle_add(&run, inner, FT_UNDO_STAYED);
    publish();
    assert_true(is_there(inner));
    ft_settle_afresh(&run);
    assert_false(is_there(outer));
}

static void a_part_of_a_path_is_another_one(void **state)
{
    static const char *const path[] = {"/a/b/c", "/a/b", "/b/c", "/b", "/a/b/cc", "/a"};

    (void)state;
    for (int i = 0; i < 12; i++)
        ft_settle_add(&run, path[i % 6], FT_UNDO_PENDING);
    publish();
    expect_list("</a/b/c></a/b></b/c></b></a/b/cc></a>");
}

static void many_paths_have_room(void **state)
{
    char path[64];

    (void)state;
    for (int i = 0; i < 2000; i++) {
        snprintf(path, sizeof(path), "/%0*d", 1 + i % 40, i);
        ft_settle_add(&run, path, FT_UNDO_PENDING);
    }
    assert_int_equal(run.settle.files, 2000);
    for (size_t at = 0; at < run.settle.length; at += strlen(run.settle.text + at + 1) + 2)
        assert_true(run.settle.text[at] == 0 && run.settle.text[at + 1] == '/');
}

static void the_list_grows_until_all_is_settled(void **state)
{
    (void)state;
    go_back("/a");
    ft_settle_add(&run, "/b", FT_UNDO_PENDING);
    publish();
    expect_list("</a></b>");
    assert_int_equal(ft_settle_number(&run), 2);
    publish(); /* one more death, and nothing new to put back */
    expect_list("</a></b>");
    assert_int_equal(ft_settle_number(&run), 3);
    begins(1, 0, 5);
    enters(1, 5);
    assert_true(looks());
    assert_int_equal(ft_settle_number(&run), 0);
    ft_settle_add(&run, "/c", FT_UNDO_PENDING);
    publish();
    expect_list("</c>");
    assert_int_equal(ft_settle_number(&run), 4);
    assert_int_equal(run.settle.files, 1);
}

static void a_list_that_cannot_be_written_ends_the_run(void **state)
{
    (void)state;
    ft_settle_add(&run, "/f", FT_UNDO_PENDING);
    assert_int_equal(mkdir(list_name(), 0700), 0);
    assert_int_equal(ft_settle_publish(&run), -EISDIR);
    assert_non_null(strstr(said, "unsettled: Is a directory"));
    assert_int_equal(run.settle.number, 0);
    assert_int_equal(rmdir(list_name()), 0);
    turns_code = -ENOSPC;
    assert_int_equal(ft_settle_publish(&run), -ENOSPC);
    assert_non_null(strstr(said, "No space left on device"));
    assert_int_equal(run.settle.number, 0);
}

static void a_disk_that_is_full_is_an_error(void **state)
{
    (void)state;
    ft_settle_add(&run, "/f", FT_UNDO_PENDING);
    assert_int_equal(symlink("/dev/full", list_name()), 0);
    assert_int_equal(ft_settle_publish(&run), -ENOSPC);
    assert_int_equal(turns_published, 0);
}

static void a_list_without_all_is_none(void **state)
{
    (void)state;
    run.settle.failed = 1; /* nothing could be added */
    assert_int_equal(ft_settle_publish(&run), -ENOMEM);
    assert_int_equal(access(list_name(), F_OK), -1);
}

/* How long it is in force. */

static void settled_when_all_are_where_they_were(void **state)
{
    (void)state;
    go_back("/f");
    expect_unsettled(1);
    assert_true(looks());
    enters(1, 4);
    recorders[1].calls += 5; /* polls count for nothing */
    recorders[1].polls += 5;
    assert_true(looks());
    expect_unsettled(1);
    assert_string_equal(emitted, "");
    recorders[1].calls++;
    assert_true(looks());
    expect_unsettled(0);
    assert_false(looks());
}

static void each_rank_counts(void **state)
{
    (void)state;
    for (int r = 0; r < RANKS; r++) {
        go_back("/f");
        begins(1, 5, 5);
        begins(r, 2, 5);
        assert_true(looks());
        assert_int_equal(recorders[0].unsettled, run.settle.number);
        enters(r, 5);
        assert_true(looks());
        expect_unsettled(0);
    }
}

static void who_has_ended_is_where_it_was(void **state)
{
    (void)state;
    go_back("/f");
    assert_true(looks());
    members[1].ended = 1;
    assert_true(looks());
    expect_unsettled(0);
}

static void all_may_be_there_at_once(void **state)
{
    (void)state;
    ft_settle_add(&run, "/f", FT_UNDO_PENDING);
    publish();
    for (int r = 0; r < RANKS; r++)
        begins(r, 3, 3);
    ft_settle_watch(&run);
    expect_unsettled(0);
    assert_false(looks());
}

static void turns_are_given_until_then(void **state)
{
    (void)state;
    go_back("/f");
    assert_int_equal(turns_looks, 1);
    assert_true(looks());
    assert_int_equal(turns_looks, 2);
    enters(1, 5);
    assert_true(looks());
    assert_int_equal(turns_looks, 3);
}

static void another_death_ends_the_looking(void **state)
{
    (void)state;
    go_back("/f");
    run.state = FT_RUN_LEAVING;
    enters(1, 5);
    assert_true(looks());
    assert_int_equal(turns_looks, 1);
    expect_unsettled(1);
    assert_false(looks());
    run.state = FT_RUN_RUNNING;
    begins(1, 1, 5);
    ft_settle_watch(&run);
    assert_true(looks());
    enters(1, 5);
    assert_true(looks());
    expect_unsettled(0);
}

static void the_end_is_told(void **state)
{
    (void)state;
    go_back("/a");
    now = 107;
    ft_settle_add(&run, "/b", FT_UNDO_PENDING);
    publish();
    enters(1, 5);
    run.settle.timer.due = 110;
    assert_true(looks());
    assert_string_equal(emitted, "settled");
    assert_int_equal(emitted_files, 2);
    assert_int_equal(emitted_epoch, 4);
    assert_true(emitted_seconds == 10);
}

/* And longer and longer when nothing happens, be there somebody who waits or not. */
static void behind_a_turn_it_is_looked_soon(void **state)
{
    double soon, late = 0;

    (void)state;
    go_back("/f");
    turns_found = FT_TURNS_GRANTED;
    assert_true(looks());
    soon = run.settle.timer.due - now;
    turns_looks = 0;
    assert_true(looks());
    assert_true(turns_looks > 1); /* without a pause */
    for (int i = 0; i < 20; i++) {
        turns_found = i % 2 ? FT_TURNS_NONE : FT_TURNS_WAITING;
        assert_true(looks());
        assert_true(run.settle.timer.due - now >= late);
        late = run.settle.timer.due - now;
    }
    assert_true(late > 10 * soon && late < 0.01);
    turns_found = FT_TURNS_GRANTED;
    assert_true(looks());
    assert_true(run.settle.timer.due - now < 2 * soon);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(nothing_was_put_back),
        CASE(what_was_put_back_is_listed),
        CASE(each_path_is_listed_once),
        CASE(a_folder_that_stayed_is_listed_as_such),
        CASE(a_lent_folder_goes_at_the_end),
        CASE(a_folder_is_lent_until_it_is_put_back),
        CASE(a_folder_that_stayed_goes_when_all_go_back),
        CASE(a_folder_that_a_survivor_works_in_stays),
        CASE(a_part_of_a_path_is_another_one),
        CASE(many_paths_have_room),
        CASE(the_list_grows_until_all_is_settled),
        CASE(a_list_that_cannot_be_written_ends_the_run),
        CASE(a_disk_that_is_full_is_an_error),
        CASE(a_list_without_all_is_none),
        CASE(settled_when_all_are_where_they_were),
        CASE(each_rank_counts),
        CASE(who_has_ended_is_where_it_was),
        CASE(all_may_be_there_at_once),
        CASE(turns_are_given_until_then),
        CASE(another_death_ends_the_looking),
        CASE(the_end_is_told),
        CASE(behind_a_turn_it_is_looked_soon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
