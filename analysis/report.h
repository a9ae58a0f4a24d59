/* report: what ftcc found, for a person (text) and for programs (JSON).
 *
 * Thread rule: one thread. */
#ifndef AN_REPORT_H
#define AN_REPORT_H

#include "analysis/facts.h"
#include "analysis/loops.h"

#include <jansson.h>
#include <stdio.h>

/* Writes the facts of one file as text. */
void an_report_text(struct an_facts *facts, FILE *out);

/* The facts of one file as an object, for the array "files" of a report; the caller owns the
 * reference. Its fields are described in ftcc(1). */
json_t *an_report_json(struct an_facts *facts);

#endif
