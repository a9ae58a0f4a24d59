/* sites: the section .ftcc.sites of an executable (runtime/shared/sites/format.h), made from what
 * the analysis says about the whole program.
 *
 * Thread rule: one thread. */
#ifndef CC_SITES_H
#define CC_SITES_H

#include "analysis/judgement/judgement.h"
#include "rewriters/edits.h"

/* Effect: the section's bytes; the caller frees them. Entries with equal ids keep the worst
 * verdict, marked as logged: the runtime cannot tell such calls apart. */
struct rw_text cc_sites_write(const struct an_judgement *judgement);

#endif
