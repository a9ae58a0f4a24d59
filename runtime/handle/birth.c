/* Births and deaths with --protocol spbc.
 *
 * Invariant: a member of a communicator that some member knows of (because it has made it in this
 * epoch or an earlier one) has it in its list at the start of an epoch: as a live one, a ghost or,
 * freed, among the past (census.c). So a rank that comes to a birth either finds its ghost, and
 * nobody else is needed; or no member has ever been through, and all will come in this epoch: then
 * they make it together, natively, without a safe point in between. */
#include <string.h>
#include <utlist.h>
#include "handle/handles.h"

int ft_lane_propose(const struct ft_rank *self)
{
    return self->handles->lane_next;
}

void ft_lane_take(struct ft_rank *self, int lane)
{
    if (self->handles->lane_next <= lane)
        self->handles->lane_next = lane + 1;
}

static int is_shared(const struct ft_comm *comm)
{
    return comm->inter || comm->size > 1;
}

void ft_comm_bury(struct ft_rank *self, struct ft_comm *comm)
{
    if (!is_shared(comm)) {
        ft_comm_discard(comm);
        return;
    }
    ft_topology_free(comm->topology);
    ft_image_free(comm->name);
    comm->topology = NULL;
    comm->name = NULL;
    DL_APPEND(self->handles->past, comm);
}

static struct ft_comm *known_in(struct ft_comm *list, uint64_t id)
{
    struct ft_comm *comm;

    DL_SEARCH_SCALAR(list, comm, id, id);
    return comm;
}

struct ft_comm *ft_comm_known(struct ft_rank *self, uint64_t id)
{
    struct ft_comm *comm = known_in(self->handles->comm, id);

    return comm ? comm : known_in(self->handles->past, id);
}

static struct ft_comm *comm_of(struct ft_rank *self, const struct ft_birth *birth)
{
    struct ft_comm *comm = ft_image_alloc(sizeof(*comm));

    comm->real = MPI_COMM_NULL;
    comm->handle = MPI_COMM_NULL;
    comm->hints = MPI_INFO_NULL;
    comm->lane = birth->lane;
    comm->inter = birth->inter;
    comm->size = birth->size;
    comm->peers = birth->peers;
    comm->local = birth->local;
    comm->world = birth->world;
    comm->topology = birth->topology;
    while (comm->local[comm->rank] != self->rank)
        comm->rank++;
    return comm;
}

/* `comm` is what the program has made now, `ghost` what others had made of it. */
static void ghost_adopt(struct ft_rank *self, struct ft_comm *comm, struct ft_comm *ghost)
{
    if (ghost->lane != comm->lane || ghost->size != comm->size || ghost->rank != comm->rank)
        ft_panic("a communicator is made again, but not the same: rank %d of %d on lane %d, was "
                 "rank %d of %d on lane %d",
                 comm->rank, comm->size, comm->lane, ghost->rank, ghost->size, ghost->lane);
    ghost->topology = comm->topology;
    ghost->ghost = 0;
    self->handles->ghosts--;
    comm->topology = NULL;
    ft_comm_discard(comm);
}

/* The library's own refusal (too many communicators) must be found by whoever goes back, too. */
static int comm_refused(struct ft_rank *self, struct ft_comm *comm, int code)
{
    int class = code;

    PMPI_Error_class(code, &class);
    comm->refused = class;
    ft_comm_bury(self, comm);
    return code;
}

static int comm_make(struct ft_rank *self, struct ft_comm *comm)
{
    int code;

    ft_block_begin(self, comm->id, 0);
    code = ft_comm_make(self, comm);
    ft_block_end(self);
    if (code != MPI_SUCCESS)
        return comm_refused(self, comm, code);
    DL_APPEND(self->handles->comm, comm);
    return MPI_SUCCESS;
}

static struct ft_comm *ghost_find(struct ft_rank *self, uint64_t id)
{
    struct ft_comm *comm = self->handles->ghosts ? known_in(self->handles->comm, id) : NULL;

    return comm && comm->ghost ? comm : NULL;
}

int ft_comm_bear(struct ft_rank *self, const struct ft_comm *parent, struct ft_birth *birth,
                 struct ft_comm **made)
{
    struct ft_comm *comm = comm_of(self, birth), *ghost;
    int code = MPI_SUCCESS;

    *made = NULL;
    ft_comm_identify(self, parent, birth->clock, comm);
    ghost = ghost_find(self, comm->id);
    if (ghost) {
        ghost_adopt(self, comm, ghost);
        comm = ghost;
    } else {
        code = comm_make(self, comm);
    }
    if (code != MPI_SUCCESS)
        return code;
    if (comm->refused) {
        DL_DELETE(self->handles->comm, comm);
        ft_comm_bury(self, comm);
        return comm->refused;
    }
    ft_comm_present(self, parent, comm);
    *made = comm;
    return MPI_SUCCESS;
}
