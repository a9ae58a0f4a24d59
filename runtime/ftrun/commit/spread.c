/* spread: images that stay on their nodes, and go to other nodes before the commit (--local).
 *
 * A checkpoint is committed when each node has sent the pieces of its images to as many nodes as
 * --levels says, so that the loss of any one node (or M) loses no image. Now and then a checkpoint
 * of all ranks is in the store instead: the first one, each N-th (shared:N), the last before the
 * run ends to be continued, and some after one for which a node had no room. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "agent/carry.h"
#include "commit/commit.h"

enum { STORED = 10 }; /* checkpoints in the store, after one that the nodes had no room for */

/* Are there nodes enough for the copies? */
static int has_targets(const struct ft_run *run)
{
    int living = 0;

    for (int i = 0; i < run->nodes->count; i++)
        living += !run->nodes->node[i].lost && run->nodes->node[i].link;
    return living > run->near.levels.pieces;
}

static int is_for_store(const struct ft_cluster *cluster)
{
    const struct ft_run *run = cluster->run;
    const struct ft_near *near = &run->near;

    if (!near->levels.every || cluster->count < run->size)
        return 0;
    return cluster->whole || run->stopping || near->since < 0 ||
           near->since + 1 >= near->levels.every;
}

int ft_spread_choose(struct ft_cluster *cluster)
{
    struct ft_near *near = &cluster->run->near;

    if (!*near->folder || !has_targets(cluster->run) || is_for_store(cluster))
        return 0;
    if (near->full > 0) {
        near->full--;
        return 0;
    }
    return 1;
}

/* The order to a node, for its ranks of the cluster. The caller frees it; NULL: no memory, or a
 * node is missing. */
static struct ft_carry_copy *order_of(const struct ft_cluster *cluster, const struct ft_node *node,
                                      size_t *length)
{
    const struct ft_run *run = cluster->run;
    struct ft_carry_copy *copy =
        calloc(1, sizeof(*copy) + (size_t)cluster->count * sizeof(int32_t));
    int32_t *ranks = copy ? (int32_t *)(void *)(copy + 1) : NULL;

    if (!copy)
        return NULL;
    copy->data = run->near.levels.data;
    copy->pieces = run->near.levels.pieces;
    for (int i = 0; i < cluster->count; i++) {
        if (cluster->members[i]->node == node)
            ranks[copy->count++] = cluster->members[i]->rank;
    }
    for (int i = 0; i < copy->pieces; i++) {
        const struct ft_node *to = ft_near_target(run, node, i);

        if (!to) {
            free(copy);
            return NULL;
        }
        copy->to[i] = to->peer;
    }
    *length = sizeof(*copy) + (size_t)copy->count * sizeof(int32_t);
    return copy;
}

void ft_spread_begin(struct ft_cluster *cluster)
{
    struct ft_run *run = cluster->run;
    struct ft_checkpoint *checkpoint = &cluster->checkpoint;

    checkpoint->spread = 1;
    for (int i = 0; i < run->nodes->count && !checkpoint->failed; i++) {
        struct ft_node *node = &run->nodes->node[i];
        size_t length = 0;
        struct ft_carry_copy *copy = order_of(cluster, node, &length);

        if (!copy)
            ft_checkpoint_fail(cluster, "node %s: no other node can take a copy", node->name);
        if (copy && copy->count) {
            checkpoint->spreading++;
            ft_node_tell(node, FT_AGENT_COPY, -1, 0, checkpoint->manifest->checkpoint, copy,
                         length);
        }
        free(copy);
    }
}

/* The cluster whose checkpoint that is, and which waits for copies; NULL: none does. */
static struct ft_cluster *find_waiting(const struct ft_run *run, int64_t number)
{
    for (int i = 0; i < run->cluster_count; i++) {
        const struct ft_checkpoint *checkpoint = &run->clusters[i]->checkpoint;

        if (checkpoint->state == FT_CHECKPOINT_WRITING && checkpoint->spreading > 0 &&
            (number < 0 || checkpoint->manifest->checkpoint == number))
            return run->clusters[i];
    }
    return NULL;
}

void ft_spread_full(struct ft_cluster *cluster)
{
    cluster->run->near.full = STORED;
    cluster->checkpoint.wanted = 1;
}

int ft_spread_copied(struct ft_run *run, const struct ft_node *node, int64_t checkpoint,
                     const char *why)
{
    struct ft_cluster *cluster = find_waiting(run, checkpoint);

    if (!cluster)
        return 0;
    cluster->checkpoint.spreading--;
    if (*why) {
        ft_checkpoint_fail(cluster, "copies of the images of node %s: %s", node->name, why);
        ft_spread_full(cluster);
    }
    return ft_commit_check(cluster);
}

int ft_spread_lost(struct ft_run *run, const struct ft_node *node)
{
    struct ft_cluster *cluster;
    int last = 0;

    while (!last && (cluster = find_waiting(run, -1))) {
        cluster->checkpoint.spreading = 0;
        ft_checkpoint_fail(cluster, "node %s was lost before all copies were complete", node->name);
        cluster->checkpoint.wanted = 1;
        last = ft_commit_check(cluster);
    }
    return last;
}

/* Notes who has what. */
static void note_places(const struct ft_cluster *cluster, uint32_t checkpoint)
{
    struct ft_run *run = cluster->run;

    for (int i = 0; i < cluster->count; i++) {
        const struct ft_member *member = cluster->members[i];

        ft_near_add(run, checkpoint, member->rank, FT_PIECE_WHOLE, member->node);
        for (int piece = 0; piece < run->near.levels.pieces; piece++) {
            struct ft_node *to = ft_near_target(run, member->node, piece);

            if (to)
                ft_near_add(run, checkpoint, member->rank, piece, to);
        }
    }
}

void ft_spread_note(struct ft_cluster *cluster, const struct ft_manifest *manifest)
{
    struct ft_near *near = &cluster->run->near;

    if (!*near->folder)
        return;
    if (cluster->count == cluster->run->size)
        near->since = manifest->near ? near->since + (near->since >= 0) : 0;
    if (manifest->near)
        note_places(cluster, manifest->checkpoint);
}
