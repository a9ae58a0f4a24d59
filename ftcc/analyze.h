/* analyze: judges source files, or the project of a compile_commands.json, and builds nothing.
 *
 * Thread rule: one thread. */
#ifndef CC_ANALYZE_H
#define CC_ANALYZE_H

#include "ftcc/toolchain.h"

/* Effect: serves --ft-analyze: parses all files, joins and judges them as one program, and prints
 * or writes what was asked for. Returns the exit code. */
int cc_analyze(const struct cc_options *options, struct cc_toolchain *toolchain);

#endif
