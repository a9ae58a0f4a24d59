/* manifest_test: what is written is read again, and nothing else is. */
#include <errno.h>
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
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "store/store_fixture.h"

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
        {"\"version\": 6", "\"version\": 4294967298"},
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

/* Changes that another manifest could have: only the checksum tells that this one had not. */
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

/* A manifest that is not whole is not written, whatever the memory was for. */
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

/* Lack of memory is no damage, whatever the memory was for. */
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

/* No word of the program's arguments is missing from a part; who has them all has its memory. */
static void lack_of_memory_leaves_no_part(void **state)
{
    struct ft_manifest *part, *whole = sample(7);

    (void)state;
    for (refused_copy = 1; refused_copy <= 4; refused_copy++) {
        copies = 0;
        part = ft_manifest_part(whole, 0, (const int32_t[]){1}, 1);
        assert_true(copies >= refused_copy);
        assert_null(part);
    }
    refused_copy = 0;
    part = ft_manifest_part(whole, 0, (const int32_t[]){1}, 1);
    assert_non_null(part);
    ft_manifest_destroy(part);
    ft_manifest_destroy(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pending_output_is_found_again, open_store, close_store),
        cmocka_unit_test_setup_teardown(impossible_members_are_refused, open_store, close_store),
        cmocka_unit_test_setup_teardown(changed_members_are_refused, open_store, close_store),
        cmocka_unit_test_setup_teardown(lack_of_memory_leaves_nothing_out, open_store, close_store),
        cmocka_unit_test_setup_teardown(lack_of_memory_is_no_damage, open_store, close_store),
        cmocka_unit_test_setup_teardown(lack_of_memory_leaves_no_part, open_store, close_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
