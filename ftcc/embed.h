/* embed: puts sections into object files and executables.
 *
 * Thread rule: one thread. */
#ifndef CC_EMBED_H
#define CC_EMBED_H

#include "ftcc/toolchain.h"

struct cc_part {
    const char *section;
    struct rw_text bytes;
    bool replaces; /* the file has a section of this name, which it stands for */
};

/* Effect: the file `path` gets `parts`, none of which is loaded when a program runs. The file keeps
 * its inode and its mode. Returns false, with *why (the caller frees it), when that cannot be done;
 * the file is then as it was, or, when the disk ran full while it was written, gone. */
bool cc_embed(struct cc_toolchain *toolchain, const char *path, const struct cc_part *parts,
              unsigned count, char **why);

#endif
