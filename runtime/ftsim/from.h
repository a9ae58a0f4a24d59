/* from: takes a job's costs from a real run: the events of ftrun (--events) and its profile
 * (--profile). */
#ifndef SIM_FROM_H
#define SIM_FROM_H

#include "ftsim/job.h"

/* Effect: sets bytes, pause, bandwidth, restart and overhead fields of `job` that the events tell;
 * each thing that was learnt is one line in told[size]. 0, or -1 with why. Fields that a job file
 * gives afterwards win. */
int sim_from_events(const char *path, struct sim_job *job, char *told, size_t told_size, char *why,
                    size_t size);
/* Effect: sets the growth of the logs from the bytes that go between clusters of job->cluster
 * ranks, or of half of the run's ranks where it had no more than that. 0, or -1 with a sentence in
 * why[SIM_WHY]. */
int sim_from_profile(const char *path, struct sim_job *job, char *told, size_t told_size,
                     char *why);

#endif
