/* interrupt: ranks that compute are called by a signal (host/call.c), by the parent of their
 * process.
 *
 * When the next epoch runs, a rank that computes may still have messages in its log that others
 * wait for: it is called likewise, until they have them. */
#include "recover/recover.h"

static const double away_seconds = 0.01;  /* between two looks of an agent */
static const double serve_seconds = 0.01; /* between two looks at who still has to send */

void ft_interrupt_begin(struct ft_member *member)
{
    ft_call_begin(&member->call);
}

/* The agent looks, and may find that the rank does not compute any more. */
static void call_away(struct ft_member *member, enum ft_interrupt_why why)
{
    if (member->pid <= 0 || !ft_call_is_due(&member->call, member->recorder))
        return;
    ft_node_tell(member->node, FT_AGENT_CALL, member->rank, member->life, why, NULL, 0);
    member->call.next = ft_loop_now() + away_seconds;
}

void ft_interrupt_look(struct ft_member *member, enum ft_interrupt_why why)
{
    if (member->node)
        call_away(member, why);
    else
        ft_call_look(&member->call, member->pid, member->recorder, why);
}

void ft_interrupt_end(struct ft_member *member)
{
    if (!member->node)
        ft_call_end(member->pid, member->recorder);
    else if (member->recorder->where == FT_WHERE_USER)
        ft_node_tell(member->node, FT_AGENT_CUT, member->rank, member->life, 0, NULL, 0);
}

static void on_serve(void *context)
{
    struct ft_run *run = context;
    int owing = 0;

    for (int i = 0; i < run->size && run->state == FT_RUN_RUNNING; i++) {
        if (!__atomic_load_n(&run->members[i].recorder->owing, __ATOMIC_RELAXED))
            continue;
        owing = 1;
        ft_interrupt_look(&run->members[i], FT_INTERRUPT_SERVE);
    }
    if (owing)
        ft_loop_after(run->loop, &run->serve, serve_seconds, on_serve, run);
}

void ft_interrupt_serve(struct ft_run *run)
{
    for (int i = 0; i < run->size; i++)
        ft_interrupt_begin(&run->members[i]);
    ft_loop_after(run->loop, &run->serve, serve_seconds, on_serve, run);
}
