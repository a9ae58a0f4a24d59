/* Idea: each list of the judgement becomes an array of entries, sorted by id, and the texts are
 * collected behind them, each once.
 *
 *     header | sites | patterns | hooks | text        checksum = XXH64 of all behind the header */
#include "ftcc/sites.h"
#include "runtime/shared/sites/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>
#include <xxhash.h>

/* A text that was written, and where. */
struct text {
    const char *key; /* the program's or the judgement's */
    uint32_t offset;
    UT_hash_handle hh;
};

struct writer {
    struct text *texts;
    FILE *text;
    uint32_t length; /* of the texts so far */
};

static uint32_t text_add(struct writer *writer, const char *string)
{
    struct text *text = NULL;
    string = string ? string : "";
    HASH_FIND_STR(writer->texts, string, text);
    if (text)
        return text->offset;
    text = malloc(sizeof *text);
    if (!text)
        abort();
    *text = (struct text){.key = string, .offset = writer->length};
    HASH_ADD_KEYPTR(hh, writer->texts, text->key, strlen(text->key), text);
    writer->length += (uint32_t)fwrite(string, 1, strlen(string) + 1, writer->text);
    return text->offset;
}

static void texts_destroy(struct writer *writer)
{
    struct text *text, *next;
    HASH_ITER (hh, writer->texts, text, next) {
        HASH_DEL(writer->texts, text);
        free(text);
    }
}

static const char *function_name(const struct an_node *node)
{
    const struct an_node *function = an_function_of(node);
    return function ? function->name : NULL;
}

static uint32_t site_flags(const struct an_site *site)
{
    bool anonymous = site->wildcard & (AN_WILD_SOURCE | AN_WILD_TAG);
    return (site->override ? FT_SITE_OVERRIDE : 0u) | (site->logged ? FT_SITE_LOGGED : 0u) |
           (anonymous ? FT_SITE_ANONYMOUS : 0u);
}

static struct ft_site_entry site_entry(struct writer *writer, const struct an_site *site)
{
    return (struct ft_site_entry){
        .id = site->id,
        .pattern = site->pattern ? site->pattern->id : 0,
        .class = (uint32_t)site->verdict,
        .flags = site_flags(site),
        .file = text_add(writer, site->node->place.file),
        .function = text_add(writer, function_name(site->node)),
        .call = text_add(writer, site->mpi.inner->name),
        .line = site->node->place.line,
    };
}

static uint32_t pattern_flags(const struct an_judgement *judgement,
                              const struct an_pattern *pattern)
{
    const struct an_finding *finding;

    LL_FOREACH (judgement->findings, finding)
        if (strcmp(finding->rule, "capture") == 0 && finding->site &&
            finding->site->pattern == pattern)
            return FT_PATTERN_CAPTURE;
    return pattern->trusted ? FT_PATTERN_TRUSTED : 0u;
}

static struct ft_pattern_entry pattern_entry(struct writer *writer,
                                             const struct an_judgement *judgement,
                                             const struct an_pattern *pattern)
{
    return (struct ft_pattern_entry){
        .id = pattern->id,
        .flags = pattern_flags(judgement, pattern),
        .file = text_add(writer, pattern->first->place.file),
        .function = text_add(writer, pattern->function->name),
        .line = pattern->first->place.line,
    };
}

static struct ft_hook_entry hook_entry(struct writer *writer, const struct an_hook *hook)
{
    return (struct ft_hook_entry){
        .id = hook->id,
        .chosen = hook->chosen,
        .file = text_add(writer, hook->loop->place.file),
        .function = text_add(writer, hook->function->name),
        .line = hook->loop->place.line,
    };
}

/* The id is the first member of each kind of entry. */
static int by_id(const void *a, const void *b)
{
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    return (first > second) - (first < second);
}

static uint32_t sites_merge(struct ft_site_entry *sites, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct ft_site_entry *last = kept ? &sites[kept - 1] : NULL;
        if (!last || last->id != sites[i].id) {
            sites[kept++] = sites[i];
            continue;
        }
        if (sites[i].class > last->class)
            *last = sites[i];
        last->flags |= FT_SITE_LOGGED;
        last->pattern = 0;
    }
    return kept;
}

static uint32_t patterns_merge(struct ft_pattern_entry *patterns, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kept && patterns[kept - 1].id == patterns[i].id)
            patterns[kept - 1].flags &= ~(uint32_t)FT_PATTERN_TRUSTED;
        else
            patterns[kept++] = patterns[i];
    }
    return kept;
}

static uint32_t hooks_merge(struct ft_hook_entry *hooks, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kept && hooks[kept - 1].id == hooks[i].id)
            hooks[kept - 1].chosen |= hooks[i].chosen;
        else
            hooks[kept++] = hooks[i];
    }
    return kept;
}

static void *entries_create(unsigned count, size_t size)
{
    void *entries = calloc(count + 1, size);
    if (!entries)
        abort();
    return entries;
}

static struct ft_site_entry *sites_make(struct writer *writer, const struct an_site *list,
                                        uint32_t *count)
{
    const struct an_site *site;
    LL_COUNT(list, site, *count);
    struct ft_site_entry *entries = entries_create(*count, sizeof *entries);
    unsigned i = 0;
    LL_FOREACH (list, site)
        entries[i++] = site_entry(writer, site);
    qsort(entries, *count, sizeof *entries, by_id);
    *count = sites_merge(entries, *count);
    return entries;
}

static struct ft_pattern_entry *patterns_make(struct writer *writer,
                                              const struct an_judgement *judgement, uint32_t *count)
{
    const struct an_pattern *pattern;
    LL_COUNT(judgement->patterns, pattern, *count);
    struct ft_pattern_entry *entries = entries_create(*count, sizeof *entries);
    unsigned i = 0;
    LL_FOREACH (judgement->patterns, pattern)
        entries[i++] = pattern_entry(writer, judgement, pattern);
    qsort(entries, *count, sizeof *entries, by_id);
    *count = patterns_merge(entries, *count);
    return entries;
}

static struct ft_hook_entry *hooks_make(struct writer *writer, const struct an_hook *list,
                                        uint32_t *count)
{
    const struct an_hook *hook;
    LL_COUNT(list, hook, *count);
    struct ft_hook_entry *entries = entries_create(*count, sizeof *entries);
    unsigned i = 0;
    LL_FOREACH (list, hook)
        entries[i++] = hook_entry(writer, hook);
    qsort(entries, *count, sizeof *entries, by_id);
    *count = hooks_merge(entries, *count);
    return entries;
}

static struct rw_text section_build(struct ft_sites_header header, const void *sites,
                                    const void *patterns, const void *hooks, const char *text)
{
    struct rw_text section = {NULL, 0};
    FILE *out = open_memstream(&section.text, &section.length);
    fwrite(&header, sizeof header, 1, out);
    fwrite(sites, sizeof(struct ft_site_entry), header.sites, out);
    fwrite(patterns, sizeof(struct ft_pattern_entry), header.patterns, out);
    fwrite(hooks, sizeof(struct ft_hook_entry), header.hooks, out);
    fwrite(text, 1, header.text, out);
    if (fclose(out) != 0)
        abort();
    header.checksum = XXH64(section.text + sizeof header, section.length - sizeof header, 0);
    memcpy(section.text, &header, sizeof header);
    return section;
}

struct rw_text cc_sites_write(const struct an_judgement *judgement)
{
    struct rw_text texts = {NULL, 0};
    struct writer writer = {.text = open_memstream(&texts.text, &texts.length)};
    struct ft_sites_header header = {.magic = FT_SITES_MAGIC, .version = FT_SITES_VERSION};
    text_add(&writer, "");
    struct ft_site_entry *sites = sites_make(&writer, judgement->sites, &header.sites);
    struct ft_pattern_entry *patterns = patterns_make(&writer, judgement, &header.patterns);
    struct ft_hook_entry *hooks = hooks_make(&writer, judgement->hooks, &header.hooks);
    fclose(writer.text);
    header.text = writer.length;
    struct rw_text section = section_build(header, sites, patterns, hooks, texts.text);
    texts_destroy(&writer);
    free(sites);
    free(patterns);
    free(hooks);
    free(texts.text);
    return section;
}
