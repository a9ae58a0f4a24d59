/* content: copies of what files hold. ftrun's part of the room has it, too. Thread rule: any. */
#ifndef FT_FILES_CONTENT_H
#define FT_FILES_CONTENT_H

#include <stdint.h>

struct files_content {
    int64_t size;
    uint64_t hash; /* XXH3-64 of all bytes, zeros in holes among them */
    int unwritten; /* `out` was the reason of a failure */
};

/* Copies `in` from its begin to `out` (-1: hashes alone), whose content is lost: what is a hole
 * there is one behind it. 0 or -errno. */
int files_content_copy(int in, int out, struct files_content *content);

#endif
