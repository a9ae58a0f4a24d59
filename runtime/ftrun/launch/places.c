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

static void move_host(struct ft_hosts *to, struct ft_host host)
{
    to->host[to->count++] = host;
}

/* So many of the nodes, from `from` on, as a team needs; -1: they are too few. */
static int count_for(const struct ft_hosts *all, int from, int until, int size)
{
    int slots = 0, at = from;

    while (at < until && slots < size)
        slots += all->host[at++].slots;
    return slots < size ? -1 : at - from;
}

/* Two teams of copies share no node: the first nodes are the first copies', the next ones the
 * second copies', and each other one of the rest is a spare of either. 0 or -errno with a sentence.
 */
static int part(struct ft_run *run, char *why, size_t size)
{
    struct ft_hosts all = run->hosts, *team[FT_COPIES] = {&run->hosts, &run->others};
    int until = all.count - run->options.spares, first, second = -1;

    if (!run->size) { /* as many as fit twice */
        run->size = count_ranks(run) / FT_COPIES;
        while (run->size > 1 && ((first = count_for(&all, 0, until, run->size)) < 0 ||
                                 count_for(&all, first, until, run->size) < 0))
            run->size--;
    }
    first = run->size ? count_for(&all, 0, until, run->size) : -1;
    if (first > 0)
        second = count_for(&all, first, until, run->size);
    if (second < 0) {
        snprintf(why, size,
                 "two copies of %d ranks, none of which shares a node with its other copy, do not "
                 "fit into %d nodes%s: name more, or more slots (NAME:SLOTS)",
                 run->size, until, run->options.spares ? "; spares take none" : "");
        return -EINVAL;
    }
    for (int i = 0; i < FT_COPIES; i++) {
        *team[i] = (struct ft_hosts){0};
        team[i]->host = calloc((size_t)all.count, sizeof(all.host[0]));
    }
    if (!run->hosts.host || !run->others.host) {
        snprintf(why, size, "no memory for %d nodes", all.count);
        return -ENOMEM;
    }
    for (int i = 0; i < all.count; i++)
        move_host(team[i < first            ? 0
                       : i < first + second ? 1
                                            : (i - first - second) % FT_COPIES],
                  all.host[i]);
    free(all.host);
    return 0;
}

/* The ranks of one team, or of all. 0 or -errno with a sentence. */
static int place_on(const struct ft_hosts *hosts, int spares, int size, int **at, char *why,
                    size_t room)
{
    *at = calloc((size_t)size, sizeof(**at));
    if (*at)
        return ft_hosts_place(hosts, spares, size, *at, why, room);
    snprintf(why, room, "no memory for %d ranks", size);
    return -ENOMEM;
}

static int place(struct ft_run *run, char *why, size_t size)
{
    int spares = run->options.spares;

    if (spares >= run->hosts.count) {
        snprintf(why, size, "--spares %d leaves no node of %d", spares, run->hosts.count);
        return -EINVAL;
    }
    if (run->options.replicas) {
        int code = part(run, why, size);

        return code ? code : place_on(&run->hosts, 0, run->size, &run->at, why, size);
    }
    if (!run->size)
        run->size = count_ranks(run);
    return place_on(&run->hosts, spares, run->size, &run->at, why, size);
}

int ft_places_second(struct ft_run *run, struct ft_run *second)
{
    char why[FT_STORE_WHY];

    if (!run->at)
        return 0;
    second->hosts = run->others;
    run->others = (struct ft_hosts){0};
    memcpy(second->folder, run->folder, sizeof(second->folder));
    return place_on(&second->hosts, 0, run->size, &second->at, why, sizeof(why));
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

/* The first of the ranks that are placed in blocks on these nodes, on this one; or -1. */
static int first_on(const struct ft_hosts *hosts, int size, const char *node)
{
    int rank = 0;

    for (int i = 0; i < hosts->count && rank < size; i++) {
        if (!strcmp(hosts->host[i].name, node))
            return rank;
        rank += hosts->host[i].slots;
    }
    return -1;
}

int ft_places_first_rank(const struct ft_run *run, const char *node, int *copy)
{
    int rank = first_on(&run->hosts, run->size, node);

    *copy = rank < 0;
    return rank < 0 ? first_on(&run->others, run->size, node) : rank;
}

void ft_places_folder(struct ft_run *run, const char *old)
{
    snprintf(run->folder, sizeof(run->folder), "%s%s",
             run->at && old ? old : ft_shm_folder(run->shm), run->at && !old ? ".n" : "");
}
