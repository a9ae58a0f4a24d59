/* judge: sites, verdicts, patterns, hooks, findings and coverage of a joined program.
 *
 * Thread rule: one thread. */
#ifndef AN_JUDGE_H
#define AN_JUDGE_H

#include "analysis/judgement/judgement.h"

/* Effect: judges a joined program. The caller destroys the judgement before the program. */
struct an_judgement *an_judge(struct an_program *program);

/* The same without verdicts, patterns, findings and holes: every site is logged, but for the user's
 * words; hooks are found. */
struct an_judgement *an_judge_later(struct an_program *program);

/* Its parts that live in this folder; each adds its lists. */
void an_verdicts_give(struct an_judgement *judgement); /* rules 1 to 14, findings of them */
void an_hooks_find(struct an_judgement *judgement);

#endif
