/* marks: with --protocol coordinated:nonblocking, each rank takes its image and goes on, while
 * others have not taken theirs (Chandy and Lamport, 1985; Vcl of MPICH-V, Buntinas et al., 2008,
 * section 3.1).
 *
 * In the paper a marker goes through each channel, and a receiver takes its image before it takes a
 * message that comes behind the marker. The library lets no marker overtake nothing: messages of
 * other tags and communicators pass it. So here the sender keeps a message that would come behind
 * the marker in its log until the receiver has taken its image. A message in front of it that is
 * still on its way is in its sender's log, too, which is in the sender's image: that is the state
 * of the channel, which the paper keeps at the receiver. Nobody waits but for the fork.
 *
 * Thread rule: single threaded. */
#ifndef FT_STREAM_MARKS_H
#define FT_STREAM_MARKS_H

#include "process.h"
#include "protocol/marks.h"

/* The rank's image of the checkpoint is taken, or cannot be. Without the protocol nothing. */
void ft_marks_pass(struct ft_rank *self, uint32_t checkpoint);
/* Has a message to world rank `world` to wait in the log until its image is taken? */
int ft_marks_hold(struct ft_rank *self, int world);

#endif
