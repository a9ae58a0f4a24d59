/* Where the parts of a buffer lie, and what is wrong with them. */
#include "coll/blocks.h"

MPI_Aint ft_extent(struct ft_rank *self, MPI_Datatype type)
{
    MPI_Aint lower, extent = 0;

    if (type != MPI_DATATYPE_NULL)
        PMPI_Type_get_extent(ft_type_real(self, type), &lower, &extent);
    return extent;
}

struct ft_blocks ft_blocks_even(struct ft_rank *self, const void *base, int count,
                                MPI_Datatype type)
{
    return (struct ft_blocks){.base = (char *)(uintptr_t)base,
                              .count = count,
                              .type = type,
                              .extent = ft_extent(self, type)};
}

struct ft_blocks ft_blocks_uneven(struct ft_rank *self, const void *base, const int *counts,
                                  const int *displs, MPI_Datatype type)
{
    return (struct ft_blocks){.base = (char *)(uintptr_t)base,
                              .counts = counts,
                              .displs = displs,
                              .type = type,
                              .extent = ft_extent(self, type)};
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
    int bytes = 0;

    if (block.count == 0)
        return 1;
    PMPI_Type_size(ft_type_real(self, block.type), &bytes);
    return bytes == 0;
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

static int type_is_wrong(struct ft_rank *self, MPI_Datatype type)
{
    int bytes;

    return type == MPI_DATATYPE_NULL ||
           PMPI_Type_size(ft_type_real(self, type), &bytes) != MPI_SUCCESS;
}

int ft_block_is_wrong(struct ft_rank *self, const void *buffer, int count, MPI_Datatype type)
{
    MPI_Aint lower, extent;

    if (count < 0 || buffer == MPI_IN_PLACE || type_is_wrong(self, type))
        return 1;
    if (buffer || count == 0)
        return 0;
    /* MPI_BOTTOM is right for a datatype of absolute addresses alone. */
    PMPI_Type_get_true_extent(ft_type_real(self, type), &lower, &extent);
    return lower == 0 && extent > 0;
}

int ft_blocks_are_wrong(struct ft_rank *self, const struct ft_blocks *blocks, int size)
{
    if (!blocks->types && type_is_wrong(self, blocks->type))
        return 1;
    if (!blocks->counts)
        return blocks->count < 0;
    for (int i = 0; i < size; i++)
        if (blocks->counts[i] < 0 ||
            (blocks->types && blocks->counts[i] && type_is_wrong(self, blocks->types[i])))
            return 1;
    return 0;
}
