/* draw: numbers drawn from a seed: what all ranks do alike, and what each does as it likes. */
#ifndef DRAW_H
#define DRAW_H

#include "program.h"

static uint64_t seed, drawn, own;

/* Below `below`; the same on all ranks, if all have drawn as often. */
static inline int draw(int below)
{
    drawn = mix(drawn ^ seed);
    return (int)(drawn % (uint64_t)below);
}

/* A rank's own affair. */
static inline int draw_own(int below)
{
    own = mix(own ^ seed ^ (uint64_t)rank);
    return (int)(own % (uint64_t)below);
}

#endif
