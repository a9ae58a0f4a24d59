/* phases: with --protocol hydee, the words that ftrun and all ranks share, in a memfd of ftrun.
 *
 * A phase orders messages between clusters (Guermouche et al., IPDPS'12, section III): whatever is
 * sent because of a message has a higher phase. After a death the logged messages of a phase are
 * resent when the rolled-back ranks have sent again all that they had sent in lower ones. */
#ifndef FT_PHASES_H
#define FT_PHASES_H

#include <stdint.h>

#define FT_PHASES_ALL UINT32_MAX  /* no message waits for its phase */
#define FT_PHASES_MOST 0xfffffff0 /* a phase rises no further */

struct ft_phases_line {
    uint32_t value;
    uint32_t pad[15]; /* a cache line each */
};

struct ft_phases {
    struct ft_phases_line allowed;      /* by ftrun: messages of phases up to it may be resent */
    struct ft_phases_line of_cluster[]; /* by its ranks: the phase of what they send next. It never
                                           goes back */
};

#define FT_PHASES_BYTES(clusters)                                                                  \
    (sizeof(struct ft_phases) + (uint64_t)(clusters) * sizeof(struct ft_phases_line))

#endif
