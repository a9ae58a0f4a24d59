/* undo_file: what the tests of undo_seen.c share: one file that ranks read and change, and what
 * must be said of it. Rank 0 reads, and goes back; rank 1 is to go back, too, where something is
 * undone that rank 0 did not do; rank 2, or 1 where it is alone, keeps what it did. Thread rule:
 * single threaded. */
#ifndef FT_FILES_UNDO_FILE_H
#define FT_FILES_UNDO_FILE_H

#include <stdint.h>
#include <time.h>

#include "files/undo_ranks.h"

extern char file[128]; /* its path; it is not there yet */

int setup(void **state); /* ranks_teardown ends it */

void removed(int r, const char *path); /* by rank r */
/* Nobody's: the time of modification, plus nanoseconds. */
void dated(const char *path, time_t seconds);
void dated_finely(const char *path, time_t seconds, long more);

/* The file is what does not fit, between these; first at `time`. */
void expect_misfit(int early, int late);
void expect_misfit_of(int early, int late, uint64_t time);

#endif
