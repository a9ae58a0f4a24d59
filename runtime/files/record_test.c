/* What a rank writes down before it accesses a file: records, reads and accesses (record.c),
 * through the wrappers of libc. Rank 0 is the one; it is in its first call. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "files/record.h"
#include "files/undo_ranks.h"

static struct ft_recorder recorder;
static char file[128], told[1024], failed[3072];

static int setup(void **state)
{
    int code = ranks_setup(state);

    strcpy(file, path_of("file"));
    put(-1, file, "w", "first");
    ft_life.boot.clusters = 2;
    act_as(0);
    recorder = (struct ft_recorder){0};
    ft_self->recorder = &recorder;
    ft_self->calls = ft_self->polls = 0;
    act_as(-1);
    return code;
}

static void enters(uint64_t calls, uint64_t polls)
{
    act_as(0);
    ft_self->calls += calls + polls;
    ft_self->polls += polls;
    act_as(-1);
}

static void reads(const char *path)
{
    act_as(0);
    access(path, F_OK);
    act_as(-1);
}

static void changes(const char *path)
{
    append(0, path);
}

static int hear(void *context, int party, int place, const struct ft_undo_access *access)
{
    (void)context;
    (void)party;
    (void)place;
    sprintf(told + strlen(told), "%llu%c%s ", (unsigned long long)access->moment,
            access->change ? 'c' : 'r', strrchr(access->path, '/'));
    return 0;
}

static int hear_looks(void *context, int party, int place, const struct ft_undo_access *access)
{
    (void)party;
    (void)place;
    (void)context;
    if (ft_undo_names(access->look) > 0)
        sprintf(told + strlen(told), "%u:", ft_undo_names(access->look));
    sprintf(told + strlen(told), "%u%c%s ", (uint32_t)access->look, "rcn"[access->change],
            access -> late ? "!" : "");
    return 0;
}

/* Those of one path at one moment, as [NAMES:]LOOK r|c|n[!], !: late; so many of all count. */
static void expect_looks(const char *wanted, uint64_t count)
{
    const char *folder = ranks_store(0);
    struct ft_undo_party party = {.folders = &folder, .count = 1, .number = -1};

    *told = 0;
    assert_int_equal(ft_undo_accesses(&party, 1, failed, hear_looks, NULL), 0);
    assert_string_equal(told, wanted);
    assert_int_equal((uint32_t)recorder.accesses, count);
}

/* The accesses on record, as MOMENT r|c /NAME. */
static void expect_listed(const char *wanted)
{
    const char *folder = ranks_store(0);
    struct ft_undo_party party = {.folders = &folder, .count = 1, .number = -1};

    *told = 0;
    assert_int_equal(ft_undo_accesses(&party, 1, failed, hear, NULL), 0);
    assert_string_equal(told, wanted);
}

static enum ft_access_needs last_needs;

static int hear_needs(void *context, int party, int place, const struct ft_undo_access *access)
{
    (void)party;
    (void)place;
    if (strcmp(access->path, context) == 0)
        last_needs = (enum ft_access_needs)access->needs;
    return 0;
}

/* Of the newest access of the path. */
static void expect_needs(const char *path, enum ft_access_needs wanted)
{
    const char *folder = ranks_store(0);
    struct ft_undo_party party = {.folders = &folder, .count = 1, .number = -1};
    char name[128];

    last_needs = (enum ft_access_needs) - 1;
    strcpy(name, path);
    assert_int_equal(ft_undo_accesses(&party, 1, failed, hear_needs, name), 0);
    assert_int_equal(last_needs, wanted);
}

/* How many files rank 0's folder has with this end. */
static int count_of(const char *ending)
{
    char pattern[160];
    glob_t found;
    int count;

    snprintf(pattern, sizeof pattern, "%s/*%s", ranks_store(0), ending);
    count = glob(pattern, 0, NULL, &found) == 0 ? (int)found.gl_pathc : 0;
    globfree(&found);
    return count;
}

static void undo(int number)
{
    const char *folder = ranks_store(0);
    struct ft_undo_party party = {.folders = &folder, .count = 1, .number = number};

    assert_int_equal(ft_undo_apply(&party, 1, failed, NULL, NULL), 0);
}

static off_t reads_size(void)
{
    char name[160];
    struct stat status;

    snprintf(name, sizeof name, "%s/00000000.reads", ranks_store(0));
    return stat(name, &status) == 0 ? status.st_size : 0;
}

/* Lists. */

static void an_access_is_listed_once_a_moment(void **state)
{
    (void)state;
    reads(file);
    reads(file);
    expect_listed("1r/file ");
    enters(0, 5);
    reads(file);
    expect_listed("1r/file ");
    enters(1, 0);
    reads(file);
    reads(file);
    expect_listed("1r/file 2r/file ");
    enters(2, 1);
    changes(file);
    changes(file);
    reads(file);
    expect_listed("1r/file 2r/file 4c/file ");
}

static void a_change_behind_a_read_is_listed(void **state)
{
    (void)state;
    reads(file);
    changes(file);
    reads(file);
    changes(file);
    expect_listed("1r/file 1c/file ");
    enters(1, 0);
    reads(file);
    expect_listed("1r/file 1c/file 2r/file ");
    changes(file);
    expect_listed("1r/file 1c/file 2r/file 2c/file ");
}

static void each_path_is_listed(void **state)
{
    (void)state;
    reads(file);
    reads(path_of("missing"));
    changes(path_of("new"));
    reads(file);
    reads(path_of("missing"));
    for (int i = 0; i < 3; i++)
        reads(path_of("new"));
    expect_listed("1r/file 1r/missing 1c/new ");
}

/* It looks until another rank has done it. */
static void a_look_that_finds_something_else_is_listed(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        reads(path_of("missing"));
    expect_looks("1r ", 0);
    put(-1, path_of("missing"), "w", "a");
    for (int i = 0; i < 3; i++)
        reads(path_of("missing"));
    expect_looks("1r 5r ", 0);
    put(-1, path_of("missing"), "a", "b");
    for (int i = 0; i < 3; i++)
        reads(path_of("missing"));
    expect_looks("1r 5r 8r ", 0);
    unlink(path_of("missing"));
    for (int i = 0; i < 3; i++)
        reads(path_of("missing"));
    expect_looks("1r 5r 8r 11r ", 0);
}

/* A lock that somebody else has; then it is free, then ours, and then somebody else's. */
static void so_is_each_change_of_a_name(void **state)
{
    const char *lock = path_of("lock");

    (void)state;
    put(-1, lock, "w", "");
    act_as(0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(open(lock, O_CREAT | O_EXCL, 0600), -1);
    act_as(-1);
    expect_looks("1r ", 0);
    unlink(lock);
    act_as(0);
    close(open(lock, O_CREAT | O_EXCL, 0600));
    unlink(lock);
    act_as(-1);
    expect_looks("1r 5n 5n! 1:1n 1:1n! ", 2);
    put(-1, path_of("other"), "w", ""); /* or the next one could be the same inode */
    put(-1, lock, "w", "");
    act_as(0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(open(lock, O_CREAT | O_EXCL, 0600), -1);
    act_as(-1);
    expect_looks("1r 5n 5n! 1:1n 1:1n! 2:1r ", 2);
}

/* And what is written counts each time: behind it others may be told of it. */
static void our_own_changes_are_not_listed(void **state)
{
    (void)state;
    reads(file);
    for (int i = 0; i < 4; i++) {
        changes(file);
        reads(file);
    }
    expect_looks("1r 2c ", 5);
}

/* It is known by another name. */
static void a_name_that_another_file_gets_is_listed(void **state)
{
    const char *path = path_of("missing");

    (void)state;
    for (int i = 0; i < 3; i++) {
        reads(path);
        reads(file);
    }
    expect_listed("1r/missing 1r/file ");
    assert_int_equal(rename(file, path), 0);
    for (int i = 0; i < 3; i++)
        reads(path);
    expect_listed("1r/missing 1r/file 1r/missing ");
    expect_looks("1r 1r 4r ", 0);
}

static void a_status_is_a_look(void **state)
{
    struct stat status;
    int fd = -1;

    (void)state;
    for (int i = 0; i < 6; i++) {
        act_as(0);
        fd = fd < 0 ? open(file, O_RDONLY) : fd;
        assert_int_equal(fstat(fd, &status), 0);
        assert_int_equal(recorder.accessing, 0);
        act_as(-1);
        if (i == 3)
            put(-1, file, "a", "more");
    }
    close(fd);
    expect_looks("1r 6r ", 0);
}

/* It is made, or goes, between our look and libc's. */
static void what_came_between_is_listed(void **state)
{
    const char *path = path_of("missing");
    struct ft_files *files;

    (void)state;
    reads(path);
    act_as(0);
    files = ft_self->files;
    assert_int_equal(files_note(files, AT_FDCWD, path, FILES_READ, 1), 0);
    act_as(-1);
    put(-1, path, "w", "a");
    act_as(0);
    assert_int_equal(files_note_ends(files, AT_FDCWD, path, 1, FILES_UNKNOWN), 0);
    assert_int_equal(files_note_ends(files, AT_FDCWD, path, 1, FILES_UNKNOWN), 0);
    act_as(-1);
    expect_looks("1r 3r ", 0);
    reads(path);
    expect_looks("1r 3r ", 0);
    act_as(0);
    assert_int_equal(files_note(files, AT_FDCWD, path, FILES_READ, 1), 0);
    act_as(-1);
    unlink(path);
    act_as(0);
    assert_int_equal(files_note_ends(files, AT_FDCWD, path, 1, FILES_UNKNOWN), 0);
    act_as(-1);
    reads(path);
    expect_looks("1r 3r 5r ", 0);
}

/* Libc says so: then it is this look, behind what another rank did. A lock that another one got is
 * a look, and one that was free after all a change. */
static void what_libc_has_found_counts(void **state)
{
    const char *path = path_of("missing");
    struct ft_files *files;

    (void)state;
    act_as(0);
    files = ft_self->files;
    assert_int_equal(files_note_make(files, AT_FDCWD, path, 0), 0);
    assert_int_equal(files_note_ends(files, AT_FDCWD, path, 0, FILES_NAMED), 0);
    act_as(-1);
    expect_looks("1n 1n! ", 1);
    act_as(0);
    assert_int_equal(files_note_make(files, AT_FDCWD, path, 0), 0);
    act_as(-1);
    put(-1, path, "w", "a");
    act_as(0);
    assert_int_equal(files_note_ends(files, AT_FDCWD, path, 0, FILES_EXCLUDED), 0);
    act_as(-1);
    expect_looks("1n 1n! 1:1n 1:1r! ", 1);
    act_as(0);
    assert_int_equal(files_note_make(files, AT_FDCWD, path, 0), 0);
    assert_int_equal(files_note_ends(files, AT_FDCWD, path, 0, FILES_EXCLUDED), 0);
    act_as(-1);
    expect_looks("1n 1n! 1:1n 1:1r! ", 1);
    act_as(0);
    assert_int_equal(files_note_make(files, AT_FDCWD, path, 0), 0);
    assert_int_equal(files_note_ends(files, AT_FDCWD, path, 0, FILES_NAMED), 0);
    act_as(-1);
    expect_looks("1n 1n! 1:1n 1:1r! 1:3n! ", 2);
}

/* Who fails because it is there fails so again; who fails otherwise asks libc again. */
static void why_nothing_was_made_counts(void **state)
{
    const char *path = path_of("folder");

    (void)state;
    act_as(0);
    assert_int_equal(mkdir(path_of("missing/folder"), 0700), -1);
    assert_int_equal(link(path_of("missing"), path), -1);
    assert_int_equal(errno, ENOENT);
    act_as(-1);
    expect_needs(path, FT_NEEDS_NOTHING);
    assert_int_equal(mkdir(path, 0700), 0);
    act_as(0);
    assert_int_equal(mkdir(path, 0700), -1);
    act_as(-1);
    expect_needs(path, FT_NEEDS_PRESENCE);
    act_as(0);
    assert_int_equal(link(path_of("missing"), path), -1);
    assert_int_equal(errno, ENOENT);
    act_as(-1);
    expect_needs(path, FT_NEEDS_NOTHING);
    assert_int_equal(rmdir(path), 0);
    act_as(0);
    assert_int_equal(files_note_make(ft_self->files, AT_FDCWD, path, FILES_FREE), 0);
    assert_int_equal(files_note_ends(ft_self->files, AT_FDCWD, path, 0, FILES_EXCLUDED), 0);
    act_as(-1);
    expect_needs(path, FT_NEEDS_PRESENCE); /* it has gone since */
}

/* Then nothing of it has to be put back: its cluster need not go back with that of who was. What it
 * does there later is a change. */
static void who_is_not_the_first_has_made_nothing(void **state)
{
    const char *path = path_of("folder");

    (void)state;
    act_as(0);
    assert_int_equal(files_note_make(ft_self->files, AT_FDCWD, path, FILES_FREE), 0);
    act_as(-1);
    assert_int_equal(count_of(".undo"), 1);
    assert_int_equal(mkdir(path, 0700), 0);
    act_as(0);
    assert_int_equal(files_note_ends(ft_self->files, AT_FDCWD, path, 0, FILES_EXCLUDED), 0);
    act_as(-1);
    assert_int_equal(count_of(".undo"), 0);
    assert_true(reads_size() > 0);
    act_as(0);
    assert_int_equal(rmdir(path), 0);
    act_as(-1);
    assert_int_equal(count_of(".undo"), 1);
    undo(-1);
    assert_int_equal(access(path, F_OK), 0);
}

/* But its own making of before stays on record. */
static void who_was_the_first_before_has(void **state)
{
    const char *path = path_of("folder");

    (void)state;
    act_as(0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(files_note_make(ft_self->files, AT_FDCWD, path, FILES_FREE), 0);
    act_as(-1);
    assert_int_equal(mkdir(path, 0700), 0);
    act_as(0);
    assert_int_equal(files_note_ends(ft_self->files, AT_FDCWD, path, 0, FILES_EXCLUDED), 0);
    act_as(-1);
    assert_int_equal(count_of(".undo"), 1);
}

/* It went back, and the folder stayed: who goes back with all others leaves nothing there. */
static void a_folder_that_stayed_was_not_there(void **state)
{
    const char *path = path_of("folder");

    (void)state;
    assert_int_equal(mkdir(path, 0700), 0);
    act_as(0);
    assert_int_equal(files_note_make(ft_self->files, AT_FDCWD, path, FILES_OURS), 0);
    assert_int_equal(files_note_ends(ft_self->files, AT_FDCWD, path, 0, FILES_NAMED), 0);
    act_as(-1);
    undo(-1);
    assert_int_not_equal(access(path, F_OK), 0);
}

/* At the end of a file it waits for more. */
static void who_meets_the_end_looks_again(void **state)
{
    char byte;
    int fd;

    (void)state;
    act_as(0);
    fd = open(file, O_RDONLY);
    for (off_t at = 0; pread(fd, &byte, 1, at) == 1; at++)
        ;
    assert_int_equal(pread(fd, &byte, 1, 5), 0);
    assert_int_equal(pread(fd, &byte, 1, 5), 0);
    act_as(-1);
    expect_looks("1r ", 0);
    put(-1, file, "a", "more");
    act_as(0);
    assert_int_equal(pread(fd, &byte, 1, 5), 1);
    assert_int_equal(pread(fd, &byte, 1, 6), 1);
    act_as(-1);
    close(fd);
    expect_looks("1r 5r ", 0);
}

/* Behind the next access all that were listed before are over. */
static void an_access_is_over_at_the_next_one(void **state)
{
    int fd;

    (void)state;
    act_as(0);
    fd = creat(path_of("new"), 0600);
    act_as(-1);
    close(fd);
    assert_int_equal((uint32_t)recorder.accesses, 1);
    assert_int_equal(recorder.accessing, FT_ACCESSING_COUNTED);
    reads(file);
    assert_int_equal((uint32_t)recorder.accesses, 1);
    assert_int_equal(recorder.accessing, FT_ACCESSING_NONE);
}

/* Or when libc has said whether it is done. What was not is not counted. */
static void a_name_is_over_when_libc_has_answered(void **state)
{
    const char *path = path_of("missing");

    (void)state;
    act_as(0);
    assert_int_equal(files_note_make(ft_self->files, AT_FDCWD, path, FILES_FREE), 0);
    assert_int_equal((uint32_t)recorder.accesses, 1);
    assert_int_equal(recorder.accessing, FT_ACCESSING_COUNTED);
    assert_int_equal(files_note_ends(ft_self->files, AT_FDCWD, path, 0, FILES_NAMED), 0);
    assert_int_equal((uint32_t)recorder.accesses, 1);
    assert_int_equal(recorder.accessing, FT_ACCESSING_NONE);
    assert_int_equal(files_note(ft_self->files, AT_FDCWD, path, FILES_OVERWRITE, 0), 0);
    assert_int_equal((uint32_t)recorder.accesses, 2);
    assert_int_equal(files_note_replaced(ft_self->files, AT_FDCWD, path_of("new")), 0);
    assert_int_equal((uint32_t)recorder.accesses, 3);
    assert_int_equal(recorder.accessing, FT_ACCESSING_COUNTED);
    assert_int_equal(files_note_named(ft_self->files, AT_FDCWD, path, FILES_KEPT), 0);
    assert_int_equal(files_note_named(ft_self->files, AT_FDCWD, path_of("new"), FILES_KEPT), 0);
    assert_int_equal((uint32_t)recorder.accesses, 1);
    assert_int_equal(recorder.accessing, FT_ACCESSING_NONE);
    act_as(-1);
}

/* A checkpoint between two calls: the next access is the third one, be it from there or from
 * before. The same in another life. */
static void a_checkpoint_does_not_count_anew(void **state)
{
    struct ft_files *files;

    (void)state;
    reads(file);
    reads(file);
    checkpoint(0, 0);
    reads(file);
    reads(file);
    expect_looks("1r 3r ", 0);
    act_as(0);
    assert_int_equal(files_look_next(ft_self->files, file), 5);
    files = ft_self->files;
    ft_self = NULL; /* as in a new life */
    files_record_forget(files, 0);
    act_as(0);
    assert_int_equal(files_look_next(ft_self->files, file), 5);
    act_as(-1);
    enters(1, 0);
    act_as(0);
    assert_int_equal(files_look_next(ft_self->files, file), 1);
    act_as(-1);
}

static void read_names(void)
{
    char folder[128];
    DIR *stream;

    strcpy(folder, file);
    *strrchr(folder, '/') = 0;
    act_as(0);
    stream = opendir(folder);
    act_as(-1);
    assert_non_null(stream);
    closedir(stream);
}

/* Of a folder that is read it is listed that it is there, and what is in it; the names again when
 * there are others. */
static void the_names_in_a_folder_are_listed(void **state)
{
    char folder[128], wanted[192];

    (void)state;
    read_names();
    read_names();
    strcpy(folder, file);
    *strrchr(folder, '/') = 0;
    sprintf(wanted, "1r/ 1r%s ", strrchr(folder, '/'));
    expect_listed(wanted);
    put(-1, path_of("other"), "w", "");
    read_names();
    strcat(wanted, "1r/ ");
    expect_listed(wanted);
    assert_true(reads_size() > 0);
}

static void what_came_while_names_were_read_is_before_it(void **state)
{
    char folder[128];

    (void)state;
    strcpy(folder, file);
    *strrchr(folder, '/') = 0;
    act_as(0);
    assert_int_equal(files_note_names(ft_self->files, AT_FDCWD, folder), 0);
    act_as(-1);
    put(-1, path_of("other"), "w", "");
    act_as(0);
    assert_int_equal(files_note_names_end(ft_self->files, AT_FDCWD, folder), 0);
    assert_int_equal(files_note_names_end(ft_self->files, AT_FDCWD, folder), 0);
    act_as(-1);
    expect_looks("1r 1r! ", 0);
}

/* What is open is the file of that name. */
static void what_is_open_is_listed(void **state)
{
    int fd;
    char byte;

    (void)state;
    act_as(0);
    fd = open(file, O_RDWR);
    act_as(-1);
    expect_listed("1c/file ");
    enters(1, 0);
    act_as(0);
    pread(fd, &byte, 1, 0);
    pread(fd, &byte, 1, 0);
    act_as(-1);
    expect_listed("1c/file 2r/file ");
    enters(1, 0);
    act_as(0);
    pwrite(fd, "x", 1, 0);
    pwrite(fd, "x", 1, 0);
    act_as(-1);
    close(fd);
    expect_listed("1c/file 2r/file 3c/file ");
}

static void links_are_the_file(void **state)
{
    (void)state;
    assert_int_equal(symlink("file", path_of("link")), 0);
    reads(path_of("link"));
    reads(file);
    expect_listed("1r/file ");
}

static void what_is_the_kernels_is_not_listed(void **state)
{
    (void)state;
    reads("/proc/self/status");
    reads("/sys/kernel");
    reads("/dev/null");
    expect_listed("");
}

/* A new interval has a list of its own. */
static void a_checkpoint_forgets(void **state)
{
    (void)state;
    reads(file);
    changes(file);
    checkpoint(0, 0);
    assert_int_equal(count_of(".accesses"), 1);
    reads(file);
    changes(file);
    expect_listed("1r/file 1c/file 1r/file 1c/file ");
    assert_int_equal(count_of(".accesses"), 2);
    assert_int_equal(count_of(".undo"), 2);
    assert_int_equal(count_of(".reads"), 2);
    checkpoint(0, 0); /* once more: the last one was abandoned */
    assert_int_equal(count_of(".accesses"), 1);
    assert_int_equal(count_of(".reads"), 1);
    expect_listed("1r/file 1c/file 1r/file 1c/file ");
}

static void with_one_cluster_nothing_is_listed(void **state)
{
    (void)state;
    ft_life.boot.clusters = 1;
    reads(file);
    changes(file);
    enters(1, 0);
    changes(file);
    expect_listed("");
    assert_int_equal(count_of(".accesses"), 0);
    assert_int_equal(count_of(".reads"), 0);
    assert_int_equal(count_of(".undo"), 1);
}

/* Reads. */

static void a_read_is_on_record_once_an_interval(void **state)
{
    off_t one;

    (void)state;
    reads(file);
    one = reads_size();
    assert_true(one > 0);
    for (int i = 0; i < 3; i++) {
        enters(1, 0);
        reads(file);
    }
    assert_int_equal(reads_size(), one);
    assert_int_equal(count_of(".undo"), 0);
    reads(path_of("missing"));
    assert_true(reads_size() > one);
}

/* What it finds is its own doing. */
static void who_has_changed_a_file_does_not_read_it(void **state)
{
    (void)state;
    changes(file);
    reads(file);
    enters(1, 0);
    reads(file);
    assert_int_equal(reads_size(), 0);
    assert_int_equal(count_of(".undo"), 1);
}

static void a_file_that_grows_is_copied_when_it_is_overwritten(void **state)
{
    (void)state;
    changes(file);
    assert_int_equal(count_of(".data"), 0);
    put(0, file, "w", "second");
    assert_int_equal(count_of(".data"), 1);
    put(0, file, "w", "third");
    assert_int_equal(count_of(".undo"), 2);
}

/* After a rollback. */

static void expect_content(const char *wanted)
{
    char text[64] = "";
    int fd = open(file, O_RDONLY);

    assert_true(fd >= 0);
    assert_true(read(fd, text, sizeof text - 1) >= 0);
    close(fd);
    assert_string_equal(text, wanted);
}

/* The image of a checkpoint says that the content is on record: of a file that is open, and has
 * been written in its midst. The undo takes that record away, and the rank goes back once more. */
static void what_was_undone_is_recorded_again(void **state)
{
    (void)state;
    put(0, file, "w", "second");
    assert_int_equal(count_of(".data"), 1);
    for (int i = 0; i < 2; i++) {
        undo(-1);
        expect_content("first");
        assert_int_equal(count_of(".undo"), 0);
        act_as(0);
        files_record_forget(ft_self->files, ft_self->calls - ft_self->polls);
        act_as(-1);
        put(0, file, "w", "third");
        assert_int_equal(count_of(".data"), 1);
    }
    undo(-1);
    expect_content("first");
}

static void what_was_undone_is_listed_again(void **state)
{
    (void)state;
    reads(file);
    changes(file);
    undo(-1);
    expect_listed("");
    act_as(0);
    files_record_forget(ft_self->files, ft_self->calls - ft_self->polls);
    act_as(-1);
    reads(file);
    expect_listed("1r/file ");
    assert_true(reads_size() > 0);
}

/* A stream may write anywhere in the file that it has open: at a checkpoint its content is copied,
 * and so it is in each life that goes back to that. */
static void what_a_stream_may_overwrite_is_copied_in_each_life(void **state)
{
    struct stat old;
    int fd;

    (void)state;
    act_as(0);
    fd = open(file, O_RDWR);
    pwrite(fd, "F", 1, 0);
    act_as(-1);
    assert_int_equal(stat(file, &old), 0);
    checkpoint(0, 0);
    act_as(0);
    ft_depth = 1;
    assert_int_equal(files_note_open(ft_self->files, fd, FILES_OVERWRITE), 0);
    act_as(-1);
    assert_int_equal(count_of(".data"), 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pwrite(fd, "???", 3, 0), 3);
        undo(0);
        expect_content("First");
        assert_int_equal(count_of(".data"), 1);
        act_as(0);
        ft_depth = 1;
        files_record_forget(ft_self->files, ft_self->calls - ft_self->polls);
        assert_int_equal(files_note_open(ft_self->files, fd, FILES_OVERWRITE), 0);
        act_as(-1);
        assert_int_equal(count_of(".data"), 2);
    }
    close(fd);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, ranks_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_access_is_listed_once_a_moment),
        CASE(a_change_behind_a_read_is_listed),
        CASE(each_path_is_listed),
        CASE(a_look_that_finds_something_else_is_listed),
        CASE(so_is_each_change_of_a_name),
        CASE(our_own_changes_are_not_listed),
        CASE(a_name_that_another_file_gets_is_listed),
        CASE(a_status_is_a_look),
        CASE(what_came_between_is_listed),
        CASE(what_libc_has_found_counts),
        CASE(why_nothing_was_made_counts),
        CASE(who_is_not_the_first_has_made_nothing),
        CASE(who_was_the_first_before_has),
        CASE(a_folder_that_stayed_was_not_there),
        CASE(who_meets_the_end_looks_again),
        CASE(an_access_is_over_at_the_next_one),
        CASE(a_name_is_over_when_libc_has_answered),
        CASE(a_checkpoint_does_not_count_anew),
        CASE(the_names_in_a_folder_are_listed),
        CASE(what_came_while_names_were_read_is_before_it),
        CASE(what_is_open_is_listed),
        CASE(links_are_the_file),
        CASE(what_is_the_kernels_is_not_listed),
        CASE(a_checkpoint_forgets),
        CASE(with_one_cluster_nothing_is_listed),
        CASE(a_read_is_on_record_once_an_interval),
        CASE(who_has_changed_a_file_does_not_read_it),
        CASE(a_file_that_grows_is_copied_when_it_is_overwritten),
        CASE(what_was_undone_is_recorded_again),
        CASE(what_was_undone_is_listed_again),
        CASE(what_a_stream_may_overwrite_is_copied_in_each_life),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
