/* join: what happens to the result of a command: facts go into objects, and after a link the
 * program is judged as a whole.
 *
 * Thread rule: one thread. */
#ifndef CC_JOIN_H
#define CC_JOIN_H

#include "ftcc/compile.h"

/* Effect: puts the facts of each job into the object that the command made of it. A failure is
 * reported, and is no error: the sites of that file will count as logged. */
void cc_join_objects(struct cc_compile *compile);

/* Effect: behind a successful link, puts the facts that the linker did not bring along into the
 * result, and, when that is an executable, the table of sites; then answers --ft-report and
 * --ft-strict. Returns the exit code: 0, or 1 after a message; with --ft-strict an incomplete
 * program is removed. */
int cc_join_link(struct cc_compile *compile);

/* Effect: removes what the command made, as a compiler does that is asked to end. */
void cc_join_undo(struct cc_compile *compile);

/* Effect: reports about a file that exists: an executable, object, archive or shared library.
 * With --ft-judge, of an executable only, its table of sites is replaced. Returns the exit code;
 * -1, without a message, when the file is none of these. */
int cc_join_inspect(const struct cc_options *options, struct cc_toolchain *toolchain);

#endif
