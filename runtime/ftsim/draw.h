/* draw: random numbers that are a function of (seed, run, how many were drawn): Philox 4x32 with 10
 * rounds (Salmon et al., SC'11), from the library Random123. So a run's numbers do not depend on
 * which thread runs it. */
#ifndef SIM_DRAW_H
#define SIM_DRAW_H

#include <stdint.h>

struct sim_draw {
    uint64_t seed;
    uint64_t run;
    uint64_t count; /* blocks drawn */
    uint32_t block[4];
    int left; /* numbers of the block that were not given yet */
};

struct sim_draw sim_draw_begin(uint64_t seed, uint64_t run);
double sim_draw_uniform(struct sim_draw *draw); /* in (0, 1) */
double sim_draw_exponential(struct sim_draw *draw, double mean);
double sim_draw_weibull(struct sim_draw *draw, double shape, double mean);
/* The time to the next failure of something whose age nobody knows: its lives are Weibull with this
 * mean, and it was put into service long ago. */
double sim_draw_weibull_rest(struct sim_draw *draw, double shape, double mean);
uint64_t sim_draw_below(struct sim_draw *draw, uint64_t limit); /* in 0 .. limit - 1 */

#endif
