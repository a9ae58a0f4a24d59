/* access: the one access that a thread is about to make, or has just made: its number among those
 * of the path, and what ftrun is told of it in the recorder.
 *
 * Thread rule: what stands between files_noting_begin, or files_answer_begin, and files_noting_end
 * has the room's lock; all others are for who has it. */
#ifndef FT_FILES_ACCESS_H
#define FT_FILES_ACCESS_H

#include <stdint.h>

#include "files/done.h"
#include "recorder/recorder.h"

/* Are changes put on record? */
static inline int files_is_on(const struct ft_files *files)
{
    return files != NULL && ft_life.boot.undo[0] != 0;
}

/* Before an access is noted: the one before is over, but for that of the name that a file loses
 * while it gets this one. Answers 0 where nothing is to be noted; else files_noting_end follows. */
int files_noting_begin(const struct ft_files *files, enum files_change access);
/* The same before what libc has answered is noted. */
int files_answer_begin(const struct ft_files *files);
void files_noting_end(void);

/* What this thread is about to access, until it has; or NULL. Until files_done_clear at most. */
struct files_done_path *files_accessed(void);
void files_accessed_clear(void);

/* The number that the next access of the path has at this moment: ft_undo_look. path: or NULL. */
uint64_t files_path_look_next(const struct files_done_path *path);
/* One more access of the path at this moment: it is what this thread is about to access. */
void files_path_look(struct files_done_path *path, enum files_change access);

/* The access before this one is over. */
void files_access_ends(void);
/* How many changes there are, and how far the present one is. */
void files_accesses_tell(const struct ft_files *files, enum ft_accessing accessing);
/* One more change that a rank which goes back will do again. */
void files_change_count(struct ft_files *files);
/* It was none. */
void files_change_uncount(struct ft_files *files);

#endif
