/* diff: the edits of a text as a unified diff that patch(1) applies.
 *
 * Thread rule: one thread. */
#ifndef RW_DIFF_H
#define RW_DIFF_H

#include "rewriters/edits.h"

#include <stdio.h>

/* Effect: writes the diff between the file `path` with content `text` and the edited text; nothing
 * when there are no edits. A relative path is written as "./path", which both `patch -p0` and
 * `patch -p1` take for the file. */
void rw_diff_print(struct rw_edits *edits, const char *path, const char *text, size_t length,
                   FILE *out);

#endif
