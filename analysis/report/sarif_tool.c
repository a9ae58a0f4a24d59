#include "analysis/report/sarif.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* "poll-steers-sends" as "PollSteersSends" (3.49.7). */
static char *name_of(const char *id)
{
    char *name = an_must(malloc(strlen(id) + 1)), *out = name;
    bool first = true;
    for (; *id != '\0'; id++) {
        if (*id != '-')
            *out++ = (char)(first ? toupper((unsigned char)*id) : *id);
        first = *id == '-';
    }
    *out = '\0';
    return name;
}

static json_t *rule_of(const char *id, const char *title, const char *help, const char *level)
{
    char *name = name_of(id);
    json_t *rule =
        an_must(json_pack("{s:s, s:s, s:{s:s}, s:{s:s}, s:{s:s}, s:{s:s}}", "id", id, "name", name,
                          "shortDescription", "text", title, "fullDescription", "text", help,
                          "help", "text", help, "defaultConfiguration", "level", level));
    free(name);
    return rule;
}

json_t *an_sarif_rules(const json_t *document)
{
    json_t *rules = an_must(json_array());
    const struct an_rule *rule;
    for (unsigned n = 0; (rule = an_rule_at(n)) != NULL; n++) {
        const char *level = rule->class                             ? "note"
                            : strcmp(rule->id, "contradicted") == 0 ? "error"
                                                                    : "warning";
        json_array_append_new(rules, rule_of(rule->id, rule->title, rule->help, level));
    }
    size_t m;
    const json_t *finding;
    json_array_foreach (json_object_get(document, "findings"), m, finding) {
        const char *id = an_field(finding, "rule");
        if (an_item_with(rules, "id", id) == NULL)
            json_array_append_new(rules, rule_of(id, id, an_field(finding, "message"), "warning"));
    }
    return rules;
}

unsigned an_sarif_rule(const struct an_sarif *sarif, const char *id)
{
    unsigned n = 0;
    while (n < json_array_size(sarif->rules) &&
           !an_field_is(json_array_get(sarif->rules, n), "id", id))
        n++;
    return n;
}

static json_t *notifications_of(void)
{
    static const char *const kinds[] = {"file",     "function", "preprocessor", "callee",
                                        "unjudged", "carried",  "facts"};
    json_t *list = an_must(json_array());
    for (size_t n = 0; n < sizeof kinds / sizeof *kinds; n++) {
        char *id = an_format("not-seen/%s", kinds[n]);
        json_array_append_new(list, json_pack("{s:s, s:{s:s}}", "id", id, "shortDescription",
                                              "text", an_hole_title(kinds[n])));
        free(id);
    }
    return list;
}

json_t *an_sarif_driver(const struct an_sarif *sarif)
{
    const json_t *program = json_object_get(sarif->document, "program");
    return an_must(json_pack(
        "{s:s, s:s, s:{s:s}, s:O, s:o}", "name", "ftcc", "semanticVersion",
        an_field(program, "version"), "shortDescription", "text",
        "Determinism of MPI programs: which calls depend on time, and what depends on them.",
        "rules", sarif->rules, "notifications", notifications_of()));
}

/* Where a hole is: its file, and its line when it has one. */
static json_t *hole_locations(struct an_sarif *sarif, const json_t *hole)
{
    const char *file = an_field(hole, "file");
    unsigned line = an_field_number(hole, "line");
    json_t *place = an_must(json_pack("{s:o}", "artifactLocation", an_sarif_artifact(sarif, file)));
    if (line > 0)
        json_object_set_new(place, "region", json_pack("{s:i}", "startLine", line));
    return an_must(json_pack("[{s:o}]", "physicalLocation", place));
}

static json_t *notification_of(struct an_sarif *sarif, const json_t *hole)
{
    const char *kind = an_field(hole, "kind"), *name = an_field(hole, "name");
    bool grave = strcmp(kind, "file") == 0 || strcmp(kind, "facts") == 0;
    char *text = an_format("%s: %s%s%s", an_hole_title(kind), name,
                           an_field_has(hole, "name") ? ": " : "", an_field(hole, "text"));
    char *id = an_format("not-seen/%s", kind);
    json_t *notification =
        an_must(json_pack("{s:s, s:{s:s}, s:{s:s}}", "level", grave ? "warning" : "note", "message",
                          "text", text, "descriptor", "id", id));
    if (an_field_has(hole, "file"))
        json_object_set_new(notification, "locations", hole_locations(sarif, hole));
    free(text);
    free(id);
    return notification;
}

json_t *an_sarif_invocation(struct an_sarif *sarif)
{
    json_t *list = an_must(json_array());
    size_t n;
    const json_t *hole;
    json_array_foreach (json_object_get(json_object_get(sarif->document, "coverage"), "holes"), n,
                        hole)
        json_array_append_new(list, notification_of(sarif, hole));
    return an_must(
        json_pack("{s:b, s:o}", "executionSuccessful", true, "toolExecutionNotifications", list));
}
