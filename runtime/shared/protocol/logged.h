/* logged: on several nodes with clusters, the words that an agent and the ranks of its node share:
 * which of the outcomes that these have recorded ftrun has, too. ftrun is the event logger of
 * MPICH-V2 (Bouteiller et al., SC'03).
 *
 * A memfd of the agent. Thread rule: each word is written by one process, with release. */
#ifndef FT_LOGGED_H
#define FT_LOGGED_H

#include <stdint.h>

struct ft_logged_rank {
    uint64_t made; /* changes of its ring of determinants in all lives on this node, by the rank */
    uint64_t safe; /* of them, those that ftrun has, too, by the agent */
    int32_t rank;  /* which one it is, by the agent */
    int32_t recorder; /* the agent's descriptor of its recorder and rings */
    uint64_t pad[5];  /* a cache line each */
};

struct ft_logged {
    uint32_t count; /* ranks that have been on this node, by the agent */
    uint32_t turns; /* a futex: changes with each `safe`, by the agent */
    int32_t agent;  /* its process */
    uint32_t pad_agent;
    uint64_t pad[6];
    struct ft_logged_rank of[]; /* [ranks of the job] in the order in which they came */
};

#define FT_LOGGED_BYTES(size)                                                                      \
    (sizeof(struct ft_logged) + (uint64_t)(size) * sizeof(struct ft_logged_rank))

#endif
