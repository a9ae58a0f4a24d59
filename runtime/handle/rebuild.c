/* A new epoch: makes every real handle again.
 *
 * What one rank makes alone (groups, infos, datatypes, operations, error codes) is made in order of
 * birth. Communicators are made by their members together, so all ranks go through them in one order,
 * that of their identities: a rank waits in the creation of the lowest one that is not finished, and
 * the members of the lowest unfinished one of all have nothing before it. */
#include <stdlib.h>
#include <utlist.h>
#include "handle/handles.h"

#define PEER_TAG 0 /* of the leaders of an intercommunicator, on the runtime's communicator */

static MPI_Comm plain_make(struct ft_handles *handles, const int *world, int size)
{
    MPI_Group group;
    MPI_Comm made;

    ft_must(PMPI_Group_incl(handles->world_group, size, world, &group), "PMPI_Group_incl");
    ft_must(PMPI_Comm_create_group(handles->runtime, group, 0, &made), "PMPI_Comm_create_group");
    ft_must(PMPI_Group_free(&group), "PMPI_Group_free");
    return made;
}

/* Both sides must give the same arguments: the leaders are the first of their groups. */
static MPI_Comm inter_make(struct ft_handles *handles, const struct ft_comm *comm, MPI_Comm plain)
{
    MPI_Comm made;

    ft_must(PMPI_Intercomm_create(plain, 0, handles->runtime, comm->world[0], PEER_TAG, &made),
            "PMPI_Intercomm_create");
    return made;
}

static void hints_apply(struct ft_rank *self, const struct ft_comm *comm)
{
    if (comm->hints != MPI_INFO_NULL)
        ft_must(PMPI_Comm_set_info(comm->real, ft_info_real(self, comm->hints)),
                "PMPI_Comm_set_info");
}

static void comm_make(struct ft_rank *self, struct ft_comm *comm)
{
    MPI_Comm plain = plain_make(self->handles, comm->local, comm->size);

    comm->real = plain;
    if (comm->inter)
        comm->real = inter_make(self->handles, comm, plain);
    else if (comm->topology)
        ft_must(ft_topology_apply(comm->topology, plain, &comm->real), "applying a topology");
    if (comm->real != plain)
        ft_must(PMPI_Comm_free(&plain), "PMPI_Comm_free");
    ft_comm_settle(comm->real);
    hints_apply(self, comm);
}

static int comm_order(const void *a, const void *b)
{
    const struct ft_comm *one = *(struct ft_comm *const *)a, *two = *(struct ft_comm *const *)b;

    return one->id < two->id ? -1 : one->id > two->id;
}

static void comms_make(struct ft_rank *self)
{
    struct ft_handles *handles = self->handles;
    struct ft_comm *comm, **order;
    size_t count = 0;

    DL_COUNT(handles->comm, comm, count);
    order = ft_image_alloc(count * sizeof(struct ft_comm *));
    count = 0;
    DL_FOREACH(handles->comm, comm) {
        if (comm != &handles->world && comm != &handles->alone)
            order[count++] = comm;
        else
            hints_apply(self, comm);
    }
    qsort(order, count, sizeof(struct ft_comm *), comm_order);
    for (size_t i = 0; i < count; i++)
        comm_make(self, order[i]);
    ft_image_free(order);
}

void ft_handles_rebuild(struct ft_rank *self)
{
    struct ft_handles *handles = self->handles;
    struct ft_added *added;
    struct ft_group *group;
    struct ft_info *info;
    struct ft_type *type;

    ft_handles_epoch(handles);
    DL_FOREACH(handles->added, added)
        ft_error_add_again(added);
    DL_FOREACH(handles->group, group)
        ft_must(ft_group_make(handles, group), "making a group again");
    DL_FOREACH(handles->info, info)
        ft_must(ft_info_make(info), "making an info again");
    DL_FOREACH(handles->type, type)
        ft_must(ft_type_construct(self, type), "making a datatype again");
    for (int i = 0; i < FT_OPS; i++)
        if (handles->op[i])
            ft_must(ft_op_make(handles->op[i]), "making an operation again");
    comms_make(self);
}
