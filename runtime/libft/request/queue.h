/* queue: the queues in shared memory in which UCX has the messages of other processes for this one
 * (its transports `sysv` and `posix`; version 1.13, src/uct/sm/mm/base).
 *
 * A sender takes the slot at the queue's head, fills it, and changes the slot's owner bit. A
 * receiver stops at a slot whose bit is not changed. So a sender that dies in between leaves a
 * *gap*, behind which nothing is received any more.
 *
 * A mapping counts as a queue when it looks like one in each of its 64 slots. In any other mapping
 * nothing is written. */
#ifndef FT_REQUEST_QUEUE_H
#define FT_REQUEST_QUEUE_H

/* Notes the slots of this process's queues that are taken and not filled now. Answers 1 when there
 * are some: a living sender may be about to fill them. */
int ft_queue_note(void);
/* Effect: fills those of the noted slots that are not filled yet, with an active message that UCX
 * has no handler for, and drops. No living process may be filling one of them. */
void ft_queue_fill(void);

#endif
