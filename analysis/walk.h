/* walk: from clang's syntax tree to facts. Private to this folder: unit.c calls it.
 *
 * Thread rule: one thread. */
#ifndef AN_WALK_H
#define AN_WALK_H

#include "analysis/clang.h"
#include "analysis/facts.h"

/* Effect: adds the functions, sites and gaps of `unit` to `facts`. */
void an_walk(const struct an_clang *clang, CXTranslationUnit unit, struct an_facts *facts);

/* Effect: the place of a location, with strings owned by the facts. */
struct an_place an_walk_place(const struct an_clang *clang, CXFile main_file,
                              CXSourceLocation location, struct an_facts *facts);

#endif
