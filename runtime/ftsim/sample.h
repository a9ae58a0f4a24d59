/* sample: many runs of one job under one protection, until the mean is known well enough. */
#ifndef SIM_SAMPLE_H
#define SIM_SAMPLE_H

#include "ftsim/run.h"

struct sim_mean { /* over all runs */
    double mean;
    double half; /* half of the 95 % confidence interval */
};

struct sim_sample {
    enum sim_protection protection;
    int runs;
    int unfinished;       /* runs that did not finish; then the times are of the others */
    double interval;      /* seconds of work between checkpoints */
    double reserved;      /* nodes that are paid for */
    struct sim_mean time; /* seconds */
    struct sim_mean checkpoints, stalled, failures, restarts, contained, absorbed;
    struct sim_mean spares; /* in use at a time, at most in each run */
    double spares_most;     /* over all runs */
};

struct sim_effort {
    uint64_t seed;
    int threads;
    int runs_least, runs_most; /* per protection */
    double precision;          /* wanted: half of the interval / mean */
    /* Called now and then with the share of the work that is done; NULL: never. */
    void (*progress)(void *context, double share);
    void *context;
};

void sim_effort_default(struct sim_effort *effort); /* 5 to 200 runs, 5 %, one thread a core */
/* Effect: simulates. The result depends on job, protection, seed and the limits, not on `threads`.
 * 0, or -1 without memory. */
int sim_sample_take(const struct sim_job *job, enum sim_protection protection,
                    const struct sim_log *log, const struct sim_effort *effort,
                    struct sim_sample *sample);
/* A run is useful for this share of its time. */
double sim_sample_efficiency(const struct sim_job *job, const struct sim_sample *sample);
/* Hours of sockets that the job pays for. */
double sim_sample_socket_hours(const struct sim_job *job, const struct sim_sample *sample);

#endif
