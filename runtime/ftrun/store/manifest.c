/* manifest: the JSON document that makes a checkpoint valid, written and read with jansson.
 *
 * Invariant: read(write(m)) == m, and a document that lacks a member, has it in another type, or
 * disagrees with its own size is refused as a whole, and so is a number that its member cannot
 * hold, a digit that write() never writes, or a checksum that is not that of the other members.
 * 64-bit hashes are hexadecimal strings, because JSON's integers are signed. Pending output may be
 * any bytes, so it is hexadecimal, too. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "store/store.h"

/* In places jansson leaves out what it has no memory for, and says nothing. So it is watched. */
static json_malloc_t usual; /* jansson's own */
static json_free_t release;
static int lacked; /* 1: something had no memory */

static void *get(size_t size)
{
    void *memory = usual(size);

    lacked |= !memory;
    return memory;
}

static void watch_begin(void)
{
    json_get_alloc_funcs(&usual, &release);
    json_set_alloc_funcs(get, release);
    errno = lacked = 0;
}

/* Had something no memory, also of what the C library was asked for? */
static int watch_end(void)
{
    json_set_alloc_funcs(usual, release);
    return lacked || errno == ENOMEM;
}

struct ft_manifest *ft_manifest_create(int32_t size, int32_t count)
{
    struct ft_manifest *manifest = calloc(1, sizeof(*manifest));

    if (!manifest)
        return NULL;
    manifest->size = size;
    manifest->count = count;
    manifest->cluster = -1;
    manifest->ranks = calloc((size_t)count, sizeof(*manifest->ranks));
    manifest->output = calloc((size_t)count * 2, sizeof(*manifest->output));
    if (manifest->ranks && manifest->output)
        return manifest;
    ft_manifest_destroy(manifest);
    return NULL;
}

void ft_manifest_destroy(struct ft_manifest *manifest)
{
    if (!manifest)
        return;
    for (int i = 0; manifest->output && i < 2 * manifest->count; i++)
        free(manifest->output[i].text);
    for (char **argument = manifest->argv; argument && *argument; argument++)
        free(*argument);
    free(manifest->argv);
    free(manifest->output);
    free(manifest->ranks);
    free(manifest->pattern);
    free(manifest->program);
    free(manifest->cwd);
    free(manifest->local);
    free(manifest->levels);
    free(manifest);
}

int ft_position_copy(const struct ft_position *from, struct ft_position *to)
{
    char *text = NULL;

    if (from->pending && !(text = malloc(from->pending)))
        return -ENOMEM;
    if (from->pending)
        memcpy(text, from->text, from->pending);
    free(to->text);
    *to = *from;
    to->text = text;
    return 0;
}

static int place_of(const struct ft_manifest *manifest, int32_t rank)
{
    int at = 0;

    while (manifest->ranks[at].rank != rank)
        at++;
    return at;
}

/* Gives a cluster's manifest the folder and the levels of the nodes' disks from the whole job's
 * manifest. 0 or -ENOMEM. */
static int copy_levels(struct ft_manifest *part, const struct ft_manifest *whole)
{
    part->near = whole->near;
    if (!whole->local)
        return 0;
    part->local = strdup(whole->local);
    part->levels = strdup(whole->levels);
    return part->local && part->levels ? 0 : -ENOMEM;
}

/* The words that could be copied are in *copy in any case. */
static int copy_words(char *const *words, char ***copy)
{
    size_t count = 0;

    while (words[count])
        count++;
    *copy = calloc(count + 1, sizeof(**copy));
    for (size_t i = 0; *copy && i < count; i++) {
        if (!((*copy)[i] = strdup(words[i])))
            return -ENOMEM;
    }
    return *copy ? 0 : -ENOMEM;
}

static int copy_rank(struct ft_manifest *part, int at, const struct ft_manifest *whole, int from)
{
    part->ranks[at] = whole->ranks[from];
    return ft_position_copy(&whole->output[2 * from], &part->output[2 * at]) ||
           ft_position_copy(&whole->output[2 * from + 1], &part->output[2 * at + 1]);
}

struct ft_manifest *ft_manifest_part(const struct ft_manifest *whole, int cluster,
                                     const int32_t *ranks, int count)
{
    struct ft_manifest *part = ft_manifest_create(whole->size, count);
    int code = !part;

    for (int i = 0; !code && i < count; i++)
        code = copy_rank(part, i, whole, place_of(whole, ranks[i]));
    if (code) {
        ft_manifest_destroy(part);
        return NULL;
    }
    part->checkpoint = whole->checkpoint;
    part->cluster = cluster;
    part->build = whole->build;
    part->stack_limit = whole->stack_limit;
    part->environment = whole->environment;
    part->input = whole->input;
    part->replicas = whole->replicas;
    part->changes = whole->changes;
    part->continues = whole->continues && count == whole->count;
    part->nameless = whole->nameless;
    part->unsettled = whole->unsettled;
    part->frozen = whole->frozen;
    part->program = strdup(whole->program);
    part->cwd = strdup(whole->cwd);
    if (!copy_words(whole->argv, &part->argv) && !copy_levels(part, whole) && part->program &&
        part->cwd)
        return part;
    ft_manifest_destroy(part);
    return NULL;
}

#define HEX_DIGITS "0123456789abcdef"

/* Bytes as hexadecimal digits; NULL: no memory. */
static char *hex_encode(const char *bytes, size_t length)
{
    char *digits = malloc(2 * length + 1);

    lacked |= !digits;
    for (size_t i = 0; digits && i < length; i++) {
        digits[2 * i] = HEX_DIGITS[(unsigned char)bytes[i] >> 4];
        digits[2 * i + 1] = HEX_DIGITS[bytes[i] & 15];
    }
    if (digits)
        digits[2 * length] = 0;
    return digits;
}

/* The value of a digit of HEX_DIGITS. */
static int hex_value(char digit)
{
    return digit <= '9' ? digit - '0' : digit - 'a' + 10;
}

/* The bytes, with a 0 behind them; NULL: what hex_encode never writes, or no memory. */
static char *hex_decode(const char *digits, size_t *length)
{
    size_t count = strlen(digits);
    char *bytes = NULL;

    if (count % 2 == 0 && strspn(digits, HEX_DIGITS) == count)
        bytes = calloc(count / 2 + 1, 1);
    for (size_t i = 0; bytes && i < count / 2; i++)
        bytes[i] = (char)(hex_value(digits[2 * i]) << 4 | hex_value(digits[2 * i + 1]));
    *length = count / 2;
    return bytes;
}

static json_t *hash_value(uint64_t hash)
{
    return json_sprintf("%016" PRIx64, hash);
}

static json_t *position_value(const struct ft_position *position)
{
    char *text = hex_encode(position->text, position->pending);
    json_t *value = json_pack("{s:I, s:I, s:s}", "lines", (json_int_t)position->lines, "partial",
                              (json_int_t)position->partial, "pending", text ? text : "");

    free(text);
    return value;
}

static json_t *ranks_value(const struct ft_manifest *manifest)
{
    json_t *list = json_array();

    for (int i = 0; i < manifest->count; i++) {
        const struct ft_manifest_rank *rank = &manifest->ranks[i];

        json_array_append_new(
            list, json_pack("{s:i, s:i, s:I, s:I, s:o, s:I, s:I, s:I, s:o, s:o}", "rank",
                            rank->rank, "cluster", rank->cluster, "hook", (json_int_t)rank->hooks,
                            "bytes", (json_int_t)rank->bytes, "xxh3", hash_value(rank->checksum),
                            "order", (json_int_t)rank->order, "determinants",
                            (json_int_t)rank->determinants, "trail", (json_int_t)rank->trail,
                            "stdout", position_value(&manifest->output[2 * i]), "stderr",
                            position_value(&manifest->output[2 * i + 1])));
    }
    return list;
}

static json_t *patterns_value(const struct ft_manifest *manifest)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < manifest->patterns; i++)
        json_array_append_new(list, json_integer(manifest->pattern[i]));
    return list;
}

/* Command lines and paths need not be UTF-8, which JSON demands: those are kept as digits. */
static json_t *text_value(const char *text)
{
    json_t *value = json_string(text);

    if (value)
        return value;
    char *digits = hex_encode(text, strlen(text));
    value = json_pack("{s:s}", "hex", digits ? digits : "");
    free(digits);
    return value;
}

static json_t *document(const struct ft_manifest *manifest)
{
    json_t *arguments = json_array();
    json_t *cluster = manifest->cluster < 0 ? NULL : json_integer(manifest->cluster);
    json_t *local = manifest->local
                        ? json_pack("{s:o, s:s, s:b}", "folder", text_value(manifest->local),
                                    "levels", manifest->levels, "images", manifest->near)
                        : NULL;
    json_t *replicas =
        manifest->replicas ? json_pack("{s:I}", "changes", (json_int_t)manifest->changes) : NULL;

    for (char **argument = manifest->argv; argument && *argument; argument++)
        json_array_append_new(arguments, text_value(*argument));
    return json_pack(
        "{s:i, s:I, s:i, s:o*, s:o*, s:o*, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o}",
        "version", FT_MANIFEST_VERSION, "checkpoint", (json_int_t)manifest->checkpoint, "size",
        manifest->size, "cluster", cluster, "local", local, "replicas", replicas, "continues",
        manifest->continues, "nameless", manifest->nameless, "program",
        text_value(manifest->program), "build", hash_value(manifest->build), "argv", arguments,
        "cwd", text_value(manifest->cwd), "environ", hash_value(manifest->environment),
        "stack_limit", (json_int_t)manifest->stack_limit, "stdin", (json_int_t)manifest->input,
        "trusted", patterns_value(manifest), "ranks", ranks_value(manifest));
}

/* The checksum of all members, in their order, however they are indented. 0 or -ENOMEM. */
static int checksum_of(const json_t *root, uint64_t *checksum)
{
    char *text = json_dumps(root, JSON_COMPACT);

    if (!text)
        return -ENOMEM;
    *checksum = XXH3_64bits(text, strlen(text));
    free(text);
    return 0;
}

/* The document as it is written: its checksum is the last member. NULL: no memory for all. */
static char *sealed_text(const struct ft_manifest *manifest)
{
    uint64_t checksum;
    char *text = NULL;

    watch_begin();
    json_t *root = document(manifest);
    if (root && !checksum_of(root, &checksum) &&
        !json_object_set_new(root, "checksum", hash_value(checksum)))
        text = json_dumps(root, JSON_INDENT(1));
    json_decref(root);
    if (!watch_end())
        return text;
    free(text);
    return NULL;
}

static int write_all(int fd, const char *text, size_t length)
{
    while (length) {
        ssize_t written = write(fd, text, length);

        if (written < 0 && errno != EINTR)
            return -errno;
        if (written > 0) {
            text += written;
            length -= (size_t)written;
        }
    }
    return fsync(fd) ? -errno : 0;
}

int ft_manifest_write(const struct ft_manifest *manifest, const char *path)
{
    char *text = sealed_text(manifest);
    int fd = -1, code = text ? 0 : -ENOMEM;

    if (!code && (fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) < 0)
        code = -errno;
    if (!code)
        code = write_all(fd, text, strlen(text));
    if (fd >= 0 && close(fd) && !code)
        code = -errno;
    free(text);
    return code;
}

static int read_hash(json_t *value, uint64_t *hash)
{
    const char *text = json_string_value(value);

    if (!text || strlen(text) != 16 || strspn(text, HEX_DIGITS) != 16)
        return -EBADMSG;
    return sscanf(text, "%" SCNx64, hash) == 1 ? 0 : -EBADMSG;
}

static char *read_text(json_t *value)
{
    const char *text = json_string_value(value);

    if (text)
        return strdup(text);
    text = json_string_value(json_object_get(value, "hex"));
    size_t length;
    return text ? hex_decode(text, &length) : NULL;
}

static int read_position(json_t *value, struct ft_position *position)
{
    json_int_t lines, partial;
    const char *pending;

    if (json_unpack(value, "{s:I, s:I, s:s}", "lines", &lines, "partial", &partial, "pending",
                    &pending) ||
        lines < 0 || partial < 0)
        return -EBADMSG;
    position->lines = (uint64_t)lines;
    position->partial = (uint64_t)partial;
    position->text = hex_decode(pending, &position->pending);
    return position->text ? 0 : -EBADMSG;
}

static int read_rank(json_t *value, struct ft_manifest *manifest, int number)
{
    struct ft_manifest_rank *rank = &manifest->ranks[number];
    json_int_t named, cluster, hooks, bytes, order, determinants, trail;
    json_t *hash, *out, *err;

    if (json_unpack(value, "{s:I, s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:o, s:o}", "rank", &named,
                    "cluster", &cluster, "hook", &hooks, "bytes", &bytes, "xxh3", &hash, "order",
                    &order, "determinants", &determinants, "trail", &trail, "stdout", &out,
                    "stderr", &err) ||
        named < 0 || named >= manifest->size || (number && named <= rank[-1].rank) || cluster < 0 ||
        cluster >= manifest->size || hooks < 0 || bytes < 0 || order < 0 || order > UINT32_MAX ||
        determinants < 0 || trail < 0 || read_hash(hash, &rank->checksum))
        return -EBADMSG;
    rank->rank = (int32_t)named;
    rank->cluster = (int32_t)cluster;
    rank->trail = (uint64_t)trail;
    rank->hooks = (uint64_t)hooks;
    rank->bytes = (uint64_t)bytes;
    rank->order = (uint32_t)order;
    rank->determinants = (uint64_t)determinants;
    if (read_position(out, &manifest->output[2 * number]))
        return -EBADMSG;
    return read_position(err, &manifest->output[2 * number + 1]);
}

static int read_arguments(json_t *list, struct ft_manifest *manifest)
{
    size_t count = json_array_size(list);

    manifest->argv = calloc(count + 1, sizeof(*manifest->argv));
    for (size_t i = 0; manifest->argv && i < count; i++) {
        if (!(manifest->argv[i] = read_text(json_array_get(list, i))))
            return -EBADMSG;
    }
    return manifest->argv && count ? 0 : -EBADMSG;
}

static int read_patterns(json_t *list, struct ft_manifest *manifest)
{
    size_t count = json_array_size(list);

    manifest->pattern = calloc(count + 1, sizeof(*manifest->pattern));
    for (size_t i = 0; manifest->pattern && i < count; i++) {
        json_int_t pattern = json_integer_value(json_array_get(list, i));

        if (!json_is_integer(json_array_get(list, i)) || pattern < 0 || pattern > UINT32_MAX)
            return -EBADMSG;
        manifest->pattern[manifest->patterns++] = (uint32_t)pattern;
    }
    return json_is_array(list) && manifest->pattern ? 0 : -EBADMSG;
}

/* The member "local", which only a job with --local has. */
static int read_local(json_t *value, struct ft_manifest *manifest)
{
    const char *levels;
    json_t *folder;

    if (!value)
        return 0;
    if (json_unpack(value, "{s:o, s:s, s:b}", "folder", &folder, "levels", &levels, "images",
                    &manifest->near))
        return -EBADMSG;
    manifest->local = read_text(folder);
    manifest->levels = strdup(levels);
    return manifest->local && manifest->levels ? 0 : -EBADMSG;
}

/* The member "replicas", which only a job with two copies of each rank has. */
static int read_replicas(json_t *value, struct ft_manifest *manifest)
{
    json_int_t changes;

    if (!value)
        return 0;
    if (json_unpack(value, "{s:I}", "changes", &changes) || changes < 0)
        return -EBADMSG;
    manifest->replicas = 1;
    manifest->changes = (uint64_t)changes;
    return 0;
}

/* Fills a manifest from the parsed document; -EBADMSG leaves it half full, for the caller to free.
 */
static int read_document(json_t *root, struct ft_manifest *manifest)
{
    json_t *program, *build, *arguments, *cwd, *environment, *patterns, *ranks;
    json_int_t checkpoint, stack, input, cluster = -1;

    if (json_unpack(root, "{s:I, s?I, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o}",
                    "checkpoint", &checkpoint, "cluster", &cluster, "continues",
                    &manifest->continues, "nameless", &manifest->nameless, "program", &program,
                    "build", &build, "argv", &arguments, "cwd", &cwd, "environ", &environment,
                    "stack_limit", &stack, "stdin", &input, "trusted", &patterns, "ranks",
                    &ranks) ||
        read_hash(build, &manifest->build) || read_hash(environment, &manifest->environment) ||
        read_patterns(patterns, manifest) || read_local(json_object_get(root, "local"), manifest) ||
        read_replicas(json_object_get(root, "replicas"), manifest) || checkpoint < 0 ||
        checkpoint > UINT32_MAX || input < 0 || cluster < -1 || cluster > INT32_MAX ||
        ((cluster < 0 || manifest->continues) && manifest->count != manifest->size))
        return -EBADMSG;
    manifest->cluster = (int32_t)cluster;
    manifest->checkpoint = (uint32_t)checkpoint;
    manifest->stack_limit = (uint64_t)stack;
    manifest->input = (uint64_t)input;
    manifest->program = read_text(program);
    manifest->cwd = read_text(cwd);
    if (!manifest->program || !manifest->cwd || read_arguments(arguments, manifest))
        return -EBADMSG;
    for (int i = 0; i < manifest->count; i++) {
        if (read_rank(json_array_get(ranks, (size_t)i), manifest, i))
            return -EBADMSG;
    }
    return 0;
}

/* Takes the checksum out of the document. Is it that of the rest? */
static int is_sealed(json_t *root)
{
    uint64_t named, found;

    return !read_hash(json_object_get(root, "checksum"), &named) &&
           !json_object_del(root, "checksum") && !checksum_of(root, &found) && named == found;
}

struct source {
    int fd;
    int error; /* errno of a read that failed; 0: none did */
};

static size_t read_some(void *buffer, size_t length, void *context)
{
    struct source *source = context;
    ssize_t got;

    while ((got = read(source->fd, buffer, length)) < 0 && errno == EINTR)
        ;
    if (got < 0)
        source->error = errno;
    return (size_t)got; /* -1 is jansson's word for an error, too */
}

/* Reads the document. 0, -EBADMSG with a sentence in why, or -errno. */
static int read_file(const char *path, json_t **root, char *why)
{
    struct source source = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
    json_error_t error;

    if (source.fd < 0 && errno != ENOENT)
        return -errno;
    if (source.fd < 0) {
        snprintf(why, FT_STORE_WHY, "manifest.json: %s", strerror(ENOENT));
        return -EBADMSG;
    }
    *root = json_load_callback(read_some, &source, JSON_REJECT_DUPLICATES, &error);
    close(source.fd);
    if (source.error)
        return -source.error;
    if (!*root)
        snprintf(why, FT_STORE_WHY, "manifest.json: %s", error.text);
    return *root ? 0 : -EBADMSG;
}

/* Makes a manifest of the document, whose checksum is taken out. 0, -ENOMEM, or -EBADMSG with a
 * sentence in why. */
static int take_document(json_t *root, struct ft_manifest **out, char *why)
{
    json_int_t version = 0, size = 0;
    json_int_t count = (json_int_t)json_array_size(json_object_get(root, "ranks"));

    if (json_unpack(root, "{s:I, s:I}", "version", &version, "size", &size) || count < 1 ||
        size < count || size > INT32_MAX)
        snprintf(why, FT_STORE_WHY, "manifest.json is not a manifest");
    else if (version != FT_MANIFEST_VERSION)
        snprintf(why, FT_STORE_WHY, "manifest.json has version %lld, this ftrun reads %d",
                 (long long)version, FT_MANIFEST_VERSION);
    else if (!is_sealed(root))
        snprintf(why, FT_STORE_WHY, "manifest.json has a wrong checksum");
    else if (!(*out = ft_manifest_create((int32_t)size, (int32_t)count)))
        return -ENOMEM;
    else if (!read_document(root, *out))
        return 0;
    else
        snprintf(why, FT_STORE_WHY, "manifest.json lacks a member or contradicts itself");
    return -EBADMSG;
}

static int read_whole(const char *path, struct ft_manifest **out, char *why)
{
    json_t *root = NULL;
    int code = read_file(path, &root, why);

    if (!code)
        code = take_document(root, out, why);
    json_decref(root);
    return code;
}

int ft_manifest_read(const char *path, struct ft_manifest **out, char *why)
{
    struct ft_manifest *manifest = NULL;
    int code;

    watch_begin();
    code = read_whole(path, &manifest, why);
    if (watch_end() && code == -EBADMSG) /* nothing is known of the document */
        code = -ENOMEM;
    if (code && code != -EBADMSG)
        snprintf(why, FT_STORE_WHY, "manifest.json: %s", strerror(-code));
    if (!code)
        *out = manifest;
    else
        ft_manifest_destroy(manifest);
    return code;
}
