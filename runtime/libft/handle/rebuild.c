/* A new epoch: makes every real handle again.
 *
 * Objects that one rank makes alone (groups, infos, datatypes, operations, error codes) are made in
 * order of birth. Communicators are made by their members together, so all ranks go through them in
 * one order, that of their identities: a rank waits in the creation of the lowest one that is not
 * finished, and the members of the lowest unfinished one of all have nothing before it.
 *
 * A communicator that all members have freed may live on at some of them, held by a receive that
 * can only be cancelled now. The others have forgotten it, but must help to make it: so its
 * holders tell all ranks who is in it, and the others make a ghost, which goes when everything
 * is done. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>
#include "handle/failure.h"
#include "handle/handles.h"
#include "os/fiber.h"

/* With --protocol spbc several may be made at a time: the tag tells them apart. */
static int plain_make(struct ft_handles *handles, const int *world, int size, int tag,
                      MPI_Comm *made)
{
    MPI_Group group;
    int code;

    ft_must(PMPI_Group_incl(handles->world_group, size, world, &group), "PMPI_Group_incl");
    if (size > 1)
        ft_making_agrees(1);
    else
        ft_making_alone();
    code = PMPI_Comm_create_group(handles->runtime, group, tag, made);
    ft_making_agrees(0);
    ft_must(PMPI_Group_free(&group), "PMPI_Group_free");
    return code;
}

/* Both sides must give the same arguments: the leaders are the first of their groups. MPICH's
 * leaders tell each other who their members are with one tag for all intercommunicators of a peer
 * communicator. With --protocol spbc several may be made at a time: each has one of its own. */
static int inter_make(struct ft_rank *self, const struct ft_comm *comm, MPI_Comm plain,
                      MPI_Comm *made)
{
    int size = comm->size, before = comm->local[0] < comm->world[0];
    int *world, code;
    MPI_Comm both;

    if (!self->spbc)
        return PMPI_Intercomm_create(plain, 0, self->handles->runtime, comm->world[0], comm->lane,
                                     made);
    world = ft_image_alloc((size_t)(size + comm->peers) * sizeof(int));
    memcpy(world + (before ? 0 : comm->peers), comm->local, (size_t)size * sizeof(int));
    memcpy(world + (before ? size : 0), comm->world, (size_t)comm->peers * sizeof(int));
    code = plain_make(self->handles, world, size + comm->peers, comm->lane, &both);
    ft_image_free(world);
    if (code != MPI_SUCCESS)
        return code;
    code = ft_making_enter(both);
    if (size == 1)
        ft_making_alone();
    if (code == MPI_SUCCESS)
        code = PMPI_Intercomm_create(plain, 0, both, before ? size : 0, comm->lane, made);
    ft_making_leave();
    ft_must(PMPI_Comm_free(&both), "PMPI_Comm_free");
    return code;
}

static int dress(struct ft_rank *self, const struct ft_comm *comm, MPI_Comm plain, MPI_Comm *made)
{
    return comm->inter ? inter_make(self, comm, plain, made)
                       : ft_topology_apply(comm->topology, plain, made);
}

void ft_comm_hint_real(struct ft_rank *self, const struct ft_comm *comm)
{
    if (comm->hints != MPI_INFO_NULL && comm->real != MPI_COMM_NULL)
        ft_must(PMPI_Comm_set_info(comm->real, ft_info_real(self, comm->hints)),
                "PMPI_Comm_set_info");
}

/* One that is alone in its group has a communicator of that group already; to agree with itself on
 * another it might have to wait for others (making.c), who may wait for the intercommunicator. */
int ft_comm_make(struct ft_rank *self, struct ft_comm *comm)
{
    int lone = self->spbc && comm->inter && comm->size == 1, code = MPI_SUCCESS;
    MPI_Comm plain = self->handles->alone.real;

    if (!lone)
        code = plain_make(self->handles, comm->local, comm->size, comm->lane, &plain);

    comm->real = code == MPI_SUCCESS ? plain : MPI_COMM_NULL;
    if (code == MPI_SUCCESS && (comm->inter || (comm->topology && !self->spbc))) {
        code = dress(self, comm, plain, &comm->real);
        if (!lone)
            ft_must(PMPI_Comm_free(&plain), "PMPI_Comm_free");
    }
    if (code != MPI_SUCCESS) {
        comm->real = MPI_COMM_NULL;
        return code;
    }
    ft_comm_settle(comm->real);
    ft_comm_hint_real(self, comm);
    return MPI_SUCCESS;
}

#define GHOST_FRONT 5 /* ints before the ranks: identity (2), inter, size, peers */

static int is_freed(const struct ft_comm *comm)
{
    return comm->handle == MPI_COMM_NULL;
}

/* Writes the freed communicators to `out` (NULL: only counts). Their topology matters no more. */
static int ghosts_write(struct ft_handles *handles, int *out)
{
    struct ft_comm *comm;
    int *at = out, count = 0;

    DL_FOREACH (handles->comm, comm) {
        if (!is_freed(comm))
            continue;
        count += GHOST_FRONT + comm->size + (comm->inter ? comm->peers : 0);
        if (!out)
            continue;
        ft_topology_free(comm->topology);
        comm->topology = NULL;
        memcpy(at, &comm->id, sizeof(comm->id));
        at[2] = comm->inter;
        at[3] = comm->size;
        at[4] = comm->peers;
        memcpy(at + GHOST_FRONT, comm->local, (size_t)comm->size * sizeof(int));
        if (comm->inter)
            memcpy(at + GHOST_FRONT + comm->size, comm->world, (size_t)comm->peers * sizeof(int));
        at = out + count;
    }
    return count;
}

static int ranks_have(const int *ranks, int count, int rank)
{
    for (int i = 0; i < count; i++)
        if (ranks[i] == rank)
            return 1;
    return 0;
}

static int *ranks_copy(const int *ranks, int count)
{
    return memcpy(ft_image_alloc((size_t)(count + 1) * sizeof(int)), ranks,
                  (size_t)count * sizeof(int));
}

/* here, there: the groups of the side that this rank is in, and of the other one. */
static void ghost_make(struct ft_rank *self, uint64_t id, int inter, const int *here, int size,
                       const int *there, int peers)
{
    struct ft_comm *ghost = ft_image_alloc(sizeof(*ghost));

    ghost->handle = MPI_COMM_NULL;
    ghost->id = id;
    ghost->inter = inter;
    ghost->size = size;
    ghost->peers = inter ? peers : size;
    ghost->hints = MPI_INFO_NULL;
    ghost->local = ranks_copy(here, size);
    ghost->world = inter ? ranks_copy(there, peers) : ghost->local;
    DL_APPEND(self->handles->comm, ghost);
}

/* Reads one communicator; returns the ints it took. */
static int ghost_read(struct ft_rank *self, const int *in)
{
    int inter = in[2], size = in[3], peers = inter ? in[4] : 0;
    const int *one = in + GHOST_FRONT, *two = one + size;
    struct ft_comm *known;
    uint64_t id;

    memcpy(&id, in, sizeof(id));
    DL_SEARCH_SCALAR(self->handles->comm, known, id, id);
    if (!known && ranks_have(one, size, self->rank))
        ghost_make(self, id, inter, one, size, two, peers);
    else if (!known && ranks_have(two, peers, self->rank))
        ghost_make(self, id, inter, two, peers, one, size);
    return GHOST_FRONT + size + peers;
}

static void ghosts_gather(struct ft_rank *self, int mine, int *counts, int *places)
{
    MPI_Comm runtime = self->handles->runtime;
    int total = 0, *out = ft_image_alloc((size_t)(mine + 1) * sizeof(int)), *in;

    ft_must(PMPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, runtime), "PMPI_Allgather");
    for (int i = 0; i < self->size; total += counts[i++])
        places[i] = total;
    in = ft_image_alloc((size_t)(total + 1) * sizeof(int));
    ghosts_write(self->handles, out);
    ft_must(PMPI_Allgatherv(out, mine, MPI_INT, in, counts, places, MPI_INT, runtime),
            "PMPI_Allgatherv");
    for (int i = 0; i < total;)
        i += ghost_read(self, in + i);
    ft_image_free(in);
    ft_image_free(out);
}

static void ghosts_raise(struct ft_rank *self)
{
    int mine = ghosts_write(self->handles, NULL), most, *counts;

    ft_must(PMPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, self->handles->runtime),
            "PMPI_Allreduce");
    if (!most)
        return;
    counts = ft_image_alloc(2 * (size_t)self->size * sizeof(int));
    ghosts_gather(self, mine, counts, counts + self->size);
    ft_image_free(counts);
}

static void ghosts_lay(struct ft_rank *self)
{
    struct ft_comm *comm, *next;

    DL_FOREACH_SAFE (self->handles->comm, comm, next)
        if (is_freed(comm) && !comm->held)
            ft_comm_destroy(self, comm);
}

static int comm_order(const void *a, const void *b)
{
    const struct ft_comm *one = *(struct ft_comm *const *)a, *two = *(struct ft_comm *const *)b;

    return one->id < two->id ? -1 : one->id > two->id;
}

/* Number `at` of `count`. With --protocol spbc ghosts and tombstones are among them. */
static void comm_make_again(struct ft_rank *self, struct ft_comm *comm, size_t at, size_t count)
{
    int code;

    if (!self->spbc) {
        ft_must(ft_comm_make(self, comm), "making a communicator again");
        return;
    }
    /* The library's own waits never yield, and ranks may be more than cores. */
    while (!ft_making_turn(self, comm, &code))
        sched_yield();
    if (code != MPI_SUCCESS)
        ft_panic(
            "%zu communicators have to exist at once, with those that ranks that roll back make "
            "and free again, and the MPI library refuses after %zu",
            count, at);
}

static void comms_make(struct ft_rank *self)
{
    struct ft_handles *handles = self->handles;
    struct ft_comm *comm, **order;
    size_t count = 0;

    DL_COUNT(handles->comm, comm, count);
    order = ft_image_alloc(count * sizeof(struct ft_comm *));
    count = 0;
    DL_FOREACH (handles->comm, comm) {
        if (comm == &handles->world || comm == &handles->alone || comm == &handles->lanes)
            ft_comm_hint_real(self, comm);
        else if (!comm->refused)
            order[count++] = comm;
    }
    qsort(order, count, sizeof(struct ft_comm *), comm_order);
    for (size_t i = 0; i < count; i++)
        comm_make_again(self, order[i], i, count);
    ft_image_free(order);
}

void ft_handles_rebuild(struct ft_rank *self)
{
    struct ft_handles *handles = self->handles;
    struct ft_added *added;
    struct ft_group *group;
    struct ft_info *info;
    struct ft_type *type;
    struct ft_op *op;

    ft_handles_epoch(self);
    DL_FOREACH (handles->added, added)
        ft_error_add_again(added);
    ft_tools_rebuild(handles);
    DL_FOREACH (handles->group, group)
        ft_must(ft_group_make(handles, group), "making a group again");
    DL_FOREACH (handles->info, info)
        ft_must(ft_info_make(info), "making an info again");
    DL_FOREACH (handles->type, type)
        ft_must(ft_type_construct(self, type), "making a datatype again");
    DL_FOREACH (handles->op, op)
        ft_must(ft_op_make(op), "making an operation again");
    if (ft_ulfm_of(self)) { /* all begin with the world */
        ft_meetings_forget(handles);
        ft_failure_renew(self);
        return;
    }
    if (self->spbc)
        ft_census_take(self);
    else
        ghosts_raise(self);
    comms_make(self);
    if (!self->spbc)
        ghosts_lay(self);
}
