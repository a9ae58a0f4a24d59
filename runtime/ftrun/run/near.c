/* near: checkpoints on the nodes' own disks (--local): who has what of each image.
 *
 * A node that is lost has nothing any more. Agents tell at the start what an earlier run has left
 * on their nodes (recover/fetch.c). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/run.h"

int ft_near_create(struct ft_run *run)
{
    if (!*run->near.folder)
        return 0;
    run->near.of = calloc((size_t)run->size, sizeof(*run->near.of));
    return run->near.of ? 0 : -ENOMEM;
}

void ft_near_destroy(struct ft_run *run)
{
    for (int i = 0; run->near.of && i < run->size; i++)
        free(run->near.of[i].list);
    free(run->near.of);
    run->near.of = NULL;
}

struct ft_node *ft_near_target(const struct ft_run *run, const struct ft_node *node, int number)
{
    for (int i = 1; i < run->nodes->count; i++) {
        struct ft_node *other = &run->nodes->node[(node->number + i) % run->nodes->count];

        if (!other->lost && other->link && number-- == 0)
            return other;
    }
    return NULL;
}

int ft_near_add(struct ft_run *run, uint32_t checkpoint, int rank, int piece, struct ft_node *node)
{
    struct ft_holdings *of = &run->near.of[rank];
    int room = of->room ? 2 * of->room : 8;
    struct ft_holding *list =
        of->count < of->room ? of->list : realloc(of->list, (size_t)room * sizeof(*list));

    if (!list)
        return -ENOMEM;
    if (of->count == of->room)
        of->room = room;
    of->list = list;
    list[of->count++] = (struct ft_holding){checkpoint, piece, node};
    return 0;
}

/* Forgets what is of the checkpoint, or, with a node, what that has. */
static void forget(struct ft_holdings *of, uint32_t checkpoint, const struct ft_node *node)
{
    int left = 0;

    for (int i = 0; i < of->count; i++) {
        if (node ? of->list[i].node != node : of->list[i].checkpoint != checkpoint)
            of->list[left++] = of->list[i];
    }
    of->count = left;
}

void ft_near_lose(struct ft_run *run, const struct ft_node *node)
{
    for (int i = 0; run->near.of && i < run->size; i++)
        forget(&run->near.of[i], 0, node);
}

void ft_near_remove(struct ft_run *run, uint32_t checkpoint)
{
    if (!run->near.of)
        return;
    for (int i = 0; i < run->size; i++)
        forget(&run->near.of[i], checkpoint, NULL);
    for (int i = 0; run->nodes && i < run->nodes->count; i++)
        ft_node_tell(&run->nodes->node[i], FT_AGENT_REMOVE, -1, 0, checkpoint, NULL, 0);
}

struct ft_node *ft_near_find(const struct ft_run *run, uint32_t checkpoint, int rank, int piece,
                             struct ft_node *first)
{
    const struct ft_holdings *of = &run->near.of[rank];
    struct ft_node *found = NULL;

    for (int i = 0; i < of->count; i++) {
        const struct ft_holding *holding = &of->list[i];

        if (holding->checkpoint == checkpoint && holding->piece == piece &&
            (!found || holding->node == first))
            found = holding->node;
    }
    return found;
}

static int has_image(const struct ft_run *run, uint32_t checkpoint, int rank)
{
    int pieces = 0;

    if (ft_near_find(run, checkpoint, rank, FT_PIECE_WHOLE, NULL))
        return 1;
    for (int i = 0; i < run->near.levels.pieces; i++)
        pieces += ft_near_find(run, checkpoint, rank, i, NULL) != NULL;
    return pieces >= run->near.levels.data;
}

int ft_near_lacks(const struct ft_run *run, const struct ft_manifest *manifest)
{
    for (int i = 0; manifest->near && i < manifest->count; i++) {
        if (!run->near.of || !has_image(run, manifest->checkpoint, manifest->ranks[i].rank))
            return manifest->ranks[i].rank;
    }
    return -1;
}

void ft_near_image(const struct ft_run *run, uint32_t checkpoint, int rank, char *path, size_t size)
{
    snprintf(path, size, "%s/ckpt-%u/rank-%d.img", run->near.folder, checkpoint, rank);
}
