/* The start and the end of the handles, and what several files of the room need. */
#include <string.h>
#include <utlist.h>
#include "handle/handles.h"

void ft_must(int code, const char *what)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (ft_likely(code == MPI_SUCCESS))
        return;
    if (PMPI_Error_string(code, text, &length) != MPI_SUCCESS)
        text[0] = 0;
    ft_panic("%s failed: %s", what, text);
}

char *ft_image_string(const char *text)
{
    size_t bytes = text ? strlen(text) + 1 : 0;
    char *copy = bytes ? ft_image_alloc(bytes) : NULL;

    return bytes ? memcpy(copy, text, bytes) : NULL;
}

/* MPICH 4.0.2 makes a communicator's group when it is first asked for, and MPI_Comm_create_group
 * dereferences it unasked when its own group comes from elsewhere: so it is asked for. */
void ft_comm_settle(MPI_Comm real)
{
    MPI_Group group;

    ft_must(PMPI_Comm_set_errhandler(real, MPI_ERRORS_RETURN), "PMPI_Comm_set_errhandler");
    ft_must(PMPI_Comm_group(real, &group), "PMPI_Comm_group");
    ft_must(PMPI_Group_free(&group), "PMPI_Group_free");
}

/* The library's part of what --protocol spbc needs. */
static void containment_epoch(struct ft_rank *self)
{
    struct ft_handles *handles = self->handles;

    ft_must(PMPI_Comm_split(MPI_COMM_WORLD, self->spbc->mine, self->rank, &handles->cluster),
            "PMPI_Comm_split");
    ft_must(PMPI_Comm_dup(MPI_COMM_WORLD, &handles->lanes.real), "PMPI_Comm_dup");
    ft_comm_settle(handles->cluster);
    ft_comm_settle(handles->lanes.real);
}

void ft_handles_epoch(struct ft_rank *self)
{
    struct ft_handles *handles = self->handles;

    ft_comm_settle(MPI_COMM_WORLD);
    ft_comm_settle(MPI_COMM_SELF);
    ft_must(PMPI_Comm_group(MPI_COMM_WORLD, &handles->world_group), "PMPI_Comm_group");
    ft_must(PMPI_Comm_dup(MPI_COMM_WORLD, &handles->runtime), "PMPI_Comm_dup");
    ft_comm_settle(handles->runtime);
    if (self->spbc)
        containment_epoch(self);
}

static void table_start(struct ft_table *table, enum ft_handle_byte byte)
{
    table->byte = byte;
    table->unused = FT_TABLE_SLOTS;
}

static void tables_start(struct ft_handles *handles)
{
    table_start(&handles->comms, FT_COMM_BYTE);
    table_start(&handles->groups, FT_GROUP_BYTE);
    table_start(&handles->types, FT_TYPE_BYTE);
    table_start(&handles->infos, FT_INFO_BYTE);
    table_start(&handles->ops, FT_OP_BYTE);
    table_start(&handles->keyvals, FT_KEYVAL_BYTE);
    table_start(&handles->errhandlers, FT_ERRHANDLER_BYTE);
}

static void predefined_prepare(struct ft_comm *comm, MPI_Comm handle, uint64_t id)
{
    comm->real = comm->handle = handle;
    comm->id = id;
    comm->errhandler = MPI_ERRHANDLER_NULL;
    comm->hints = MPI_INFO_NULL;
}

void ft_handles_prepare(struct ft_rank *self)
{
    struct ft_handles *handles = ft_image_alloc(sizeof(*handles));

    self->handles = handles;
    tables_start(handles);
    predefined_prepare(&handles->world, MPI_COMM_WORLD, 1);
    predefined_prepare(&handles->alone, MPI_COMM_SELF, 2);
    predefined_prepare(&handles->lanes, FT_LANES_HANDLE, FT_LANES_ID);
}

void ft_handles_start(struct ft_rank *self)
{
    struct ft_handles *handles;

    if (!self->handles)
        ft_handles_prepare(self);
    handles = self->handles;
    ft_handles_epoch(self);
    ft_comm_measure(self, &handles->world);
    ft_comm_measure(self, &handles->alone);
    DL_APPEND(handles->comm, &handles->world);
    DL_APPEND(handles->comm, &handles->alone);
    if (!self->spbc)
        return;
    ft_comm_measure(self, &handles->lanes);
    DL_APPEND(handles->comm, &handles->lanes);
    handles->alone.lane = FT_LANE_SELF;
    handles->number_next = FT_LANE_FIRST / 2;
}

void ft_handles_finish(struct ft_rank *self)
{
    struct ft_handles *handles = self->handles;

    ft_attributes_delete(self, &handles->alone.attributes, MPI_COMM_SELF);
    ft_attributes_delete(self, &handles->world.attributes, MPI_COMM_WORLD);
}
