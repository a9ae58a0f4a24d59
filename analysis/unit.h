/* unit: parses one C file and gives the facts about it.
 *
 * Thread rule: one thread. */
#ifndef AN_UNIT_H
#define AN_UNIT_H

#include "analysis/facts.h"

/* Effect: parses `path` with the compiler flags `flags` (NULL-terminated; only those that matter to
 * the front end are used) and returns its facts, which the caller destroys. `text` of `length`
 * bytes stands in for the file's content; NULL means the file as it is on disk. When libclang is
 * missing or rejects the file, facts->problem says why and nothing else is in them. */
struct an_facts *an_unit_read(const char *path, const char *text, size_t length,
                              const char *const *flags);

#endif
