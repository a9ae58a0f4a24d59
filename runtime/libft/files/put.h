/* put: undo records on their way to the rank's undo folder. All return 0 or -errno.
 *
 * Thread rule: one thread at a time (record.c holds the lock). */
#ifndef FT_FILES_PUT_H
#define FT_FILES_PUT_H

#include "files/record.h"

/* The path of a record's file: FT_WIRE_PATH + FT_UNDO_NAME bytes. */
void files_record_name(char *name, size_t bytes, uint32_t interval, uint64_t sequence,
                       const char *ending);
/* The entry that describes a path. */
struct ft_undo_entry files_entry_of(const struct stat *status, enum ft_undo_kind kind);
/* Writes an entry with its texts to `at`, which is zeroed; returns its bytes. */
size_t files_entry_put(char *at, const struct ft_undo_entry *entry, const char *path,
                       const char *target);
/* Stamps the record (a head, and entries behind it: `length` bytes) and makes it appear. */
int files_record_publish(struct ft_files *files, char *record, size_t length, uint32_t entries);
/* Writes a record with one entry: what is at the path now, which is about to be changed in this
 * way. status: NULL when nothing is there. */
int files_record_write(struct ft_files *files, const char *path, const struct stat *status,
                       enum files_change change);
/* Adds the path to the interval's list of reads. time: of before the read. */
int files_record_read(const struct ft_files *files, const char *path, uint64_t time);
/* The list of reads of one interval becomes part of another interval's. */
void files_reads_merge(uint32_t from, uint32_t to);

#endif
