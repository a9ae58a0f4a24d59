/* layer: a profiling layer in the program: functions that stand for MPI's own, and call the library
 * as PMPI_. In a run they stand between the program and the runtime (runtime/libft/start/layers.c).
 * The analysis does not follow what a layer does with a call.
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

/* The file that brings a layer: into the result of a link, at `path`, or as one of the user's
 * shared libraries among `inputs`, of struct cc_input. NULL: there is none. */
const char *cc_layer_find(const struct cc_compile *compile, const char *path,
                          const struct cc_binary *result, const UT_array *inputs);

#endif
