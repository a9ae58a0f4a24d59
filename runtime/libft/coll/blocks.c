/* Where the parts of a buffer lie, and what is wrong with them. */
#include "coll/blocks.h"

struct ft_blocks ft_blocks_even(struct ft_rank *self, const void *base, int count,
                                MPI_Datatype type)
{
    return (struct ft_blocks){.base = (char *)(uintptr_t)base,
                              .count = count,
                              .type = type,
                              .extent = ft_shape_of(self, type).extent};
}

struct ft_blocks ft_blocks_uneven(struct ft_rank *self, const void *base, const int *counts,
                                  const int *displs, MPI_Datatype type)
{
    return (struct ft_blocks){.base = (char *)(uintptr_t)base,
                              .counts = counts,
                              .displs = displs,
                              .type = type,
                              .extent = ft_shape_of(self, type).extent};
}

struct ft_blocks ft_blocks_typed(const void *base, const int *counts, const int *displs,
                                 const MPI_Aint *far, const MPI_Datatype *types)
{
    return (struct ft_blocks){.base = (char *)(uintptr_t)base,
                              .counts = counts,
                              .displs = displs,
                              .far = far,
                              .types = types,
                              .extent = 1};
}

struct ft_block ft_blocks_at(const struct ft_blocks *blocks, int i)
{
    int count = blocks->counts ? blocks->counts[i] : blocks->count;
    MPI_Aint place = blocks->far      ? blocks->far[i]
                     : blocks->displs ? blocks->displs[i]
                                      : (MPI_Aint)i * count;

    /* Not by pointer arithmetic: a base of NULL, MPI_BOTTOM, is allowed. */
    return (struct ft_block){
        (char *)((uintptr_t)blocks->base + (uintptr_t)(place * blocks->extent)), count,
        blocks->types ? blocks->types[i] : blocks->type};
}

int ft_block_is_empty(struct ft_rank *self, struct ft_block block)
{
    return block.count == 0 || ft_shape_of(self, block.type).size == 0;
}

void ft_block_send(struct ft_rank *self, struct ft_schedule *schedule, struct ft_block block,
                   int world)
{
    if (!ft_block_is_empty(self, block))
        ft_schedule_send(self, schedule, block.buffer, block.count, block.type, world);
}

void ft_block_receive(struct ft_rank *self, struct ft_schedule *schedule, struct ft_block block,
                      int world)
{
    if (!ft_block_is_empty(self, block))
        ft_schedule_receive(self, schedule, block.buffer, block.count, block.type, world);
}

void ft_block_copy(struct ft_rank *self, struct ft_schedule *schedule, struct ft_block from,
                   struct ft_block to)
{
    if (!ft_block_is_empty(self, from))
        ft_schedule_copy(self, schedule, from.buffer, from.count, from.type, to.buffer, to.count,
                         to.type);
}

int ft_block_check(struct ft_rank *self, const void *buffer, int count, MPI_Datatype type)
{
    struct ft_shape shape = ft_shape_of(self, type);

    if (count < 0)
        return MPI_ERR_COUNT;
    if (shape.size < 0)
        return MPI_ERR_TYPE;
    /* MPI_BOTTOM is right for a datatype of absolute addresses alone. */
    if (buffer == MPI_IN_PLACE || (!buffer && count && shape.size && !shape.lower))
        return MPI_ERR_BUFFER;
    return MPI_SUCCESS;
}

int ft_blocks_check_apart(const void *one, const void *other, int count)
{
    return one && one == other && count ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

/* The library counts displacements in sizes here, not in extents. */
int ft_blocks_check_own(struct ft_rank *self, struct ft_block mine, const struct ft_blocks *all,
                        int own)
{
    int count = all->counts ? all->counts[own] : all->count;
    MPI_Aint place = all->displs ? all->displs[own] : (MPI_Aint)own * count;

    if (mine.type != all->type || count == 0 || (!all->counts && mine.count != count))
        return MPI_SUCCESS;
    place *= ft_shape_of(self, all->type).size;
    return ft_blocks_check_apart(mine.buffer, (char *)((uintptr_t)all->base + (uintptr_t)place),
                                 mine.count);
}

int ft_blocks_check_exchange(const struct ft_blocks *out, const struct ft_blocks *in)
{
    if (out->type != in->type || out->types != in->types || out->counts != in->counts ||
        out->count != in->count)
        return MPI_SUCCESS;
    return ft_blocks_check_apart(out->base, in->base, in->counts ? 1 : in->count);
}

int ft_blocks_check(struct ft_rank *self, const struct ft_blocks *blocks, int size)
{
    if (size == 0)
        return MPI_SUCCESS;
    if (!blocks->counts)
        return ft_block_check(self, blocks->base, blocks->count, blocks->type);
    if (!blocks->types && ft_shape_of(self, blocks->type).size < 0)
        return MPI_ERR_TYPE;
    for (int i = 0; i < size; i++) {
        if (blocks->counts[i] < 0)
            return MPI_ERR_COUNT;
        if (blocks->types && blocks->counts[i] && ft_shape_of(self, blocks->types[i]).size < 0)
            return MPI_ERR_TYPE;
    }
    return MPI_SUCCESS;
}
