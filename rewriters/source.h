/* source: one file that is being annotated, for the rewriters of this folder.
 *
 * Thread rule: one thread. */
#ifndef RW_SOURCE_H
#define RW_SOURCE_H

#include "analysis/judge/judgement.h"
#include "rewriters/edits.h"

struct rw_source {
    const struct an_judgement *judgement;
    const struct an_unit *unit; /* that was made from the file, or includes it */
    const char *file;           /* as the places of the unit's nodes spell it */
    const char *text;           /* what the unit was made from */
    size_t length;              /* of `text` */
    struct rw_edits *edits;
};

/* Does the node begin and end in the file? */
bool rw_source_holds(const struct rw_source *source, const struct an_node *node);

/* Is it the unit's own file, and not a header? */
bool rw_source_is_main(const struct rw_source *source);

/* Effect: inserts a line before `line`: `blanks`, `code`, and a comment "ftcc ID: words" that is
 * cut at the 100th column. Nothing in `words` can end the comment. */
void rw_source_line(const struct rw_source *source, size_t line, const char *blanks,
                    const char *code, unsigned id, const char *words);

/* The comment alone, for insertions inside a line, cut at `room` bytes. The caller frees it. */
char *rw_source_comment(unsigned id, const char *words, size_t room);

#endif
