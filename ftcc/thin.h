/* thin: the members of a thin archive (ar T), which names files instead of holding them.
 *
 * Thread rule: one thread. */
#ifndef CC_THIN_H
#define CC_THIN_H

#include <stdbool.h>
#include <utarray.h>

/* Effect: adds the paths of the members to `paths` (of char *), archives among them. False
 * when the file is no thin archive. */
bool cc_thin_read(const char *path, UT_array *paths);

#endif
