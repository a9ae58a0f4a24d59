/* advise: which protection of ftrun a job should take. */
#ifndef SIM_ADVISE_H
#define SIM_ADVISE_H

#include "ftsim/results.h"

/* Effect: prints the protection with the shortest time among those that ftrun has, the line of
 * ftrun for it, and the next two with the difference. 0, or -1 when none of them finishes the job.
 */
int sim_advise_print(FILE *out, const struct sim_point *point);

#endif
