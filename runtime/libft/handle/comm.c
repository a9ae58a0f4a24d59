/* Communicators: identity, life and death.
 *
 * Identity: id = mix(id of the parent, its clock at the creating collective, lowest world rank of
 * the new groups). The members of one new communicator have the same three; two communicators made
 * by one MPI_Comm_split differ in the lowest rank. Where there is no collective on a parent that
 * all members share (create_group, intercommunicators), id = mix(hash of the sorted groups, how
 * often exactly these ranks have met): MPI makes all of them take part in all such creations, in
 * one order.
 *
 * A member that has freed a communicator keeps (id, clock) as a tombstone until all clocks are
 * known to be equal: the others may still be before the free, and ftrun compares clocks. With
 * --protocol spbc nobody compares clocks, and all of a freed communicator but its name and
 * content is kept, because a member may roll back to before the free (census.c), until none can
 * (tombs.c). */
#include <string.h>
#include <utlist.h>
#include "handle/failure.h"
#include "handle/handles.h"

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = a + 0x9e3779b97f4a7c15u * (b + 1);

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

struct ft_comm *ft_comm_find_other(struct ft_rank *self, MPI_Comm handle)
{
    if (handle == MPI_COMM_WORLD)
        return &self->handles->world;
    if (handle == MPI_COMM_SELF)
        return &self->handles->alone;
    return ft_table_find(&self->handles->comms, ft_handle_bits(handle));
}

MPI_Comm ft_comm_real(struct ft_rank *self, MPI_Comm handle)
{
    struct ft_comm *comm = ft_comm_find(self, handle);

    return comm ? comm->real : ft_handle_unknown(handle, MPI_COMM_NULL);
}

struct ft_comm *ft_comm_first(struct ft_rank *self)
{
    return self->handles->comm;
}

struct ft_comm *ft_comm_unborn(struct ft_rank *self)
{
    return self->handles->births;
}

MPI_Comm ft_comm_runtime(struct ft_rank *self)
{
    return self->handles->runtime;
}

MPI_Comm ft_comm_cluster(struct ft_rank *self)
{
    return self->handles->cluster;
}

struct ft_comm *ft_comm_lanes(struct ft_rank *self)
{
    return &self->handles->lanes;
}

static int *group_world(struct ft_handles *handles, MPI_Group group, int size)
{
    int *world = ft_image_alloc((size_t)(size ? size : 1) * sizeof(*world));

    ft_group_world(handles, group, size, world);
    ft_must(PMPI_Group_free(&group), "PMPI_Group_free");
    return world;
}

void ft_comm_measure(struct ft_rank *self, struct ft_comm *comm)
{
    MPI_Group group;

    ft_must(PMPI_Comm_test_inter(comm->real, &comm->inter), "PMPI_Comm_test_inter");
    ft_must(PMPI_Comm_rank(comm->real, &comm->rank), "PMPI_Comm_rank");
    ft_must(PMPI_Comm_size(comm->real, &comm->size), "PMPI_Comm_size");
    ft_must(PMPI_Comm_group(comm->real, &group), "PMPI_Comm_group");
    comm->local = group_world(self->handles, group, comm->size);
    comm->peers = comm->size;
    comm->world = comm->local;
    if (!comm->inter)
        return;
    ft_must(PMPI_Comm_remote_size(comm->real, &comm->peers), "PMPI_Comm_remote_size");
    ft_must(PMPI_Comm_remote_group(comm->real, &group), "PMPI_Comm_remote_group");
    comm->world = group_world(self->handles, group, comm->peers);
}

static int comm_lowest(const struct ft_comm *comm)
{
    int lowest = comm->local[0];

    for (int i = 0; i < comm->size; i++)
        lowest = comm->local[i] < lowest ? comm->local[i] : lowest;
    for (int i = 0; i < comm->peers; i++)
        lowest = comm->world[i] < lowest ? comm->world[i] : lowest;
    return lowest;
}

static uint64_t ranks_hash(const int *world, int size)
{
    uint64_t hash = (uint64_t)size;

    for (int i = 0; i < size; i++)
        hash = mix(hash, (uint64_t)world[i]);
    return hash;
}

/* The same on both sides of an intercommunicator. */
static uint64_t groups_hash(const struct ft_comm *comm)
{
    uint64_t here = ranks_hash(comm->local, comm->size), there;

    if (!comm->inter)
        return here;
    there = ranks_hash(comm->world, comm->peers);
    return here < there ? mix(here, there) : mix(there, here);
}

static uint64_t meeting_count(struct ft_handles *handles, uint64_t ranks)
{
    struct ft_meeting *meeting;

    LL_SEARCH_SCALAR(handles->meeting, meeting, ranks, ranks);
    if (!meeting) {
        meeting = ft_image_alloc(sizeof(*meeting));
        meeting->ranks = ranks;
        LL_PREPEND(handles->meeting, meeting);
    }
    return ++meeting->count + ((uint64_t)ft_life.boot.renewed << 32);
}

void ft_meetings_forget(struct ft_handles *handles)
{
    struct ft_meeting *meeting, *next;

    LL_FOREACH_SAFE (handles->meeting, meeting, next)
        ft_image_free(meeting);
    handles->meeting = NULL;
}

void ft_comm_identify(struct ft_rank *self, const struct ft_comm *parent, uint64_t clock,
                      struct ft_comm *comm)
{
    uint64_t ranks;

    if (clock) {
        comm->id = mix(mix(parent->id, clock), (uint64_t)comm_lowest(comm));
        return;
    }
    ranks = groups_hash(comm);
    comm->id = mix(ranks, meeting_count(self->handles, ranks));
}

void ft_comm_present(struct ft_rank *self, const struct ft_comm *parent, struct ft_comm *comm)
{
    comm->hints = MPI_INFO_NULL;
    comm->errhandler = parent->errhandler;
    ft_errhandler_hold(self, comm->errhandler);
    comm->handle = ft_handle_of(MPI_Comm, ft_table_add(&self->handles->comms, comm));
    if (ft_ulfm_of(self))
        ft_failure_mark(self, comm);
}

static struct ft_comm *comm_new(struct ft_rank *self, const struct ft_comm *parent, MPI_Comm real)
{
    struct ft_comm *comm = ft_image_alloc(sizeof(*comm));

    comm->real = real;
    ft_comm_present(self, parent, comm);
    DL_APPEND(self->handles->comm, comm);
    return comm;
}

static struct ft_comm *comm_adopt(struct ft_rank *self, const struct ft_comm *parent, MPI_Comm real)
{
    struct ft_comm *comm = comm_new(self, parent, real);

    ft_comm_settle(real);
    ft_comm_measure(self, comm);
    comm->topology = ft_topology_read(real);
    return comm;
}

MPI_Comm ft_comm_born(struct ft_rank *self, const struct ft_comm *parent, uint64_t clock,
                      MPI_Comm real)
{
    struct ft_comm *comm;

    if (real == MPI_COMM_NULL)
        return real;
    comm = comm_adopt(self, parent, real);
    ft_comm_identify(self, parent, clock, comm);
    return comm->handle;
}

MPI_Comm ft_comm_born_hinted(struct ft_rank *self, const struct ft_comm *parent, uint64_t clock,
                             MPI_Comm real, MPI_Info info)
{
    MPI_Comm made = ft_comm_born(self, parent, clock, real);

    if (made != MPI_COMM_NULL)
        ft_comm_hint(self, ft_comm_find(self, made), info);
    return made;
}

MPI_Comm ft_comm_met(struct ft_rank *self, const struct ft_comm *parent, MPI_Comm real)
{
    struct ft_comm *comm;

    if (real == MPI_COMM_NULL)
        return real;
    comm = comm_adopt(self, parent, real);
    ft_comm_identify(self, parent, 0, comm);
    return comm->handle;
}

static int *ranks_copy(const int *ranks, int count)
{
    int *copy = ft_image_alloc((size_t)(count ? count : 1) * sizeof(*copy));

    memcpy(copy, ranks, (size_t)count * sizeof(*copy));
    return copy;
}

struct ft_comm *ft_comm_expect(struct ft_rank *self, const struct ft_comm *parent, uint64_t clock)
{
    struct ft_comm *comm = comm_new(self, parent, MPI_COMM_NULL);

    comm->expected = 1;
    comm->rank = parent->rank;
    comm->size = parent->size;
    comm->peers = parent->peers;
    comm->inter = parent->inter;
    comm->local = ranks_copy(parent->local, parent->size);
    comm->world = parent->inter ? ranks_copy(parent->world, parent->peers) : comm->local;
    ft_comm_identify(self, parent, clock, comm);
    return comm;
}

void ft_comm_filled(struct ft_rank *self, struct ft_comm *comm)
{
    (void)self;
    comm->expected = 0;
    ft_comm_settle(comm->real);
    comm->topology = ft_topology_read(comm->real);
}

void ft_comm_discard(struct ft_comm *comm)
{
    if (comm->inter)
        ft_image_free(comm->world);
    ft_image_free(comm->local);
    ft_topology_free(comm->topology);
    ft_image_free(comm->name);
    ft_image_free(comm);
}

/* MPICH's PMPI_Comm_free sends nothing: the other members may go on using theirs.
 *
 * The library gives its number to another communicator then. Messages that nobody received, because
 * of a failure or revocation (comm->barred), would be met by receives there: such a one stays. */
void ft_comm_destroy(struct ft_rank *self, struct ft_comm *comm)
{
    if (comm->real != MPI_COMM_NULL && comm->barred == MPI_SUCCESS)
        ft_must(PMPI_Comm_free(&comm->real), "PMPI_Comm_free");
    DL_DELETE(self->handles->comm, comm);
    if (self->spbc)
        ft_comm_bury(self, comm);
    else
        ft_comm_discard(comm);
}

void ft_comm_free(struct ft_rank *self, struct ft_comm *comm)
{
    struct ft_tombstone *stone;

    if (!self->spbc && (comm->inter || comm->size > 1)) {
        stone = ft_image_alloc(sizeof(*stone));
        *stone = (struct ft_tombstone){comm->id, comm->clock, self->handles->tombstone};
        self->handles->tombstone = stone;
    }
    ft_number_take(self, comm->number);
    ft_errhandler_release(self, comm->errhandler);
    ft_comm_hint(self, comm, MPI_INFO_NULL);
    ft_table_remove(&self->handles->comms, ft_handle_bits(comm->handle));
    comm->handle = MPI_COMM_NULL;
    if (!comm->held)
        ft_comm_destroy(self, comm);
}

void ft_comm_hold(struct ft_rank *self, struct ft_comm *comm)
{
    (void)self;
    comm->held++;
}

void ft_comm_release(struct ft_rank *self, struct ft_comm *comm)
{
    if (--comm->held == 0 && comm->handle == MPI_COMM_NULL && !comm->ghost)
        ft_comm_destroy(self, comm);
}

void ft_comm_untick(struct ft_comm *comm, int code)
{
    int class = MPI_ERR_OTHER;

    PMPI_Error_class(code, &class);
    switch (class) {
    case MPI_ERR_BUFFER:
    case MPI_ERR_COUNT:
    case MPI_ERR_TYPE:
    case MPI_ERR_COMM:
    case MPI_ERR_RANK:
    case MPI_ERR_ROOT:
    case MPI_ERR_GROUP:
    case MPI_ERR_OP:
    case MPI_ERR_TOPOLOGY:
    case MPI_ERR_DIMS:
    case MPI_ERR_ARG:
    case MPI_ERR_INFO:
        comm->clock--;
    }
}

uint32_t ft_comm_clocks(struct ft_rank *self, uint32_t from, struct ft_wire_clock *out,
                        uint32_t room)
{
    const struct ft_comm *comm;
    const struct ft_tombstone *stone;
    uint32_t index = 0, count = 0;

    if (self->spbc)
        return 0;
    DL_FOREACH (self->handles->comm, comm) {
        if (comm->handle == MPI_COMM_NULL || (!comm->inter && comm->size < 2))
            continue;
        if (index++ >= from && count < room)
            out[count++] = (struct ft_wire_clock){comm->id, comm->clock};
    }
    LL_FOREACH (self->handles->tombstone, stone) {
        if (index++ >= from && count < room)
            out[count++] = (struct ft_wire_clock){stone->id, stone->clock};
    }
    return count;
}

void ft_comm_forget(struct ft_rank *self)
{
    struct ft_tombstone *stone, *next;

    LL_FOREACH_SAFE (self->handles->tombstone, stone, next)
        ft_image_free(stone);
    self->handles->tombstone = NULL;
}

void ft_comm_name(struct ft_comm *comm, const char *name)
{
    ft_image_free(comm->name);
    comm->name = ft_image_string(name);
}

void ft_comm_hint(struct ft_rank *self, struct ft_comm *comm, MPI_Info info)
{
    MPI_Info copy = MPI_INFO_NULL;

    if (info != MPI_INFO_NULL) {
        ft_must(PMPI_Info_dup(ft_info_real(self, info), &copy), "PMPI_Info_dup");
        copy = ft_info_made(self, copy);
    }
    if (comm->hints != MPI_INFO_NULL)
        ft_info_free(self, comm->hints);
    comm->hints = copy;
}

void ft_comm_hint_more(struct ft_rank *self, struct ft_comm *comm, MPI_Info info)
{
    if (comm->hints == MPI_INFO_NULL)
        ft_comm_hint(self, comm, info);
    else
        ft_info_merge(self, comm->hints, info);
}
