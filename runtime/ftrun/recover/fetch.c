/* fetch: images that lie on the nodes' own disks (--local), when ranks roll back to them.
 *
 * A rank begins with the image on its own node. One that has moved gets it there first, from
 * whoever has it or enough pieces of it: its agent holds back what ftrun sends to it until then, so
 * the processes of an epoch start meanwhile. An image that nobody has any more makes its checkpoint
 * unusable; an older one is used, in the end one of the store, and nothing is removed where there
 * is none: with the lost nodes the job can be continued. */
#include <errno.h>
#include <string.h>
#include "agent/carry.h"
#include "commit/commit.h"
#include "recover/recover.h"

static void tell_lack(struct ft_run *run, const struct ft_manifest *manifest)
{
    int rank = ft_near_lacks(run, manifest);

    ft_events_emit(run->events, "unreachable", "{s:i, s:i, s:i}", "checkpoint",
                   (int)manifest->checkpoint, "rank", rank, "epoch", (int)run->epoch);
    ft_say("warning: checkpoint %u cannot be used: the nodes that had the image of rank %d, or its "
           "copies, are not there",
           manifest->checkpoint, rank);
}

/* The place of the newest manifest whose images are all there, or -1. */
static int find_usable(const struct ft_run *run, struct ft_manifest *const *list, int count)
{
    while (--count >= 0 && ft_near_lacks(run, list[count]) >= 0)
        continue;
    return count;
}

static int end_lost(struct ft_run *run)
{
    ft_say("no checkpoint is left whose images are all there. Nothing is removed: with the nodes "
           "that are lost --restart continues the job (--hosts as before)");
    ft_finish(run, FT_EXIT_LATER);
    return -1;
}

/* The newest checkpoint of all ranks is one that can be used, if there is one. */
static void drop_unusable_wholes(struct ft_run *run)
{
    int usable = find_usable(run, run->whole.list, run->whole.count);

    while (usable >= 0 && run->whole.count > usable + 1) {
        struct ft_manifest *newest = run->whole.list[--run->whole.count];

        ft_kept_release(run, newest->checkpoint);
        ft_manifest_destroy(newest);
    }
}

/* All go to the newest checkpoint of all that can be used. 1: when all are gone that survive. */
static int go_wide(struct ft_run *run)
{
    int all = ft_clusters_fallen(run) == run->cluster_count;

    run->together = 1;
    ft_clusters_fall(run, "images of a cluster were lost with nodes");
    if (all)
        return 0;
    ft_epoch_clear(run, FT_RUN_CLEARING);
    return 1;
}

static int settle_together(struct ft_run *run)
{
    if (!run->whole.count || find_usable(run, run->whole.list, run->whole.count) >= 0) {
        drop_unusable_wholes(run);
        return 0;
    }
    tell_lack(run, run->whole.list[run->whole.count - 1]);
    return end_lost(run);
}

/* The job is continued, with clusters: from which moment? */
static int settle_restart(struct ft_run *run)
{
    while (ft_near_lacks(run, run->whole.list[run->whole.count - 1]) >= 0) {
        tell_lack(run, run->whole.list[run->whole.count - 1]);
        if (!run->old.count)
            return end_lost(run);
        if (ft_restart_older(run))
            return end_lost(run);
    }
    return 0;
}

/* The cluster's newest checkpoint, or an older one. As ft_fetch_settle. */
static int settle_cluster(struct ft_cluster *cluster)
{
    struct ft_run *run = cluster->run;
    int usable = find_usable(run, cluster->kept, cluster->kept_count);

    if (!cluster->kept_count || usable == cluster->kept_count - 1)
        return 0;
    tell_lack(run, ft_cluster_newest(cluster));
    while (usable >= 0 && cluster->kept_count > usable + 1)
        ft_cluster_drop_newest(cluster);
    if (usable >= 0)
        return 0;
    if (ft_run_contains(run) && find_usable(run, run->whole.list, run->whole.count) >= 0) {
        drop_unusable_wholes(run);
        return go_wide(run);
    }
    if (ft_clusters_dropped(run))
        return end_lost(run);
    ft_cluster_forget(cluster); /* the beginning can still be rolled back to */
    return 0;
}

int ft_fetch_settle(struct ft_run *run)
{
    int code = 0;

    if (!run->near.of)
        return 0;
    if (run->together)
        return settle_together(run);
    if (run->restarting && ft_run_contains(run))
        return settle_restart(run);
    for (int i = 0; !code && !run->together && i < run->cluster_count; i++) {
        if (run->clusters[i]->fallen)
            code = settle_cluster(run->clusters[i]);
    }
    return code;
}

/* Enters into *fetch the nodes that have the rank's image of the checkpoint: one node with the
 * whole image, or as many nodes as pieces are needed. 0, or -ENOENT when too few have it. */
static int find_sources(const struct ft_member *member, uint32_t checkpoint,
                        struct ft_carry_fetch *fetch)
{
    const struct ft_run *run = member->run;
    const struct ft_levels *levels = &run->near.levels;
    struct ft_node *from = ft_near_find(run, checkpoint, member->rank, FT_PIECE_WHOLE, NULL);
    int found = 0;

    fetch->data = levels->data;
    fetch->pieces = levels->pieces;
    if (from) {
        fetch->from[0].piece = FT_PIECE_WHOLE;
        fetch->from[0].at = from->peer;
        return 0;
    }
    for (int i = 0; i < levels->pieces && found < levels->data; i++) {
        from = ft_near_find(run, checkpoint, member->rank, i, member->node);
        if (!from)
            continue;
        fetch->from[found].piece = i;
        fetch->from[found].here = from == member->node;
        fetch->from[found++].at = from->peer;
    }
    return found == levels->data ? 0 : -ENOENT;
}

void ft_fetch_image(struct ft_member *member)
{
    struct ft_run *run = member->run;
    const struct ft_manifest *manifest = ft_cluster_newest(member->cluster);
    struct ft_carry_fetch fetch = {0};

    if (!run->near.of || ft_member_survives(member) || member->cluster->restored < 0 ||
        !manifest->near ||
        ft_near_find(run, manifest->checkpoint, member->rank, FT_PIECE_WHOLE, member->node) ==
            member->node)
        return;
    fetch.bytes = manifest->ranks[member->place].bytes;
    if (find_sources(member, manifest->checkpoint, &fetch))
        return; /* the rank says that it has no image */
    ft_node_tell(member->node, FT_AGENT_FETCH, member->rank, member->life, manifest->checkpoint,
                 &fetch, sizeof(fetch));
}

void ft_fetch_heard(struct ft_member *member, int64_t checkpoint, const char *why)
{
    struct ft_run *run = member->run;

    if (run->state != FT_RUN_STARTING || member->cluster->restored != checkpoint)
        return;
    if (*why) {
        ft_source_hindered(member, why);
        return;
    }
    ft_near_add(run, (uint32_t)checkpoint, member->rank, FT_PIECE_WHOLE, member->node);
    ft_events_emit(run->events, "fetch", "{s:i, s:i, s:s, s:s, s:f, s:i}", "rank", member->rank,
                   "checkpoint", (int)checkpoint, "node", member->node->name, "level",
                   ft_levels_name(&run->near.levels, 1), "seconds",
                   ft_loop_now() - run->epoch_started, "epoch", (int)run->epoch);
}

static const struct ft_manifest *find_in(struct ft_manifest *const *list, int count,
                                         uint32_t checkpoint)
{
    for (int i = 0; i < count; i++) {
        if (list[i]->checkpoint == checkpoint)
            return list[i];
    }
    return NULL;
}

/* A checkpoint from which the job may be continued, or NULL. */
static const struct ft_manifest *find_manifest(const struct ft_run *run, uint32_t checkpoint)
{
    const struct ft_cluster *all = run->clusters[0];
    const struct ft_manifest *found = find_in(run->old.list, run->old.count, checkpoint);

    if (!found)
        found = find_in(run->whole.list, run->whole.count, checkpoint);
    return found || ft_run_contains(run) ? found : find_in(all->kept, all->kept_count, checkpoint);
}

static void take_file(struct ft_run *run, struct ft_node *node, const struct ft_agent_file *file)
{
    const struct ft_manifest *manifest = find_manifest(run, file->checkpoint);
    uint64_t bytes;

    if (file->checkpoint >= run->next) /* it was never committed */
        ft_node_tell(node, FT_AGENT_REMOVE, -1, 0, file->checkpoint, NULL, 0);
    if (!manifest || !manifest->near || file->rank < 0 || file->rank >= run->size ||
        file->piece < FT_PIECE_WHOLE || file->piece >= run->near.levels.pieces)
        return;
    bytes = manifest->ranks[file->rank].bytes;
    if (file->piece != FT_PIECE_WHOLE)
        bytes = ft_piece_bytes(bytes, run->near.levels.data);
    if (file->bytes == bytes)
        ft_near_add(run, file->checkpoint, file->rank, file->piece, node);
}

void ft_fetch_ready(struct ft_run *run, struct ft_node *node, const void *body, size_t length)
{
    const struct ft_agent_local *local = body;

    if (!run->near.of || length < sizeof(*local) || local->count < 0 ||
        length != sizeof(*local) + (size_t)local->count * sizeof(local->file[0]))
        return;
    _Static_assert(sizeof(node->peer.address) == sizeof(local->address), "an address");
    memcpy(node->peer.address, local->address, sizeof(node->peer.address));
    node->peer.address[sizeof(node->peer.address) - 1] = 0;
    node->peer.port = local->port;
    for (int i = 0; i < local->count; i++)
        take_file(run, node, &local->file[i]);
}
