/* Groups: a real group and the world ranks that make it again. */
#include <utlist.h>
#include "handle/handles.h"

MPI_Group ft_group_real(struct ft_rank *self, MPI_Group handle)
{
    struct ft_group *group = ft_table_find(&self->handles->groups, ft_handle_bits(handle));

    return group ? group->real : ft_handle_unknown(handle, MPI_GROUP_NULL);
}

const int *ft_group_members(struct ft_rank *self, MPI_Group handle, int *size)
{
    struct ft_group *group = ft_table_find(&self->handles->groups, ft_handle_bits(handle));

    *size = group ? group->size : 0;
    return group && group->size ? group->world : NULL;
}

/* Fills world[0 .. size) with the world ranks of a real group. */
void ft_group_world(struct ft_handles *handles, MPI_Group group, int size, int *world)
{
    int *index = ft_image_alloc((size_t)(size ? size : 1) * sizeof(*index));

    for (int i = 0; i < size; i++)
        index[i] = i;
    ft_must(PMPI_Group_translate_ranks(group, size, index, handles->world_group, world),
            "PMPI_Group_translate_ranks");
    ft_image_free(index);
}

MPI_Group ft_group_made(struct ft_rank *self, MPI_Group real)
{
    struct ft_group *group;

    if (real == MPI_GROUP_NULL || real == MPI_GROUP_EMPTY)
        return real;
    group = ft_image_alloc(sizeof(*group));
    group->real = real;
    ft_must(PMPI_Group_size(real, &group->size), "PMPI_Group_size");
    group->world = ft_image_alloc((size_t)(group->size ? group->size : 1) * sizeof(int));
    ft_group_world(self->handles, real, group->size, group->world);
    group->handle = ft_handle_of(MPI_Group, ft_table_add(&self->handles->groups, group));
    DL_APPEND(self->handles->group, group);
    return group->handle;
}

int ft_group_make(struct ft_handles *handles, struct ft_group *group)
{
    return PMPI_Group_incl(handles->world_group, group->size, group->world, &group->real);
}

void ft_group_free(struct ft_rank *self, MPI_Group handle)
{
    struct ft_group *group = ft_table_find(&self->handles->groups, ft_handle_bits(handle));

    ft_must(PMPI_Group_free(&group->real), "PMPI_Group_free");
    ft_table_remove(&self->handles->groups, ft_handle_bits(handle));
    DL_DELETE(self->handles->group, group);
    ft_image_free(group->world);
    ft_image_free(group);
}
