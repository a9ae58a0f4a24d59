/* advise: which protection of ftrun a job should take. */
#ifndef SIM_ADVISE_H
#define SIM_ADVISE_H

#include "ftsim/results.h"

/* Effect: job->cluster becomes the size of clusters with which a job of that profile is soonest
 * done: small ones log more, large ones read more. 0, or -1 with a sentence in why[SIM_WHY]. */
int sim_advise_cluster(const char *profile, struct sim_job *job, const struct sim_effort *effort,
                       char *why);

/* Effect: prints the protection with the shortest time among those that ftrun has, the line of
 * ftrun for it, and the next two with the difference. 0, or -1 when none of them finishes the job.
 */
int sim_advise_print(FILE *out, const struct sim_point *point);

#endif
