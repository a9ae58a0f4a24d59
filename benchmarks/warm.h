/* warm: a log of messages as a long run has it. It is filled twice with more than is sent
 * afterwards, and checkpoints of each rank drop that; so what follows is copied into memory that
 * was used before, also at the end of what was filled last. One more checkpoint of each rank, and
 * no image holds what was dropped. ftrun must be told --keep 1, --checkpoint-every WARM_HOOKS and
 * --events FILE, in which the program sees the checkpoints committed; none is taken from then on,
 * unless the program comes to that many calls of ft_hook. Whether the log is warm the file says at
 * the end: more was dropped than was logged since. Without ftrun the same is sent, and there is
 * nothing to wait for.
 *
 * Thread rule: the main thread. */
#ifndef WARM_H
#define WARM_H

enum { WARM_HOOKS = 100000 };

/* Effect: fills and drops; all ranks of MPI_COMM_WORLD, of which those below and above in number
 * exchange messages. events: the file of ftrun's events. Its memory is freed. */
void warm_log(const char *events);

#endif
