/* undo_names: would who reads the names in a folder again find those that it has found? Changes
 * nothing. Thread rule: single threaded. */
#ifndef FT_FILES_UNDO_NAMES_H
#define FT_FILES_UNDO_NAMES_H

#include "files/undo.h"

/* As ft_undo_fit, for names alone, by the lists of accesses. Not for a name of which they tell
 * nothing before it was read: the record of the change that came later does. */
int undo_names_fit(const struct ft_undo_party *parties, int count, int late,
                   struct ft_undo_misfit *misfit);

#endif
