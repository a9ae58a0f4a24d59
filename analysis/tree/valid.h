/* valid: whether a tree is one: what kinds.def promises about children and tree.h about members.
 * Readers of a unit rely on it, so units of foreign bytes are checked first.
 *
 * Thread rule: any. */
#ifndef AN_VALID_H
#define AN_VALID_H

#include "analysis/tree/tree.h"

/* The number of children that a kind has: `most` is UINT_MAX when there may be any number. */
struct an_arity {
    unsigned least, most;
};
struct an_arity an_kind_arity(enum an_kind kind);

/* Whether a node of that kind, with that flag, has a value of its own. */
bool an_node_has_value(const struct an_node *node);

/* NULL when fields lie inside of their record, and records inside of fields; otherwise what is
 * wrong (static memory). */
const char *an_layout_flaw(uint64_t size, const struct an_field *fields, unsigned count);

/* NULL when the unit is as promised, otherwise what is wrong (static memory). */
const char *an_unit_flaw(const struct an_unit *unit);

#endif
