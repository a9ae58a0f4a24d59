#include "files/record_rank.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

struct ft_recorder recorder;
char file[128];
static char told[1024], failed[3072];
static struct ft_undo_access last; /* as hear_last was told */
static int or_late;

int setup(void **state)
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

void enters(uint64_t calls, uint64_t polls)
{
    act_as(0);
    ft_self->calls += calls + polls;
    ft_self->polls += polls;
    act_as(-1);
}

void reads(const char *path)
{
    act_as(0);
    access(path, F_OK);
    act_as(-1);
}

void changes(const char *path)
{
    append(0, path);
}

void undo(int number)
{
    const char *folder = ranks_store(0);
    struct ft_undo_party party = {.folders = &folder, .count = 1, .number = number};

    assert_int_equal(ft_undo_apply(&party, 1, failed, NULL, NULL), 0);
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

void expect_listed(const char *wanted)
{
    const char *folder = ranks_store(0);
    struct ft_undo_party party = {.folders = &folder, .count = 1, .number = -1};

    *told = 0;
    assert_int_equal(ft_undo_accesses(&party, 1, failed, hear, NULL), 0);
    assert_string_equal(told, wanted);
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

void expect_looks(const char *wanted, uint64_t count)
{
    const char *folder = ranks_store(0);
    struct ft_undo_party party = {.folders = &folder, .count = 1, .number = -1};

    *told = 0;
    assert_int_equal(ft_undo_accesses(&party, 1, failed, hear_looks, NULL), 0);
    assert_string_equal(told, wanted);
    assert_int_equal((uint32_t)recorder.accesses, count);
}

static int hear_last(void *context, int party, int place, const struct ft_undo_access *access)
{
    (void)party;
    (void)place;
    if (strcmp(access->path, context) == 0 && (or_late || !access->late))
        last = *access;
    return 0;
}

const struct ft_undo_access *told_last(const char *path, int late)
{
    const char *folder = ranks_store(0);
    struct ft_undo_party party = {.folders = &folder, .count = 1, .number = -1};
    char name[128];

    last = (struct ft_undo_access){0};
    or_late = late;
    strcpy(name, path);
    assert_int_equal(ft_undo_accesses(&party, 1, failed, hear_last, name), 0);
    assert_true(last.time > 0);
    return &last;
}

void expect_needs(const char *path, enum ft_access_needs wanted)
{
    assert_int_equal(told_last(path, 1)->needs, wanted);
}

int count_of(const char *ending)
{
    char pattern[160];
    glob_t found;
    int count;

    snprintf(pattern, sizeof pattern, "%s/*%s", ranks_store(0), ending);
    count = glob(pattern, 0, NULL, &found) == 0 ? (int)found.gl_pathc : 0;
    globfree(&found);
    return count;
}

off_t reads_size(void)
{
    char name[160];
    struct stat status;

    snprintf(name, sizeof name, "%s/00000000.reads", ranks_store(0));
    return stat(name, &status) == 0 ? status.st_size : 0;
}
