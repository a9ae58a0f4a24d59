/* inputs: the files that the linker takes from the user: those named, and libraries in folders of
 * -L. Those of the system's folders are none of the user's.
 *
 * Thread rule: one thread. */
#ifndef CC_INPUTS_H
#define CC_INPUTS_H

#include "ftcc/options.h"

/* Effect: initialises `paths`, an array of char *, with objects, archives and libraries in the
 * order of the command line; sources are not among them. */
void cc_inputs_find(const struct cc_options *options, UT_array *paths);

#endif
