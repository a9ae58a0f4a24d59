/* guard: the work of ftcc in a child process, so that a crash or an endless turn of the analysis
 * never breaks a build, and so that no temporary file outlives the command.
 *
 * Thread rule: one thread. */
#ifndef CC_GUARD_H
#define CC_GUARD_H

#include "rewriters/edits.h"

#include <signal.h>
#include <stdio.h>

/* The stage of the work; the later ones need no second try. */
enum cc_stage { CC_ANALYSING, CC_BUILDING, CC_JOINING };

/* How the work ended. */
struct cc_end {
    int code;            /* its exit code, when it came to an end by itself or was asked to */
    int crash;           /* the signal of a crash, or 0; SIGPROF: it used too much time */
    enum cc_stage stage; /* in which it crashed */
};

/* Effect: runs `work` in a child and waits for it. SIGINT, SIGTERM and SIGHUP go on to the child;
 * the temporary folder is gone afterwards, whatever happened. Without a child (no memory for one)
 * the work runs here. */
struct cc_end cc_guard_run(int (*work)(void *context), void *context);

/* Effect: says what the work does from now on, which sets the time that it may use: analysing and
 * joining are limited, building is not. */
void cc_guard_stage(enum cc_stage stage);

/* The output of one of several processes. */
struct cc_share {
    struct rw_text bytes; /* freed by the caller */
    int crash;            /* the signal that ended it, or 0 */
};

/* Effect: runs `work` for each number below `count` in a process of its own, as many at once as
 * there are processors, and collects in `shares` what each writes to `out`. The time of each is
 * limited. */
void cc_guard_each(unsigned count, void (*work)(void *context, unsigned number, FILE *out),
                   void *context, struct cc_share *shares);

/* The folder for temporary files, made when it is first asked for; NULL, with errno, when it cannot
 * be made. */
const char *cc_guard_folder(void);

#endif
