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
 * outside while others may have it. They need nothing of it meanwhile, because the rounds are of
 * their own group.
 *
 * In MPI_Intercomm_create, too, a rank has the say, for a moment that nobody sees, and waits for
 * the other group, so a lone member could wait outside neither for its end nor for less. So one
 * making at a time is in it at each process. Its members ask each other, because two that each
 * process let in by itself could wait for one another. */
#include <stdlib.h>
#include <utlist.h>
#include "handle/handles.h"
#include "os/fiber.h"

struct making {
    struct ft_rank *self;
    struct ft_comm *comm;
    struct ft_fiber *fiber;
    int agrees; /* in the library, with other members of its group */
    int alone;  /* the same without, or about to */
    int asks;   /* to be let into MPI_Intercomm_create, or in it */
    int holds;  /* keeps others out of it */
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

void ft_making_alone(void)
{
    if (!resumed)
        return;
    resumed->alone = 1;
    ft_fiber_pause();
}

/* The lowest lane goes first: of all that ask it is let in at each of its members. */
static int claim(void)
{
    struct making *other;

    resumed->asks = 1;
    LL_FOREACH (makings, other)
        if (other != resumed &&
            (other->holds || (other->asks && other->comm->lane < resumed->comm->lane)))
            return 0;
    resumed->holds = 1;
    return 1;
}

int ft_making_enter(MPI_Comm both)
{
    int mine, all, code;

    for (;;) {
        mine = claim();
        code = PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, both);
        if (code != MPI_SUCCESS || all)
            return code;
        resumed->holds = 0;
        ft_fiber_pause();
    }
}

void ft_making_leave(void)
{
    resumed->asks = 0;
    resumed->holds = 0;
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

static int has_say(const struct making *making)
{
    return !making->ended && (making->agrees || (making->holds && making->comm->size > 1));
}

static int waits_outside(const struct making *making)
{
    struct making *other;

    if (!making->alone)
        return 0;
    LL_FOREACH (makings, other)
        if (has_say(other))
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

/* The fiber's stack stays: the library may still write there what others send. */
void ft_making_forget(const struct ft_comm *comm)
{
    struct making *making;

    LL_SEARCH_SCALAR(makings, making, comm, comm);
    if (!making)
        return;
    LL_DELETE(makings, making);
    free(making);
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
