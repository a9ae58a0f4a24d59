/* settle_list: what ftrun has listed: paths that were put back or will be read, and accesses of
 * this rank that wait for their turns.
 *
 * Thread rule: threads of the program take the lock; files_unsettled, files_is_in and the list with
 * which the rank has gone back need none. */
#ifndef FT_FILES_SETTLE_LIST_H
#define FT_FILES_SETTLE_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "files/format.h"
#include "process.h"

struct text { /* paths, with marks before them, each between two zeros */
    char *text;
    size_t length;
};

/* Number of the lists that are in force now; 0: none are. */
static inline uint32_t files_unsettled(const struct ft_rank *self)
{
    return __atomic_load_n(&self->recorder->unsettled, __ATOMIC_ACQUIRE);
}

void files_lists_lock(void);
void files_lists_unlock(void);
/* With the lock: reads the lists of this number, unless they are read. Ends the rank where they
 * cannot be read. */
void files_lists_read(uint32_t number);

/* Is a path in the text behind this mark, "", FT_UNSETTLED_READ or _STAYED, that begins with `path`
 * and goes on with `next`: 0 for the path itself, or a slash? */
int files_is_in(const struct text *text, const char *mark, const char *path, char next);
/* With the lock: the same of the paths in the list that was read. */
int files_has_listed(const char *mark, const char *path, char next);

/* With the lock: the accesses in the list that was read which are not before this moment, in the
 * order of moments: *count of them, borrowed until another list is read. */
const struct ft_undo_turn *const *files_turns(uint64_t moment, size_t *count);

/* The rank itself has gone back with the lists of this number; 0: it has not. */
void files_lists_back_set(uint32_t number);
uint32_t files_lists_back(void);

#endif
