/* sarif: what the files that write SARIF share.
 *
 * Thread rule: one thread. */
#ifndef AN_REPORT_SARIF_H
#define AN_REPORT_SARIF_H

#include "analysis/report/parts.h"

#define AN_SARIF_SCHEMA                                                                            \
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

struct an_sarif {
    const json_t *document;
    struct an_texts *texts;
    json_t *artifacts; /* run.artifacts, in the order of their first use */
    json_t *numbers;   /* file -> its number there */
    json_t *keys;      /* identity of a result -> how many had it */
    json_t *rules;     /* tool.driver.rules */
};

/* An artifact location of a file of the document. */
json_t *an_sarif_artifact(struct an_sarif *sarif, const char *file);

/* --- sarif_tool.c */

/* The rules (3.19.23): those of rules.def, and any other that a finding names. */
json_t *an_sarif_rules(const json_t *document);
/* The index of the rule `id` in them. */
unsigned an_sarif_rule(const struct an_sarif *sarif, const char *id);
/* The tool's driver (3.18.2). */
json_t *an_sarif_driver(const struct an_sarif *sarif);
/* The invocation (3.20), whose notifications are the holes of the coverage. */
json_t *an_sarif_invocation(struct an_sarif *sarif);

/* --- sarif_fixes.c */

/* The fixes (3.27.30) of a site: the insertions that belong to it, as an array of one or none. */
json_t *an_sarif_fixes(struct an_sarif *sarif, const json_t *site);

#endif
