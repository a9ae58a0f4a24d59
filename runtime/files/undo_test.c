/* Undo records, written by the wrappers of changes.c and its kin, and applied by undo.c.
 *
 * The main test is a property: after any sequence of file operations of several ranks, with
 * checkpoints (some of them abandoned) in between, going back to a checkpoint gives the tree of
 * that checkpoint. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "files/put.h"
#include "files/undo.h"

#define RANKS 3
#define ROUNDS 25
#define STEPS 40
#define KEEP 16

static char work[] = "/tmp/ft_undo_test.XXXXXX";
static char tree[256], store[RANKS][256];
static struct ft_rank rank[RANKS];
static struct ft_recorder recorder[RANKS];
static struct ft_files files[RANKS];
static int
    log_fd[RANKS]; /* each rank's descriptor of a common log, opened before the checkpoints */

static const char *path_of(const char *name)
{
    static char path[8][512];
    static int next;

    next = (next + 1) % 8;
    snprintf(path[next], sizeof path[next], "%s/%s", tree, name);
    return path[next];
}

/* From here on this process acts as rank r's program (-1: as nobody). */
static void act_as(int r)
{
    ft_self = r < 0 ? NULL : &rank[r];
    ft_depth = r < 0;
    if (r >= 0)
        rank[r].recorder = &recorder[r];
    if (r >= 0)
        strcpy(ft_life.boot.undo, store[r]);
}

static void file_put(const char *name, const char *mode, const char *text)
{
    FILE *stream = fopen(path_of(name), mode);

    if (stream != NULL) {
        fputs(text, stream);
        fclose(stream);
    }
}

static char *snapshot_text;
static size_t snapshot_length;
static FILE *snapshot_stream;

static int snapshot_visit(const char *path, const struct stat *status, int type, struct FTW *at)
{
    char bytes[4096] = "";
    int fd;

    (void)at;
    fprintf(snapshot_stream, "%s %d %o ", path + strlen(tree), type, status->st_mode & 07777);
    if (type == FTW_SL && readlink(path, bytes, sizeof bytes - 1) > 0)
        fprintf(snapshot_stream, "-> %s", bytes);
    if (type == FTW_F && S_ISREG(status->st_mode) && (fd = open(path, O_RDONLY)) >= 0) {
        ssize_t length = read(fd, bytes, sizeof bytes);

        fwrite(bytes, 1, length > 0 ? (size_t)length : 0, snapshot_stream);
        close(fd);
    }
    fputc('\n', snapshot_stream);
    return 0;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The tree as sorted text, owned by the caller. */
static char *snapshot(void)
{
    char *line[256], *sorted, *rest;
    size_t count = 0;

    act_as(-1);
    snapshot_stream = open_memstream(&snapshot_text, &snapshot_length);
    nftw(tree, snapshot_visit, 8, FTW_PHYS);
    fclose(snapshot_stream);
    sorted = calloc(1, snapshot_length + 1);
    for (char *at = strtok_r(snapshot_text, "\n", &rest); at && count < 256;
         at = strtok_r(NULL, "\n", &rest))
        line[count++] = at;
    qsort(line, count, sizeof *line, compare_lines);
    for (size_t i = 0; i < count; i++)
        strcat(strcat(sorted, line[i]), "\n");
    free(snapshot_text);
    return sorted;
}

static const char *names[] = {"a", "b", "c", "d/x", "d/y", "e/z", "l"};

static const char *any_name(void)
{
    return names[rand() % 7];
}

/* One random operation of one of so many ranks. Failures are fine: a program may try anything. */
static void step(int number, int ranks)
{
    char text[32];
    const char *name = any_name(), *path = path_of(name);
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
            rename(path, path_of(any_name()));
        break;
    case 7:
        mkdir(path_of(rand() % 2 ? "d" : "e"), 0750);
        break;
    case 8:
        rmdir(path_of(rand() % 2 ? "d" : "e"));
        break;
    case 9:
        symlink("a", path_of("l"));
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
    taken->text = snapshot();
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
        log_fd[r] = open(path_of("log"), O_WRONLY | O_CREAT | O_APPEND, 0600);
        assert_true(log_fd[r] >= 0);
    }
    act_as(-1);
}

/* Rank 0 alone goes back. */
static int undo_first(int number, char *failed)
{
    const char *folder = store[0];

    return ft_undo_apply(&(struct ft_undo_party){&folder, 1, number, 0}, 1, failed, NULL, NULL);
}

/* Every rank dies and comes back with the image of checkpoint `number`. */
static void go_back(int number, const struct ft_files image[RANKS])
{
    const char *folder[RANKS] = {store[0], store[1], store[2]};
    char failed[FT_WIRE_PATH];
    int code;

    for (int r = 0; r < RANKS; r++)
        close(log_fd[r]);
    code = ft_undo_apply(&(struct ft_undo_party){folder, RANKS, number, 0}, 1, failed, NULL, NULL);
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
        struct files_size size = {.path = path_of("log")};

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
            now = snapshot();
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

static int remove_visit(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status;
    (void)type;
    return at->level == 0 ? 0 : remove(path);
}

static int setup(void **state)
{
    (void)state;
    act_as(-1);
    if (strstr(work, "XXXXXX") != NULL && mkdtemp(work) == NULL)
        return -1;
    nftw(work, remove_visit, 8, FTW_PHYS | FTW_DEPTH);
    snprintf(tree, sizeof tree, "%s/tree", work);
    mkdir(tree, 0700);
    memset(files, 0, sizeof files);
    for (int r = 0; r < RANKS; r++) {
        snprintf(store[r], sizeof store[r], "%s/undo%d", work, r);
        mkdir(store[r], 0700);
        rank[r].files = &files[r];
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    nftw(work, remove_visit, 8, FTW_PHYS | FTW_DEPTH);
    rmdir(work);
    return 0;
}

static void test_any_sequence_is_undone(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= ROUNDS; seed++) {
        setup(NULL);
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

    setup(state);
    file_put("a", "w", "alpha");
    before = snapshot();
    act_as(0);
    file_put("a", "w", "other");
    file_put("b", "w", "new");
    mkdir(path_of("d"), 0700);
    file_put("d/x", "w", "inner");
    act_as(1);
    file_put("a", "a", "more");
    act_as(-1);
    assert_int_equal(
        ft_undo_apply(&(struct ft_undo_party){folder, RANKS, -1, 0}, 1, failed, NULL, NULL), 0);
    after = snapshot();
    assert_string_equal(before, after);
    free(before);
    free(after);
}

static char told[256], *tree_when_told;

static void tell(void *context, const char *path, enum ft_undo_fate fate)
{
    static const char *const mark[] = {
        [FT_UNDO_PENDING] = " ", [FT_UNDO_STAYED] = "! ", [FT_UNDO_LENT] = "? "};
    char *now = snapshot();

    assert_ptr_equal(context, told);
    if (fate == FT_UNDO_PENDING)
        assert_string_equal(now, tree_when_told);
    free(now);
    strcat(strcat(told, path + strlen(tree)), mark[fate]);
}

/* Each path once, whoever changed it how often, while all is as it was; nothing when it cannot be
 * put back. */
static void test_paths_are_told(void **state)
{
    const char *folder[RANKS] = {store[0], store[1], store[2]};
    struct ft_undo_party party = {folder, RANKS, -1, 0};
    char failed[FT_WIRE_PATH], data[600];

    setup(state);
    file_put("a", "w", "alpha");
    act_as(0);
    file_put("b", "w", "new");
    file_put("a", "w", "other");
    act_as(1);
    file_put("a", "a", "more");
    act_as(-1);
    tree_when_told = snapshot();
    snprintf(data, sizeof data, "%s/00000000-000000000001.data", store[0]);
    assert_int_equal(truncate(data, 1), 0);
    assert_int_equal(ft_undo_apply(&party, 1, failed, tell, told), -EBADMSG);
    assert_string_equal(told, "");
    file_put("../undo0/00000000-000000000001.data", "w", "alpha");
    assert_int_equal(ft_undo_apply(&party, 1, failed, tell, told), 0);
    assert_string_equal(told, "/a /b ");
    free(tree_when_told);
}

/* Those that somebody else has filled, once they have stayed. */
static void test_folders_that_stay_are_told(void **state)
{
    const char *folder[RANKS] = {store[0], store[1], store[2]};
    struct ft_undo_party party = {folder, RANKS, -1, 0};
    char failed[FT_WIRE_PATH];

    setup(state);
    act_as(0);
    mkdir(path_of("empty"), 0700);
    mkdir(path_of("filled"), 0700);
    act_as(-1);
    file_put("filled/x", "w", "other's");
    tree_when_told = snapshot();
    *told = 0;
    assert_int_equal(ft_undo_apply(&party, 1, failed, tell, told), 0);
    assert_string_equal(told, "/empty /filled /filled! ");
    free(tree_when_told);
}

/* Somebody else has removed them, and keeps that. */
static void test_folders_that_are_gone_are_lent(void **state)
{
    const char *folder[RANKS] = {store[0], store[1], store[2]};
    struct ft_undo_party party = {folder, RANKS, -1, 0};
    char failed[FT_WIRE_PATH], *before, *after;

    setup(state);
    mkdir(path_of("d"), 0700);
    mkdir(path_of("d/e"), 0700);
    file_put("d/e/x", "w", "alpha");
    mkdir(path_of("f"), 0700);
    before = snapshot();
    act_as(0);
    unlink(path_of("d/e/x"));
    file_put("f/new", "w", "to be made again");
    unlink(path_of("f/new"));
    mkdir(path_of("g"), 0700);
    file_put("g/new", "w", "to be made again, behind the folder");
    unlink(path_of("g/new"));
    rmdir(path_of("g"));
    act_as(-1);
    rmdir(path_of("d/e"));
    rmdir(path_of("d"));
    rmdir(path_of("f"));
    *told = 0;
    tree_when_told = snapshot();
    assert_int_equal(ft_undo_apply(&party, 1, failed, tell, told), 0);
    assert_string_equal(told, "/d/e/x /f/new /g /g/new /d? /d/e? /f? ");
    after = snapshot();
    assert_string_equal(before, after);
    free(before);
    free(after);
    free(tree_when_told);
}

/* Only the first destructive open of an interval copies. */
static void test_one_record_an_interval(void **state)
{
    setup(state);
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

    setup(state);
    before = snapshot();
    act_as(0);
    snprintf(name, sizeof name, "%s/tXXXXXX.dat", tree);
    fd = mkstemps(name, 4);
    assert_true(fd >= 0);
    close(fd);
    snprintf(folder_name, sizeof folder_name, "%s/dXXXXXX", tree);
    assert_ptr_equal(mkdtemp(folder_name), folder_name);
    act_as(-1);
    assert_int_equal(undo_first(-1, failed), 0);
    after = snapshot();
    assert_string_equal(before, after);
    free(before);
    free(after);
}

static void by_dprintf(void)
{
    int fd = open(path_of("a"), O_WRONLY);

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
    int fd = open(path_of("a"), O_WRONLY);

    assert_int_equal(print(fd, "%s", "123"), 3);
    close(fd);
}

static void by_splice(void)
{
    int fd = open(path_of("a"), O_WRONLY), end[2];

    assert_int_equal(pipe(end), 0);
    assert_int_equal(write(end[1], "1234", 4), 4);
    assert_int_equal(splice(end[0], NULL, fd, NULL, 4, 0), 4);
    close(end[0]);
    close(end[1]);
    close(fd);
}

static void by_freopen(void)
{
    FILE *stream = fopen(path_of("a"), "r");

    stream = freopen(NULL, "r+", stream);
    assert_non_null(stream);
    assert_int_equal(fputc('1', stream), '1');
    fclose(stream);
}

static void by_mknodat(void)
{
    assert_int_equal(mknodat(AT_FDCWD, path_of("pipe"), S_IFIFO | 0600, 0), 0);
}

/* Of each the record is made before libc acts, which calls none of its own functions that are seen.
 */
static void test_each_way_to_write_is_undone(void **state)
{
    static void (*const way[])(void) = {by_dprintf, by_vdprintf, by_splice, by_freopen, by_mknodat};
    char failed[FT_WIRE_PATH], *before, *after;

    for (size_t i = 0; i < sizeof way / sizeof way[0]; i++) {
        setup(state);
        act_as(-1);
        file_put("a", "w", "what it was");
        before = snapshot();
        act_as(0);
        way[i]();
        after = snapshot();
        assert_string_not_equal(before, after);
        free(after);
        assert_int_equal(undo_first(-1, failed), 0);
        after = snapshot();
        assert_string_equal(before, after);
        free(before);
        free(after);
    }
}

/* The name of a copy may be that of one of an earlier life, which has another name, too. */
static void test_an_earlier_copy_is_not_written_over(void **state)
{
    char name[FT_WIRE_PATH + FT_UNDO_NAME], text[16] = "";
    int fd;

    setup(state);
    act_as(-1);
    file_put("a", "w", "new");
    file_put("b", "w", "earlier");
    act_as(0);
    files_record_name(name, sizeof name, files[0].interval, files[0].sequence, ".data");
    act_as(-1);
    assert_int_equal(link(path_of("b"), name), 0);
    act_as(0);
    file_put("a", "w", "newer");
    act_as(-1);
    fd = open(path_of("b"), O_RDONLY);
    assert_int_equal(read(fd, text, sizeof text - 1), 7);
    assert_string_equal(text, "earlier");
    close(fd);
}

static char *bytes_read(const char *path, long *length)
{
    FILE *stream = fopen(path, "r");
    char *bytes;

    assert_non_null(stream);
    fseek(stream, 0, SEEK_END);
    *length = ftell(stream);
    rewind(stream);
    bytes = malloc((size_t)*length + 1);
    assert_int_equal(fread(bytes, 1, (size_t)*length, stream), *length);
    fclose(stream);
    return bytes;
}

static void bytes_write(const char *path, const char *bytes, long length)
{
    FILE *stream = fopen(path, "w");

    fwrite(bytes, 1, (size_t)length, stream);
    fclose(stream);
}

/* Flips bits of, or cuts, one file of the store; nothing may be undone by it. */
static void damage_and_apply(const char *path, const char *now)
{
    char failed[FT_WIRE_PATH], *after, *whole, *bytes;
    long length, cut;

    whole = bytes_read(path, &length);
    for (int i = 0; i < 400; i++) {
        bytes = memcpy(malloc((size_t)length), whole, (size_t)length);
        bytes[rand() % length] ^= (char)(1 << rand() % 8);
        cut = i % 3 ? length : rand() % length;
        bytes_write(path, bytes, cut);
        free(bytes);
        assert_int_equal(undo_first(-1, failed), -EBADMSG);
        assert_memory_equal(failed, store[0], strlen(store[0]));
    }
    after = snapshot();
    assert_string_equal(now, after);
    free(after);
    bytes_write(path, whole, length);
    free(whole);
}

static void test_damaged_records_are_refused(void **state)
{
    char failed[FT_WIRE_PATH], path[600], *before, *now, *after;

    setup(state);
    file_put("a", "w", "alpha");
    before = snapshot();
    act_as(0);
    file_put("a", "w", "other");
    act_as(-1);
    now = snapshot();
    snprintf(path, sizeof path, "%s/00000000-000000000000.undo", store[0]);
    damage_and_apply(path, now);
    snprintf(path, sizeof path, "%s/00000000-000000000000.data", store[0]);
    damage_and_apply(path, now);
    assert_int_equal(undo_first(-1, failed), 0);
    after = snapshot();
    assert_string_equal(before, after);
    free(before);
    free(now);
    free(after);
}

/* Damage that the checksum does not show: all bytes but the path's, in a record made valid again.
 * Whatever the record says then, reading it must be safe (run with FT_SANITIZE). */
static void test_strange_records_are_safe(void **state)
{
    size_t head_bytes = sizeof(struct ft_undo_head);
    char failed[FT_WIRE_PATH], path[600], *whole, *bytes;
    struct ft_undo_head head;
    long length;

    setup(state);
    file_put("a", "w", "alpha");
    act_as(0);
    file_put("a", "w", "other");
    act_as(-1);
    snprintf(path, sizeof path, "%s/00000000-000000000000.undo", store[0]);
    whole = bytes_read(path, &length);
    for (int i = 0; i < 3000; i++) {
        size_t at = 8 + (size_t)rand() % (head_bytes + sizeof(struct ft_undo_entry) - 8);

        bytes = memcpy(malloc((size_t)length), whole, (size_t)length);
        bytes[at] = (char)(rand() % 3 ? bytes[at] ^ (1 << rand() % 8) : rand());
        memcpy(&head, bytes, head_bytes);
        head.checksum = 0;
        memcpy(bytes, &head, head_bytes);
        head.checksum = XXH3_64bits(bytes, (size_t)length);
        memcpy(bytes, &head, head_bytes);
        bytes_write(path, bytes, length);
        free(bytes);
        undo_first(-1, failed);
        snprintf(path, sizeof path, "%s/00000000-000000000000.data", store[0]);
        bytes_write(path, "alpha", 5);
        snprintf(path, sizeof path, "%s/00000000-000000000000.undo", store[0]);
    }
    free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_sequence_is_undone),
                                       cmocka_unit_test(test_back_to_the_start),
                                       cmocka_unit_test(test_paths_are_told),
                                       cmocka_unit_test(test_folders_that_stay_are_told),
                                       cmocka_unit_test(test_folders_that_are_gone_are_lent),
                                       cmocka_unit_test(test_one_record_an_interval),
                                       cmocka_unit_test(test_temporary_files_vanish),
                                       cmocka_unit_test(test_each_way_to_write_is_undone),
                                       cmocka_unit_test(test_an_earlier_copy_is_not_written_over),
                                       cmocka_unit_test(test_damaged_records_are_refused),
                                       cmocka_unit_test(test_strange_records_are_safe)};

    setvbuf(stdout, NULL, _IONBF, 0);
    return cmocka_run_group_tests(tests, setup, teardown);
}
