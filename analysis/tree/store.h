/* store: units as bytes, for the section ".ftcc.facts" of object files (docs/formats/facts.md).
 *
 * A section is a sequence of records, each with magic, version, length and checksum, so that a
 * linker may concatenate sections and put padding between them. The reader takes any bytes: what is
 * damaged is skipped and counted, never trusted.
 *
 * Thread rule: one thread. */
#ifndef AN_STORE_H
#define AN_STORE_H

#include "analysis/tree/tree.h"

#define AN_FACTS_SECTION ".ftcc.facts"

/* Effect: the unit as one record; the caller frees *bytes. */
void an_store_write(const struct an_unit *unit, void **bytes, size_t *length);

/* Effect: reads the record at or behind `*offset` and moves `*offset` behind it. Returns the unit,
 * which the caller destroys, or NULL at the end of the bytes. `*damaged` is increased for each
 * stretch that is no intact record of this version; *why (static memory) says what is wrong with
 * the last one. */
struct an_unit *an_store_read(const void *bytes, size_t length, size_t *offset, unsigned *damaged,
                              const char **why);

#endif
