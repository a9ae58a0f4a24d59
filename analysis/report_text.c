/* Idea: one block a file: the hook, the sites in the form of a compiler's message, and what could
 * not be seen. */
#include "analysis/report.h"

#include <utlist.h>

static void hooks_print(struct an_facts *facts, FILE *out)
{
    struct an_choice choice = an_loops_choose(facts);
    for (unsigned i = 0; i < choice.count; i++)
        fprintf(out, "%s:%u: hook in the main loop of %s\n", facts->path,
                choice.loops[i]->place.line, an_loops_function(facts, choice.loops[i])->name);
    if (!choice.count)
        fprintf(out, "%s: no hook: %s\n", facts->path, choice.reason);
}

static void site_print(const struct an_site *site, FILE *out)
{
    char wildcards[64];
    an_site_wildcards(site, wildcards);
    fprintf(out, "%s:%u:%u: %s: %s%s%s%s: %s\n", site->place.file, site->place.line,
            site->place.column, site->function, site->call, *wildcards ? " (" : "", wildcards,
            *wildcards ? ")" : "", an_verdict_name(site->verdict));
}

void an_report_text(struct an_facts *facts, FILE *out)
{
    if (facts->problem) {
        fprintf(out, "%s: not analysed: %s\n", facts->path, facts->problem);
        return;
    }
    hooks_print(facts, out);
    unsigned count = 0;
    const struct an_site *site;
    LL_FOREACH (facts->sites, site) {
        site_print(site, out);
        count++;
    }
    const struct an_gap *gap;
    LL_FOREACH (facts->gaps, gap)
        fprintf(out, "%s:%u: not seen: lines %u to %u, left out by the preprocessor\n", facts->path,
                gap->first, gap->first, gap->last);
    fprintf(out, "%s: %u site%s\n", facts->path, count, count == 1 ? "" : "s");
}
