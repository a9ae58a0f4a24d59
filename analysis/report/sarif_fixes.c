/* Idea: an insertion names the sites, patterns and hooks that it serves by their ids; one that
 * names none (a declaration) serves all of its file. A fix of a site is what serves it, as
 * replacements of nothing (3.57.4: a deleted region of length zero). */
#include "analysis/report/sarif.h"

#include <stdlib.h>
#include <string.h>

/* Whether `text` names the id of any item of the list. */
static bool names_any(const char *text, const json_t *list)
{
    size_t n;
    const json_t *item;
    json_array_foreach (list, n, item) {
        const char *name = an_field(item, "name");
        if (strstr(text, an_field(item, "id")) != NULL ||
            (name[0] != '\0' && strstr(text, name) != NULL))
            return true;
    }
    return false;
}

static bool serves(const struct an_sarif *sarif, const json_t *site, const char *text)
{
    const json_t *patterns = json_object_get(sarif->document, "patterns");
    const char *pattern = an_field(site, "pattern");
    const char *name = an_field(an_item_with(patterns, "id", pattern), "name");
    if (strstr(text, an_field(site, "id")) != NULL)
        return true;
    if (pattern[0] != '\0' &&
        (strstr(text, pattern) != NULL || (name[0] != '\0' && strstr(text, name) != NULL)))
        return true;
    return !names_any(text, json_object_get(sarif->document, "sites")) &&
           !names_any(text, patterns) &&
           !names_any(text, json_object_get(sarif->document, "hooks"));
}

static json_t *replacement_of(const struct an_text_file *file, const struct an_insertion *insertion)
{
    unsigned line = an_text_line_of(file, insertion->offset);
    size_t start = line <= file->lines ? file->starts[line - 1] : file->length;
    unsigned column = an_text_column(file, line, (unsigned)(insertion->offset - start) + 1);
    char *text = an_format("%s%s", insertion->text, insertion->own_line ? "\n" : "");
    json_t *replacement =
        an_must(json_pack("{s:{s:i, s:i, s:i, s:i}, s:{s:o}}", "deletedRegion", "startLine", line,
                          "startColumn", column, "endLine", line, "endColumn", column,
                          "insertedContent", "text", an_json_string(text)));
    free(text);
    return replacement;
}

json_t *an_sarif_fixes(struct an_sarif *sarif, const json_t *site)
{
    const struct an_text_file *file = an_texts_file(sarif->texts, an_field(site, "file"));
    json_t *replacements = an_must(json_array());
    for (size_t n = 0; file->text != NULL && file->given != NULL && n < file->given->count; n++) {
        const struct an_insertion *insertion = &file->given->insertions[n];
        if (insertion->offset <= file->length && serves(sarif, site, insertion->text))
            json_array_append_new(replacements, replacement_of(file, insertion));
    }
    if (json_array_size(replacements) == 0)
        return replacements;
    return an_must(json_pack("[{s:{s:s}, s:[{s:o, s:o}]}]", "description", "text",
                             "The annotation that ftcc inserts for this site.", "artifactChanges",
                             "artifactLocation", an_sarif_artifact(sarif, file->name),
                             "replacements", replacements));
}
