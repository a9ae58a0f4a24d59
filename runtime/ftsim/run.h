/* run: one simulated run of a job under one protection. */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include "ftsim/machine.h"

struct sim_result {
    bool finished; /* false: the job needed more than SIM_LIMIT times its work, met SIM_FAILURES, or
                    * no node was left */
    double time;   /* seconds to completion */
    double checkpoints; /* seconds in which checkpoints stopped the job */
    double stalled; /* seconds in which the job waited for restarts and for work that was done again
                       beside it */
    double failures;  /* of nodes */
    double restarts;  /* all ranks rolled back */
    double contained; /* failures after which only a node or a cluster rolled back */
    double absorbed;  /* failures after which nobody rolled back: a copy went on */
    double spares;    /* in use at a time, at most */
};

enum { SIM_LIMIT = 1000, SIM_FAILURES = 1000000 };

/* Simulates run number `run` with `seed`; `interval` is the work between checkpoints in seconds. 0,
 * or -1 without memory. */
int sim_run(const struct sim_job *job, enum sim_protection protection, double interval,
            const struct sim_log *log, uint64_t seed, uint64_t run, struct sim_result *result);

#endif
