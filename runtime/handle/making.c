/* The native making of a communicator, which waits for all members, in a fiber: whoever waits turns
 * to other things, and may leave the epoch in the middle.
 *
 * Invariant: the list is of this process, and outside of the image. So a life that begins with an
 * image taken in the middle finds nothing here, and begins anew, unless another member had come to
 * the end: then there is a ghost (census.c).
 *
 * Members agree on a number for the new communicator, in rounds, and at each process one making has
 * the say at a time. In a round of several members the library polls, and the fiber pauses; a
 * member that is alone in its group goes round without a poll until it has the say. So it waits
 * outside while others may have it. They need nothing of it meanwhile: an intercommunicator, where
 * the other group does, waits for the rounds on the runtime's communicator alone, which all have
 * begun. */
#include <stdlib.h>
#include <utlist.h>
#include "handle/handles.h"
#include "os/fiber.h"

struct making {
    struct ft_rank *self;
    struct ft_comm *comm;
    struct ft_fiber *fiber;
    int agrees; /* in the library, with other members of its group */
    int ended;
    int code; /* when it has ended */
    struct making *next;
};

static struct making *makings;
static struct making *resumed; /* whose fiber the processor is in, or NULL */

void ft_making_agrees(int agrees)
{
    if (resumed)
        resumed->agrees = agrees;
}

static void make(void *argument)
{
    struct making *making = argument;

    making->code = ft_comm_make(making->self, making->comm);
}

static struct making *making_begin(struct ft_rank *self, struct ft_comm *comm)
{
    struct making *making = malloc(sizeof(*making));

    if (!making)
        ft_panic("no memory to make a communicator");
    *making = (struct making){.self = self, .comm = comm};
    making->fiber = ft_fiber_create(make, making);
    if (!making->fiber)
        ft_panic("no memory to make a communicator");
    LL_PREPEND(makings, making);
    return making;
}

int ft_making_runs(const struct ft_comm *comm)
{
    struct making *making;

    LL_SEARCH_SCALAR(makings, making, comm, comm);
    return making != NULL;
}

static int has_say(const struct making *making, const struct making *other)
{
    return !other->ended && (other->agrees || (!making->comm->inter && other->comm->size > 1));
}

static int waits_outside(const struct making *making)
{
    struct making *other;

    if (making->comm->size > 1 || making->agrees)
        return 0;
    LL_FOREACH (makings, other)
        if (has_say(making, other))
            return 1;
    return 0;
}

static void making_resume(struct ft_rank *self, struct making *making)
{
    if (making->ended || waits_outside(making))
        return;
    ft_block_begin(self, making->comm->id, 0);
    resumed = making;
    making->ended = ft_fiber_resume(making->fiber);
    resumed = NULL;
    ft_block_end(self);
}

void ft_makings_turn(struct ft_rank *self)
{
    struct making *making;

    LL_FOREACH (makings, making)
        making_resume(self, making);
}

int ft_making_made(const struct ft_comm *comm)
{
    struct making *making;

    LL_SEARCH_SCALAR(makings, making, comm, comm);
    return making && making->ended && making->code == MPI_SUCCESS;
}

int ft_making_turn(struct ft_rank *self, struct ft_comm *comm, int *code)
{
    struct making *making;

    LL_SEARCH_SCALAR(makings, making, comm, comm);
    if (!making)
        making = making_begin(self, comm);
    making_resume(self, making);
    if (!making->ended)
        return 0;
    *code = making->code;
    LL_DELETE(makings, making);
    ft_fiber_destroy(making->fiber);
    free(making);
    return 1;
}
