/* undo_stub: what the tests of undo records have instead of the rooms around this one, and the
 * writing of lists of reads. Thread rule: single threaded. */
#ifndef FT_FILES_UNDO_STUB_H
#define FT_FILES_UNDO_STUB_H

#include <stdint.h>

#include "files/format.h"

uint64_t stub_now(void); /* CLOCK_MONOTONIC, ns */

/* Appends to the .reads file of `interval` in `folder` that the path is read. Returns the time of
 * the record. */
uint64_t stub_read(const char *folder, uint32_t interval, const char *path);

/* Changes the first entry of a file of records, and the checksum of its first record with it. */
void stub_entry_set(const char *name, void (*set)(struct ft_undo_entry *entry, uint32_t value),
                    uint32_t value);

#endif
