/* hook: puts a checkpoint hook at the top of a loop's body.
 *
 * Before:                                   After:
 *                                               extern void ft_hook(void);
 *     int main(int argc, char **argv)           int main(int argc, char **argv)
 *     {                                         {
 *         for (t = 0; t < steps; t++) {             for (t = 0; t < steps; t++) {
 *                                                       ft_hook();
 *             exchange();                               exchange();
 *         }                                         }
 *         while (!done)                             while (!done)
 *             done = step();                            { ft_hook(); done = step(); }
 *
 * Thread rule: one thread. */
#ifndef RW_HOOK_H
#define RW_HOOK_H

#include "analysis/loops.h"
#include "rewriters/edits.h"

/* Effect: adds the edits that give each loop of `choice` a hook, and one declaration. `text` is the
 * file that the facts were made from. A loop whose single statement has no end that can be found
 * is left out. Returns the number of hooks. */
unsigned rw_hook_insert(const struct an_facts *facts, const struct an_choice *choice,
                        const char *text, size_t length, struct rw_edits *edits);

#endif
