/* Undo records that are damaged: refused as a whole, and safe to read whatever is in them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "files/undo_tree.h"

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
    after = tree_snapshot();
    assert_string_equal(now, after);
    free(after);
    bytes_write(path, whole, length);
    free(whole);
}

static void test_damaged_records_are_refused(void **state)
{
    char failed[FT_WIRE_PATH], path[600], *before, *now, *after;

    tree_setup(state);
    file_put("a", "w", "alpha");
    before = tree_snapshot();
    act_as(0);
    file_put("a", "w", "other");
    act_as(-1);
    now = tree_snapshot();
    snprintf(path, sizeof path, "%s/00000000-000000000000.undo", store[0]);
    damage_and_apply(path, now);
    snprintf(path, sizeof path, "%s/00000000-000000000000.data", store[0]);
    damage_and_apply(path, now);
    assert_int_equal(undo_first(-1, failed), 0);
    after = tree_snapshot();
    assert_string_equal(before, after);
    free(before);
    free(now);
    free(after);
}

/* Damage that the checksum does not show: all bytes but the path's, in a record made valid
 * again. Reading such a record must be safe (run with FT_SANITIZE). */
static void test_strange_records_are_safe(void **state)
{
    size_t head_bytes = sizeof(struct ft_undo_head);
    char failed[FT_WIRE_PATH], path[600], *whole, *bytes;
    struct ft_undo_head head;
    long length;

    tree_setup(state);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_damaged_records_are_refused),
                                       cmocka_unit_test(test_strange_records_are_safe)};

    setvbuf(stdout, NULL, _IONBF, 0);
    return cmocka_run_group_tests(tests, tree_setup, tree_teardown);
}
