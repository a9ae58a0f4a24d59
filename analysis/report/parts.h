/* parts: what the files of this room share.
 *
 * Thread rule: one thread. */
#ifndef AN_REPORT_PARTS_H
#define AN_REPORT_PARTS_H

#include "analysis/report/report.h"

#include <uthash.h>

/* --- names.c: names of files, from the spelling of the compiler to the one of the report. */

/* Effect: `path` below `folder` unless it is absolute, without "." and "..", nor a slash at its
 * end. The caller frees the result. */
char *an_path_resolve(const char *folder, const char *path);
/* `path` (resolved) relative to `base` when it lies below it, otherwise as it is. Points into
 * `path`. */
const char *an_path_relative(const char *base, const char *path);
/* Effect: the base of the report of `program` (an_report_options). The caller frees it. */
char *an_path_base(const struct an_program *program, const char *wanted);

/* --- fields.c: reading a document, and strings that may hold any bytes. */

/* `pointer`; where it is NULL, memory is out, and the process ends. */
void *an_must(void *pointer);
/* Effect: a string of its own, as by printf. The caller frees it. */
char *an_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The member `key`, or "" (0, false) when it is missing, null or of another type. */
const char *an_field(const json_t *object, const char *key) __attribute__((returns_nonnull));
/* Whether there is a text, and it is not empty. */
bool an_field_has(const json_t *object, const char *key);
unsigned an_field_number(const json_t *object, const char *key);
bool an_field_true(const json_t *object, const char *key);
bool an_field_is(const json_t *object, const char *key, const char *value);
/* The member `key` of array `list` that has `value` there, or NULL. */
const json_t *an_item_with(const json_t *list, const char *key, const char *value);

/* The length of the character at `text`, of at most `length` bytes; 0 when it is not UTF-8. */
unsigned an_utf8_length(const char *text, size_t length);
/* Effect: `text` with U+FFFD for what is not UTF-8; the caller frees it. */
char *an_utf8_clean(const char *text, size_t length);
/* Effect: a JSON string of any bytes; NULL gives null. */
json_t *an_json_string(const char *text);

/* --- texts.c: the sources that a report shows. */

struct an_text_file {
    const char *name; /* in the document */
    const char *text; /* NULL: not shown, and `why` says why */
    char *owned;      /* the text, when it was read from the disk */
    size_t length;
    size_t *starts; /* offsets of lines 1.. at [0]..; starts[lines] is the length */
    unsigned lines;
    bool compared; /* it is known to be the text that was analysed */
    const char *why;
    const struct an_report_file *given; /* or NULL */
    UT_hash_handle hh;                  /* by name */
};

struct an_texts; /* the files that were asked for, each read once */

struct an_texts *an_texts_create(const json_t *document, const struct an_report_options *options);
void an_texts_destroy(struct an_texts *texts);
/* The file `name` of the document; never NULL. */
struct an_text_file *an_texts_file(struct an_texts *texts, const char *name);
/* The driver's file number `n` as a file with its name in the document; NULL behind the last. */
struct an_text_file *an_texts_given(struct an_texts *texts, size_t n);
/* Line `line` from 1 without its end; *length is 0 where there is none. */
const char *an_text_line(const struct an_text_file *file, unsigned line, size_t *length);
/* The column in characters, from 1, of the column `column` in bytes; where the text is not known,
 * the same. */
unsigned an_text_column(const struct an_text_file *file, unsigned line, unsigned column);
/* The line, from 1, that holds byte `offset`. */
unsigned an_text_line_of(const struct an_text_file *file, size_t offset);

/* --- rules.c: the words of the report, explained. */

struct an_rule {
    const char *id;    /* "capture", "send-deterministic" */
    const char *title; /* a few words */
    const char *help;  /* a few sentences */
    bool class;        /* a class of sites; otherwise a finding */
};

/* Rule number `n` from 0, or NULL behind the last: the classes from best to worst, then findings.
 */
const struct an_rule *an_rule_at(unsigned n);
/* NULL when there is no such rule. */
const struct an_rule *an_rule_find(const char *id);
/* The title of a hole of this kind: "unknown callee". */
const char *an_hole_title(const char *kind);

/* "source, tag (maybe)"; "" when nothing is open. The caller frees it. */
char *an_site_wildcards(const json_t *site);

#endif
