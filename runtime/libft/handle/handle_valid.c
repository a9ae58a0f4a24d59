/* Are the handles as the headers of the room say? Debug builds ask at each epoch, and before each
 * image (checkpoint/validate.c). */
#include <utlist.h>

#include "handle/handles.h"

#define CHECK(condition, what)                                                                     \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return what;                                                                           \
    } while (0)

/* The bits of the handle that an object of the table says it has. */
static uint32_t bits_of(const struct ft_table *table, const void *object)
{
    switch (table->byte) {
    case FT_COMM_BYTE:
        return ft_handle_bits(((const struct ft_comm *)object)->handle);
    case FT_GROUP_BYTE:
        return ft_handle_bits(((const struct ft_group *)object)->handle);
    case FT_TYPE_BYTE:
        return ft_handle_bits(((const struct ft_type *)object)->handle);
    case FT_INFO_BYTE:
        return ft_handle_bits(((const struct ft_info *)object)->handle);
    case FT_OP_BYTE:
        return ft_handle_bits(((const struct ft_op *)object)->handle);
    case FT_ERRHANDLER_BYTE:
        return ft_handle_bits(((const struct ft_errhandler *)object)->handle);
    default:
        return (uint32_t)((const struct ft_keyval *)object)->handle;
    }
}

static const char *table_wrong(const struct ft_table *table)
{
    uint32_t live = 0, unused = 0, at = table->unused;

    CHECK(table->count <= table->room, "a table of handles is longer than its memory");
    for (uint32_t i = 0; i < table->count; i++) {
        const void *object = table->slot[i].object;

        CHECK(!object || ft_table_find(table, bits_of(table, object)) == object,
              "an object is not found by its handle");
        live += object != NULL;
    }
    for (; at != FT_TABLE_SLOTS; at = table->slot[at].next) {
        CHECK(at < table->count && !table->slot[at].object, "a slot of a live handle is free");
        CHECK(++unused <= table->count, "the free slots of a table are a ring");
    }
    CHECK(live + unused == table->count, "a slot of a table is lost");
    return NULL;
}

static const char *comm_wrong(const struct ft_handles *handles, const struct ft_comm *comm)
{
    int known = comm == &handles->world || comm == &handles->alone || comm == &handles->lanes ||
                comm->handle == MPI_COMM_NULL;

    CHECK(known || ft_table_find(&handles->comms, ft_handle_bits(comm->handle)) == comm,
          "a communicator is not found by its handle");
    CHECK(comm->held >= 0, "a communicator is held less than not at all");
    CHECK(comm->ghost || (comm->rank >= 0 && comm->rank < comm->size && comm->world),
          "a communicator has no members");
    return NULL;
}

static const char *lists_wrong(const struct ft_handles *handles)
{
    const struct ft_comm *comm;
    const struct ft_type *type;
    const char *wrong;

    DL_FOREACH (handles->comm, comm)
        if ((wrong = comm_wrong(handles, comm)))
            return wrong;
    DL_FOREACH (handles->type, type)
        CHECK(type->refs > 0, "a datatype is held by nobody");
    return NULL;
}

const char *ft_handles_wrong(const struct ft_rank *self)
{
    const struct ft_handles *handles = self->handles;
    const struct ft_table *table[] = {&handles->comms,      &handles->groups, &handles->types,
                                      &handles->infos,      &handles->ops,    &handles->keyvals,
                                      &handles->errhandlers};
    const char *wrong;

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if ((wrong = table_wrong(table[i])))
            return wrong;
    return lists_wrong(handles);
}
