/* flags: the compiler flags that clang's front end gets. Private to this folder.
 *
 * Thread rule: any. */
#ifndef AN_FLAGS_H
#define AN_FLAGS_H

#include <stdbool.h>
#include <utarray.h>

/* Effect: appends to `out` (an array of pointers) those of `flags` that matter to the front end and
 * what makes clang see what gcc sees. `plain` leaves out what is not needed to find headers and
 * macros, for a second attempt when clang refuses a flag. The strings are those of `flags` or
 * static. */
void an_flags_select(const char *const *flags, bool plain, UT_array *out);

/* Whether OpenMP's directives count. */
bool an_flags_openmp(const char *const *flags);
/* Do they say that the file is C++? */
bool an_flags_cxx(const char *const *flags);

#endif
