/* Idea: facts only grow, and die together; so an obstack holds them all. */
#include "analysis/facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define obstack_chunk_alloc malloc_or_end
#define obstack_chunk_free free

static void *malloc_or_end(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory) {
        fputs("ftcc: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

struct an_facts *an_facts_create(const char *path)
{
    struct an_facts *facts = malloc_or_end(sizeof *facts);
    memset(facts, 0, sizeof *facts);
    obstack_init(&facts->memory);
    facts->path = an_facts_string(facts, path);
    return facts;
}

void an_facts_destroy(struct an_facts *facts)
{
    if (!facts)
        return;
    obstack_free(&facts->memory, NULL);
    free(facts);
}

void *an_facts_alloc(struct an_facts *facts, size_t bytes)
{
    void *memory = obstack_alloc(&facts->memory, bytes);
    return memset(memory, 0, bytes);
}

const char *an_facts_string(struct an_facts *facts, const char *text)
{
    return obstack_copy0(&facts->memory, text, strlen(text));
}

const char *an_facts_printf(struct an_facts *facts, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL;
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    const char *copy = an_facts_string(facts, length < 0 ? "" : text);
    if (length >= 0)
        free(text);
    return copy;
}

bool an_words_contain(const struct an_word *list, const char *text)
{
    const struct an_word *word;
    LL_FOREACH (list, word)
        if (strcmp(word->text, text) == 0)
            return true;
    return false;
}

void an_facts_word_add(struct an_facts *facts, struct an_word **list, const char *text)
{
    if (an_words_contain(*list, text))
        return;
    struct an_word *word = an_facts_alloc(facts, sizeof *word);
    word->text = an_facts_string(facts, text);
    LL_PREPEND(*list, word);
}

struct an_function *an_facts_function(const struct an_facts *facts, const char *name)
{
    struct an_function *function;
    LL_FOREACH (facts->functions, function)
        if (strcmp(function->name, name) == 0)
            return function;
    return NULL;
}

static const char *wild_word(enum an_wild wild)
{
    return wild == AN_WILD_YES ? "any" : "maybe any";
}

void an_site_wildcards(const struct an_site *site, char *text)
{
    *text = '\0';
    if (site->source != AN_WILD_NO)
        sprintf(text, "%s source", wild_word(site->source));
    if (site->tag != AN_WILD_NO)
        sprintf(text + strlen(text), "%s%s tag", *text ? ", " : "", wild_word(site->tag));
}

const char *an_verdict_name(enum an_verdict verdict)
{
    static const char *const names[] = {
        [AN_UNKNOWN] = "unknown",
        [AN_DETERMINISTIC] = "deterministic",
        [AN_SEND_DETERMINISTIC] = "send-deterministic",
        [AN_CHANNEL_DETERMINISTIC] = "channel-deterministic",
        [AN_NON_DETERMINISTIC] = "non-deterministic",
    };
    return names[verdict];
}
