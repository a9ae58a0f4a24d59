/* Random numbers (draw.h). */
#include "ftsim/draw.h"
#include <Random123/philox.h>
#include <math.h>

struct sim_draw sim_draw_begin(uint64_t seed, uint64_t run)
{
    return (struct sim_draw){.seed = seed, .run = run};
}

static uint32_t next(struct sim_draw *draw)
{
    if (draw->left == 0) {
        philox4x32_ctr_t counter = {{(uint32_t)draw->count, (uint32_t)(draw->count >> 32),
                                     (uint32_t)draw->run, (uint32_t)(draw->run >> 32)}};
        philox4x32_key_t key = {{(uint32_t)draw->seed, (uint32_t)(draw->seed >> 32)}};
        philox4x32_ctr_t block = philox4x32(counter, key);

        for (int i = 0; i < 4; i++)
            draw->block[i] = block.v[i];
        draw->count++;
        draw->left = 4;
    }
    return draw->block[--draw->left];
}

double sim_draw_uniform(struct sim_draw *draw)
{
    uint64_t high = next(draw), low = next(draw);

    return ((double)((high << 32 | low) >> 11) + 0.5) * 0x1p-53;
}

double sim_draw_exponential(struct sim_draw *draw, double mean)
{
    return -mean * log(sim_draw_uniform(draw));
}

static double scale_of(double shape, double mean)
{
    return mean / tgamma(1 + 1 / shape);
}

double sim_draw_weibull(struct sim_draw *draw, double shape, double mean)
{
    return scale_of(shape, mean) * pow(-log(sim_draw_uniform(draw)), 1 / shape);
}

static double normal(struct sim_draw *draw)
{
    double radius = sqrt(-2 * log(sim_draw_uniform(draw)));

    return radius * cos(2 * M_PI * sim_draw_uniform(draw));
}

/* Gamma with shape a >= 1 (Marsaglia and Tsang, 2000). */
static double gamma_of(struct sim_draw *draw, double a)
{
    double d = a - 1. / 3, c = 1 / sqrt(9 * d);

    for (;;) {
        double x = normal(draw), v = 1 + c * x;

        if (v <= 0)
            continue;
        v = v * v * v;
        if (log(sim_draw_uniform(draw)) < x * x / 2 + d - d * v + d * log(v))
            return d * v;
    }
}

/* A life that is met at a moment is long in proportion to its length, and the moment is anywhere in
 * it. The power (L / scale)^shape of such a life L has a Gamma distribution with shape 1 + 1 /
 * shape. */
double sim_draw_weibull_rest(struct sim_draw *draw, double shape, double mean)
{
    double life = scale_of(shape, mean) * pow(gamma_of(draw, 1 + 1 / shape), 1 / shape);

    return life * sim_draw_uniform(draw);
}

uint64_t sim_draw_below(struct sim_draw *draw, uint64_t limit)
{
    return (uint64_t)(sim_draw_uniform(draw) * (double)limit);
}
