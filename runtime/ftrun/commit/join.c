/* join: all clusters become one, because ranks share a file by writing (putback/putback.c).
 *
 * A file has one state at a time, and only ranks that roll back together to one moment repeat what
 * they did to the file in the old order (files/undo_share.c). So before a checkpoint of a cluster
 * ftrun looks whether ranks have shared a file since the newest checkpoints. If they have, the
 * checkpoint is one of all ranks at one moment. Once it is committed the run goes on as one
 * cluster, for good; until then the parts keep what they have, and if the checkpoint fails, or
 * somebody dies, they are as they were. For the ranks nothing changes: what they log is decided by
 * the clusters of the start.
 *
 * All clusters are joined in the same way for a checkpoint from which --restart continues
 * (whole.c), and part again behind it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "commit/commit.h"
#include "putback/putback.h"

/* Its ranks are the cluster's from now on. */
static void take_members(struct ft_cluster *cluster)
{
    for (int i = 0; i < cluster->count; i++) {
        cluster->members[i]->cluster = cluster;
        cluster->members[i]->place = i;
    }
}

static void enter_member(struct ft_cluster *joined, struct ft_member *member)
{
    joined->undo[joined->count] = member->cluster->undo[member->place];
    joined->members[joined->count++] = member;
}

/* Hands the requests of a part to the joined cluster. */
static void take_requests(struct ft_cluster *joined, struct ft_cluster *part)
{
    struct ft_checkpoint *to = &joined->checkpoint, *from = &part->checkpoint;

    to->requested = from->requested > to->requested ? from->requested : to->requested;
    to->wanted |= from->wanted;
    to->behind |= from->behind;
    from->wanted = from->behind = 0;
}

static void take_state(struct ft_cluster *joined, struct ft_cluster *part)
{
    struct ft_checkpoint *to = &joined->checkpoint;
    const struct ft_checkpoint *from = &part->checkpoint;

    take_requests(joined, part);
    to->cost = fmax(to->cost, from->cost);
    to->failures = from->failures > to->failures ? from->failures : to->failures;
    joined->dropped |= part->dropped;
    joined->saved = joined->saved > 0 ? fmin(joined->saved, part->saved) : part->saved;
    joined->fallen = 0;
}

/* In place of the parts in the list of clusters: the list gets shorter. */
static void replace(struct ft_run *run, struct ft_cluster *joined)
{
    int count = 0, at = ft_cluster_position(joined->part[0]);

    run->clusters[at] = joined;
    for (int i = 0; i < run->cluster_count; i++) {
        if (run->clusters[i] != joined->part[1])
            run->clusters[count++] = run->clusters[i];
    }
    run->cluster_count = count;
}

/* A cluster of the ranks of both, without checkpoints; NULL: no memory. */
static struct ft_cluster *join(struct ft_cluster *one, struct ft_cluster *other)
{
    struct ft_run *run = one->run;
    struct ft_cluster *low = one->number < other->number ? one : other;
    struct ft_cluster *joined = ft_cluster_create(run, low->number, one->count + other->count);

    if (!joined)
        return NULL;
    joined->part[0] = low;
    joined->part[1] = low == one ? other : one;
    for (int i = 0; i < run->size; i++) {
        if (run->members[i].cluster == one || run->members[i].cluster == other)
            enter_member(joined, &run->members[i]);
    }
    for (int i = 0; i < 2; i++) {
        take_state(joined, joined->part[i]);
        ft_loop_cancel(run->loop, &joined->part[i]->checkpoint.due);
    }
    take_members(joined);
    replace(run, joined);
    return joined;
}

/* NULL: no memory; then the clusters are as they were. */
static struct ft_cluster *join_all(struct ft_cluster *cluster)
{
    struct ft_run *run = cluster->run;
    struct ft_cluster *joined = cluster;

    while (joined && run->cluster_count > 1) {
        struct ft_cluster *partner = run->clusters[run->clusters[0] == joined];

        ft_checkpoint_ungather(partner);
        joined = join(joined, partner);
    }
    if (!joined)
        ft_join_undo(run);
    return joined;
}

struct ft_cluster *ft_join_sharers(struct ft_cluster *cluster)
{
    struct ft_run *run = cluster->run;
    struct ft_cluster *joined = NULL;

    if (run->cluster_count > 1 && (ft_files_shared(cluster, ft_loop_now(), run->shared) ||
                                   ft_nameless_shared(cluster, run->shared)))
        joined = join_all(cluster);
    return joined ? joined : cluster;
}

struct ft_cluster *ft_join_all(struct ft_cluster *cluster)
{
    struct ft_cluster *joined = join_all(cluster);

    if (joined)
        joined->whole = 1;
    return joined ? joined : cluster;
}

int ft_join_is_joined(const struct ft_cluster *cluster)
{
    int parts = 0;

    for (int i = 0; i < cluster->run->parts; i++)
        parts += cluster->run->part[i] == cluster;
    return cluster->part[0] || parts > 1;
}

/* The parts are clusters again. Each part gets the requests of the joined cluster, and has fallen
 * if the joined cluster had. */
static void dissolve(struct ft_cluster *joined)
{
    struct ft_run *run = joined->run;

    run->clusters[ft_cluster_position(joined)] = joined->part[0];
    run->clusters[run->cluster_count++] = joined->part[1];
    for (int i = 0; i < 2; i++) {
        take_members(joined->part[i]);
        joined->part[i]->fallen |= joined->fallen;
        joined->part[i]->checkpoint.wanted |= joined->checkpoint.wanted;
        joined->part[i]->checkpoint.behind |= joined->checkpoint.behind;
        joined->part[i]->checkpoint.failures = joined->checkpoint.failures;
        joined->part[i]->checkpoint.begun =
            fmax(joined->part[i]->checkpoint.begun, joined->checkpoint.begun);
        if (joined->part[i]->part[0])
            dissolve(joined->part[i]);
        else if (run->state == FT_RUN_RUNNING)
            ft_commit_schedule(joined->part[i]);
    }
    ft_cluster_destroy(joined, 0);
}

void ft_join_undo(struct ft_run *run)
{
    for (int i = 0; i < run->cluster_count; i++) {
        struct ft_cluster *cluster = run->clusters[i];

        if (!cluster->part[0])
            continue;
        if (cluster->checkpoint.manifest)
            ft_whole_taken(cluster, cluster->checkpoint.manifest->checkpoint);
        ft_checkpoint_fail(cluster, "the clusters part");
        ft_checkpoint_ungather(cluster);
        ft_commit_abort(cluster);
        dissolve(cluster);
        return; /* there is one at a time */
    }
}

/* The checkpoints of the parts are older than that of the joined cluster. */
static void release_parts(struct ft_cluster *joined)
{
    struct ft_run *run = joined->run;

    for (int i = 0; i < 2; i++) {
        struct ft_cluster *part = joined->part[i];

        if (part->part[0])
            release_parts(part);
        take_requests(joined, part);
        for (int number = 0; number < run->parts; number++) {
            if (run->part[number] == part)
                run->part[number] = joined;
        }
        ft_cluster_forget(part);
        ft_cluster_destroy(part, 0);
        joined->part[i] = NULL;
    }
}

/* "0, 1, 3": the clusters of the start that it is made of; of very many only the first ones. */
static void list_parts(const struct ft_cluster *joined, char *text, size_t room)
{
    const struct ft_run *run = joined->run;
    size_t at = 0;

    *text = 0;
    for (int i = 0; i < run->parts; i++) {
        if (run->part[i] != joined)
            continue;
        if (room - at < 24) {
            snprintf(text + at, room - at, " and others");
            return;
        }
        at += (size_t)snprintf(text + at, room - at, "%s%d", at ? ", " : "", i);
    }
}

void ft_join_keep(struct ft_cluster *joined)
{
    char list[256];

    if (!joined->part[0])
        return;
    release_parts(joined);
    list_parts(joined, list, sizeof(list));
    ft_say("clusters %s use the same files, %s for one: they take checkpoints and roll back "
           "together from now on, as with --protocol coordinated",
           list, joined->run->shared);
    ft_events_emit(joined->run->events, "join", "{s:i, s:s, s:s, s:i}", "cluster", joined->number,
                   "clusters", list, "file", joined->run->shared, "epoch", (int)joined->run->epoch);
}
