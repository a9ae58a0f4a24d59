/* Idea: the same as the text, field by field. */
#include "analysis/report.h"

#include <utlist.h>

static json_t *hooks_pack(struct an_facts *facts, const struct an_choice *choice)
{
    json_t *hooks = json_array();
    for (unsigned i = 0; i < choice->count; i++) {
        const struct an_node *loop = choice->loops[i];
        json_array_append_new(hooks, json_pack("{s:i, s:i, s:s}", "line", (int)loop->place.line,
                                               "column", (int)loop->place.column, "function",
                                               an_loops_function(facts, loop)->name));
    }
    return hooks;
}

static const char *wild_name(enum an_wild wild)
{
    static const char *const names[] = {"no", "maybe", "yes"};
    return names[wild];
}

static json_t *sites_pack(const struct an_facts *facts)
{
    json_t *sites = json_array();
    const struct an_site *site;
    LL_FOREACH (facts->sites, site)
        json_array_append_new(sites,
                              json_pack("{s:s, s:i, s:i, s:s, s:s, s:s, s:s, s:s, s:s}", "file",
                                        site->place.file, "line", (int)site->place.line, "column",
                                        (int)site->place.column, "function", site->function, "call",
                                        site->call, "any_source", wild_name(site->source),
                                        "any_tag", wild_name(site->tag), "verdict",
                                        an_verdict_name(site->verdict), "reason", site->reason));
    return sites;
}

static json_t *gaps_pack(const struct an_facts *facts)
{
    json_t *gaps = json_array();
    const struct an_gap *gap;
    LL_FOREACH (facts->gaps, gap)
        json_array_append_new(
            gaps, json_pack("{s:i, s:i}", "first", (int)gap->first, "last", (int)gap->last));
    return gaps;
}

json_t *an_report_json(struct an_facts *facts)
{
    if (facts->problem)
        return json_pack("{s:s, s:s}", "file", facts->path, "not_analysed", facts->problem);
    struct an_choice choice = an_loops_choose(facts);
    json_t *file =
        json_pack("{s:s, s:o, s:o, s:o}", "file", facts->path, "hooks", hooks_pack(facts, &choice),
                  "sites", sites_pack(facts), "not_seen", gaps_pack(facts));
    if (choice.reason)
        json_object_set_new(file, "no_hook", json_string(choice.reason));
    return file;
}
