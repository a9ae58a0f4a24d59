/* record_rank: what the tests of record.c and its kin share: rank 0 in its first call, which
 * accesses files through the wrappers of libc, and what it has put on record. Thread rule: single
 * threaded. */
#ifndef FT_FILES_RECORD_RANK_H
#define FT_FILES_RECORD_RANK_H

#include <stdint.h>
#include <sys/types.h>

#include "files/record.h"
#include "files/undo_ranks.h"

extern struct ft_recorder recorder; /* rank 0's */
extern char file[128];              /* a path; it is there, with the content "first" */

int setup(void **state); /* ranks_teardown ends it */

/* Rank 0 enters so many calls, and looks. */
void enters(uint64_t calls, uint64_t polls);
void reads(const char *path);
void changes(const char *path);
void undo(int number); /* to that checkpoint; -1: to the start */

/* The accesses on record, as MOMENT r|c /NAME. */
void expect_listed(const char *wanted);
/* Those of one path at one moment, as [NAMES:]LOOK r|c|n[!], !: late; so many of all count. */
void expect_looks(const char *wanted, uint64_t count);
/* What is told last of the path, or as the last thing that is not late: without the path itself. */
const struct ft_undo_access *told_last(const char *path, int late);
void expect_needs(const char *path, enum ft_access_needs wanted); /* of it */
/* How many files rank 0's folder has with this end. */
int count_of(const char *ending);
off_t reads_size(void); /* bytes of what it has read before its first checkpoint */

#endif
