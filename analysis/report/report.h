/* report: what the analysis says about a program, for people and for programs.
 *
 * The model is one JSON document (docs/report.schema.json). It is made from a judgement, may get
 * the results of `ftrun --verify` merged in, and is then rendered: as text for a terminal, as SARIF
 * 2.1.0 for other tools, as one HTML page. The renderers see the document only, plus the sources:
 * those that the driver hands over, others from the disk as far as they are still those that were
 * analysed.
 *
 * Thread rule: one thread. No memory ends the process. */
#ifndef AN_REPORT_REPORT_H
#define AN_REPORT_REPORT_H

#include "analysis/judgement/judgement.h"

#include <jansson.h>
#include <stdio.h>

/* An insertion that ftcc proposes for a file: an edit of rewriters/edits.h. */
struct an_insertion {
    size_t offset;    /* in the original text, in bytes */
    const char *text; /* owned by the caller */
    bool own_line;    /* `offset` is the start of a line, and the text becomes a line before it */
};

/* The driver's facts about one source file; all of it belongs to the driver. */
struct an_report_file {
    const char *path; /* absolute, or relative to the working folder */
    const char *text; /* as analysed; NULL: it is read from the disk */
    size_t length;
    const struct an_insertion *insertions; /* in the order of their offsets */
    size_t count;
};

struct an_report_options {
    const char *name; /* of the program: "./app", "pingpong.c" */
    /* The folder that file names are relative to. NULL: the working folder when all units lie below
     * it, otherwise the folder that they have in common. */
    const char *base;
    const struct an_report_file *files; /* for the renderers; files that are not here are read */
    size_t file_count;
    bool color;     /* text: for a terminal that understands it */
    unsigned width; /* text: columns; 0 is 100 */
};

/* Effect: the judgement as a document; the caller owns the reference. */
json_t *an_report_json(const struct an_judgement *judgement,
                       const struct an_report_options *options);

/* Effect: merges what `ftrun --verify` wrote (docs/formats/verify.md) into the document: the member
 * `dynamic` of its sites, and `program.verify`. Returns NULL, or a message (the caller frees it),
 * without the path, that says why the file is none of those; the document is then unchanged. */
char *an_report_merge(json_t *document, const char *path);

/* Effect: write the document. Sources that cannot be read are left out. Errors of `out` are the
 * caller's to find (ferror). */
void an_report_text(const json_t *document, const struct an_report_options *options, FILE *out);
void an_report_sarif(const json_t *document, const struct an_report_options *options, FILE *out);
void an_report_html(const json_t *document, const struct an_report_options *options, FILE *out);

#endif
