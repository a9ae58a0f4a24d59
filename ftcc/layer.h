/* layer: a profiling layer in the program: functions that stand for MPI's own, and call the library
 * as PMPI_. The runtime stands between the program and the library by the same means, so such a
 * layer would bypass it.
 *
 * Thread rule: one thread. */
#ifndef CC_LAYER_H
#define CC_LAYER_H

#include "ftcc/binary.h"
#include "ftcc/compile.h"

/* A file that the linker takes from the user, and what was read of it. */
struct cc_input {
    char *path;
    struct cc_binary binary;
};

/* Does `symbol` make a profiling layer: a function of MPI that is defined, or a function PMPI_ that
 * is called, but for those that tell nothing of the run? */
bool cc_layer_has_part(const char *symbol, bool defined);

/* Effect: tells of a layer in the result of a link, at `path`, or in the user's shared libraries
 * among `inputs`, of struct cc_input. Returns false after a message. */
bool cc_layer_check(const struct cc_compile *compile, const char *path,
                    const struct cc_binary *result, const UT_array *inputs);

#endif
