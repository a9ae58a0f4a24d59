/* job: one file of C or C++ of the command: read, parsed, judged, rewritten.
 *
 * Thread rule: one thread. */
#ifndef CC_JOB_H
#define CC_JOB_H

#include "ftcc/options.h"
#include "ftcc/sources.h"

struct cc_job {
    const char *path;     /* as the user wrote it; the options own it */
    struct rw_text facts; /* its unit as bytes; length 0 when the file needed no parse */
    UT_array files;       /* of struct cc_source: what is to be inserted; of this file first */
    char *problem;        /* why the file is compiled as it is, or NULL; owned */
    bool names_header;    /* it names ft.h, or its copy does */
    bool quiet; /* a test of a configure script, or no file of MPI: no messages about it */
};

/* Effect: fills `jobs`, one for each source of the command, in order. With `always`, each file is
 * parsed; otherwise those that will be compiled, without the tests of configure scripts. `added`
 * are mpicc's own flags. Never fails: what cannot be parsed has a problem and no edits. */
void cc_jobs_prepare(const struct cc_options *options, UT_array *added, bool always,
                     struct cc_job *jobs);

bool cc_job_is_edited(const struct cc_job *job);

/* Effect: the original is to be compiled, and `problem` (copied) says why. */
void cc_job_give_up(struct cc_job *job, const char *problem);

void cc_job_release(struct cc_job *job);

/* The words of a command that the parser may need; NULL-terminated. `cxx`: for a source in C++.
 * The caller frees the array, not the words. */
const char **cc_job_flags(const struct cc_options *options, UT_array *added, bool cxx);

#endif
