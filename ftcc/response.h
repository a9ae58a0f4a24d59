/* response: the files of arguments that gcc takes as @FILE.
 *
 * Thread rule: one thread. */
#ifndef CC_RESPONSE_H
#define CC_RESPONSE_H

#include <utarray.h>

/* Effect: adds `argument` to `words` (an array of strings that copies). When it is "@FILE" and FILE
 * can be read, the words of FILE are added instead, files in files included: separated by white
 * space, with '...' and "..." and a backslash that takes the next byte as it is. */
void cc_response_expand(const char *argument, UT_array *words);

/* Effect: adds the words of `line`, a command for a shell without variables and the like. */
void cc_response_split(const char *line, UT_array *words);

#endif
