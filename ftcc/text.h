/* text: whole files in memory.
 *
 * Thread rule: one thread. */
#ifndef CC_TEXT_H
#define CC_TEXT_H

#include "rewriters/edits.h"

/* Effect: reads the regular file `path` into *text, with a '\0' behind it; the caller frees
 * text->text. Returns 0 or -errno; -EINVAL when it is no regular file. */
int cc_text_read(const char *path, struct rw_text *text);

/* Effect: writes a new file `path`. Returns 0 or -errno; then nothing usable is there. */
int cc_text_write(const char *path, const struct rw_text *text);

#endif
