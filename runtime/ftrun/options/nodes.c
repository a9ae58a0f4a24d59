#include "options/nodes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "options/allocation.h"
#include "options/levels.h"
#include "options/options.h"

/* All ranks run on the machine of ftrun, within a job of Slurm too. */
static int stays(const struct ft_options *options)
{
    return options->launcher && !strcmp(options->launcher, "none");
}

static int has_names(const struct ft_options *options)
{
    return options->hosts || options->hostfile;
}

/* The option with which all ranks are on one machine, or NULL. */
static const char *of_one_machine(const struct ft_options *options, int parts)
{
    return options->verify              ? "--verify"
           : options->rehearse          ? "--rehearse"
           : options->ulfm              ? "--ulfm"
           : ft_options_phases(options) ? "--protocol hydee"
           : parts                      ? "a job of several programs (':')"
                                        : NULL;
}

/* Ranks of a job that is this machine alone. */
static int count_here(const struct ft_allocation *allocation)
{
    const char *tasks = getenv("SLURM_TASKS_PER_NODE");

    return allocation->tasks ? allocation->tasks : tasks ? atoi(tasks) : 0;
}

/* Jobs in which it is not clear which nodes, or which ftrun, to take. 0, or -EINVAL with a
 * sentence. */
static int check_job(const struct ft_allocation *allocation, char *why, size_t size)
{
    if (allocation->copies > 1)
        snprintf(why, size,
                 "srun has started this ftrun %d times: leave srun out, one ftrun starts all ranks "
                 "of the job (or say --launcher none)",
                 allocation->copies);
    else if (allocation->parts > 1)
        snprintf(why, size,
                 "a heterogeneous job of Slurm is not carried: ask for all nodes alike (or say "
                 "--launcher none)");
    else
        return 0;
    return -EINVAL;
}

int ft_options_choose_nodes(struct ft_options *options, int parts, const char **note, char *why,
                            size_t size)
{
    const char *alone = of_one_machine(options, parts);
    struct ft_allocation allocation;

    *note = NULL;
    ft_allocation_look(&allocation);
    if (!allocation.nodes || stays(options))
        return 0;
    if (check_job(&allocation, why, size))
        return -EINVAL;
    if (has_names(options) || allocation.here) {
        if (has_names(options) && !options->launcher)
            options->launcher = ft_allocation_launcher;
        if (!options->size && !options->restart && allocation.here && !has_names(options))
            options->size = count_here(&allocation);
        return 0;
    }
    options->allocated = !alone;
    if (!alone && !options->launcher)
        options->launcher = ft_allocation_launcher;
    if (!alone)
        return 0;
    options->launcher = "none"; /* for the runs of a rehearsal */
    snprintf(why, size, "%s runs on this machine: the nodes of Slurm's job %s are not used", alone,
             allocation.job);
    *note = why;
    return 0;
}

/* An option that says something of nodes, or NULL. */
static const char *of_nodes(const struct ft_options *options)
{
    return options->launcher && !stays(options) ? "--launcher"
           : options->ppn                       ? "-ppn"
           : options->spares                    ? "--spares"
           : options->heartbeat > 0             ? "--heartbeat"
           : options->local                     ? "--local"
           : options->levels                    ? "--levels"
                                                : NULL;
}

int ft_options_check_nodes(const struct ft_options *options, char *why, size_t size)
{
    int nodes = has_names(options) || options->allocated;
    const char *word = of_nodes(options);

    *why = 0;
    if (options->hosts && options->hostfile)
        snprintf(why, size, "--hosts and --hostfile name the same: leave one out");
    else if (has_names(options) && stays(options))
        snprintf(why, size, "--launcher none starts nothing on other nodes: leave --hosts out");
    else if (word && !nodes)
        snprintf(why, size, "%s needs --hosts or --hostfile, or a job of Slurm with several nodes",
                 word);
    else if (ft_levels_check(options->local, options->levels, options->restart, why, size))
        return -EINVAL;
    else if (nodes && options->ulfm)
        snprintf(why, size, "--ulfm tells deaths through memory of one machine: leave --hosts out");
    else if (nodes && ft_options_phases(options))
        snprintf(why, size,
                 "--protocol hydee keeps its phases in memory of one machine: leave --hosts out");
    else if (nodes && (options->verify || options->rehearse))
        snprintf(why, size, "%s runs on one machine: leave --hosts out",
                 options->verify ? "--verify" : "--rehearse");
    return *why ? -EINVAL : 0;
}
