/* job: one C file of the command: read, judged, parsed, rewritten.
 *
 * Thread rule: one thread. */
#ifndef CC_JOB_H
#define CC_JOB_H

#include "analysis/loops.h"
#include "ftcc/options.h"
#include "rewriters/edits.h"

struct cc_job {
    const char *path;       /* as the user wrote it; the options own it */
    struct rw_text text;    /* of the original; text.text is NULL when it cannot be read */
    struct an_facts *facts; /* NULL when the file needed no parse */
    struct rw_edits *edits; /* NULL when there is nothing to insert */
    bool names_header;      /* it names ft.h */
    bool quiet;             /* a test of a configure script: no messages about it */
};

/* Effect: fills `jobs`, one for each C file of the command, in order. With `always`, each file is
 * parsed; otherwise only those that include mpi.h and hold a loop. `added` are mpicc's own flags.
 * Never fails: what cannot be parsed has facts with a problem and no edits. */
void cc_jobs_prepare(const struct cc_options *options, UT_array *added, bool always,
                     struct cc_job *jobs);

void cc_job_release(struct cc_job *job);

#endif
