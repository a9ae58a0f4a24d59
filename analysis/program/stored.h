/* stored: every place of a program where the memory that a symbol names may change. Private to this
 * folder.
 *
 * Thread rule: one thread. */
#ifndef AN_STORED_H
#define AN_STORED_H

#include "analysis/program/inside.h"

/* The stores to a variable or field, or to what it points to or consists of: VARIABLE
 * (initialised), ASSIGN, ++ and --, its address (UNARY), itself as an argument of a call. NULL when
 * there is none. */
const struct an_list *an_stored_find(const struct an_program *program, const char *symbol);

#endif
