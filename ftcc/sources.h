/* sources: the texts of a judgement's files, and what is to be inserted into each.
 *
 * Thread rule: one thread. */
#ifndef CC_SOURCES_H
#define CC_SOURCES_H

#include "analysis/judgement/judgement.h"
#include "analysis/report/report.h"
#include "rewriters/edits.h"

#include <stdio.h>
#include <utarray.h>

/* One file of a unit, and its edits. */
struct cc_source {
    char *path;             /* as the compiler spells it */
    char *disk;             /* the same, but found from the working folder */
    struct rw_text text;    /* as it is on the disk */
    struct rw_edits *edits; /* never empty */
};

/* Effect: initialises `files`, an array of struct cc_source that releases them, with those files of
 * `unit` into which something is to be inserted: the analysed one, when it is still the one that
 * was analysed, and, with `headers`, the headers of its folder. */
void cc_sources_find(const struct an_judgement *judgement, const struct an_unit *unit, bool headers,
                     UT_array *files);

/* Effect: prints the annotation of files as a unified diff. */
void cc_sources_diff(UT_array *files, FILE *out);

/* The files of all units of a judgement, for its report. */
struct cc_sources;
struct cc_sources *cc_sources_create(const struct an_judgement *judgement);
void cc_sources_destroy(struct cc_sources *sources);

/* Owned by the sources. */
const struct an_report_file *cc_sources_files(const struct cc_sources *sources);
size_t cc_sources_count(const struct cc_sources *sources);

#endif
