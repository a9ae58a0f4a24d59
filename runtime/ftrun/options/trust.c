/* trust: the result of a rehearsal is read as a whole or refused as a whole; what it says of a
 * pattern is held against the table again, so that no file makes the runtime believe more than a
 * rehearsal can support. */
#include "options/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "options/fields.h"
#include "wire/wire.h"

#define PIECE 262144

static const char *const results[] = {[FT_TRUST_UNSUPPORTED] = "unsupported",
                                      [FT_TRUST_SUPPORTED] = "supported",
                                      [FT_TRUST_CONTRADICTED] = "contradicted"};

const char *ft_trust_result(enum ft_trust_result result)
{
    return results[result];
}

static int hash_all(int fd, char *piece, XXH64_state_t *state)
{
    ssize_t got;

    while ((got = read(fd, piece, PIECE)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        XXH64_update(state, piece, (size_t)got);
    }
    return 0;
}

int ft_trust_hash(const char *path, uint64_t *out)
{
    XXH64_state_t *state = XXH64_createState();
    char *piece = malloc(PIECE);
    int fd = open(path, O_RDONLY | O_CLOEXEC), code = fd < 0 ? -errno : 0;

    if (!state || !piece)
        code = -ENOMEM;
    if (!code) {
        XXH64_reset(state, 0);
        code = hash_all(fd, piece, state);
        *out = XXH64_digest(state);
    }
    if (fd >= 0)
        close(fd);
    free(piece);
    XXH64_freeState(state);
    return code;
}

/* Exactly `digits` hexadecimal digits in lower case. 0, or -EBADMSG. */
static int read_digits(const char *text, size_t digits, uint64_t *out)
{
    if (strlen(text) != digits || strspn(text, "0123456789abcdef") != digits)
        return -EBADMSG;
    *out = strtoull(text, NULL, 16);
    return 0;
}

static int read_result(const char *text, enum ft_trust_result *out)
{
    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
        if (strcmp(text, results[i]))
            continue;
        *out = (enum ft_trust_result)i;
        return 0;
    }
    return -EBADMSG;
}

static const struct ft_trust_pattern *find(const struct ft_trust *trust, uint32_t id)
{
    for (size_t i = 0; trust && i < trust->count; i++) {
        if (trust->pattern[i].id == id)
            return &trust->pattern[i];
    }
    return NULL;
}

static int read_pattern(struct ft_trust *trust, const json_t *object)
{
    struct ft_trust_pattern *pattern = &trust->pattern[trust->count];
    uint64_t id = 0;

    if (read_digits(ft_field_text(object, "pattern"), 8, &id) ||
        read_result(ft_field_text(object, "result"), &pattern->result) || find(trust, (uint32_t)id))
        return -EBADMSG;
    pattern->id = (uint32_t)id;
    trust->count++;
    return 0;
}

static int refuse(char *why, size_t room, const char *sentence)
{
    snprintf(why, room, "%s", sentence);
    return -EBADMSG;
}

/* Is it a result of this format, with all that is needed of it? */
static int check(const json_t *root, char *why, size_t room)
{
    const char *schema = ft_field_text(root, "schema");

    if (strncmp(schema, "ftrun-rehearsal-", 16) != 0)
        return refuse(why, room, "it is no result of ftrun --rehearse");
    if (strcmp(schema, FT_REHEARSAL_SCHEMA) != 0)
        return refuse(why, room,
                      "its format is of another version of ftrun: rehearse the program again");
    if (!json_is_string(json_object_get(root, "executable")) ||
        !json_is_array(json_object_get(root, "patterns")))
        return refuse(why, room,
                      "it does not say which patterns the rehearsal supports: rehearse the program "
                      "again");
    return 0;
}

/* 0 with *out set, or an error with *out NULL. */
static int take(const json_t *root, struct ft_trust **out, char *why, size_t room)
{
    const json_t *patterns = json_object_get(root, "patterns"), *object;
    int code = check(root, why, room);
    struct ft_trust *trust;
    size_t i;

    if (code)
        return code;
    trust = calloc(1, sizeof(*trust) + json_array_size(patterns) * sizeof(trust->pattern[0]));
    if (!trust) {
        refuse(why, room, "no memory");
        return -ENOMEM;
    }
    code = read_digits(ft_field_text(root, "executable"), 16, &trust->executable);
    json_array_foreach (patterns, i, object)
        code = code ? code : read_pattern(trust, object);
    if (code) {
        free(trust);
        return refuse(why, room, "its members executable and patterns are damaged");
    }
    *out = trust;
    return 0;
}

int ft_trust_read(const char *path, struct ft_trust **out, char *why, size_t room)
{
    FILE *file = fopen(path, "re");
    json_error_t error;
    json_t *root;
    int code;

    *out = NULL;
    if (!file) {
        code = -errno;
        snprintf(why, room, "%s", strerror(errno));
        return code;
    }
    root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    code = ferror(file) ? -EIO : 0;
    fclose(file);
    if (!code && root)
        code = take(root, out, why, room);
    else
        snprintf(why, room, "line %d: %s: it is not the whole JSON that ftrun --rehearse writes",
                 error.line, error.text);
    json_decref(root);
    return root || code ? code : -EBADMSG;
}

static int is_believed(const struct ft_sites *sites, const struct ft_trust *found, uint32_t id)
{
    const struct ft_trust_pattern *pattern = find(found, id);

    if (pattern && pattern->result == FT_TRUST_CONTRADICTED)
        return 0;
    return ft_sites_trusted(sites, id) ||
           (pattern && pattern->result == FT_TRUST_SUPPORTED && ft_sites_triable(sites, id));
}

static int has_polls(const struct ft_sites *sites)
{
    uint32_t count;
    const struct ft_site_entry *site = ft_sites_all(sites, &count);

    for (uint32_t i = 0; i < count; i++) {
        if (ft_sites_unrecorded(sites, site[i].id))
            return 1;
    }
    return 0;
}

uint32_t ft_trust_choose(const struct ft_sites *sites, const struct ft_trust *found, uint32_t *out,
                         uint32_t room)
{
    uint32_t count = 0, entries;
    const struct ft_pattern_entry *pattern = ft_sites_patterns(sites, &entries);

    if (has_polls(sites) && count++ < room)
        out[0] = FT_TRUST_POLLS;
    for (uint32_t i = 0; i < entries; i++) {
        if (!is_believed(sites, found, pattern[i].id))
            continue;
        if (count < room)
            out[count] = pattern[i].id;
        count++;
    }
    return count;
}
