/* Lists of accesses: what a rank writes (put.c), and what is told of it (undo_access.c). */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "files/put.h"
#include "files/undo_ranks.h"

static char told[8192], failed[3072];
static uint64_t newest; /* time of what was told last */
static int room;        /* how much is still heard */

static int setup(void **state)
{
    room = 1000;
    return ranks_setup(state);
}

static int add(int r, uint32_t interval, uint64_t moment, int change, const char *path)
{
    struct ft_files files = {.interval = interval};
    int code;

    act_as(r);
    ft_depth = 1;
    code = files_access_write(&files, path,
                              &(struct ft_undo_access){.moment = moment,
                                                       .look = 1 + (uint32_t)(moment % 3),
                                                       .change = (uint32_t)change,
                                                       .late = moment % 2});
    act_as(-1);
    return code;
}

static void did(int r, uint32_t interval, uint64_t moment, int change, const char *path)
{
    assert_int_equal(add(r, interval, moment, change, path), 0);
}

static int hear(void *context, int party, int place, const struct ft_undo_access *access)
{
    if (room-- == 0)
        return 1;
    assert_ptr_equal(context, told);
    assert_true(access->time > newest);
    assert_int_equal(access->look, 1 + access->moment % 3);
    assert_int_equal(access->late, access->moment % 2);
    newest = access->time;
    sprintf(told + strlen(told), "%d.%d:%llu:%c:%s ", party, place,
            (unsigned long long)access->moment, access->change ? 'c' : 'r', access->path);
    return 0;
}

/* Asks for a party of rank 0, and one of the others. */
static int tell(int number, int others)
{
    const char *folder[RANKS];
    struct ft_undo_party parties[2] = {{.folders = &folder[0], .count = 1, .number = number},
                                       {.folders = &folder[1], .count = 2, .number = others}};

    for (int r = 0; r < RANKS; r++)
        folder[r] = ranks_store(r);
    *told = *failed = 0;
    newest = 0;
    return ft_undo_accesses(parties, 2, failed, hear, told);
}

static void expect_told(int number, const char *wanted)
{
    assert_int_equal(tell(number, FT_UNDO_STAYS), 0);
    assert_string_equal(told, wanted);
}

static const char *list_of(int r, uint32_t interval, const char *ending)
{
    static char name[160];

    snprintf(name, sizeof name, "%s/%08x%s", ranks_store(r), interval, ending);
    return name;
}

static off_t size_of(const char *name)
{
    struct stat status;

    return stat(name, &status) == 0 ? status.st_size : -1;
}

static void what_was_written_is_told(void **state)
{
    (void)state;
    did(0, 0, 7, 1, "/f");
    did(0, 0, 7, 0, "/folder/of/some");
    did(0, 0, 9, 0, "/1234567");
    did(0, 0, 9, 1, "/12345678");
    expect_told(-1, "0.0:7:c:/f 0.0:7:r:/folder/of/some 0.0:9:r:/1234567 0.0:9:c:/12345678 ");
}

static void parties_and_places_are_told_apart(void **state)
{
    (void)state;
    for (int r = 0; r < RANKS; r++)
        did(r, 0, (uint64_t)r + 1, 1, "/f");
    assert_int_equal(tell(-1, -1), 0);
    assert_string_equal(told, "0.0:1:c:/f 1.0:2:c:/f 1.1:3:c:/f ");
}

/* Folders have no order. */
static void intervals_are_told_in_order(void **state)
{
    char wanted[sizeof told] = "", *end = wanted;

    (void)state;
    for (uint32_t i = 0; i < 40; i++)
        end += sprintf(end, "0.0:%u:r:/f ", i + 1);
    for (uint32_t i = 0; i < 40; i++)
        did(0, i, i + 1, 0, "/f");
    for (uint32_t i = 0; i < 40; i++) { /* the folder gets other names and places for them */
        char name[160];

        strcpy(name, list_of(0, i * 17 % 40, FT_UNDO_ACCESSES));
        assert_int_equal(rename(name, path_of("aside")), 0);
        assert_int_equal(rename(path_of("aside"), name), 0);
    }
    expect_told(-1, wanted);
}

/* The rank may be killed when the interval before has the list already, and the list is still
 * there. */
static void what_was_given_to_the_interval_before_is_told_once(void **state)
{
    char list[160];

    (void)state;
    did(0, 0, 1, 1, "/f");
    did(0, 1, 2, 0, "/f");
    did(0, 1, 3, 1, "/g");
    strcpy(list, list_of(0, 1, FT_UNDO_ACCESSES));
    assert_int_equal(link(list, path_of("aside")), 0);
    act_as(0);
    ft_depth = 1;
    files_lists_merge(1, 0);
    act_as(-1);
    assert_int_equal(rename(path_of("aside"), list), 0);
    expect_told(-1, "0.0:1:c:/f 0.0:2:r:/f 0.0:3:c:/g ");
    did(0, 2, 4, 0, "/f");
    expect_told(-1, "0.0:1:c:/f 0.0:2:r:/f 0.0:3:c:/g 0.0:4:r:/f ");
    expect_told(0, "0.0:2:r:/f 0.0:3:c:/g 0.0:4:r:/f ");
}

static void only_what_is_behind_the_checkpoint_is_told(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 5; i++)
        did(0, i, i, 1, "/f");
    expect_told(2, "0.0:3:c:/f 0.0:4:c:/f ");
    expect_told(3, "0.0:4:c:/f ");
    expect_told(4, "");
    expect_told(FT_UNDO_STAYS, "");
}

static void other_files_are_no_lists(void **state)
{
    static const char *const other[] = {"0.accesses",          "00000001-000000000000.accesses",
                                        "0000000g.accesses",   "00000002.reads",
                                        "00000002.accesses.x", "000000002.accesses"};
    char name[160];

    (void)state;
    did(0, 0, 1, 1, "/f");
    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "%s/%s", ranks_store(0), other[i]);
        put(-1, name, "w", "something that is longer than one access and nothing of the kind");
    }
    expect_told(-1, "0.0:1:c:/f ");
}

static void what_is_cut_off_counts_for_nothing(void **state)
{
    const char *name = list_of(0, 0, FT_UNDO_ACCESSES);
    off_t first, both;

    (void)state;
    did(0, 0, 1, 1, "/f");
    first = size_of(name);
    did(0, 0, 2, 1, "/longer/than/that");
    both = size_of(name);
    expect_told(-1, "0.0:1:c:/f 0.0:2:c:/longer/than/that ");
    for (off_t size = both; --size >= first;) {
        assert_int_equal(truncate(name, size), 0);
        expect_told(-1, "0.0:1:c:/f ");
    }
    for (off_t size = first; --size >= 0;) {
        assert_int_equal(truncate(name, size), 0);
        expect_told(-1, "");
    }
}

static void bit_flip(const char *name, off_t bit)
{
    int fd = open(name, O_RDWR);
    char byte;

    assert_int_equal(pread(fd, &byte, 1, bit / 8), 1);
    byte ^= (char)(1 << bit % 8);
    assert_int_equal(pwrite(fd, &byte, 1, bit / 8), 1);
    close(fd);
}

/* The length alone may say that there should be more: then it was cut off. */
static void damage_is_refused(void **state)
{
    const off_t length = offsetof(struct ft_undo_access, bytes);
    const char *name = list_of(0, 0, FT_UNDO_ACCESSES);

    (void)state;
    did(0, 0, 1, 1, "/f");
    did(0, 0, 2, 1, "/g");
    for (off_t bit = 0; bit < 4 * size_of(name); bit++) {
        int code;

        bit_flip(name, bit);
        code = tell(-1, -1);
        if (code != 0 || bit < 8 * length || bit >= 8 * (length + 4))
            assert_int_equal(code, -EBADMSG);
        assert_string_equal(told, "");
        bit_flip(name, bit);
    }
    assert_string_equal(failed, ranks_store(0));
    expect_told(-1, "0.0:1:c:/f 0.0:2:c:/g ");
}

static void a_length_that_no_path_has_is_damage(void **state)
{
    const uint32_t lengths[] = {0, 8, sizeof(struct ft_undo_access), 1 << 13, 1U << 31};
    const char *name = list_of(0, 0, FT_UNDO_ACCESSES);
    char path[FT_UNDO_PATH];

    (void)state;
    memset(path, 'x', sizeof path);
    path[0] = '/';
    path[sizeof path - 1] = 0;
    did(0, 0, 1, 1, path);
    assert_int_equal(tell(-1, -1), 0);
    assert_non_null(strstr(told, path));
    for (int i = 0; i < 5; i++) {
        int fd = open(name, O_WRONLY);

        pwrite(fd, &lengths[i], 4, offsetof(struct ft_undo_access, bytes));
        close(fd);
        assert_int_equal(tell(-1, -1), -EBADMSG);
    }
}

static void who_hears_no_more_ends_it(void **state)
{
    (void)state;
    did(0, 0, 1, 1, "/f");
    did(0, 0, 2, 1, "/f");
    did(0, 1, 3, 1, "/f");
    room = 1;
    assert_int_equal(tell(-1, -1), -ENOMEM);
    assert_string_equal(told, "0.0:1:c:/f ");
    assert_int_equal(room, -1);
}

static void a_folder_that_is_gone_is_an_error(void **state)
{
    (void)state;
    did(0, 0, 1, 1, "/f");
    assert_int_equal(rmdir(ranks_store(1)), 0);
    assert_int_equal(tell(-1, -1), -ENOENT);
    assert_string_equal(failed, ranks_store(1));
}

/* Intervals. */

static void merge(int r, uint32_t from, uint32_t to)
{
    act_as(r);
    ft_depth = 1;
    files_lists_merge(from, to);
    act_as(-1);
}

/* A list that cannot be opened is there all the same. */
static void what_cannot_be_given_away_ends_the_rank(void **state)
{
    const struct rlimit none = {0, 0};
    int status;

    (void)state;
    did(0, 1, 1, 1, "/f");
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        if (setrlimit(RLIMIT_CORE, &none) == 0 && setrlimit(RLIMIT_NOFILE, &none) == 0)
            merge(0, 1, 0);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    merge(0, 1, 0);
    expect_told(0, "");
}

static void an_interval_that_is_none_belongs_to_the_one_before(void **state)
{
    off_t size;

    (void)state;
    did(0, 2, 1, 1, "/a");
    look(0, "/", 0); /* of interval 0 */
    size = size_of(list_of(0, 0, FT_UNDO_READS));
    did(0, 3, 2, 0, "/b");
    did(0, 3, 3, 0, "/c");
    assert_int_equal(rename(list_of(0, 0, FT_UNDO_READS), path_of("reads")), 0);
    assert_int_equal(rename(path_of("reads"), list_of(0, 3, FT_UNDO_READS)), 0);
    merge(0, 3, 2);
    assert_int_equal(size_of(list_of(0, 3, FT_UNDO_ACCESSES)), -1);
    assert_int_equal(size_of(list_of(0, 3, FT_UNDO_READS)), -1);
    assert_int_equal(size_of(list_of(0, 2, FT_UNDO_READS)), size);
    expect_told(2, "");
    expect_told(1, "0.0:1:c:/a 0.0:2:r:/b 0.0:3:r:/c ");
    merge(0, 3, 2); /* nothing was accessed in it */
    expect_told(1, "0.0:1:c:/a 0.0:2:r:/b 0.0:3:r:/c ");
}

static int is_there(int r, uint32_t interval, const char *ending)
{
    return size_of(list_of(r, interval, ending)) >= 0;
}

static void all_lists(void)
{
    for (uint32_t i = 0; i < 4; i++) {
        did(0, i, 1, 1, "/f");
        put(-1, list_of(0, i, FT_UNDO_READS), "w", "");
    }
}

static void what_is_undone_is_listed_no_more(void **state)
{
    const char *folder = ranks_store(0);
    struct ft_undo_party party = {.folders = &folder, .count = 1, .number = 1};

    (void)state;
    all_lists();
    assert_int_equal(ft_undo_apply(&party, 1, failed, NULL, NULL), 0);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(is_there(0, i, FT_UNDO_ACCESSES), i < 2);
        assert_int_equal(is_there(0, i, FT_UNDO_READS), i < 2);
    }
}

static void what_nobody_goes_back_to_is_dropped(void **state)
{
    (void)state;
    all_lists();
    assert_int_equal(ft_undo_drop(ranks_store(0), 1), 0);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(is_there(0, i, FT_UNDO_ACCESSES), i >= 2);
        assert_int_equal(is_there(0, i, FT_UNDO_READS), i >= 2);
    }
}

/* A checkpoint is not taken then, but the rank goes on. */
static void what_has_no_room_is_not_there_in_part(void **state)
{
    const char *name = list_of(0, 0, FT_UNDO_ACCESSES);
    struct rlimit old, tight;
    off_t size;

    (void)state;
    did(0, 0, 1, 1, "/f");
    size = size_of(name);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    tight = old;
    tight.rlim_cur = (rlim_t)size + 20;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    assert_int_equal(add(0, 0, 2, 1, "/g"), -EFBIG);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(size_of(name), size);
    did(0, 0, 3, 1, "/h");
    expect_told(-1, "0.0:1:c:/f 0.0:3:c:/h ");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, ranks_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_was_written_is_told),
        CASE(parties_and_places_are_told_apart),
        CASE(intervals_are_told_in_order),
        CASE(what_was_given_to_the_interval_before_is_told_once),
        CASE(only_what_is_behind_the_checkpoint_is_told),
        CASE(other_files_are_no_lists),
        CASE(what_is_cut_off_counts_for_nothing),
        CASE(damage_is_refused),
        CASE(a_length_that_no_path_has_is_damage),
        CASE(who_hears_no_more_ends_it),
        CASE(a_folder_that_is_gone_is_an_error),
        CASE(what_cannot_be_given_away_ends_the_rank),
        CASE(an_interval_that_is_none_belongs_to_the_one_before),
        CASE(what_is_undone_is_listed_no_more),
        CASE(what_nobody_goes_back_to_is_dropped),
        CASE(what_has_no_room_is_not_there_in_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
