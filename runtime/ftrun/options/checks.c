/* checks: options that contradict each other (options/checks.h). */
#include "options/checks.h"

#include <errno.h>
#include <stdlib.h>
#include "options/nodes.h"
#include "options/options.h"

#define complain ft_options_complain

int ft_options_are_native(const struct ft_options *options)
{
    return options->protocol == FT_PROTOCOL_NONE && !options->verify && !options->orders &&
           !options->faults && !options->hook_events && !options->call_events && !options->hosts &&
           !options->hostfile && !options->allocated && !options->patterns[0] &&
           !options->patterns[1];
}

static int check_events(const struct ft_options *options)
{
    return (options->hook_events || options->call_events) && !options->events &&
                   options->verbose < 2
               ? complain("%s needs --events FILE or -vv",
                          options->hook_events ? "--hook-events" : "--call-events")
               : 0;
}

/* With --ulfm a dead rank stays dead: what speaks of rolling back is a mistake. */
static int check_ulfm(const struct ft_options *options)
{
    const char *other = options->restart                        ? "--restart"
                        : options->hold                         ? "--output=commit"
                        : options->time_limit > 0               ? "--time-limit"
                        : ft_options_of_checkpoints(options)    ? ft_options_of_checkpoints(options)
                        : options->clusters                     ? "--clusters"
                        : options->protocol != FT_PROTOCOL_AUTO ? "--protocol"
                        : options->profile                      ? "--profile"
                        : options->rehearse                     ? "--rehearse"
                        : options->verify                       ? "--verify"
                        : options->replicas                     ? "--replicas"
                        : options->hosts                        ? "--hosts"
                                                                : ft_options_of_spbc(options);

    return options->ulfm && other
               ? complain(
                     "with --ulfm the program handles failures, and nobody rolls back: leave %s "
                     "out",
                     other)
               : 0;
}

/* Options that --verify, which takes no checkpoints, has no use for. That --clusters names one
 * cluster, which does no harm, only launch/settings.c knows. */
static int check_verify(const struct ft_options *options)
{
    int named = options->clusters && options->protocol != FT_PROTOCOL_AUTO;
    const char *other = options->restart                        ? "--restart"
                        : options->hold                         ? "--output=commit"
                        : options->orders                       ? "--kill"
                        : options->faults                       ? "--faults"
                        : ft_options_of_checkpoints(options)    ? ft_options_of_checkpoints(options)
                        : options->profile                      ? "--profile"
                        : options->protocol == FT_PROTOCOL_SPBC ? "--protocol spbc"
                        : named                                 ? "--clusters"
                                                                : ft_options_of_spbc(options);

    if (!options->verify && (options->report || options->seeded))
        return complain("%s needs --verify RUNS",
                        options->report ? "--verify-report" : "--verify-seed");
    if (options->verify && other)
        return complain("--verify takes no checkpoints and recovers from nothing: leave %s out",
                        other);
    return 0;
}

/* Refuses options that are not carried for ranks with two copies. */
static int check_replicas(const struct ft_options *options)
{
    int spbc = options->protocol == FT_PROTOCOL_AUTO ||
               (options->protocol == FT_PROTOCOL_SPBC && !ft_options_phases(options));
    const char *other = options->hold        ? "--output=commit"
                        : options->verify    ? "--verify"
                        : options->rehearse  ? "--rehearse"
                        : options->profile   ? "--profile"
                        : options->adversary ? "--adversary"
                        : options->clusters  ? "--clusters"
                        : options->local     ? "--local"
                        : options->levels    ? "--levels"
                        : options->ulfm      ? "--ulfm"
                        : spbc               ? NULL
                                             : "--protocol";

    for (int i = 0; !options->replicas && i < options->orders; i++)
        if (options->order[i].copy)
            return complain("--kill %s needs --replicas: there is one copy of each rank",
                            options->order[i].text);
    if (options->compare && !options->replicas)
        return complain("--replicas-compare needs --replicas: there is one copy of each rank");
    if (options->refill && !options->replicas)
        return complain("--replicas-refill needs --replicas: there is one copy of each rank");
    if (options->unfilled && options->compare)
        return complain("--replicas-compare compares copies, which --replicas-refill never gives "
                        "up: leave one out");
    if (options->compare && (options->hosts || options->hostfile || options->allocated))
        return complain("--replicas-compare compares copies on one machine: leave it out, or "
                        "--hosts");
    return options->replicas && other
               ? complain(
                     "--replicas makes each rank a cluster of its own, with two copies, and is not "
                     "carried with %s: leave it out",
                     other)
               : 0;
}

/* Refuses options that a rehearsal gives to its runs itself, or cannot do. All others are given
 * to them (rehearse/attempt_words.c). */
static int check_rehearse(const struct ft_options *options)
{
    const char *other = options->restart                        ? "--restart"
                        : options->orders                       ? "--kill"
                        : options->faults                       ? "--faults"
                        : options->verify                       ? "--verify"
                        : options->report                       ? "--verify-report"
                        : options->seeded                       ? "--verify-seed"
                        : options->profile                      ? "--profile"
                        : options->events                       ? "--events"
                        : options->picture                      ? "--report"
                        : options->trace_export                 ? "--trace-export"
                        : options->hook_events                  ? "--hook-events"
                        : options->call_events                  ? "--call-events"
                        : options->verbose                      ? "-v"
                        : options->time_limit > 0               ? "--time-limit"
                        : options->protocol == FT_PROTOCOL_NONE ? "--protocol none"
                        : options->adversary                    ? "--adversary"
                        : options->mtbf > 0                     ? "--mtbf"
                        : options->patterns[0]                  ? "-outfile-pattern"
                        : options->patterns[1]                  ? "-errfile-pattern"
                                                                : NULL;

    if (!options->rehearse && options->survival)
        return complain("--rehearse-report needs --rehearse");
    if (options->rehearse && other)
        return complain("--rehearse starts runs of its own: leave %s out", other);
    return 0;
}

/* In an ftrun that is built for Open MPI: what was never tried with it is refused. The verdicts of
 * ftcc stand on the values of MPICH's header. */
static int check_library(const struct ft_options *options)
{
    const char *word = options->ulfm                                               ? "--ulfm"
                       : options->hosts || options->hostfile || options->allocated ? "--hosts"
                       : options->replicas                                         ? "--replicas"
                       : options->verify                                           ? "--verify"
                       : options->trust == FT_TRUSTING_SAID                        ? "--trust"
                                                                                   : NULL;

    if (!FT_OPEN_MPI || !word)
        return 0;
    return complain("%s is not carried with Open MPI: leave it out, or build ftcc for MPICH", word);
}

int ft_options_check(const struct ft_options *options)
{
    char why[256];

    if (!options->program && !options->restart)
        return complain("no program is named");
    if (!options->size && !options->restart && !options->allocated)
        return complain("the number of ranks is missing: -n RANKS");
    if (options->restart && !options->store)
        return complain("--restart needs --store FOLDER");
    if (check_replicas(options) || check_rehearse(options) || check_verify(options) ||
        ft_options_check_protocol(options) || check_ulfm(options) || check_events(options) ||
        check_library(options))
        return -EINVAL;
    return ft_options_check_nodes(options, why, sizeof(why)) ? complain("%s", why) : 0;
}

int ft_options_take_parts(struct ft_options *options, int ranks)
{
    const char *other = options->rehearse                                           ? "--rehearse"
                        : options->verify                                           ? "--verify"
                        : options->replicas                                         ? "--replicas"
                        : options->hosts || options->hostfile || options->allocated ? "--hosts"
                        : options->trust == FT_TRUSTING_SAID                        ? "--trust"
                                                                                    : NULL;

    if (ranks && other)
        return complain("%s is not carried for several programs in one job (':')", other);
    if (ranks && !options->restart) {
        options->size += ranks;
        options->trust = FT_TRUSTING_NONE;
    }
    return 0;
}
