/* Idea: the parts are called in the order in which insertions at one place must stand.
 *
 * The #include goes behind the last #include that stands outside of conditions and before the first
 * declaration of the file, because nothing can be open there: no attribute, no pragma, no macro
 * call. In a header it goes to the top, outside of its guard, which ft.h bears. */
#include "rewriters/annotate.h"
#include "rewriters/hook.h"
#include "rewriters/lexer.h"
#include "rewriters/pattern.h"
#include "rewriters/site.h"

#include <string.h>
#include <utlist.h>

struct rw_edits *rw_annotate(const struct an_judgement *judgement, const struct an_unit *unit,
                             const char *file, const char *text, size_t length)
{
    struct rw_target target = {judgement, unit, file, text, length, rw_edits_create()};
    size_t limit = rw_target_is_main(&target) ? unit->first_declaration : 0;
    size_t line = rw_last_include(text, length, limit);
    rw_patterns_end(&target);
    rw_hooks_insert(&target);
    rw_patterns_begin(&target);
    rw_patterns_leave(&target);
    rw_sites_insert(&target);
    if (!rw_edits_count(target.edits))
        return target.edits;
    rw_edits_insert_header(target.edits, line);
    rw_patterns_declare(&target, line);
    return target.edits;
}

struct files {
    const struct an_judgement *judgement;
    const struct an_unit *unit;
    const char **names;
    unsigned room, count;
};

static void file_add(struct files *files, const struct an_node *node)
{
    if (an_program_unit_of(files->judgement->program, node) != files->unit)
        return;
    for (unsigned i = 0; i < files->count; i++)
        if (strcmp(files->names[i], node->place.file) == 0)
            return;
    if (files->count < files->room)
        files->names[files->count++] = node->place.file;
}

unsigned rw_annotated_files(const struct an_judgement *judgement, const struct an_unit *unit,
                            const char **files, unsigned room)
{
    struct files found = {judgement, unit, files, room, 0};
    if (room)
        files[found.count++] = unit->path;
    const struct an_hook *hook;
    LL_FOREACH (judgement->hooks, hook)
        if (hook->marked)
            file_add(&found, hook->loop);
    const struct an_pattern *pattern;
    LL_FOREACH (judgement->patterns, pattern)
        if (pattern->annotated)
            file_add(&found, pattern->first);
    const struct an_site *site;
    LL_FOREACH (judgement->sites, site)
        file_add(&found, site->node);
    return found.count;
}
