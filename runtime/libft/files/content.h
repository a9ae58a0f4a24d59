/* content: copies of what files hold. It is linked into libft and into ftrun. Thread rule: any. */
#ifndef FT_FILES_CONTENT_H
#define FT_FILES_CONTENT_H

#include <stdint.h>

struct files_content {
    int64_t size;
    uint64_t hash; /* XXH3-64 of all bytes, zeros in holes among them */
    int unwritten; /* 1: a write to `out` has failed, not a read of `in` */
};

/* Copies `in` from its beginning to `out`, whose old content is lost; holes stay holes. out -1:
 * only computes size and hash. 0 or -errno. */
int files_content_copy(int in, int out, struct files_content *content);

#endif
