/* scan: can a file call MPI at all? Answered from the text, before any parser is loaded.
 *
 * Thread rule: one thread. */
#ifndef CC_SCAN_H
#define CC_SCAN_H

#include "ftcc/options.h"
#include "rewriters/edits.h"

#include <stdbool.h>

/* Does the text hold `word` as a whole word? */
bool cc_scan_has_word(const struct rw_text *text, const char *word);

/* Does the file include mpi.h, directly or through other headers? Conditions are not evaluated and
 * an #include of a macro counts as yes, so a wrong answer can only be a yes. */
bool cc_scan_includes_mpi(const char *path, const struct rw_text *text,
                          const struct cc_options *options);

#endif
