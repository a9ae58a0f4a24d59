/* Any bytes as the manifest of a checkpoint; of an object the checksum is made right, which no
 * mutation would be. An accepted one has ranks that there are, in order, and is the same when it
 * is written and read again. */
#include "store/store.h"
#include "testsuite/fuzz/file.h"

#include <assert.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

static void equal(const struct ft_manifest *one, const struct ft_manifest *two)
{
    size_t ranks = (size_t)one->count;
    assert(one->size == two->size && one->count == two->count && one->cluster == two->cluster);
    assert(one->checkpoint == two->checkpoint && one->build == two->build);
    assert(one->environment == two->environment);
    assert(one->stack_limit == two->stack_limit && one->input == two->input);
    assert(one->continues == two->continues && one->patterns == two->patterns);
    assert(memcmp(one->pattern, two->pattern, one->patterns * sizeof *one->pattern) == 0);
    assert(strcmp(one->program, two->program) == 0 && strcmp(one->cwd, two->cwd) == 0);
    for (size_t i = 0; one->argv[i] || two->argv[i]; i++)
        assert(one->argv[i] && two->argv[i] && strcmp(one->argv[i], two->argv[i]) == 0);
    assert(memcmp(one->ranks, two->ranks, ranks * sizeof *one->ranks) == 0);
    for (size_t i = 0; i < 2 * ranks; i++) {
        const struct ft_position *first = &one->output[i], *second = &two->output[i];
        assert(first->lines == second->lines && first->partial == second->partial);
        assert(first->pending == second->pending);
        assert(memcmp(first->text, second->text, first->pending) == 0);
    }
}

static void check(const struct ft_manifest *manifest)
{
    assert(manifest->count >= 1 && manifest->count <= manifest->size);
    assert(!manifest->continues || manifest->count == manifest->size);
    for (int i = 0; i < manifest->count; i++) {
        assert(manifest->ranks[i].rank >= 0 && manifest->ranks[i].rank < manifest->size);
        assert(manifest->ranks[i].cluster >= 0 && manifest->ranks[i].cluster < manifest->size);
        assert(i == 0 || manifest->ranks[i - 1].rank < manifest->ranks[i].rank);
    }
}

/* The bytes in a file, or the object that they are, with its checksum. */
static const char *sealed_file(const unsigned char *bytes, size_t length)
{
    json_t *root = json_loadb((const char *)bytes, length, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(root)) {
        json_decref(root);
        return fuzz_file(bytes, length);
    }
    json_object_del(root, "checksum");
    char *text = json_dumps(root, JSON_COMPACT);
    json_object_set_new(
        root, "checksum",
        json_sprintf("%016llx", (unsigned long long)XXH3_64bits(text, strlen(text))));
    free(text);
    text = json_dumps(root, 0);
    const char *path = fuzz_file((unsigned char *)text, strlen(text));
    free(text);
    json_decref(root);
    return path;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
    struct ft_manifest *manifest = NULL, *again = NULL;
    char why[FT_STORE_WHY] = "";
    const char *path = sealed_file(bytes, length);
    int code = ft_manifest_read(path, &manifest, why);
    if (code != 0) {
        assert(code == -EBADMSG && why[0] != '\0' && !manifest);
        return 0;
    }
    check(manifest);
    assert(ft_manifest_write(manifest, path) == 0);
    assert(ft_manifest_read(path, &again, why) == 0);
    equal(manifest, again);
    ft_manifest_destroy(manifest);
    ft_manifest_destroy(again);
    return 0;
}
