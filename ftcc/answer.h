/* answer: what --ft-report, --ft-report=FILE and --ft-strict ask for, about one judgement.
 *
 * Thread rule: one thread. */
#ifndef CC_ANSWER_H
#define CC_ANSWER_H

#include "analysis/judgement/judgement.h"
#include "ftcc/options.h"

/* Was any of it asked for? */
bool cc_answer_wanted(const struct cc_options *options);

/* Effect: writes out what was printed. Returns false after a message when stdout did not take it.
 */
bool cc_answer_flush(void);

/* Effect: prints and writes the reports about the program called `name`. A file is replaced in one
 * step, so that commands that run at once never mix theirs. Returns false after a message. */
bool cc_answer_report(const struct an_judgement *judgement, const struct cc_options *options,
                      const char *name);

/* Effect: with --ft-strict, prints what could not be analysed. Returns false when there was
 * anything. `part` says that calls into other files are no holes: those are not known yet. */
bool cc_answer_strict(const struct an_judgement *judgement, const struct cc_options *options,
                      bool part);

#endif
