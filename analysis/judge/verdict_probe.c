/* Idea: a receive from anybody behind a probe takes the message that the probe has found. By itself
 * it may look harmless, because the flag and the status of the probe, and not its own, decide what
 * is sent; but both have one outcome. So the receive gets the worse of the two classes. Which
 * receive takes which message is told by communicator and tag, in one function and those it calls.
 */
#include "analysis/judge/verdict_probe.h"

#include "analysis/flow/tag.h"

static bool is_worse(enum an_verdict one, enum an_verdict than)
{
    if (one == than || than == AN_NON_DETERMINISTIC)
        return false;
    return one == AN_NON_DETERMINISTIC || one > than;
}

static bool calls(const struct an_program *program, const struct an_node *caller,
                  const struct an_node *function)
{
    struct an_callers callers = an_function_callers(program, function);

    for (unsigned i = 0; i < callers.count; i++)
        if (an_function_of(callers.calls[i]) == caller)
            return true;
    return false;
}

static const struct an_node *argument_of(struct an_program *program, const struct an_mpi *mpi,
                                         int number)
{
    return number < 0 ? NULL : an_mpi_argument(program, mpi, (unsigned)number);
}

static bool may_take(struct an_program *program, const struct an_site *receive,
                     const struct an_site *probe)
{
    const struct an_mpi *one = &receive->mpi, *two = &probe->mpi;
    const struct an_node *here = an_function_of(receive->node),
                         *there = an_function_of(probe->node);
    const struct an_node *tag = argument_of(program, one, one->what->receive.tag);
    const struct an_node *other = argument_of(program, two, two->what->receive.tag);

    if (!here || !there ||
        (here != there && !calls(program, here, there) && !calls(program, there, here)))
        return false;
    if (tag && other && !((receive->wildcard | probe->wildcard) & AN_WILD_TAG) &&
        an_flow_tags_differ(program, tag, other))
        return false;
    return !an_flow_texts_differ(program, argument_of(program, one, one->what->comm),
                                 argument_of(program, two, two->what->comm));
}

void an_probes_tie(struct an_judgement *judgement)
{
    for (struct an_site *receive = judgement->sites; receive; receive = receive->next) {
        if (receive->mpi.what->role != AN_RECEIVE || !(receive->wildcard & AN_WILD_SOURCE))
            continue;
        for (const struct an_site *probe = judgement->sites; probe; probe = probe->next) {
            bool probes = probe->mpi.what->role == AN_PROBE || probe->mpi.what->role == AN_POLL;
            if (!probes || !(probe->wildcard & AN_WILD_SOURCE) ||
                !is_worse(probe->verdict, receive->verdict) ||
                !may_take(judgement->program, receive, probe))
                continue;
            receive->verdict = receive->judged = probe->verdict;
            receive->reason = an_judgement_printf(
                judgement, "it takes what the probe in line %u has found, of which this holds: %s",
                probe->node->place.line, probe->reason);
            receive->witness = probe->witness;
        }
    }
}
