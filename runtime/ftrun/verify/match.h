/* match: which message each receive and probe of a run met, and whether both belong to the same
 * iteration of the same pattern (Ropars et al., SC'13, section 4.3, condition 1).
 *
 * Nothing travels with the messages: MPI does not let messages of one channel (source, destination,
 * communicator, tag) overtake, so the k-th message of a channel was taken by the k-th, in posting
 * order, of the receives that took one of this channel; and a probe that found the channel saw the
 * message after those that receives posted before it have taken.
 *
 * A receive that was posted and of which no match is known (a run that was killed) might have taken
 * any message that it could match: channels are not looked at any further from there on. */
#ifndef FT_VERIFY_MATCH_H
#define FT_VERIFY_MATCH_H

#include "trace/format.h"

struct ft_match { /* an anonymous receive or probe that met another iteration's message */
    int source, destination;        /* world ranks */
    struct ft_trace_record message; /* kind SEND: pattern, iteration, site, address, call, tag */
    struct ft_trace_record request;
};

/* Reads the traces of `ranks` ranks in folder and calls crossed for each such meeting, about in the
 * order of time; *matched counts the receives whose message is known. Returns 0, -ENOMEM, or
 * -ECANCELED when stopped (may be NULL) says so. */
int ft_match_check(const char *folder, int ranks,
                   void (*crossed)(void *context, const struct ft_match *match),
                   int (*stopped)(void *context), void *context, uint64_t *matched);

#endif
