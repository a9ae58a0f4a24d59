/* settle: paths are off limits while ranks that rolled back are not where they were.
 *
 * Their changes of files since their checkpoints are undone and repeated. Other ranks may know of
 * them by earlier messages: a rank that was told "the file is written" would not find the file. So
 * every rank that is as far as it ever was (a survivor, or a rank that has caught up) waits in
 * calls with paths until all that rolled back are as far as they were: have entered as many MPI
 * calls, and changed as many paths behind the last one. The repetition up to there needs nothing
 * that came later, so nobody waits for ever.
 *
 * Files that are open need no wait: ranks that share one have rolled back (undo_share.c). */
#ifndef FT_FILES_SETTLE_H
#define FT_FILES_SETTLE_H

#include "process.h"

/* Waits; a safe point, if it waits in the thread that calls MPI. errno is as it was. Ends the
 * program when another thread, or a callback, waits for 60 s while the rank calls no MPI function.
 * Thread rule: any thread of the program. */
void files_settle(struct ft_rank *self, const char *call, const void *site);

#endif
