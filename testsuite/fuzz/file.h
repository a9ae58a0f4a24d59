/* file: bytes for a reader that asks for a path. Thread rule: one thread. */
#ifndef FT_FUZZ_FILE_H
#define FT_FUZZ_FILE_H

#include <stddef.h>

/* Makes the bytes the content of the one file that this process has for the purpose, in memory.
 * Returns its path, which stays the same. */
const char *fuzz_file(const void *bytes, size_t length);

#endif
