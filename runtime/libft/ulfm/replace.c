/* Replacing: when all living ranks have come, ftrun lets them leave the epoch with their present
 * images; in the next one they go on from here with a new library, and new processes that begin at
 * main have the ranks of the dead. Nothing of the old library is left, so neither are messages that
 * were under way, gaps in queues, or half-made communicators. */
#include <utlist.h>
#include "calls/calls.h"
#include "checkpoint/checkpoint.h"
#include "handle/session.h"
#include "request/failed.h"
#include "ulfm/agree.h"

enum {
    TURNS = 4
}; /* a collective that fails ends in the next turn, one that starts another in two */

static void must(struct ft_rank *self, int good, const char *reason)
{
    if (!good)
        ft_refuse(ft_call_name(self->recorder->call), (const void *)(uintptr_t)self->recorder->site,
                  reason);
}

/* Ends what is pending, on whatever communicator. */
static void requests_end(struct ft_rank *self)
{
    struct ft_requests *requests = self->requests;

    ft_failure_revoke_all(self);
    for (int i = 0; i < TURNS; i++) {
        ft_failed_sweep(self);
        ft_running_turn(self);
    }
    ft_failed_unpark(self);
    must(self, !requests->running,
         "a non-blocking MPIX call, the making of a communicator, or a generalized request is "
         "pending: complete it first");
    must(self, requests->active.next == &requests->active && !requests->held,
         "a request is pending that the library does not end");
    must(self, !requests->messages,
         "MPI_Mprobe or MPI_Improbe has found a message: receive it first");
    must(self, !ft_comm_unborn(self), "a communicator is being made");
    must(self, !ft_sessions_of(self)->first && !ft_sessions_of(self)->bare,
         "the program has used sessions, whose communicators do not begin with MPI_COMM_WORLD");
}

void ft_world_renew(struct ft_rank *self)
{
    struct ft_comm *world = ft_comm_find(self, MPI_COMM_WORLD);
    struct ft_agreement *agreement;

    must(self, ft_life.boot.ulfm == FT_ULFM_REPLACE,
         "start the program with ftrun --on-failure replace");
    requests_end(self);
    agreement = ft_agreement_begin(self, world, FT_AGREEMENT_REPLACE, 0, 0);
    ft_gate_leave(self);
    ft_agreement_free(self, agreement);
}
