/* cluster: ranks that take checkpoints and roll back together. Without --protocol spbc all ranks
 * are one cluster. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "run/run.h"

struct ft_cluster *ft_cluster_create(struct ft_run *run, int number, int ranks)
{
    struct ft_cluster *cluster = calloc(1, sizeof(*cluster));
    size_t size = (size_t)ranks;

    if (!cluster)
        return NULL;
    cluster->run = run;
    cluster->number = number;
    cluster->restored = -1;
    cluster->fallen = 1;
    cluster->members = calloc(size, sizeof(*cluster->members));
    cluster->undo = calloc(size, sizeof(*cluster->undo));
    cluster->blocks = calloc(size, sizeof(*cluster->blocks));
    cluster->orders = calloc(size, sizeof(*cluster->orders));
    cluster->kept = calloc(run->options.keep + (size_t)run->old.count + 2, sizeof(*cluster->kept));
    cluster->gather = ft_gather_create(ranks, ft_run_contains(run));
    if (cluster->members && cluster->undo && cluster->blocks && cluster->orders && cluster->kept &&
        cluster->gather)
        return cluster;
    ft_cluster_destroy(cluster, 0);
    return NULL;
}

void ft_cluster_destroy(struct ft_cluster *cluster, int folders)
{
    if (!cluster)
        return;
    for (int i = 0; folders && cluster->undo && i < cluster->count; i++)
        free((char *)(uintptr_t)cluster->undo[i]);
    for (int i = 0; i < cluster->kept_count; i++)
        ft_manifest_destroy(cluster->kept[i]);
    ft_gather_destroy(cluster->gather);
    free(cluster->members);
    free(cluster->undo);
    free(cluster->blocks);
    free(cluster->orders);
    free(cluster->kept);
    free(cluster->cuts);
    free(cluster);
}

static int count_ranks(const struct ft_run *run, int cluster)
{
    int count = 0;

    for (int i = 0; i < run->size; i++)
        count += run->of[i] == cluster;
    return count;
}

int ft_clusters_make(struct ft_run *run)
{
    run->parts = run->cluster_count;
    run->clusters = calloc((size_t)run->parts, sizeof(*run->clusters));
    run->part = calloc((size_t)run->parts, sizeof(*run->part));
    run->oldest = calloc((size_t)(run->each ? run->size : run->parts), sizeof(*run->oldest));
    if (!run->clusters || !run->part || !run->oldest)
        return -ENOMEM;
    for (int i = 0; i < run->parts; i++) {
        run->clusters[i] = run->part[i] = ft_cluster_create(run, i, count_ranks(run, i));
        if (!run->clusters[i])
            return -ENOMEM;
    }
    for (int i = 0; i < run->size; i++) {
        struct ft_cluster *cluster = run->clusters[run->of[i]];

        run->members[i].cluster = cluster;
        run->members[i].place = cluster->count;
        cluster->members[cluster->count++] = &run->members[i];
    }
    return 0;
}

void ft_clusters_free(struct ft_run *run)
{
    for (int i = 0; run->clusters && i < run->cluster_count; i++)
        ft_cluster_destroy(run->clusters[i], 1);
    free(run->clusters);
    free(run->part);
    free(run->oldest);
    free(run->of);
}

int ft_cluster_position(const struct ft_cluster *cluster)
{
    const struct ft_run *run = cluster->run;
    int at = 0;

    while (run->clusters[at] != cluster)
        at++;
    return at;
}

struct ft_manifest *ft_cluster_newest(const struct ft_cluster *cluster)
{
    return cluster->kept_count ? cluster->kept[cluster->kept_count - 1] : NULL;
}

void ft_cluster_drop_newest(struct ft_cluster *cluster)
{
    struct ft_manifest *newest = cluster->kept[--cluster->kept_count];

    ft_kept_release(cluster->run, newest->checkpoint);
    ft_manifest_destroy(newest);
}

void ft_cluster_forget(struct ft_cluster *cluster)
{
    while (cluster->kept_count > 0)
        ft_cluster_drop_newest(cluster);
}

int ft_clusters_dropped(const struct ft_run *run)
{
    int dropped = 0;

    for (int i = 0; i < run->cluster_count; i++)
        dropped |= run->clusters[i]->dropped;
    return dropped;
}

void ft_cluster_fall(struct ft_cluster *cluster)
{
    cluster->fallen = 1;
    for (int i = 0; i < cluster->count; i++)
        ft_rank_drop_image(cluster->members[i]);
}

void ft_clusters_fall(struct ft_run *run, const char *why)
{
    if (ft_clusters_fallen(run) < run->cluster_count)
        ft_events_emit(run->events, "wide", "{s:s, s:i}", "reason", why, "epoch", (int)run->epoch);
    for (int i = 0; i < run->cluster_count; i++)
        ft_cluster_fall(run->clusters[i]);
}

int ft_clusters_fallen(const struct ft_run *run)
{
    int count = 0;

    for (int i = 0; i < run->cluster_count; i++)
        count += run->clusters[i]->fallen;
    return count;
}

int ft_clusters_need_main(const struct ft_run *run)
{
    for (int i = 0; i < run->cluster_count; i++) {
        if (run->clusters[i]->fallen && !run->clusters[i]->kept_count)
            return 1;
    }
    return 0;
}

void ft_cluster_kill(struct ft_cluster *cluster)
{
    for (int i = 0; i < cluster->count; i++)
        ft_rank_kill(cluster->members[i]);
}

int ft_cluster_is_clear(struct ft_cluster *cluster)
{
    for (int i = 0; i < cluster->count; i++) {
        struct ft_member *member = cluster->members[i];

        if (!ft_rank_is_gone(member))
            return 0;
        member->group = 0;
    }
    return 1;
}

/* Did the commit of this checkpoint release the output printed before it (--output=commit)? In a
 * job with --store only commits that --restart can continue from do (commit/commit.c). */
static int is_released(const struct ft_run *run, const struct ft_manifest *to)
{
    if (!to || !run->options.store || !ft_run_contains(run))
        return 1;
    for (int i = 0; i < run->whole.count; i++) {
        if (run->whole.list[i]->checkpoint == to->checkpoint)
            return 1;
    }
    return 0;
}

int ft_cluster_go_back(struct ft_cluster *cluster)
{
    struct ft_run *run = cluster->run;
    const struct ft_manifest *to = ft_cluster_newest(cluster);
    int released = is_released(run, to), code = 0;

    cluster->restored = to ? (int)to->checkpoint : -1;
    cluster->checkpoint.begun = 0;
    for (int i = 0; i < cluster->count; i++) {
        int rank = cluster->members[i]->rank;

        for (int stream = 0; !code && stream < 2; stream++)
            code = ft_output_rollback(run->output, rank, stream,
                                      to ? &to->output[2 * i + stream] : NULL, released);
        ft_events_emit(run->events, "rollback", "{s:i, s:i, s:I, s:i, s:i}", "rank", rank,
                       "checkpoint", cluster->restored, "hook",
                       (json_int_t)(to ? to->ranks[i].hooks : 0), "epoch", (int)run->epoch,
                       "cluster", cluster->number);
        if (rank == 0)
            run->input_position = to ? to->input : 0;
    }
    return code;
}
