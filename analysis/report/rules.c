#include "analysis/report/parts.h"

#include <stdlib.h>
#include <string.h>

static const struct an_rule rules[] = {
#define AN_CLASS(id, title, help) {id, title, help, true},
#define AN_FINDING(id, title, help) {id, title, help, false},
#include "analysis/report/rules.def"
#undef AN_CLASS
#undef AN_FINDING
};

const struct an_rule *an_rule_at(unsigned n)
{
    return n < sizeof rules / sizeof *rules ? &rules[n] : NULL;
}

const struct an_rule *an_rule_find(const char *id)
{
    for (unsigned n = 0; n < sizeof rules / sizeof *rules; n++)
        if (strcmp(rules[n].id, id) == 0)
            return &rules[n];
    return NULL;
}

const char *an_hole_title(const char *kind)
{
    static const char *const titles[][2] = {
        {"file", "file not analysed"},          {"function", "function not analysed"},
        {"preprocessor", "calls compiled out"}, {"callee", "unknown callee"},
        {"unjudged", "call not judged"},        {"carried", "call not carried by ftrun"},
        {"facts", "damaged or missing facts"},
    };
    for (size_t n = 0; n < sizeof titles / sizeof *titles; n++)
        if (strcmp(titles[n][0], kind) == 0)
            return titles[n][1];
    return kind;
}

char *an_site_wildcards(const json_t *site)
{
    const json_t *maybe = json_object_get(site, "maybe");
    char *text = an_format("%s", "");
    size_t n, m;
    json_t *wildcard, *other;
    json_array_foreach (json_object_get(site, "wildcard"), n, wildcard) {
        bool perhaps = false;
        json_array_foreach (maybe, m, other)
            perhaps = perhaps || json_equal(wildcard, other);
        char *longer = an_format("%s%s%s%s", text, n > 0 ? ", " : "", json_string_value(wildcard),
                                 perhaps ? " (maybe)" : "");
        free(text);
        text = longer;
    }
    return text;
}
