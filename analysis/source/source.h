/* source: parses one file of C, or of C++ (-xc++ among the flags), with libclang and gives its
 * tree.
 *
 * Thread rule: one thread. */
#ifndef AN_SOURCE_H
#define AN_SOURCE_H

#include "analysis/tree/tree.h"

/* Effect: parses `path` with the compiler flags `flags` (NULL-terminated; only those that matter to
 * the front end are used) and returns its unit, which the caller destroys. `text` of `length` bytes
 * stands in for the file's content; NULL means the file as it is on disk. When libclang is missing
 * or rejects the file, unit->problem says why and nothing else is in it. */
struct an_unit *an_source_read(const char *path, const char *text, size_t length,
                               const char *const *flags);

#endif
