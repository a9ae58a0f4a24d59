/* phases: with --protocol hydee, in which order the logs are resent (Guermouche et al., IPDPS'12,
 * section III).
 *
 * The ranks of a cluster share a phase. A message that leaves the cluster has the phase of that
 * moment (algorithm 1, at a send); one of another cluster raises it, when it is received, above its
 * sender's (algorithm 1, at a receive). So whatever is sent because of a message has a higher phase
 * than that. In the paper a message carries its phase; here the phases are words that all ranks
 * share, and the receiver reads the sender's when it receives. That may be higher by then, never
 * lower, so the order holds, and no message has anything added to it.
 *
 * The phases of what a rank has sent lie in a ring that survives it, so a rank that has rolled back
 * knows those of its orphans: messages that others have, and it will send again. It tells ftrun the
 * phase of the next one (algorithm 3: the notification of an orphan), and ftrun lets the logged
 * messages of a phase go when no orphan of a lower one is left (algorithm 4; recover/phases.c).
 *
 * Thread rule: single threaded. */
#ifndef FT_STREAM_PHASES_H
#define FT_STREAM_PHASES_H

#include "process.h"
#include "protocol/phases.h"

struct ft_stream;

struct ft_phased {  /* in the image */
    uint64_t sends; /* messages sent to other clusters */
    uint32_t phase; /* of the last one */
    uint32_t pad;
};

/* Without --protocol hydee (ft_life.phases) the first two do nothing. A life that starts with main,
 * when the streams are there. */
void ft_phases_start(struct ft_rank *self);
/* A life that begins with an image, before the exchange of streams: tells ftrun of the first
 * orphan.
 */
void ft_phases_restore(struct ft_rank *self);
/* The stream's next message is about to be sent; for a rank with FT_NOTED_PHASE. */
void ft_phases_send(struct ft_rank *self, struct ft_stream *stream);
/* Has a message of the log to wait for its phase? */
int ft_phases_wait(const struct ft_stream *stream, uint64_t number);

#endif
