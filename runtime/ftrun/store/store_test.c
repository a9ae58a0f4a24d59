/* store_test: a commit is found again as it was, and nothing half-made is. */
#include <errno.h>
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
#include <unistd.h>
#include "store/store_fixture.h"

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
 * somebody may repair. A manifest that cannot be read is not renounced. */
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

/* The folder of the store cannot be synced after the rename. */
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

/* A log without some of its files would be missed only when these messages are to be resent. */
static void logs_are_whole_or_none(void **state)
{
    char own[FT_STORE_PATH], aside[FT_STORE_PATH];

    (void)state;
    ft_store_file(store, "log", own);
    assert_int_equal(mkdir(own, 0700), 0);
    ft_store_file(store, "log/rank-0", own);
    assert_int_equal(mkdir(own, 0700), 0);
    write_log(0, "0");
    assert_int_equal(ft_store_begin(store, 4), 0);
    no_folder = 1;
    assert_int_equal(ft_store_save_log(store, 4, 0), -EIO);
    no_folder = 0;
    assert_int_equal(ft_store_save_log(store, 4, 0), 0);
    struct ft_manifest *manifest = sample(4);
    assert_int_equal(ft_store_commit(store, manifest), 0);
    ft_manifest_destroy(manifest);
    no_folder = 1;
    assert_int_equal(ft_store_restore_log(store, 4, 0), -EIO);
    no_folder = 0;
    ft_store_file(store, "ckpt-4/log/rank-0", own);
    ft_store_file(store, "ckpt-4/log/aside", aside);
    assert_int_equal(rename(own, aside), 0);
    assert_int_equal(symlink(own, own), 0);
    assert_int_equal(ft_store_restore_log(store, 4, 0), -ELOOP);
    assert_int_equal(unlink(own), 0);
    assert_int_equal(rename(aside, own), 0);
    assert_int_equal(ft_store_restore_log(store, 4, 0), 0);
    assert_true(is_log(0, "0"));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(commit_is_found_again, open_store, close_store),
        cmocka_unit_test_setup_teardown(committed_one_is_amended, open_store, close_store),
        cmocka_unit_test_setup_teardown(renounced_one_is_not_continued, open_store, close_store),
        cmocka_unit_test_setup_teardown(cluster_is_found_again, open_store, close_store),
        cmocka_unit_test_setup_teardown(unsynced_is_not_committed, open_store, close_store),
        cmocka_unit_test_setup_teardown(whole_is_found_again, open_store, close_store),
        cmocka_unit_test_setup_teardown(continuing_part_is_refused, open_store, close_store),
        cmocka_unit_test_setup_teardown(logs_are_as_they_were, open_store, close_store),
        cmocka_unit_test_setup_teardown(logs_are_whole_or_none, open_store, close_store),
        cmocka_unit_test_setup_teardown(missing_ranks_are_refused, open_store, close_store),
        cmocka_unit_test_setup_teardown(damage_is_named, open_store, close_store),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_is_no_damage, open_store, close_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
