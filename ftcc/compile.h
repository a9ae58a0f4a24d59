/* compile: runs the real compiler, on the files as they are or on annotated copies.
 *
 * Thread rule: one thread. */
#ifndef CC_COMPILE_H
#define CC_COMPILE_H

#include "ftcc/job.h"
#include "ftcc/toolchain.h"

struct cc_compile {
    const struct cc_options *options;
    struct cc_toolchain *toolchain;
    struct cc_job *jobs; /* one for each C file, in the order of the command line */
};

/* Effect: `command` becomes the user's command with ftcc's flags, on the files as they are. Returns
 * false after a message when it cannot be served. */
bool cc_compile_plain(struct cc_compile *compile, UT_array *command);

/* Effect: compiles, with each file that has edits as an edited copy. The messages, the exit code
 * and the files written beside the result are those of the originals. A copy that does not compile
 * is replaced by its original, and job->problem says so. Returns the exit code. */
int cc_compile_annotated(struct cc_compile *compile);

/* The file that a command makes of `job`, or, when it links, of all; the caller frees it. */
char *cc_compile_result(const struct cc_options *options, const struct cc_job *job);

#endif
