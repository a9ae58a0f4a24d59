/* meeting: synchronous sends inside the cluster that a drain takes into the receiver's image.
 *
 * The library has ended them then, but they have met no receive, and what the sender concludes from
 * their end may be anything. So after the drain sender and receiver agree upon which of them lie in
 * the receiver's store. Such a send stays ACTIVE until the receiver takes its message out of there,
 * and says so by a message without data on the runtime's communicator, for which the sender's
 * request waits. In a run without a drain, and for other sends, nothing of this is done.
 *
 * The receiver knows messages by source, communicator and tag, and their order among those alone.
 * The sender knows the order of its synchronous sends, and whether it has sent that rank anything
 * else behind one. If not, counting from the newest message tells which ones they are. Otherwise
 * they end, as if they had met a receive.
 *
 * Thread rule: as drain.c. */
#ifndef FT_REQUEST_MEETING_H
#define FT_REQUEST_MEETING_H

#include "request/store.h"

/* The counts that a drain tells have room above for how many there are. With more to one rank
 * the later ones are not told: each of them is looked for in the whole store. */
#define FT_MEETINGS_SHIFT 48
#define FT_MEETINGS_MOST 0xfffu

struct ft_meetings; /* of one drain */

/* Lists this rank's sends. The caller releases it, after a drain that has ended. */
struct ft_meetings *ft_meetings_begin(struct ft_rank *self);
/* How many there are to that rank. */
uint64_t ft_meetings_to(const struct ft_meetings *meetings, int world);
/* That rank has so many to this one. */
void ft_meetings_from(struct ft_meetings *meetings, int world, uint64_t count);
/* Polls one of them, without ending it. 1: the library has ended it now. */
int ft_meeting_poll(struct ft_request *request);
/* Is it one that the library has not ended? */
static inline int ft_meeting_is_open(const struct ft_request *request)
{
    return !request->awaited && request->real != MPI_REQUEST_NULL;
}
/* When all messages are in the store: agrees. Each time that `wait` is called it waits for all; it
 * answers 0, or a code that is passed on, and then nobody may touch the buffers any more. */
int ft_meetings_settle(struct ft_rank *self, struct ft_meetings *meetings,
                       int (*wait)(void *context, int count, MPI_Request *requests), void *context);
void ft_meetings_release(struct ft_meetings *meetings);

/* A message with drained->meeting was taken out of the store. */
void ft_meeting_tell(struct ft_rank *self, const struct ft_drained *drained);
/* In a new epoch: asks for the answer again. */
void ft_meeting_rebuild(struct ft_rank *self, struct ft_request *request);

/* A synchronous send that is made again, of which `copy` is on its way (request_post.c): ends with
 * the copy, or when it is asked about while the rank repeats what it did, because it had got past
 * this. */
void ft_meeting_behind(struct ft_rank *self, struct ft_request *request, struct ft_request *copy);

#endif
