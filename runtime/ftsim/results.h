/* results: what ftsim prints of its samples, for people and for programs. */
#ifndef SIM_RESULTS_H
#define SIM_RESULTS_H

#include <stdio.h>
#include "ftsim/sample.h"

struct sim_point { /* one job of a sweep, with a sample of each protection that was asked for */
    struct sim_job job;
    struct sim_sample samples[SIM_PROTECTIONS];
    int count;
};

/* A table, one line a protection. */
void sim_results_print(FILE *out, const struct sim_point *point);
/* All points as one JSON object (docs/formats/ftsim.md). 0, or -1: no memory, or it could not be
 * written. */
int sim_results_write_json(FILE *out, const struct sim_point *points, int count, uint64_t seed);
/* The sample with the shortest mean time, NULL when none finishes. */
const struct sim_sample *sim_results_best(const struct sim_point *point);
/* A duration in the unit that reads best, into text[32]. */
const char *sim_duration(double seconds, char *text);

#endif
