/* Idea: a finding is said once per rule, site and place. */
#include "analysis/judge/verdict_findings.h"

#include <string.h>
#include <utlist.h>

void an_finding_add(struct an_judgement *judgement, const struct an_site *site, const char *rule,
                    const struct an_node *node, const char *message, const char *fix,
                    struct an_step *path)
{
    struct an_finding *finding;

    for (finding = judgement->findings; finding; finding = finding->next)
        if (finding->site == site && finding->node == node && strcmp(finding->rule, rule) == 0)
            return;
    finding = an_judgement_alloc(judgement, sizeof *finding);
    finding->rule = rule;
    finding->site = site;
    finding->node = node;
    finding->message = message;
    finding->fix = fix;
    finding->path = path;
    if (!finding->path) {
        finding->path = an_judgement_alloc(judgement, sizeof *finding->path);
        finding->path->node = node;
        finding->path->text = message;
    }
    LL_APPEND(judgement->findings, finding);
}

void an_findings_drop(struct an_judgement *judgement, const struct an_site *site)
{
    struct an_finding *finding, *next;

    LL_FOREACH_SAFE (judgement->findings, finding, next)
        if (finding->site == site)
            LL_DELETE(judgement->findings, finding);
}
