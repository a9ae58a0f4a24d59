/* whole: the units of one command or of one program, joined and judged.
 *
 * Thread rule: one thread. */
#ifndef CC_WHOLE_H
#define CC_WHOLE_H

#include "analysis/judgement/judgement.h"
#include "rewriters/edits.h"

struct cc_whole;

struct cc_whole *cc_whole_create(void);
/* Effect: frees all; NULL is allowed. */
void cc_whole_destroy(struct cc_whole *whole);

/* Effect: adds the units in the bytes of sections .ftcc.facts that were found in the file
 * `origin`. A damaged section becomes a hole of the judgement. */
void cc_whole_add(struct cc_whole *whole, const struct rw_text *facts, const char *origin);

/* Effect: takes a unit. */
void cc_whole_add_unit(struct cc_whole *whole, struct an_unit *unit);

/* Effect: adds a hole: the file `origin` is part of the program, but not of what is known of it;
 * `text` is a sentence. */
void cc_whole_miss(struct cc_whole *whole, const char *origin, const char *text);

/* Effect: notes a call of MPI in code without facts, which is a hole of the judgement, too, but
 * says nothing about the others. `text` is a sentence; all strings are copied. */
void cc_whole_note(struct cc_whole *whole, const struct an_hole *hole);

unsigned cc_whole_units(const struct cc_whole *whole);
struct an_unit *cc_whole_unit(const struct cc_whole *whole, unsigned number);

/* Is `name` the last part of the path of a unit? Asked when all units are there. */
bool cc_whole_has_file(struct cc_whole *whole, const char *name);

/* A sentence about the first file with damaged facts, or NULL. */
const char *cc_whole_damage(const struct cc_whole *whole);

/* Is there a main, and does every call name a function that is there or a system's? Then it is as
 * good as an executable. */
bool cc_whole_is_closed(struct cc_whole *whole);

/* Effect: joins and judges, once. `executable` says that nothing else will be linked in; with a
 * hole it does not count. */
const struct an_judgement *cc_whole_judge(struct cc_whole *whole, bool executable);

/* Effect: the same, but for classes and patterns: every site is logged. */
const struct an_judgement *cc_whole_judge_later(struct cc_whole *whole, bool executable);

#endif
