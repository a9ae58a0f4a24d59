/* target: one file that is being annotated, for the rewriters of this folder.
 *
 * Thread rule: one thread. */
#ifndef RW_TARGET_H
#define RW_TARGET_H

#include "analysis/judgement/judgement.h"
#include "rewriters/edits.h"

struct rw_target {
    const struct an_judgement *judgement;
    const struct an_unit *unit; /* that was made from the file, or includes it */
    const char *file;           /* as the places of the unit's nodes spell it */
    const char *text;           /* what the unit was made from */
    size_t length;              /* of `text` */
    struct rw_edits *edits;
};

/* Does the node begin and end in the file? */
bool rw_target_holds(const struct rw_target *target, const struct an_node *node);

/* Is it the unit's own file, and not a header? */
bool rw_target_is_main(const struct rw_target *target);

/* Effect: inserts a line before `line`: `blanks`, `code`, and a comment "ftcc ID: words" that is
 * cut at the 100th column. Nothing in `words` can end the comment. */
void rw_target_line(const struct rw_target *target, size_t line, const char *blanks,
                    const char *code, unsigned id, const char *words);

/* The comment alone, for insertions inside a line, cut at `room` bytes. The caller frees it. */
char *rw_target_comment(unsigned id, const char *words, size_t room);

#endif
