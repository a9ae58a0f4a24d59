/* store_test: a commit is found again as it was, and nothing half-made is. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "store/store.h"

static char base[64], path[FT_STORE_PATH], why[FT_STORE_WHY];
static struct ft_store *store;
static const char *unsynced; /* a folder for which fsync fails; NULL: none */

/* In place of the C library's. */
int fsync(int fd)
{
    struct stat file, folder;

    if (!unsynced || fstat(fd, &file) || stat(unsynced, &folder) || file.st_ino != folder.st_ino)
        return 0;
    errno = EIO;
    return -1;
}

/* What the store gets in place of the C library's (CMakeLists.txt), which are not there for a
 * while. */
static int no_memory, no_folder;
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
struct dirent *__real_readdir(DIR *folder);
struct dirent *__wrap_readdir(DIR *folder);

void *__wrap_malloc(size_t size)
{
    if (!no_memory)
        return __real_malloc(size);
    errno = ENOMEM;
    return NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
    if (!no_memory)
        return __real_realloc(old, size);
    errno = ENOMEM;
    return NULL;
}

struct dirent *__wrap_readdir(DIR *folder)
{
    if (!no_folder)
        return __real_readdir(folder);
    errno = EIO;
    return NULL;
}

static int open_store(void **state)
{
    (void)state;
    strcpy(base, "/tmp/store_test.XXXXXX");
    if (!mkdtemp(base))
        return -1;
    snprintf(path, sizeof(path), "%s/a/b", base);
    return ft_store_open(path, 1, &store, why);
}

static int close_store(void **state)
{
    (void)state;
    no_memory = no_folder = 0;
    ft_store_close(store, 1);
    snprintf(path, sizeof(path), "%s/a", base);
    rmdir(path);
    return rmdir(base);
}

static void write_image(uint32_t checkpoint, int rank, const char *text)
{
    char file[FT_STORE_PATH];

    ft_store_image(store, checkpoint, rank, 1, file);
    FILE *image = fopen(file, "w");
    assert_non_null(image);
    fputs(text, image);
    fclose(image);
}

static struct ft_manifest *sample(uint32_t checkpoint)
{
    struct ft_manifest *manifest = ft_manifest_create(2, 2);

    manifest->checkpoint = checkpoint;
    manifest->build = 0xfedcba9876543210u;
    manifest->stack_limit = 8 << 20;
    manifest->environment = 0x1234567890abcdefu;
    manifest->input = 77;
    manifest->program = strdup("/bin/prog\xff");
    manifest->cwd = strdup("/tmp");
    manifest->argv = calloc(3, sizeof(char *));
    manifest->argv[0] = strdup("prog");
    manifest->argv[1] = strdup("two words");
    manifest->ranks[1] = (struct ft_manifest_rank){1, 9, 5, 0xffffffffffffffffu, 3, 7, 11, 1};
    manifest->ranks[0] = (struct ft_manifest_rank){0, 8, 5, 1, 2, 0, 0, 0};
    struct ft_position position = {4, 3, 2, (char *)(uintptr_t) "\0\xfe"};
    ft_position_copy(&position, &manifest->output[3]);
    return manifest;
}

static void commit(uint32_t checkpoint)
{
    struct ft_manifest *manifest = sample(checkpoint);

    assert_int_equal(ft_store_begin(store, checkpoint), 0);
    write_image(checkpoint, 0, "image");
    write_image(checkpoint, 1, "image");
    assert_int_equal(ft_store_commit(store, manifest), 0);
    ft_manifest_destroy(manifest);
}

static void commit_is_found_again(void **state)
{
    struct ft_manifest *got;

    (void)state;
    commit(7);
    assert_int_equal(ft_store_load(store, 7, &got, why), 0);
    assert_string_equal(got->program, "/bin/prog\xff");
    assert_string_equal(got->argv[1], "two words");
    assert_null(got->argv[2]);
    assert_true(got->build == 0xfedcba9876543210u && got->ranks[1].checksum == UINT64_MAX);
    assert_int_equal(got->input, 77);
    assert_true(got->environment == 0x1234567890abcdefu);
    assert_int_equal(got->ranks[1].order, 3);
    assert_int_equal(got->ranks[1].determinants, 7);
    assert_int_equal(got->ranks[1].trail, 11);
    assert_int_equal(got->ranks[1].cluster, 1);
    assert_int_equal(got->cluster, -1);
    assert_int_equal(got->output[3].lines, 4);
    assert_memory_equal(got->output[3].text, "\0\xfe", 2);
    ft_manifest_destroy(got);
}

/* Any bytes, and a MB of them in no time: half a minute when each was converted by sscanf, which
 * looks for the end of the text. */
static void pending_output_is_found_again(void **state)
{
    struct ft_manifest *got, *manifest = sample(7);
    struct ft_position position = {4, 3, 1 << 20, malloc(1 << 20)};
    clock_t begin = clock();

    (void)state;
    for (int i = 0; i < 1 << 20; i++)
        position.text[i] = (char)(i % 256);
    ft_position_copy(&position, &manifest->output[0]);
    snprintf(path, sizeof(path), "%s/pending.json", ft_store_path(store));
    assert_int_equal(ft_manifest_write(manifest, path), 0);
    assert_int_equal(ft_manifest_read(path, &got, why), 0);
    assert_int_equal(got->output[0].pending, 1 << 20);
    assert_memory_equal(got->output[0].text, position.text, 1 << 20);
    assert_true(clock() - begin < 5 * CLOCKS_PER_SEC);
    ft_manifest_destroy(got);
    ft_manifest_destroy(manifest);
    free(position.text);
    unlink(path);
}

/* Where no new manifest can be written there is none; either has to be on the disk. */
static void committed_one_is_amended(void **state)
{
    struct ft_manifest *got, *manifest = sample(7);
    char file[FT_STORE_PATH];

    (void)state;
    commit(7);
    manifest->input = 78;
    assert_int_equal(ft_store_amend(store, manifest), 0);
    assert_int_equal(ft_store_load(store, 7, &got, why), 0);
    assert_int_equal(got->input, 78);
    ft_manifest_destroy(got);
    ft_store_file(store, "ckpt-7/manifest.tmp", file);
    assert_int_equal(mkdir(file, 0700), 0);
    assert_int_equal(ft_store_amend(store, manifest), 0);
    assert_int_equal(ft_store_load(store, 7, &got, why), -EBADMSG);
    assert_int_equal(rmdir(file), 0);
    *strrchr(file, '/') = 0;
    unsynced = file;
    assert_int_equal(ft_store_amend(store, manifest), -EIO);
    unsynced = NULL;
    ft_manifest_destroy(manifest);
}

static int continues(uint32_t checkpoint)
{
    struct ft_manifest *got;
    int code = ft_store_load(store, checkpoint, &got, why), found = !code && got->continues;

    if (!code)
        ft_manifest_destroy(got);
    return found;
}

/* Also where an image is missing, which may come back; and a manifest that is damaged, which
 * somebody may repair. What cannot be read is not renounced. */
static void renounced_one_is_not_continued(void **state)
{
    struct ft_manifest *manifest = sample(7);
    char image[FT_STORE_PATH], aside[FT_STORE_PATH];

    (void)state;
    commit(7);
    manifest->continues = 1;
    assert_int_equal(ft_store_amend(store, manifest), 0);
    assert_true(continues(7));
    ft_store_image(store, 7, 1, 0, image);
    ft_store_file(store, "aside", aside);
    assert_int_equal(rename(image, aside), 0);
    assert_int_equal(ft_store_renounce(store, 7, why), 0);
    assert_int_equal(rename(aside, image), 0);
    assert_false(continues(7));
    ft_store_file(store, "ckpt-7/manifest.json", path);
    assert_int_equal(truncate(path, 50), 0);
    assert_int_equal(ft_store_renounce(store, 7, why), 0);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(ft_store_renounce(store, 7, why), -EISDIR);
    ft_manifest_destroy(manifest);
}

/* The folder of the store cannot be synced behind the rename. */
static void unsynced_is_not_committed(void **state)
{
    struct ft_manifest *manifest = sample(3);
    uint32_t *numbers;

    (void)state;
    assert_int_equal(ft_store_begin(store, 3), 0);
    unsynced = ft_store_path(store);
    assert_int_equal(ft_store_commit(store, manifest), -EIO);
    unsynced = NULL;
    assert_int_equal(ft_store_list(store, &numbers), 0);
    free(numbers);
    assert_int_equal(ft_store_discard(store, 3), 1);
    ft_manifest_destroy(manifest);
}

/* The checkpoint of a cluster names its ranks alone. */
static void cluster_is_found_again(void **state)
{
    struct ft_manifest *got, *manifest = sample(3);

    (void)state;
    manifest->size = 8;
    manifest->cluster = 2;
    manifest->ranks[0].rank = 4;
    manifest->ranks[1].rank = 6;
    assert_int_equal(ft_store_begin(store, 3), 0);
    write_image(3, 4, "image");
    write_image(3, 6, "image");
    assert_int_equal(ft_store_commit(store, manifest), 0);
    assert_int_equal(ft_store_load(store, 3, &got, why), 0);
    assert_int_equal(got->size, 8);
    assert_int_equal(got->count, 2);
    assert_int_equal(got->cluster, 2);
    assert_int_equal(got->ranks[1].rank, 6);
    ft_manifest_destroy(got);
    ft_manifest_destroy(manifest);
}

/* A checkpoint of all ranks of several clusters, and what one of them has of it. */
static void whole_is_found_again(void **state)
{
    struct ft_manifest *got, *part, *manifest = sample(3);

    (void)state;
    manifest->cluster = 0;
    manifest->continues = manifest->nameless = 1;
    manifest->patterns = 2;
    manifest->pattern = calloc(2, sizeof(*manifest->pattern));
    manifest->pattern[1] = UINT32_MAX;
    assert_int_equal(ft_store_begin(store, 3), 0);
    write_image(3, 0, "image");
    write_image(3, 1, "image");
    assert_int_equal(ft_store_commit(store, manifest), 0);
    assert_int_equal(ft_store_load(store, 3, &got, why), 0);
    assert_int_equal(got->continues, 1);
    assert_int_equal(got->nameless, 1);
    assert_int_equal(got->patterns, 2);
    assert_true(got->pattern[0] == 0 && got->pattern[1] == UINT32_MAX);
    part = ft_manifest_part(got, 1, (const int32_t[]){1}, 1);
    ft_manifest_destroy(got);
    assert_true(part->count == 1 && part->size == 2 && part->cluster == 1 && !part->continues);
    assert_int_equal(part->nameless, 1);
    assert_true(part->checkpoint == 3 && part->ranks[0].rank == 1 && part->ranks[0].hooks == 9);
    assert_int_equal(part->output[1].lines, 4);
    assert_memory_equal(part->output[1].text, "\0\xfe", 2);
    assert_string_equal(part->argv[1], "two words");
    assert_true(part->environment == 0x1234567890abcdefu);
    ft_manifest_destroy(part);
    ft_manifest_destroy(manifest);
}

/* A part continues nothing. */
static void continuing_part_is_refused(void **state)
{
    struct ft_manifest *got, *manifest = sample(3);

    (void)state;
    manifest->size = 3;
    manifest->cluster = 0;
    manifest->continues = 1;
    assert_int_equal(ft_store_begin(store, 3), 0);
    assert_int_equal(ft_store_commit(store, manifest), 0);
    assert_int_equal(ft_store_load(store, 3, &got, why), -EBADMSG);
    ft_manifest_destroy(manifest);
}

static void write_log(int rank, const char *name)
{
    char file[FT_STORE_PATH], part[64];

    snprintf(part, sizeof(part), "log/rank-%d/%s", rank, name);
    ft_store_file(store, part, file);
    FILE *log = fopen(file, "w");
    assert_non_null(log);
    fputs(name, log);
    fclose(log);
}

static int is_log(int rank, const char *name)
{
    char file[FT_STORE_PATH], part[64];

    snprintf(part, sizeof(part), "log/rank-%d/%s", rank, name);
    ft_store_file(store, part, file);
    return !access(file, F_OK);
}

static void logs_are_as_they_were(void **state)
{
    static const char *const folders[] = {"log", "log/rank-0", "log/rank-1"};
    struct ft_manifest *manifest = sample(4);
    char folder[FT_STORE_PATH];

    (void)state;
    for (int i = 0; i < 3; i++) {
        ft_store_file(store, folders[i], folder);
        assert_int_equal(mkdir(folder, 0700), 0);
    }
    write_log(0, "0");
    write_log(0, "1");
    assert_int_equal(ft_store_begin(store, 4), 0);
    assert_int_equal(ft_store_save_log(store, 4, 0), 0);
    assert_int_equal(ft_store_save_log(store, 4, 1), 0); /* nothing */
    assert_int_equal(ft_store_commit(store, manifest), 0);
    ft_store_file(store, "log/rank-0/0", folder);
    assert_int_equal(unlink(folder), 0);
    write_log(0, "2");
    write_log(1, "0");
    assert_int_equal(ft_store_restore_log(store, 4, 0), 0);
    assert_int_equal(ft_store_restore_log(store, 4, 1), 0);
    assert_true(is_log(0, "0") && is_log(0, "1") && !is_log(0, "2") && !is_log(1, "0"));
    ft_manifest_destroy(manifest);
}

/* Fewer ranks than the job has, and no cluster: something is missing. */
static void missing_ranks_are_refused(void **state)
{
    struct ft_manifest *got, *manifest = sample(3);

    (void)state;
    manifest->size = 3;
    assert_int_equal(ft_store_begin(store, 3), 0);
    assert_int_equal(ft_store_commit(store, manifest), 0);
    assert_int_equal(ft_store_load(store, 3, &got, why), -EBADMSG);
    ft_manifest_destroy(manifest);
}

static void list_is_newest_first_without_temporaries(void **state)
{
    uint32_t *numbers;

    (void)state;
    commit(2);
    commit(10);
    commit(9);
    assert_int_equal(ft_store_begin(store, 11), 0);
    assert_int_equal(ft_store_list(store, &numbers), 3);
    assert_true(numbers[0] == 10 && numbers[1] == 9 && numbers[2] == 2);
    free(numbers);
    assert_int_equal(ft_store_drop(store, 9), 1);
    assert_int_equal(ft_store_drop(store, 9), 0);
    ft_store_sweep(store);
    snprintf(path, sizeof(path), "%s/ckpt-11.tmp", ft_store_path(store));
    assert_int_equal(access(path, F_OK), -1);
    snprintf(path, sizeof(path), "%s/old-9", ft_store_path(store));
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(ft_store_list(store, &numbers), 2);
    free(numbers);
}

/* One of some checkpoints would be taken for one of all. */
static void list_is_whole_or_none(void **state)
{
    uint32_t *numbers;

    (void)state;
    commit(2);
    no_memory = 1;
    assert_int_equal(ft_store_list(store, &numbers), -ENOMEM);
    assert_null(numbers);
    no_memory = 0;
    no_folder = 1;
    assert_int_equal(ft_store_list(store, &numbers), -EIO);
    assert_null(numbers);
    no_folder = 0;
    assert_int_equal(ft_store_list(store, &numbers), 1);
    free(numbers);
}

static void what_is_set_aside_is_there_until_it_is_cleared(void **state)
{
    (void)state;
    commit(1);
    assert_int_equal(ft_store_begin(store, 2), 0);
    assert_int_equal(ft_store_discard(store, 2), 1);
    assert_int_equal(ft_store_discard(store, 1), 0);
    assert_int_equal(ft_store_begin(store, 3), 0);
    snprintf(path, sizeof(path), "%s/old-2", ft_store_path(store));
    assert_int_equal(access(path, F_OK), 0);
    ft_store_clear(store);
    assert_int_equal(access(path, F_OK), -1);
    snprintf(path, sizeof(path), "%s/ckpt-3.tmp", ft_store_path(store));
    assert_int_equal(access(path, F_OK), 0);
    ft_store_image(store, 1, 1, 0, path);
    assert_int_equal(access(path, F_OK), 0);
}

/* A job that was killed before its first checkpoint leaves nothing to the next one. */
static void what_is_left_is_removed(void **state)
{
    char file[FT_STORE_PATH];

    (void)state;
    assert_int_equal(ft_store_begin(store, 0), 0);
    ft_store_file(store, "stdin", path);
    assert_int_equal(close(creat(path, 0600)), 0);
    ft_store_file(store, "undo", file);
    assert_int_equal(mkdir(file, 0700), 0);
    ft_store_empty(store);
    assert_true(access(path, F_OK) && access(file, F_OK));
    ft_store_image(store, 0, 0, 1, path);
    *strrchr(path, '/') = 0;
    assert_int_equal(access(path, F_OK), -1);
    ft_store_file(store, "lock", path);
    assert_int_equal(access(path, F_OK), 0);
}

static const char *const foreign[] = {
    "ckpt-000100.h5", "ckpt-000100", "ckpt-7",   "ckpt-8.tmp", "ckpt-1.tmp.old", "ckpt-",
    "ckpt- 1",        "old-restart", "old-05",   "old-6",      "log/mine",       "trace/mine",
    "undo/mine",      "output.txt",  "lock.old", "environs",   "ckpt-4294967296"};

static int is_folder_of_theirs(const char *name)
{
    return !strchr(name, '.') && strcmp(name, "ckpt-7") && strcmp(name, "old-6");
}

/* The program may write into the same folder: "." is allowed. */
static void what_is_not_ours_stays(void **state)
{
    uint32_t *numbers;

    (void)state;
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
        ft_store_file(store, foreign[i], path);
        if (strchr(foreign[i], '/')) {
            *strrchr(path, '/') = 0;
            assert_int_equal(mkdir(path, 0700), 0);
            ft_store_file(store, foreign[i], path);
        }
        assert_int_equal(
            is_folder_of_theirs(foreign[i]) ? mkdir(path, 0700) : close(creat(path, 0600)), 0);
    }
    commit(3);
    assert_int_equal(ft_store_begin(store, 4), 0);
    assert_int_equal(ft_store_begin(store, 8), -EEXIST);
    assert_int_equal(ft_store_list(store, &numbers), 1);
    assert_int_equal(numbers[0], 3);
    free(numbers);
    ft_store_sweep(store);
    ft_store_empty(store);
    assert_int_equal(ft_store_list(store, &numbers), 0);
    free(numbers);
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
        ft_store_file(store, foreign[i], path);
        if (access(path, F_OK))
            fail_msg("%s is gone", foreign[i]);
        remove(path);
    }
    ft_store_empty(store);
}

static void write_lock(const char *text)
{
    snprintf(path, sizeof(path), "%s/other/lock", base);
    FILE *lock = fopen(path, "w");
    assert_non_null(lock);
    fputs(text, lock);
    fclose(lock);
}

/* Opens base/other, whose mode tells whether it was touched; output: with a file in it. */
static int open_other(int output, int create)
{
    char file[128];
    struct stat status;
    struct ft_store *other;
    int code;

    snprintf(file, sizeof(file), "%s/other/output", base);
    if (output)
        assert_int_equal(close(creat(file, 0600)), 0);
    snprintf(path, sizeof(path), "%s/other", base);
    assert_int_equal(chmod(path, 0755), 0);
    code = ft_store_open(path, create, &other, why);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, code ? 0755 : 0700);
    if (!code)
        ft_store_close(other, 0);
    if (output)
        assert_int_equal(unlink(file), 0);
    return code;
}

/* A lock is anybody's file; one without all of the word was written when an ftrun was killed. */
static void folder_with_a_lock_is_no_store(void **state)
{
    char lock[128], *slash;

    (void)state;
    snprintf(lock, sizeof(lock), "%s/other/lock", base);
    slash = strrchr(lock, '/');
    *slash = 0;
    assert_int_equal(mkdir(lock, 0755), 0);
    *slash = '/';
    write_lock("");
    assert_int_equal(open_other(1, 1), -ENOTEMPTY);
    assert_int_equal(open_other(0, 0), -ENODATA);
    write_lock("1234\n");
    assert_int_equal(open_other(1, 1), -ENOTEMPTY);
    assert_int_equal(open_other(0, 1), -ENOTEMPTY);
    write_lock("ftrun store\nand more");
    assert_int_equal(open_other(0, 1), -ENOTEMPTY);
    write_lock("ftrun s");
    assert_int_equal(open_other(0, 1), 0);
    assert_int_equal(open_other(1, 1), 0); /* it is one now */
    assert_int_equal(open_other(1, 0), 0);
    assert_int_equal(unlink(lock), 0);
    assert_int_equal(open_other(1, 1), -ENOTEMPTY);
    assert_int_equal(mkdir(lock, 0700), 0);
    assert_int_equal(open_other(0, 1), -ENOTEMPTY);
    assert_int_equal(rmdir(lock), 0);
    *slash = 0;
    assert_int_equal(rmdir(lock), 0);
}

static void damage_is_named(void **state)
{
    struct ft_manifest *got;

    (void)state;
    commit(1);
    ft_store_image(store, 1, 1, 0, path);
    assert_int_equal(truncate(path, 2), 0);
    assert_int_equal(ft_store_load(store, 1, &got, why), -EBADMSG);
    assert_string_equal(why, "rank 1's image has 2 bytes instead of 5");
    snprintf(path, sizeof(path), "%s/ckpt-1/manifest.json", ft_store_path(store));
    assert_int_equal(truncate(path, 50), 0);
    assert_int_equal(ft_store_load(store, 1, &got, why), -EBADMSG);
    assert_non_null(strstr(why, "manifest.json"));
}

/* Makes the checksum of a manifest's text right again. */
static void seal(char *text)
{
    json_t *root = json_loads(text, 0, NULL);
    char *at = strstr(text, "\"checksum\": \""), digits[17];

    assert_true(root && at && !json_object_del(root, "checksum"));
    char *rest = json_dumps(root, JSON_COMPACT);
    snprintf(digits, sizeof(digits), "%016" PRIx64, XXH3_64bits(rest, strlen(rest)));
    memcpy(at + strlen("\"checksum\": \""), digits, 16);
    free(rest);
    json_decref(root);
}

/* The text of `sample`'s manifest with the first `from` as `to`, in the file `path`. sealed: its
 * checksum is right. */
static void write_damaged(const char *from, const char *to, int sealed)
{
    char text[4096] = "", changed[4096], *at;
    struct ft_manifest *manifest = sample(1);
    FILE *file;

    snprintf(path, sizeof(path), "%s/damaged.json", ft_store_path(store));
    assert_int_equal(ft_manifest_write(manifest, path), 0);
    ft_manifest_destroy(manifest);
    file = fopen(path, "r");
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    at = strstr(text, from);
    assert_non_null(at);
    snprintf(changed, sizeof(changed), "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    if (sealed)
        seal(changed);
    file = fopen(path, "w");
    fputs(changed, file);
    fclose(file);
}

/* Numbers that their members cannot hold were cut down to what fits, and digits guessed. */
static void impossible_members_are_refused(void **state)
{
    static const char *const damages[][2] = {
        {"\"version\": 4", "\"version\": 4294967298"},
        {"\"size\": 2", "\"size\": 4294967298"},
        {"\"checkpoint\": 1", "\"checkpoint\": 4294967297"},
        {"\"checkpoint\": 1", "\"checkpoint\": -1"},
        {"\"size\": 2", "\"size\": 2, \"cluster\": 4294967295"},
        {"\"size\": 2", "\"size\": 2, \"size\": 2"},
        {"\"stdin\": 77", "\"stdin\": -77"},
        {"\"rank\": 1", "\"rank\": 4294967297"},
        {"\"hook\": 8", "\"hook\": -8"},
        {"\"bytes\": 5", "\"bytes\": -5"},
        {"\"order\": 2", "\"order\": -2"},
        {"\"order\": 2", "\"order\": 4294967298"},
        {"\"determinants\": 7", "\"determinants\": -7"},
        {"\"trail\": 11", "\"trail\": -11"},
        {"\"cluster\": 1", "\"cluster\": 2"},
        {"\"cluster\": 1", "\"cluster\": -1"},
        {"\"continues\": false", "\"continues\": 0"},
        {"\"nameless\": false", "\"nameless\": 0"},
        {"\"trusted\": []", "\"trusted\": {}"},
        {"\"trusted\": []", "\"trusted\": [-1]"},
        {"\"trusted\": []", "\"trusted\": [4294967296]"},
        {"\"lines\": 4", "\"lines\": -4"},
        {"\"partial\": 3", "\"partial\": -3"},
        {"\"fedcba9876543210\"", "\"fedcba987654321\""},
        {"\"fedcba9876543210\"", "\"fedcba987654321z\""},
        {"\"fedcba9876543210\"", "\"-edcba9876543210\""},
        {"\"1234567890abcdef\"", "\"1234567890abcde\""},
        {"\"00fe\"", "\"00f\""},
        {"\"00fe\"", "\"00 e\""},
        {"\"00fe\"", "\"00FE\""},
        {"\"00fe\"", "\"0:fe\""},
        {"72", "7x"}, /* in the name of the program, which is no UTF-8 */
    };
    struct ft_manifest *got = NULL;

    (void)state;
    write_damaged("\"stack_limit\": 8388608", "\"stack_limit\": -1", 1);
    assert_int_equal(ft_manifest_read(path, &got, why), 0);
    assert_true(got->stack_limit == UINT64_MAX);
    ft_manifest_destroy(got);
    for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
        write_damaged(damages[i][0], damages[i][1], 1);
        if (ft_manifest_read(path, &got, why) != -EBADMSG)
            fail_msg("%s is read", damages[i][1]);
        assert_non_null(strstr(why, "manifest.json"));
        assert_null(strstr(why, "checksum"));
    }
    unlink(path);
}

/* What another manifest could have said: only the checksum tells that this one did not. */
static void changed_members_are_refused(void **state)
{
    static const char *const damages[][2] = {
        {"\"lines\": 4", "\"lines\": 5"},
        {"\"partial\": 3", "\"partial\": 2"},
        {"\"00fe\"", "\"01fe\""},
        {"\"hook\": 8", "\"hook\": 9"},
        {"\"two words\"", "\"two swords\""},
        {"\"continues\": false", "\"continues\": true"},
        {"\"checksum\": \"", "\"checksum\": \"0"},
        {"\"checksum\"", "\"checksun\""},
    };
    struct ft_manifest *got = NULL;

    (void)state;
    write_damaged("\n \"size\"", "  \"size\"", 0);
    assert_int_equal(ft_manifest_read(path, &got, why), 0);
    ft_manifest_destroy(got);
    for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
        write_damaged(damages[i][0], damages[i][1], 0);
        if (ft_manifest_read(path, &got, why) != -EBADMSG)
            fail_msg("%s is read", damages[i][1]);
        assert_string_equal(why, "manifest.json has a wrong checksum");
    }
    unlink(path);
}

static void expect_unread(int code)
{
    struct ft_manifest *got;

    assert_int_equal(ft_store_load(store, 1, &got, why), -code);
    assert_non_null(strstr(why, strerror(code)));
}

/* Where a file could not be read nothing is known of it; what is missing is damage. */
static void what_cannot_be_read_is_no_damage(void **state)
{
    struct ft_manifest *got;
    struct rlimit limit, none;
    char image[FT_STORE_PATH];

    (void)state;
    commit(1);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = (struct rlimit){0, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    expect_unread(EMFILE);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ft_store_image(store, 1, 1, 0, image);
    unlink(image);
    assert_int_equal(symlink(image, image), 0);
    expect_unread(ELOOP);
    ft_store_file(store, "ckpt-1/manifest.json", path);
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    expect_unread(EISDIR);
    rmdir(path);
    assert_int_equal(ft_store_load(store, 1, &got, why), -EBADMSG);
    assert_non_null(strstr(why, strerror(ENOENT)));
}

static size_t asked, refused; /* requests for memory by jansson, and which has none, from 1 on */

static void *get(size_t size)
{
    if (++asked != refused)
        return malloc(size);
    errno = ENOMEM;
    return NULL;
}

static off_t size_of_file(void)
{
    struct stat status;

    return stat(path, &status) ? -1 : status.st_size;
}

/* As it is written when there is memory. */
static void write_again(void)
{
    struct ft_manifest *got;

    assert_int_equal(ft_manifest_read(path, &got, why), 0);
    unlink(path);
    assert_int_equal(ft_manifest_write(got, path), 0);
    ft_manifest_destroy(got);
}

/* Whatever it was for: what is not whole is not written. */
static void lack_of_memory_leaves_nothing_out(void **state)
{
    struct ft_manifest *manifest = sample(7);
    int code;

    (void)state;
    manifest->cluster = 0;
    manifest->patterns = 2;
    manifest->pattern = calloc(2, sizeof(*manifest->pattern));
    snprintf(path, sizeof(path), "%s/small.json", ft_store_path(store));
    assert_int_equal(ft_manifest_write(manifest, path), 0);
    off_t whole = size_of_file();
    no_memory = 1; /* for what the ranks have printed */
    assert_int_equal(ft_manifest_write(manifest, path), -ENOMEM);
    no_memory = refused = 0;
    do {
        unlink(path);
        asked = 0;
        refused++;
        json_set_alloc_funcs(get, free);
        code = ft_manifest_write(manifest, path);
        json_set_alloc_funcs(malloc, free);
        if (!code)
            write_again();
        assert_int_equal(size_of_file(), code ? -1 : whole);
    } while (asked >= refused);
    ft_manifest_destroy(manifest);
    assert_in_range(refused, 50, 10000);
    unlink(path);
}

/* Whatever it was for. */
static void lack_of_memory_is_no_damage(void **state)
{
    struct ft_manifest *got = NULL, *manifest = sample(7);
    int code;

    (void)state;
    snprintf(path, sizeof(path), "%s/small.json", ft_store_path(store));
    assert_int_equal(ft_manifest_write(manifest, path), 0);
    ft_manifest_destroy(manifest);
    json_set_alloc_funcs(get, free);
    refused = 0;
    do {
        asked = 0;
        refused++;
        code = ft_manifest_read(path, &got, why);
        if (code && code != -ENOMEM)
            fail_msg("%s, without the memory of request %zu", why, refused);
        if (!code)
            ft_manifest_destroy(got);
    } while (asked >= refused);
    json_set_alloc_funcs(malloc, free);
    assert_int_equal(code, 0);
    assert_in_range(refused, 50, 10000);
    unlink(path);
}

static void second_user_is_refused(void **state)
{
    struct ft_store *other;
    struct stat status;

    (void)state;
    assert_int_equal(ft_store_open(ft_store_path(store), 1, &other, why), -EBUSY);
    assert_non_null(strstr(why, "another ftrun"));
    assert_int_equal(stat(ft_store_path(store), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_int_equal(ft_store_open("/nonexistent/store", 0, &other, why), -ENOENT);
}

/* The path that a link stands for is longer than any path of a store. */
static void long_path_is_refused(void **state)
{
    enum { DEEP = 14, NAME = 250 };
    char deep[DEEP * NAME + 128], link[128];
    struct ft_store *other;

    (void)state;
    int length = snprintf(deep, sizeof(deep), "%s", base);
    for (int i = 0; i < DEEP; i++) {
        length += snprintf(deep + length, sizeof(deep) - (size_t)length, "/%0*d", NAME - 1, i);
        assert_int_equal(mkdir(deep, 0700), 0);
    }
    snprintf(link, sizeof(link), "%s/link", base);
    assert_int_equal(symlink(deep, link), 0);
    assert_int_equal(ft_store_open(link, 1, &other, why), -ENAMETOOLONG);
    assert_non_null(strstr(why, "/link: File name too long"));
    unlink(link);
    for (; length > (int)strlen(base); deep[length -= NAME] = 0)
        assert_int_equal(rmdir(deep), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(commit_is_found_again, open_store, close_store),
        cmocka_unit_test_setup_teardown(pending_output_is_found_again, open_store, close_store),
        cmocka_unit_test_setup_teardown(committed_one_is_amended, open_store, close_store),
        cmocka_unit_test_setup_teardown(renounced_one_is_not_continued, open_store, close_store),
        cmocka_unit_test_setup_teardown(cluster_is_found_again, open_store, close_store),
        cmocka_unit_test_setup_teardown(unsynced_is_not_committed, open_store, close_store),
        cmocka_unit_test_setup_teardown(whole_is_found_again, open_store, close_store),
        cmocka_unit_test_setup_teardown(continuing_part_is_refused, open_store, close_store),
        cmocka_unit_test_setup_teardown(logs_are_as_they_were, open_store, close_store),
        cmocka_unit_test_setup_teardown(missing_ranks_are_refused, open_store, close_store),
        cmocka_unit_test_setup_teardown(what_is_set_aside_is_there_until_it_is_cleared, open_store,
                                        close_store),
        cmocka_unit_test_setup_teardown(list_is_newest_first_without_temporaries, open_store,
                                        close_store),
        cmocka_unit_test_setup_teardown(list_is_whole_or_none, open_store, close_store),
        cmocka_unit_test_setup_teardown(what_is_left_is_removed, open_store, close_store),
        cmocka_unit_test_setup_teardown(what_is_not_ours_stays, open_store, close_store),
        cmocka_unit_test_setup_teardown(folder_with_a_lock_is_no_store, open_store, close_store),
        cmocka_unit_test_setup_teardown(damage_is_named, open_store, close_store),
        cmocka_unit_test_setup_teardown(impossible_members_are_refused, open_store, close_store),
        cmocka_unit_test_setup_teardown(changed_members_are_refused, open_store, close_store),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_is_no_damage, open_store, close_store),
        cmocka_unit_test_setup_teardown(lack_of_memory_leaves_nothing_out, open_store, close_store),
        cmocka_unit_test_setup_teardown(lack_of_memory_is_no_damage, open_store, close_store),
        cmocka_unit_test_setup_teardown(second_user_is_refused, open_store, close_store),
        cmocka_unit_test_setup_teardown(long_path_is_refused, open_store, close_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
