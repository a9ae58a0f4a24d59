/* Undo records, written by the wrappers of changes.c and its kin, and applied by undo.c.
 *
 * The main test is a property: after any sequence of file operations of several ranks, with
 * checkpoints (some of them abandoned) in between, rolling back to a checkpoint gives the tree
 * of that checkpoint. */
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

#include "files/undo_tree.h"

#define ROUNDS 25
#define STEPS 40
#define KEEP 16

static int
    log_fd[RANKS]; /* each rank's descriptor of a common log, opened before the checkpoints */

static const char *names[] = {"a", "b", "c", "d/x", "d/y", "e/z", "l"};

static const char *any_name(void)
{
    return names[rand() % 7];
}

/* One random operation of one of so many ranks. Failures are fine: a program may try anything. */
static void step(int number, int ranks)
{
    char text[32];
    const char *name = any_name(), *path = tree_path(name);
    int fd;

    act_as(rand() % ranks);
    snprintf(text, sizeof text, "%d.", number);
    switch (rand() % 15) {
    case 0:
    case 1:
        file_put(name, "w", text);
        break;
    case 2:
    case 3:
        file_put(name, "a", text);
        break;
    case 4:
        file_put(name, "r+", text);
        break;
    case 5:
        unlink(path);
        break;
    case 6:
        if (strcmp(name, "d") != 0)
            rename(path, tree_path(any_name()));
        break;
    case 7:
        mkdir(tree_path(rand() % 2 ? "d" : "e"), 0750);
        break;
    case 8:
        rmdir(tree_path(rand() % 2 ? "d" : "e"));
        break;
    case 9:
        symlink("a", tree_path("l"));
        break;
    case 10:
        truncate(path, rand() % 12);
        break;
    case 11:
        if ((fd = open(path, O_RDWR)) >= 0) {
            pwrite(fd, text, strlen(text), rand() % 8);
            close(fd);
        }
        break;
    case 12:
        if ((fd = open(path, O_WRONLY | O_CREAT, 0640)) >= 0) {
            lseek(fd, rand() % 8, SEEK_SET);
            write(fd, text, strlen(text));
            ftruncate(fd, rand() % 20);
            close(fd);
        }
        break;
    default:
        write(log_fd[ft_self - rank], text, strlen(text));
    }
    act_as(-1);
}

struct taken {
    char *text; /* the tree */
    struct ft_files image[RANKS];
};

/* Ranks that have their part go on before the others have theirs. */
static void checkpoint_take(struct taken *taken, uint32_t number, int now)
{
    for (int r = 0; r < RANKS; r++)
        ft_files_hold(&rank[r]);
    taken->text = tree_snapshot();
    for (int r = 0; r < RANKS; r++) {
        act_as(r);
        ft_depth = 1;
        ft_files_save(&rank[r], number);
        taken->image[r] = files[r];
        act_as(-1);
        if (rand() % 2)
            step(now, r + 1);
    }
}

static void logs_open(void)
{
    for (int r = 0; r < RANKS; r++) {
        act_as(r);
        log_fd[r] = open(tree_path("log"), O_WRONLY | O_CREAT | O_APPEND, 0600);
        assert_true(log_fd[r] >= 0);
    }
    act_as(-1);
}

/* Every rank dies and comes back with the image of checkpoint `number`. */
static void go_back(int number, const struct ft_files image[RANKS])
{
    const char *folder[RANKS] = {store[0], store[1], store[2]};
    char failed[FT_WIRE_PATH];
    int code;

    for (int r = 0; r < RANKS; r++)
        close(log_fd[r]);
    code =
        ft_undo_apply(&(struct ft_undo_party){.folders = folder, .count = RANKS, .number = number},
                      1, failed, NULL, NULL);
    if (code != 0)
        fail_msg("undo of %s: %s", failed, strerror(-code));
    for (int r = 0; r < RANKS; r++) {
        files[r] = image[r];
        files[r].paths = NULL;
        files[r].inodes = NULL;
        files[r].descriptor = NULL;
        files[r].descriptors = 0;
    }
    logs_open();
    for (int r = 0; r < RANKS; r++) { /* as ft_files_restore does */
        struct files_size size = {.path = tree_path("log")};

        assert_int_equal(stat(size.path, &size.status), 0);
        act_as(r);
        ft_depth = 1;
        assert_int_equal(files_record_sizes(&files[r], &size, 1), 0);
        act_as(-1);
    }
}

static void round_run(unsigned seed)
{
    struct taken taken[KEEP] = {{.text = NULL}};
    int newest = -1, oldest = 0;

    srand(seed);
    for (int i = 0; i < STEPS * 4; i++) {
        step(i, RANKS);
        if (i % 7 == 6 && newest + 1 < KEEP) {
            if (rand() % 4 == 0) { /* abandoned: the number is used again */
                checkpoint_take(&taken[newest + 1], (uint32_t)newest + 1, i);
                free(taken[newest + 1].text);
                step(i, RANKS);
            }
            newest++;
            checkpoint_take(&taken[newest], (uint32_t)newest, i);
        }
        if (newest >= oldest && rand() % 15 == 0) {
            char *now;
            int to = oldest + rand() % (newest - oldest + 1);

            go_back(to, taken[to].image);
            now = tree_snapshot();
            if (strcmp(now, taken[to].text) != 0)
                fail_msg("seed %u step %d: back to %d gives\n%s\nnot\n%s", seed, i, to, now,
                         taken[to].text);
            free(now);
            for (; newest > to; newest--)
                free(taken[newest].text);
        }
        if (newest - oldest > 3) {
            for (int r = 0; r < RANKS; r++)
                assert_int_equal(ft_undo_drop(store[r], oldest + 1), 0);
            oldest++;
        }
    }
}

static void test_any_sequence_is_undone(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= ROUNDS; seed++) {
        tree_setup(NULL);
        logs_open();
        file_put("a", "w", "alpha");
        file_put("b", "w", "beta");
        round_run(seed);
        for (int r = 0; r < RANKS; r++)
            close(log_fd[r]);
    }
}

static void test_back_to_the_start(void **state)
{
    const char *folder[RANKS] = {store[0], store[1], store[2]};
    char failed[FT_WIRE_PATH], *before, *after;

    tree_setup(state);
    file_put("a", "w", "alpha");
    before = tree_snapshot();
    act_as(0);
    file_put("a", "w", "other");
    file_put("b", "w", "new");
    mkdir(tree_path("d"), 0700);
    file_put("d/x", "w", "inner");
    act_as(1);
    file_put("a", "a", "more");
    act_as(-1);
    assert_int_equal(
        ft_undo_apply(&(struct ft_undo_party){.folders = folder, .count = RANKS, .number = -1}, 1,
                      failed, NULL, NULL),
        0);
    after = tree_snapshot();
    assert_string_equal(before, after);
    free(before);
    free(after);
}

/* Only the first destructive open of an interval copies. */
static void test_one_record_an_interval(void **state)
{
    tree_setup(state);
    file_put("a", "w", "alpha");
    act_as(0);
    file_put("a", "w", "1");
    file_put("a", "w", "2");
    file_put("a", "r+", "3");
    act_as(-1);
    assert_int_equal(files[0].sequence, 1);
}

static void test_temporary_files_vanish(void **state)
{
    char name[512], folder_name[512], failed[FT_WIRE_PATH], *before, *after;
    int fd;

    tree_setup(state);
    before = tree_snapshot();
    act_as(0);
    snprintf(name, sizeof name, "%s/tXXXXXX.dat", tree);
    fd = mkstemps(name, 4);
    assert_true(fd >= 0);
    close(fd);
    snprintf(folder_name, sizeof folder_name, "%s/dXXXXXX", tree);
    assert_ptr_equal(mkdtemp(folder_name), folder_name);
    act_as(-1);
    assert_int_equal(undo_first(-1, failed), 0);
    after = tree_snapshot();
    assert_string_equal(before, after);
    free(before);
    free(after);
}

static void by_dprintf(void)
{
    int fd = open(tree_path("a"), O_WRONLY);

    assert_int_equal(dprintf(fd, "%d", 12345), 5);
    close(fd);
}

static int print(int fd, const char *format, ...)
{
    va_list list;
    int length;

    va_start(list, format);
    length = vdprintf(fd, format, list);
    va_end(list);
    return length;
}

static void by_vdprintf(void)
{
    int fd = open(tree_path("a"), O_WRONLY);

    assert_int_equal(print(fd, "%s", "123"), 3);
    close(fd);
}

static void by_splice(void)
{
    int fd = open(tree_path("a"), O_WRONLY), end[2];

    assert_int_equal(pipe(end), 0);
    assert_int_equal(write(end[1], "1234", 4), 4);
    assert_int_equal(splice(end[0], NULL, fd, NULL, 4, 0), 4);
    close(end[0]);
    close(end[1]);
    close(fd);
}

static void by_freopen(void)
{
    FILE *stream = fopen(tree_path("a"), "r");

    stream = freopen(NULL, "r+", stream);
    assert_non_null(stream);
    assert_int_equal(fputc('1', stream), '1');
    fclose(stream);
}

static void by_mknodat(void)
{
    assert_int_equal(mknodat(AT_FDCWD, tree_path("pipe"), S_IFIFO | 0600, 0), 0);
}

/* Each record is made before libc acts, which calls none of its own wrapped functions. */
static void test_each_way_to_write_is_undone(void **state)
{
    static void (*const way[])(void) = {by_dprintf, by_vdprintf, by_splice, by_freopen, by_mknodat};
    char failed[FT_WIRE_PATH], *before, *after;

    for (size_t i = 0; i < sizeof way / sizeof way[0]; i++) {
        tree_setup(state);
        act_as(-1);
        file_put("a", "w", "what it was");
        before = tree_snapshot();
        act_as(0);
        way[i]();
        after = tree_snapshot();
        assert_string_not_equal(before, after);
        free(after);
        assert_int_equal(undo_first(-1, failed), 0);
        after = tree_snapshot();
        assert_string_equal(before, after);
        free(before);
        free(after);
    }
}

/* A file with a hole between two bytes: neither its copy nor what is put back has room for that. */
static void test_holes_stay_holes(void **state)
{
    const off_t far = 64 << 20;
    char failed[FT_WIRE_PATH], bytes[2] = "";
    struct stat status;
    int fd;

    tree_setup(state);
    fd = open(tree_path("a"), O_RDWR | O_CREAT, 0600);
    assert_int_equal(pwrite(fd, "1", 1, far), 1);
    assert_int_equal(ftruncate(fd, 2 * far), 0);
    act_as(0);
    assert_int_equal(pwrite(fd, "2", 1, far), 1);
    assert_int_equal(pwrite(fd, "2", 1, 7), 1);
    act_as(-1);
    assert_int_equal(stat(path_in(store[0], "00000000-000000000000.data"), &status), 0);
    assert_int_equal(status.st_size, 2 * far);
    assert_true(status.st_blocks < 2048);
    assert_int_equal(undo_first(-1, failed), 0);
    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(status.st_size, 2 * far);
    assert_true(status.st_blocks < 2048);
    assert_int_equal(pread(fd, bytes, 1, far), 1);
    assert_string_equal(bytes, "1");
    assert_int_equal(pread(fd, bytes, 1, 7), 1);
    assert_int_equal(bytes[0], 0);
    close(fd);
}

/* The name of a copy may be that of one of an earlier life, which has another name, too. */
static void test_an_earlier_copy_is_not_written_over(void **state)
{
    char name[FT_WIRE_PATH + FT_UNDO_NAME], text[16] = "";
    int fd;

    tree_setup(state);
    act_as(-1);
    file_put("a", "w", "new");
    file_put("b", "w", "earlier");
    act_as(0);
    files_record_name(name, sizeof name, files[0].interval, files[0].sequence, ".data");
    act_as(-1);
    assert_int_equal(link(tree_path("b"), name), 0);
    act_as(0);
    file_put("a", "w", "newer");
    act_as(-1);
    fd = open(tree_path("b"), O_RDONLY);
    assert_int_equal(read(fd, text, sizeof text - 1), 7);
    assert_string_equal(text, "earlier");
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_sequence_is_undone),
                                       cmocka_unit_test(test_back_to_the_start),
                                       cmocka_unit_test(test_one_record_an_interval),
                                       cmocka_unit_test(test_temporary_files_vanish),
                                       cmocka_unit_test(test_each_way_to_write_is_undone),
                                       cmocka_unit_test(test_an_earlier_copy_is_not_written_over),
                                       cmocka_unit_test(test_holes_stay_holes)};

    setvbuf(stdout, NULL, _IONBF, 0);
    return cmocka_run_group_tests(tests, tree_setup, tree_teardown);
}
