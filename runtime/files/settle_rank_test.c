/* settle_rank_test: what an access of a file waits for (settle.c). What ftrun does meanwhile is in
 * ft_gate_pass, here: it plays a step of a script each time the rank looks once more. */
#include "files/settle.h"

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

#include "files/format.h"
#include "files/record.h"
#include "os/os.h"

#define NUMBER 12 /* of a turn */

struct ft_life ft_life;
__thread int ft_depth __attribute__((tls_model("initial-exec"))) = 1;

static struct ft_recorder recorder;
static struct ft_files files;
static struct ft_rank self;
static char work[64], refused[512];
static uint32_t lists;     /* number of the newest ones */
static int passes, rounds; /* looks, and how many of them nothing happens in */
static void (*happens)(void);
static uint32_t awaited; /* at the last look */
static int clock_looks;
static double clock_step; /* seconds between two looks at the clock */
static uint64_t listed_look = 1;          /* of turns, */
static uint64_t look_now = 1;             /* and of the access that is made */
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

static const char *path_of(const char *name)
{
    static char path[8][128];
    static int next;

    next = (next + 1) % 8;
    snprintf(path[next], sizeof path[next], "%s/%s", work, name);
    return path[next];
}

static int setup(void **state)
{
    (void)state;
    strcpy(work, "/tmp/settle_rank.XXXXXX");
    if (mkdtemp(work) == NULL)
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

static int teardown(void **state)
{
    static const char *const name[] = {
        "undo/rank/turns", "undo/rank", "undo/unsettled", "undo", "folder/file",
        "folder",          "link",      "lost",           "way"};

    (void)state;
    free(files.made);
    for (int i = 0; i < 9; i++)
        remove(path_of(name[i]));
    return rmdir(work);
}

/* ftrun. */

static FILE *list_open(const char *name, const char *mode)
{
    FILE *file = fopen(path_of(name), mode);

    assert_non_null(file);
    return file;
}

static void put_back(const char *name)
{
    FILE *file = list_open("undo/unsettled", "a");

    fprintf(file, "%c%s%c", 0, path_of(name), 0);
    fclose(file);
}

/* A folder that others had filled. */
static void stayed(const char *name)
{
    FILE *file = list_open("undo/unsettled", "a");

    fprintf(file, "%c%s%s%c", 0, FT_UNSETTLED_STAYED, path_of(name), 0);
    fclose(file);
}

static void has_turn(uint64_t moment, uint32_t number, int change, const char *name)
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
static void first_waits_not(const char *name)
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
static void has_turn_at(uint64_t look, uint64_t moment, uint32_t number, int change,
                        const char *name)
{
    listed_look = look;
    has_turn(moment, number, change, name);
    listed_look = 1;
}

static void has_found(enum ft_access_needs found, uint64_t moment, uint32_t number,
                      const char *name)
{
    listed_needs = found;
    has_turn(moment, number, FT_ACCESS_READ, name);
    listed_needs = FT_NEEDS_NOTHING;
}

/* The lists are in force. The rank is in its 6th call, and had been in `reached`. */
static void go(uint64_t reached)
{
    fclose(list_open("undo/unsettled", "a"));
    recorder.unsettled = ++lists;
    recorder.reached = reached;
}

static void grants(void)
{
    recorder.granted = NUMBER;
}

static void settles(void)
{
    recorder.unsettled = 0;
}

static void nothing_happens(void)
{
}

/* How often the rank has to look before the access of the path goes on, when ftrun does it behind
 * the third look. */
static int waits(const char *path, enum files_kind kind, void (*what)(void))
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

static int waits_for_all(const char *path, enum files_kind kind)
{
    int looks = waits(path, kind, settles);

    if (looks > 0)
        assert_int_equal(awaited, FT_AWAITS_ALL);
    return looks;
}

static int waits_for_turn(const char *path, enum files_kind kind)
{
    int looks = waits(path, kind, grants);

    if (looks > 0)
        assert_int_equal(awaited, NUMBER);
    return looks;
}

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

static void makes_folder(void)
{
    mkdir(path_of("folder/new"), 0700);
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
        CASE(a_lock_is_taken_in_turn),
        CASE(a_lock_that_was_not_taken_is_not),
        CASE(a_lock_of_another_rank_is_taken),
        CASE(each_change_of_a_name_has_its_turn),
        CASE(a_change_has_its_turn_behind_fewer_looks),
        CASE(who_has_begun_goes_on),
        CASE(the_last_accesses_are_done_again),
        CASE(another_turn_is_not_its_own),
        CASE(a_turn_behind_a_folder_that_is_gone),
        CASE(a_link_has_its_own_turn),
        CASE(who_failed_otherwise_asks_libc_again),
        CASE(the_first_one_waits_for_its_folder),
        CASE(a_folder_that_was_not_put_back_is_not_waited_for),
        CASE(who_found_nothing_needs_no_folder),
        CASE(another_path_behind_a_folder_that_is_gone_has_no_turn),
        CASE(the_last_call_is_none_that_is_done_again),
        CASE(what_is_open_waits_likewise),
        CASE(a_path_may_be_asked_for),
        CASE(a_folder_that_others_have_filled_was_made),
        CASE(it_is_made_once),
        CASE(a_folder_that_others_have_emptied_was_made),
        CASE(a_folder_that_was_there_is_taken),
        CASE(who_tried_in_vain_does_so_again_before_its_turn),
        CASE(a_way_that_never_was_is_not_waited_for),
        CASE(a_thread_waits_and_is_refused_in_the_end),
        CASE(a_thread_waits_while_another_one_calls_mpi),
        CASE(a_thread_goes_on_when_all_is_settled),
        CASE(a_callback_waits_without_the_gate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
