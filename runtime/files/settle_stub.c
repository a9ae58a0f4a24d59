#include "files/settle_stub.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "os/os.h"

struct ft_life ft_life;
__thread int ft_depth __attribute__((tls_model("initial-exec"))) = 1;

struct ft_recorder recorder;
struct ft_files files;
struct ft_rank self;
char refused[512];
uint32_t lists;     /* number of the newest ones */
int passes, rounds; /* looks, and how many of them nothing happens in */
void (*happens)(void);
uint32_t awaited; /* at the last look */
int clock_looks;
double clock_step;                        /* seconds between two looks at the clock */
static uint64_t listed_look = 1;          /* of turns, */
uint64_t look_now = 1;                    /* and of the access that is made */
static enum ft_access_needs listed_needs; /* of the next turn */

/* What is asked of the rooms around this one. */

void ft_gate_pass(struct ft_rank *rank, unsigned pass)
{
    assert_ptr_equal(rank, &self);
    assert_int_equal(pass, passes);
    assert_int_equal(recorder.where, FT_WHERE_CALL);
    assert_true(ft_depth > 0);
    awaited = recorder.awaits;
    assert_true(++passes < 100);
    if (passes > rounds)
        happens();
}

uint64_t files_look_next(const struct ft_files *of, const char *path)
{
    assert_ptr_equal(of, &files);
    assert_int_equal(path[0], '/');
    return look_now;
}

void *ft_image_alloc(size_t bytes)
{
    return malloc(bytes);
}

void ft_image_free(void *block)
{
    free(block);
}

double ft_os_now(void)
{
    static double now = 1000;

    __atomic_add_fetch(&clock_looks, 1, __ATOMIC_RELAXED);
    return now += clock_step;
}

_Noreturn void ft_refuse(const char *call, const void *site, const char *reason)
{
    (void)site;
    snprintf(refused, sizeof refused, "%s: %s", call, reason);
    pthread_exit(NULL);
}

int setup(void **state)
{
    (void)state;
    if (work_make("settle_rank") != 0)
        return -1;
    recorder = (struct ft_recorder){.where = FT_WHERE_USER};
    files = (struct ft_files){0};
    self = (struct ft_rank){
        .recorder = &recorder, .files = &files, .mpi_state = 1, .calls = 9, .polls = 4};
    mkdir(path_of("undo"), 0700);
    strcpy(ft_life.boot.undo, path_of("undo/rank"));
    mkdir(ft_life.boot.undo, 0700);
    mkdir(path_of("folder"), 0700);
    close(creat(path_of("folder/file"), 0600));
    assert_int_equal(symlink("folder/file", path_of("link")), 0);
    assert_int_equal(symlink("nowhere/file", path_of("lost")), 0);
    assert_int_equal(symlink("folder", path_of("way")), 0);
    passes = rounds = 0;
    look_now = 1;
    awaited = 0;
    *refused = 0;
    ft_depth = 0;
    return 0;
}

int teardown(void **state)
{
    (void)state;
    free(files.made);
    return work_remove();
}

/* ftrun. */

FILE *list_open(const char *name, const char *mode)
{
    FILE *file = fopen(path_of(name), mode);

    assert_non_null(file);
    return file;
}

void put_back(const char *name)
{
    FILE *file = list_open("undo/unsettled", "a");

    fprintf(file, "%c%s%c", 0, path_of(name), 0);
    fclose(file);
}

/* A folder that others had filled. */
void stayed(const char *name)
{
    FILE *file = list_open("undo/unsettled", "a");

    fprintf(file, "%c%s%s%c", 0, FT_UNSETTLED_STAYED, path_of(name), 0);
    fclose(file);
}

void has_turn(uint64_t moment, uint32_t number, int change, const char *name)
{
    FILE *file = list_open("undo/rank/turns", "a");
    const char *path = path_of(name);
    size_t padded = (strlen(path) + 8) & ~7UL;
    struct ft_undo_turn turn = {.moment = moment,
                                .look = listed_look,
                                .number = number,
                                .change = (uint32_t)change,
                                .waits = number != 0,
                                .needs = listed_needs,
                                .bytes = (uint32_t)(sizeof turn + padded)};
    char text[136] = "";

    strcpy(text, path);
    fwrite(&turn, sizeof turn, 1, file);
    fwrite(text, padded, 1, file);
    fclose(file);
}

/* The one turn in this file waits for nobody. */
void first_waits_not(const char *name)
{
    FILE *file = list_open(name, "r+");
    struct ft_undo_turn turn;

    assert_int_equal(fread(&turn, sizeof turn, 1, file), 1);
    turn.waits = 0;
    rewind(file);
    assert_int_equal(fwrite(&turn, sizeof turn, 1, file), 1);
    fclose(file);
}

/* As the `look`th access of the path at that moment. */
void has_turn_at(uint64_t look, uint64_t moment, uint32_t number, int change, const char *name)
{
    listed_look = look;
    has_turn(moment, number, change, name);
    listed_look = 1;
}

void has_found(enum ft_access_needs found, uint64_t moment, uint32_t number, const char *name)
{
    listed_needs = found;
    has_turn(moment, number, FT_ACCESS_READ, name);
    listed_needs = FT_NEEDS_NOTHING;
}

/* The lists are in force. The rank is in its 6th call, and had been in `reached`. */
void go(uint64_t reached)
{
    fclose(list_open("undo/unsettled", "a"));
    recorder.unsettled = ++lists;
    recorder.reached = reached;
}

void grants(void)
{
    recorder.granted = NUMBER;
}

void settles(void)
{
    recorder.unsettled = 0;
}

void nothing_happens(void)
{
}

/* How often the rank has to look before the access of the path goes on, when ftrun does it behind
 * the third look. */
int waits(const char *path, enum files_kind kind, void (*what)(void))
{
    passes = 0;
    rounds = 2;
    awaited = recorder.granted = 0;
    recorder.unsettled = lists;
    happens = what;
    errno = EXDEV;
    files_settle(&self, AT_FDCWD, path, kind, "open", NULL);
    assert_int_equal(errno, EXDEV);
    assert_int_equal(recorder.awaits, 0);
    assert_int_equal(recorder.where, FT_WHERE_USER);
    assert_int_equal(ft_depth, 0);
    return passes;
}

int waits_for_all(const char *path, enum files_kind kind)
{
    int looks = waits(path, kind, settles);

    if (looks > 0)
        assert_int_equal(awaited, FT_AWAITS_ALL);
    return looks;
}

int waits_for_turn(const char *path, enum files_kind kind)
{
    int looks = waits(path, kind, grants);

    if (looks > 0)
        assert_int_equal(awaited, NUMBER);
    return looks;
}

void makes_folder(void)
{
    mkdir(path_of("folder/new"), 0700);
}
