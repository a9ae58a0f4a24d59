#include "launch/places.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "launch/slurm.h"
#include "options/allocation.h"
#include "recover/recover.h"

/* The nodes, and in *from where they are named. 0 or -errno with a sentence in why[size]. */
static int read_hosts(struct ft_run *run, const char **from, char *why, size_t size)
{
    const struct ft_options *options = &run->options;

    *from = options->hosts ? "--hosts" : options->hostfile ? "--hostfile" : "the job of Slurm";
    int code = options->hosts      ? ft_hosts_read(options->hosts, &run->hosts, why, size)
               : options->hostfile ? ft_hosts_read_file(options->hostfile, &run->hosts, why, size)
                                   : ft_slurm_hosts(&run->hosts, why, size);
    for (int i = 0; !code && options->ppn && i < run->hosts.count; i++)
        run->hosts.host[i].slots = options->ppn;
    return code;
}

/* Without -n there are as many ranks as the job's nodes take that are no spares; where none are
 * spared, as many as it was asked for. */
static int count_ranks(const struct ft_run *run)
{
    struct ft_allocation allocation;
    int slots = 0;

    ft_allocation_look(&allocation);
    for (int i = 0; i < run->hosts.count - run->options.spares; i++)
        slots += run->hosts.host[i].slots;
    return allocation.tasks && allocation.tasks < slots ? allocation.tasks : slots;
}

static int place(struct ft_run *run, char *why, size_t size)
{
    int spares = run->options.spares;

    if (spares >= run->hosts.count) {
        snprintf(why, size, "--spares %d leaves no node of %d", spares, run->hosts.count);
        return -EINVAL;
    }
    if (!run->size)
        run->size = count_ranks(run);
    run->at = calloc((size_t)run->size, sizeof(*run->at));
    if (run->at)
        return ft_hosts_place(&run->hosts, spares, run->size, run->at, why, size);
    snprintf(why, size, "no memory for %d ranks", run->size);
    return -ENOMEM;
}

int ft_places_take(struct ft_run *run)
{
    const struct ft_options *options = &run->options;
    char why[FT_STORE_WHY];
    const char *from;
    int code;

    if (!options->hosts && !options->hostfile && !options->allocated)
        return 0;
    if (run->program.parts)
        return ft_say_and(FT_EXIT_USAGE, "%s: several programs in one job (':') are not carried",
                          options->allocated ? "--launcher none is missing" : "--hosts");
    code = read_hosts(run, &from, why, sizeof(why));
    if (!code)
        code = place(run, why, sizeof(why));
    if (code)
        return ft_say_and(code == -ENOMEM ? 1 : FT_EXIT_USAGE, "%s: %s", from, why);
    if (options->launcher == ft_allocation_launcher)
        ft_slurm_warn();
    return 0;
}

int ft_places_clusters(struct ft_run *run)
{
    int count = 0;

    for (int i = 0; i < run->size; i++) {
        int first = 0; /* ranks are placed in blocks */

        while (run->at[first] != run->at[i])
            first++;
        run->of[i] = first == i ? count++ : run->of[first];
    }
    return count;
}

int ft_places_first_rank(const struct ft_run *run, const char *node)
{
    for (int i = 0; run->at && i < run->size; i++) {
        if (!strcmp(run->hosts.host[run->at[i]].name, node))
            return i;
    }
    return -1;
}

void ft_places_folder(struct ft_run *run, const char *old)
{
    snprintf(run->folder, sizeof(run->folder), "%s%s",
             run->at && old ? old : ft_shm_folder(run->shm), run->at && !old ? ".n" : "");
}
