/* undo_stub: what the tests of undo records have instead of the rooms around this one, and the
 * writing of what was read. Thread rule: single threaded. */
#ifndef FT_FILES_UNDO_STUB_H
#define FT_FILES_UNDO_STUB_H

#include <stdint.h>

#include "files/format.h"

uint64_t stub_now(void); /* CLOCK_MONOTONIC, ns */

/* Appends to the .reads file of `interval` in `folder` what `entry` tells of `path`, as of now. */
void stub_read_put(const char *folder, uint32_t interval, const char *path,
                   struct ft_undo_entry entry);

/* The same of what is at the path now; hashed: of a regular file the content, too. */
void stub_read(const char *folder, uint32_t interval, const char *path, int hashed);

#endif
