/* resolve: the name under which a path is on record. Thread rule: none of these functions shares
 * state. */
#ifndef FT_FILES_RESOLVE_H
#define FT_FILES_RESOLVE_H

#include "files/format.h"

/* The absolute path without links of `path`, relative to `folder_fd`: of the file itself when
 * `whole`, else of the name in its folder. 0 or -errno. */
int files_resolve(int folder_fd, const char *path, int whole, char resolved[FT_UNDO_PATH]);

/* The name that creating `path` through a symbolic link to nothing would make; path unless it is
 * one. 0 or -errno: then, where a link was followed, the path it leads to as that is written. */
int files_dereference(int folder_fd, const char *path, char name[FT_UNDO_PATH]);

/* Where a folder on the way to `path` is missing: its own name, and the one that files_resolve will
 * answer for `path` when that folder has come (there are no links below it). 0 or -errno: -ENOENT
 * where no folder is missing, too. */
int files_presume(int folder_fd, const char *path, char gap[FT_UNDO_PATH], char name[FT_UNDO_PATH]);

/* The key for the names in the folder `path`: its own path, and a slash. 0 or -errno. */
int files_names_of(int folder_fd, const char *path, char names[FT_UNDO_PATH]);

#endif
