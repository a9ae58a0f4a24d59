/* Births and deaths with --protocol spbc.
 *
 * Invariant: a member of a communicator that some member has made, in this epoch or an earlier one,
 * has it in a list at the start of an epoch: as a live one, a ghost, freed among the past, or among
 * those ahead (census.c). So a rank that comes to a birth finds its ghost, and nobody else is
 * needed; or finds it ahead, and asks for an epoch in which it is made; or no member has been
 * through, and all will come in this epoch: then they make it together. */
#include <string.h>
#include <utlist.h>
#include "handle/failure.h"
#include "handle/handles.h"

int ft_number_propose(const struct ft_rank *self)
{
    return self->handles->number_next;
}

void ft_number_take(struct ft_rank *self, int number)
{
    if (self->handles->number_next <= number)
        self->handles->number_next = number + 1;
}

int ft_lane_draw(struct ft_rank *self)
{
    return 2 * (++self->handles->lanes_drawn * self->size + self->rank) + 1;
}

static int is_shared(const struct ft_comm *comm)
{
    return comm->inter || comm->size > 1;
}

void ft_comm_bury(struct ft_rank *self, struct ft_comm *comm)
{
    if (!is_shared(comm) || ft_ulfm_of(self)) { /* with --ulfm nobody rolls back that far */
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

    if (!comm)
        comm = known_in(self->handles->past, id);
    return comm ? comm : known_in(self->handles->ahead, id);
}

struct ft_comm *ft_comm_conceive(struct ft_rank *self, const struct ft_comm *parent,
                                 struct ft_birth *birth)
{
    struct ft_comm *comm = ft_image_alloc(sizeof(*comm));

    comm->real = MPI_COMM_NULL;
    comm->handle = MPI_COMM_NULL;
    comm->hints = MPI_INFO_NULL;
    comm->number = birth->number;
    comm->lane = birth->lane;
    comm->inter = birth->inter;
    comm->size = birth->size;
    comm->peers = birth->peers;
    comm->local = birth->local;
    comm->world = birth->world;
    comm->topology = birth->topology;
    while (comm->local[comm->rank] != self->rank)
        comm->rank++;
    ft_comm_identify(self, parent, birth->clock, comm);
    DL_APPEND(self->handles->births, comm);
    return comm;
}

/* Moves the handle that the program has already, when it asked for it by a non-blocking call. */
static void handle_move(struct ft_rank *self, struct ft_comm *from, struct ft_comm *to)
{
    if (from->handle == MPI_COMM_NULL)
        return;
    to->handle = from->handle;
    to->errhandler = from->errhandler;
    to->attributes = from->attributes;
    to->hints = from->hints;
    ft_table_replace(&self->handles->comms, ft_handle_bits(to->handle), to);
    ft_comm_hint_real(self, to);
}

/* `comm` is what the program makes now, `ghost` what others had made of it. */
static void ghost_adopt(struct ft_rank *self, struct ft_comm *comm, struct ft_comm *ghost)
{
    if (ghost->lane != comm->lane || ghost->size != comm->size || ghost->rank != comm->rank)
        ft_panic("a communicator is made again, but not the same: rank %d of %d on lane %d, was "
                 "rank %d of %d on lane %d",
                 comm->rank, comm->size, comm->lane, ghost->rank, ghost->size, ghost->lane);
    ghost->topology = comm->topology;
    ghost->number = comm->number;
    ghost->ghost = 0;
    self->handles->ghosts--;
    handle_move(self, comm, ghost);
    comm->topology = NULL;
    ft_comm_discard(comm);
}

static struct ft_comm *ghost_find(struct ft_rank *self, uint64_t id)
{
    struct ft_comm *comm = self->handles->ghosts ? known_in(self->handles->comm, id) : NULL;

    return comm && comm->ghost ? comm : NULL;
}

/* The library's own refusal (too many communicators) must be found by whoever rolls back, too. */
static int comm_refuse(struct ft_rank *self, struct ft_comm **comm, int code)
{
    int class = code;

    PMPI_Error_class(code, &class);
    (*comm)->refused = class;
    ft_number_take(self, (*comm)->number);
    if ((*comm)->handle != MPI_COMM_NULL)
        ft_table_remove(&self->handles->comms, ft_handle_bits((*comm)->handle));
    (*comm)->handle = MPI_COMM_NULL;
    ft_comm_bury(self, *comm);
    *comm = NULL;
    return code;
}

static int comm_adopt(struct ft_rank *self, struct ft_comm **comm, struct ft_comm *ghost)
{
    DL_DELETE(self->handles->births, *comm);
    ghost_adopt(self, *comm, ghost);
    *comm = ghost;
    if (!ghost->refused)
        return MPI_SUCCESS;
    DL_DELETE(self->handles->comm, ghost);
    return comm_refuse(self, comm, ghost->refused);
}

/* Once in a life: the next census makes what is next. */
static void regroup(void)
{
    static int asked;

    if (!asked && ft_wire_send(ft_life.control, FT_WIRE_REGROUP, NULL, 0, NULL, 0, -1) != 0)
        ft_panic("ftrun is gone");
    asked = 1;
}

int ft_comm_bear(struct ft_rank *self, struct ft_comm **comm, int *code)
{
    struct ft_comm *ghost = ft_making_runs(*comm) ? NULL : ghost_find(self, (*comm)->id);

    if (ghost) {
        *code = comm_adopt(self, comm, ghost);
        return 1;
    }
    if (known_in(self->handles->ahead, (*comm)->id)) {
        regroup();
        return 0;
    }
    if (!ft_making_turn(self, *comm, code))
        return 0;
    DL_DELETE(self->handles->births, *comm);
    if (*code == MPI_SUCCESS)
        DL_APPEND(self->handles->comm, *comm);
    else
        comm_refuse(self, comm, *code);
    return 1;
}
