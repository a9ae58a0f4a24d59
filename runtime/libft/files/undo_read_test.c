/* Reading what a rank has read: .reads files, whole, unfinished and damaged. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "files/undo_read.h"
#include "files/undo_stub.h"
#include "files/work.h"

#define ROOM 4096

static char failed[FAILED];
static struct undo undo;

/* In place of the C library's, whose folders cannot be read for a while. */
static int no_folder;
struct dirent *__real_readdir(DIR *stream);
struct dirent *__wrap_readdir(DIR *stream);

struct dirent *__wrap_readdir(DIR *stream)
{
    if (!no_folder)
        return __real_readdir(stream);
    errno = EIO;
    return NULL;
}

static int setup(void **state)
{
    (void)state;
    memset(&undo, 0, sizeof undo);
    undo.failed = failed;
    no_folder = 0;
    return work_make("undo_read");
}

static int teardown(void **state)
{
    (void)state;
    undo_close(&undo);
    return work_remove();
}

static int reads_of(int number, enum undo_extent extent)
{
    const char *folder = work;
    struct ft_undo_party party = {.folders = &folder, .count = 1, .number = number};

    undo_close(&undo);
    undo = (struct undo){.failed = failed};
    return undo_read(&undo, &party, 1, extent);
}

static const char *name_of(int interval)
{
    static char name[128];

    snprintf(name, sizeof name, "%s/%08x.reads", work, interval);
    return name;
}

static size_t file_get(const char *name, char bytes[ROOM])
{
    FILE *stream = fopen(name, "r");
    size_t length;

    assert_non_null(stream);
    length = fread(bytes, 1, ROOM, stream);
    fclose(stream);
    return length;
}

static void file_set(const char *name, const char *bytes, size_t length)
{
    FILE *stream = fopen(name, "w");

    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, length, stream), length);
    fclose(stream);
}

static void reads_stand_by_path_and_time(void **state)
{
    (void)state;
    stub_read(work, 3, "/bin");
    stub_read(work, 2, "/none");
    stub_read(work, 3, "/");
    stub_read(work, 2, "/bin");
    assert_int_equal(reads_of(-1, UNDO_ALL), 0);
    assert_int_equal(undo.seen.states, 4);
    assert_string_equal(undo.seen.state[0].path, "/");
    assert_string_equal(undo.seen.state[1].path, "/bin");
    assert_int_equal(undo.seen.state[1].record->interval, 3);
    assert_int_equal(undo.seen.state[1].entry->kind, FT_UNDO_READ);
    assert_int_equal(undo.seen.state[2].record->interval, 2);
    assert_true(undo_precedes(undo.seen.state[1].record, undo.seen.state[2].record));
    assert_string_equal(undo.seen.state[3].path, "/none");
    assert_int_equal(undo_group_end(&undo.seen, 1), 3);
    assert_int_equal(undo.changed.states, 0);
}

static void only_where_asked_for(void **state)
{
    (void)state;
    stub_read(work, 4, "/old");
    stub_read(work, 0xfffffffe, "/none");
    assert_int_equal(reads_of(-1, UNDO_BACK), 0);
    assert_int_equal(undo.seen.states, 0);
    assert_int_equal(reads_of(4, UNDO_ALL), 0);
    assert_int_equal(undo.seen.states, 2);
    assert_int_equal(reads_of(FT_UNDO_STAYS, UNDO_ALL), 0);
    assert_int_equal(undo.seen.states, 2);
}

static void other_names_mean_nothing(void **state)
{
    static const char *other[] = {"0000000.reads", "000000000.reads", "00000000.read",
                                  "00000000.reads.part", "0000000g.reads"};
    char name[128];

    (void)state;
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        snprintf(name, sizeof name, "%s/%s", work, other[i]);
        file_set(name, "x", 1);
    }
    assert_int_equal(reads_of(-1, UNDO_ALL), 0);
    assert_int_equal(undo.files, 0);
}

/* A change that nobody sees would not be undone, without a word. */
static void what_cannot_be_read_is_not_left_out(void **state)
{
    char name[128];

    (void)state;
    stub_read(work, 3, "/bin");
    no_folder = 1;
    assert_int_equal(reads_of(-1, UNDO_ALL), -EIO);
    assert_string_equal(failed, work);
    assert_int_equal(ft_undo_drop(work, 9), -EIO);
    no_folder = 0;
    assert_int_equal(mkdir(name_of(4), 0700), 0);
    assert_int_equal(reads_of(-1, UNDO_ALL), -EISDIR);
    assert_string_equal(failed, name_of(4));
    assert_int_equal(rmdir(name_of(4)), 0);
    snprintf(name, sizeof name, "%s/00000004-000000000000.undo", work);
    assert_int_equal(mkdir(name, 0700), 0);
    assert_int_equal(reads_of(-1, UNDO_BACK), -EISDIR);
    assert_int_equal(rmdir(name), 0);
    assert_int_equal(reads_of(-1, UNDO_ALL), 0);
    assert_int_equal(undo.seen.states, 1);
}

/* Killed within a write, at each byte of the last record. */
static void an_unfinished_end_counts_for_nothing(void **state)
{
    char bytes[ROOM];
    size_t first, length;

    (void)state;
    stub_read(work, 0, "/first");
    first = file_get(name_of(0), bytes);
    stub_read(work, 0, "/second");
    length = file_get(name_of(0), bytes);
    for (size_t cut = 0; cut <= length; cut++) {
        file_set(name_of(0), bytes, cut);
        assert_int_equal(reads_of(-1, UNDO_ALL), 0);
        assert_int_equal(undo.seen.states, (cut >= first) + (cut == length));
    }
}

/* Any bit, but for those that make a record seem longer than the file: such a file ends there. */
static void a_damaged_record_is_refused(void **state)
{
    char bytes[ROOM];
    size_t length, at_bytes = offsetof(struct ft_undo_head, bytes);
    struct ft_undo_head head;

    (void)state;
    stub_read(work, 0, "/first");
    stub_read(work, 0, "/second");
    length = file_get(name_of(0), bytes);
    for (size_t bit = 0; bit < 8 * length; bit++) {
        int code;

        bytes[bit / 8] ^= (char)(1 << bit % 8);
        file_set(name_of(0), bytes, length);
        memcpy(&head, bytes, sizeof head);
        code = reads_of(-1, UNDO_ALL);
        if (code == 0) {
            assert_true(bit / 8 % (length / 2) - at_bytes < sizeof head.bytes);
            assert_int_equal(undo.seen.states, bit / 8 >= length / 2);
        } else {
            assert_int_equal(code, -EBADMSG);
            assert_string_equal(failed, name_of(0));
        }
        bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
}

static void kind_set(struct ft_undo_entry *entry, uint32_t kind)
{
    entry->kind = kind;
}

/* A read among changes, or a change among reads. */
static void kinds_keep_to_their_files(void **state)
{
    char undone[128];

    (void)state;
    stub_read(work, 0, "/none");
    for (uint32_t kind = 0; kind < 10; kind++) {
        int read = kind == FT_UNDO_READ;
        int changed = kind >= FT_UNDO_ABSENT && kind < FT_UNDO_READ && kind != FT_UNDO_LINK;

        stub_entry_set(name_of(0), kind_set, kind);
        assert_int_equal(reads_of(-1, UNDO_ALL), read ? 0 : -EBADMSG);
        snprintf(undone, sizeof undone, "%s/00000000-000000000000.undo", work);
        assert_int_equal(rename(name_of(0), undone), 0);
        assert_int_equal(reads_of(-1, UNDO_ALL), changed ? 0 : -EBADMSG);
        assert_int_equal(rename(undone, name_of(0)), 0);
    }
}

static struct ft_undo_head *head_of(struct ft_undo_entry *entry)
{
    return (struct ft_undo_head *)entry - 1;
}

static void magic_set(struct ft_undo_entry *entry, uint32_t magic)
{
    head_of(entry)->magic = magic;
}

static void version_set(struct ft_undo_entry *entry, uint32_t version)
{
    head_of(entry)->version = version;
}

static void boot_set(struct ft_undo_entry *entry, uint32_t boot)
{
    head_of(entry)->boot = boot;
}

static void other_formats_are_refused(void **state)
{
    (void)state;
    stub_read(work, 0, "/none");
    stub_entry_set(name_of(0), version_set, FT_UNDO_VERSION - 1);
    assert_int_equal(reads_of(-1, UNDO_ALL), -EBADMSG);
    stub_entry_set(name_of(0), version_set, FT_UNDO_VERSION);
    assert_int_equal(reads_of(-1, UNDO_ALL), 0);
    stub_entry_set(name_of(0), magic_set, 0);
    assert_int_equal(reads_of(-1, UNDO_ALL), -EBADMSG);
}

static void an_empty_record_of_changes_is_refused(void **state)
{
    char name[128];

    (void)state;
    snprintf(name, sizeof name, "%s/00000000-000000000000.undo", work);
    file_set(name, "", 0);
    assert_int_equal(reads_of(-1, UNDO_ALL), -EBADMSG);
    assert_string_equal(failed, name);
}

/* Times of two boots cannot be compared. */
static void boots_follow_by_interval(void **state)
{
    (void)state;
    stub_read(work, 3, "/none");
    stub_read(work, 2, "/none");
    stub_entry_set(name_of(2), boot_set, 1);
    assert_int_equal(reads_of(-1, UNDO_ALL), 0);
    assert_int_equal(undo.seen.state[0].record->interval, 2);
    assert_int_equal(undo.seen.state[1].record->interval, 3);
}

static void going_back_forgets_what_was_read_since(void **state)
{
    const char *folder = work;
    struct ft_undo_party party = {.folders = &folder, .count = 1, .number = 4};

    (void)state;
    stub_read(work, 4, "/old");
    stub_read(work, 5, "/new");
    stub_read(work, 0x1a, "/newer");
    file_set(name_of(0x1b), "damaged", 7);
    assert_int_equal(ft_undo_apply(&party, 1, failed, NULL, NULL), 0);
    assert_int_equal(access(name_of(4), F_OK), 0);
    assert_int_equal(access(name_of(5), F_OK), -1);
    assert_int_equal(access(name_of(0x1a), F_OK), -1);
    assert_int_equal(access(name_of(0x1b), F_OK), -1);
}

static void dropping_drops_older_reads(void **state)
{
    (void)state;
    stub_read(work, 4, "/old");
    stub_read(work, 5, "/new");
    assert_int_equal(ft_undo_drop(work, 4), 0);
    assert_int_equal(access(name_of(4), F_OK), -1);
    assert_int_equal(access(name_of(5), F_OK), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(reads_stand_by_path_and_time),
        CASE(only_where_asked_for),
        CASE(other_names_mean_nothing),
        CASE(what_cannot_be_read_is_not_left_out),
        CASE(an_unfinished_end_counts_for_nothing),
        CASE(a_damaged_record_is_refused),
        CASE(kinds_keep_to_their_files),
        CASE(other_formats_are_refused),
        CASE(an_empty_record_of_changes_is_refused),
        CASE(boots_follow_by_interval),
        CASE(going_back_forgets_what_was_read_since),
        CASE(dropping_drops_older_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
