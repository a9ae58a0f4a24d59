/* binary: object files, archives, shared libraries and executables, as far as their facts go;
 * as libelf shows them.
 *
 * Thread rule: one thread. */
#ifndef CC_BINARY_H
#define CC_BINARY_H

#include "rewriters/edits.h"

enum cc_binary_kind { CC_NO_BINARY, CC_RELOCATABLE, CC_EXECUTABLE, CC_LIBRARY, CC_ARCHIVE };

/* The content of one file. For an archive, that of the members taken together. */
struct cc_binary {
    enum cc_binary_kind kind;
    bool lto;             /* holds the compiler's intermediate code: a link drops its facts */
    bool sites;           /* has the section with the table of sites */
    struct rw_text facts; /* the sections .ftcc.facts, concatenated; length 0: there are none */
    struct rw_text names; /* the source files named by the symbol table, each ended by a '\0' */
    char *layer;          /* a symbol of a profiling layer (ftcc/layer.h), or NULL */
};

/* Effect: reads `path`. A file that is missing or no binary has the kind CC_NO_BINARY and nothing
 * else; damaged ones give what can be read of them. Release with cc_binary_release. */
void cc_binary_read(const char *path, struct cc_binary *binary);

void cc_binary_release(struct cc_binary *binary);

#endif
