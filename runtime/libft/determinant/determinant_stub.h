/* determinant_stub: what the tests of this room have in common: one rank, with a ring of
 * determinants and a ring of marks, and stubs for the rooms around this one. A difference ends the
 * process with DIFFERS.
 *
 * Thread rule: the main thread. */
#ifndef FT_DETERMINANT_STUB_H
#define FT_DETERMINANT_STUB_H

#include "determinant/determinant.h"
#include "determinant/trail.h"

enum {
    CAPACITY = 64, /* of both rings */
    DIFFERS = 41   /* exit code of a process that a difference ends */
};

extern struct ft_recorder recorder; /* the rank's */
extern struct ft_spbc spbc;         /* the rank's */
extern struct ft_rank rank;
extern struct ft_determinant ring[CAPACITY];
extern int asked; /* how often the rank has asked for a checkpoint */

/* Fixtures of cmocka. setup: the rank begins its first life with empty rings. teardown: frees what
 * it has allocated. */
int setup(void **state);
int teardown(void **state);

/* Does `work` in a process of its own, without stderr, and returns how that has ended: 0, an exit
 * code, or 128 and the signal. */
int end_of(void (*work)(void));

#endif
