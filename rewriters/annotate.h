/* annotate: the annotations of a judgement as edits of a file: hooks, patterns, marks of sites, and
 * the #include that they need.
 *
 * Thread rule: one thread. */
#ifndef RW_ANNOTATE_H
#define RW_ANNOTATE_H

#include "analysis/judgement/judgement.h"
#include "rewriters/edits.h"

/* Effect: the edits that annotate `file`, which is the unit's own file or a header that it
 * includes, as the places of the unit's nodes spell it; `text` of `length` bytes is what the unit
 * was made from. The judgement is of a program that holds the unit. The caller destroys the edits,
 * of which there may be none. */
struct rw_edits *rw_annotate(const struct an_judgement *judgement, const struct an_unit *unit,
                             const char *file, const char *text, size_t length);

/* Effect: the files of the unit that may get edits, its own first; at most `room` of them. Returns
 * how many. The unit owns the names. */
unsigned rw_annotated_files(const struct an_judgement *judgement, const struct an_unit *unit,
                            const char **files, unsigned room);

#endif
