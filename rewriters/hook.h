/* hook: puts a checkpoint hook at the top of a loop's body.
 *
 * Before:                                   After:
 *     for (t = 0; t < steps; t++) {             for (t = 0; t < steps; t++) {
 *                                                   ft_hook_at(0x1a2b3c4d);
 *         exchange();                               exchange();
 *     }                                         }
 *     while (!done)                             while (!done)
 *         done = step();                            { ft_hook_at(0x2b3c4d5e); done = step(); }
 *
 * Thread rule: one thread. */
#ifndef RW_HOOK_H
#define RW_HOOK_H

#include "rewriters/target.h"

/* Effect: adds the edits for each marked hook of the judgement in this file. A loop whose single
 * statement has no end that can be found is left out. Returns the number of hooks. */
unsigned rw_hooks_insert(const struct rw_target *target);

#endif
