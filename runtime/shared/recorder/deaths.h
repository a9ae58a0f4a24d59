/* deaths: with `ftrun --ulfm`, what ftrun tells each rank of failures, in memory behind the rank's
 * recorder. ftrun appends an entry, stores its count behind it, and then changes `order` in the
 * recorder, at which all wait loops of the rank look. All ranks have the entries in the same order.
 */
#ifndef FT_DEATHS_H
#define FT_DEATHS_H

#include <stdint.h>
#include "recorder/recorder.h"

#define FT_DEATHS_MOST 65536    /* ranks */
#define FT_DEATHS_REVOKED 65536 /* communicators */

struct ft_death {
    int32_t rank; /* in MPI_COMM_WORLD */
    int32_t pid;
};

struct ft_deaths {
    uint32_t count, revokes; /* entries below */
    uint32_t healed;         /* so many of the deaths are of ranks that new processes stand for, */
    uint32_t healed_revokes; /* and so many revocations are of communicators before that */
    uint32_t met;            /* the order that the rank has answered last, by the rank */
    uint32_t cleared;        /* number of the GAP that ftrun has answered last */
    struct ft_death death[FT_DEATHS_MOST];
    uint64_t revoked[FT_DEATHS_REVOKED]; /* identities of communicators */
};

/* The ring of determinants lies behind it and is short: a rank never repeats what it did. */
#define FT_DEATHS_BYTES ((uint64_t)1 << 21)
#define FT_DEATHS_RING ((uint64_t)1 << 12)

_Static_assert(sizeof(struct ft_deaths) <= FT_DEATHS_BYTES &&
                   FT_DEATHS_BYTES + FT_DEATHS_RING * FT_RECORDER_ENTRY < FT_RECORDER_RING_BYTES,
               "both take the place of the long ring");

#endif
