/* protocols: reads --protocol, and refuses options that the protocol does not support. */
#include <errno.h>
#include "options/options.h"

#define complain ft_options_complain

int ft_options_protocol(const char *text, struct ft_options *options)
{
    const char *why;

    options->named = ft_protocol_find(text, &why);
    if (!options->named)
        return complain("--protocol: '%s': %s", text, why);
    options->protocol = options->named->kind;
    return 0;
}

int ft_options_alone(const struct ft_options *options)
{
    return options->named && options->named->death == FT_ON_DEATH_RANK;
}

int ft_options_marks(const struct ft_options *options)
{
    return options->named && options->named->checkpoint == FT_ON_CHECKPOINT_MARKS;
}

int ft_options_phases(const struct ft_options *options)
{
    return options->named && options->named->replay == FT_ON_REPLAY_PHASES;
}

int ft_options_optimistic(const struct ft_options *options)
{
    return options->named && options->named->outcome == FT_ON_OUTCOME_RECORD_LATER;
}

int ft_options_causal(const struct ft_options *options)
{
    return options->named && options->named->outcome == FT_ON_OUTCOME_RECORD_CARRY;
}

int ft_options_doubts(const struct ft_options *options)
{
    return ft_options_optimistic(options) || ft_options_causal(options);
}

const char *ft_options_of_spbc(const struct ft_options *options)
{
    return options->log_limit                   ? "--log-limit"
           : options->window                    ? "--replay-window"
           : options->content                   ? "--check-content"
           : options->adversary                 ? "--adversary"
           : options->trust == FT_TRUSTING_SAID ? "--trust"
                                                : NULL;
}

/* With --clusters, and with --restart, only launch/settings.c knows how many clusters there are. */
static int check_clusters(const struct ft_options *options)
{
    int fits = options->protocol == FT_PROTOCOL_AUTO || options->protocol == FT_PROTOCOL_SPBC;
    int one = options->protocol == FT_PROTOCOL_AUTO && !options->clusters && !options->restart &&
              !options->replicas;
    const char *word = options->clusters ? "--clusters" : ft_options_of_spbc(options);

    if (ft_options_alone(options) && options->clusters)
        return complain("--protocol %s makes every rank a cluster of its own: leave --clusters out",
                        options->named->name);
    if (options->profile && (options->clusters || !fits))
        return complain("--profile makes every rank a cluster of its own: leave --clusters and "
                        "--protocol out");
    if (word && !fits)
        return complain("%s needs --protocol spbc", word);
    return word && one && !options->profile
               ? complain("%s needs --protocol spbc or --clusters", word)
               : 0;
}

const char *ft_options_of_checkpoints(const struct ft_options *options)
{
    return options->interval > 0 || options->every ? "--checkpoint-..."
           : options->mtbf > 0                     ? "--mtbf"
           : options->keep                         ? "--keep"
                                                   : NULL;
}

/* Without a protocol there are no checkpoints: an option about them is the user's mistake. */
static int check_protocol(const struct ft_options *options)
{
    const char *other = options->restart          ? "--restart"
                        : options->hold           ? "--output=commit"
                        : options->time_limit > 0 ? "--time-limit"
                                                  : ft_options_of_checkpoints(options);

    if (options->protocol == FT_PROTOCOL_NONE && other)
        return complain("--protocol none takes no checkpoints: leave %s out", other);
    return 0;
}

/* A checkpoint of coordinated:nonblocking has files and output of several moments, so no later
 * ftrun can begin with it. */
static int check_marks(const struct ft_options *options)
{
    const char *other = options->clusters         ? "--clusters"
                        : options->restart        ? "--restart"
                        : options->hold           ? "--output=commit"
                        : options->time_limit > 0 ? "--time-limit"
                        : options->replicas       ? "--replicas"
                        : options->hosts          ? "--hosts"
                        : options->hostfile       ? "--hostfile"
                        : options->profile        ? "--profile"
                        : options->rehearse       ? "--rehearse"
                                                  : NULL;

    return ft_options_marks(options) && other
               ? complain(
                     "%s is not carried with --protocol coordinated:nonblocking: leave it out, "
                     "or use coordinated",
                     other)
               : 0;
}

int ft_options_check_protocol(const struct ft_options *options)
{
    if (check_marks(options))
        return -EINVAL;
    return check_clusters(options) ? -EINVAL : check_protocol(options);
}
