/* marks: with --protocol coordinated:nonblocking, each rank takes its image and goes on, while
 * others have not taken theirs (Chandy and Lamport, 1985; Vcl of MPICH-V, Buntinas et al., 2008,
 * section 3.1).
 *
 * In the paper a marker goes through each channel, and a receiver takes its image before it takes a
 * message that comes behind the marker. MPI keeps messages in order only within a tag and a
 * communicator, so others would overtake a marker. There is no marker message here: the sender
 * keeps a message that would come behind the marker in its log until the receiver has taken its
 * image. A message that was sent before the marker and is still in flight is in the sender's log,
 * too, and so in the sender's image: that is the state of the channel, which the paper keeps at the
 * receiver. A rank pauses only for the fork of the process that writes its image.
 *
 * Thread rule: single threaded. */
#ifndef FT_STREAM_MARKS_H
#define FT_STREAM_MARKS_H

#include "process.h"
#include "protocol/marks.h"

/* Tells all ranks that this one has taken its image of the checkpoint, or cannot take it. Without
 * the protocol it does nothing. */
void ft_marks_pass(struct ft_rank *self, uint32_t checkpoint);
/* Must a message to world rank `world` stay in the log until that rank has taken its image? */
int ft_marks_hold(struct ft_rank *self, int world);

#endif
