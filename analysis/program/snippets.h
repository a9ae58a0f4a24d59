/* snippets: programs out of pieces of C text, for the tests of this folder and of judge/. */
#ifndef AN_SNIPPETS_H
#define AN_SNIPPETS_H

#include "analysis/program/program.h"

/* Effect: the texts (NULL-terminated) become units "a.c", "b.c", ... that include mpi.h, and are
 * joined. A text that does not compile fails the test. The caller destroys the program. */
struct an_program *snippets_join(bool whole, const char *const *texts);
/* The same with names of one's own. */
struct an_program *snippets_join_as(bool whole, const char *const *texts, const char *const *names);
/* The same with one text. */
struct an_program *snippet_join(bool whole, const char *text);

/* The function of that name; its absence fails the test. */
struct an_node *snippet_function(const struct an_program *program, const char *name);
/* Call number `number` from 0 in that function, in the order of the source. */
struct an_node *snippet_call(const struct an_program *program, const char *function,
                             unsigned number);
/* The names that the call may enter, sorted, "f g", with " ..." when there may be others. */
const char *snippet_targets(const struct an_program *program, const struct an_node *call);

#endif
