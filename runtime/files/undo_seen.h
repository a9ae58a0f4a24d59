/* undo_seen: would a rank that goes back find what it has seen? Changes nothing.
 * Thread rule: single threaded. */
#ifndef FT_FILES_UNDO_SEEN_H
#define FT_FILES_UNDO_SEEN_H

#include "files/undo_read.h"

/* Is the path as `seen` (of a .reads file) tells it once the change that `first` tells of was
 * undone? copy: the earliest copy of the path among what is undone, or NULL. first NULL: is it so
 * now? What cannot be read is not the same. */
int undo_is_found(const struct state *seen, const struct state *first, const struct state *copy);

#endif
