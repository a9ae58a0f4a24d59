/* note: what must be written before a path is accessed, whose name is known: records and the list
 * of accesses.
 *
 * Thread rule: for who has the lock (access.h). */
#ifndef FT_FILES_NOTE_H
#define FT_FILES_NOTE_H

#include "files/done.h"

/* The record of a resolved path, unless there is one. status: NULL when nothing is there. given: by
 * what name it is accessed, or NULL. Returns 0, or -errno: then the access is as if it had not been
 * asked for. */
int files_path_note(struct ft_files *files, const char *name, const struct stat *status,
                    const char *given, enum files_change change, enum files_change access);

/* Is everything about such an access of a file on record? Then it is one more of its path. */
int files_is_repeated(const struct ft_files *files, const struct stat *status, const char *given,
                      enum files_change change, enum files_change access);

#endif
