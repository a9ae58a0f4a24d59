/* pattern: puts the iterations of communication patterns around their regions.
 *
 * Before:                                   After:
 *                                               FT_DECLARE_PATTERN(ftcc_1a2b3c4d, 0x1a2b3c4d);
 *     int exchange(MPI_Comm comm)               int exchange(MPI_Comm comm)
 *     {                                         {
 *         int i;                                    int i;
 *                                                   FT_BEGIN_ITERATION(ftcc_1a2b3c4d, comm);
 *         send_all(comm);                           send_all(comm);
 *         for (i = 0; i < n; i++)                   for (i = 0; i < n; i++)
 *             if (receive_one(comm))                    if (receive_one(comm))
 *                 return 1;                                 { FT_END_ITERATION(ftcc_1a2b3c4d);
 * return 1; } FT_END_ITERATION(ftcc_1a2b3c4d); return 0;                                 return 0;
 *     }                                         }
 *
 * Thread rule: one thread. */
#ifndef RW_PATTERN_H
#define RW_PATTERN_H

#include "rewriters/target.h"

/* The parts, to be called in this order around those of hook.h and site.h, so that what comes to
 * stand at one place has the right order: an inner pattern ends before the outer one, ends come
 * before begins, an outer pattern begins before the inner one. */
void rw_patterns_end(const struct rw_target *target);
void rw_patterns_begin(const struct rw_target *target);
/* Effect: the ends before jumps that leave patterns. */
void rw_patterns_leave(const struct rw_target *target);

/* Effect: the declarations, as lines before `line` in the unit's own file, and before each function
 * in a header. Returns the number of patterns in this file. */
unsigned rw_patterns_declare(const struct rw_target *target, size_t line);

#endif
