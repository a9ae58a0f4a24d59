/* MPI_Comm_idup with --protocol spbc: two things one after the other, carried on by the polls of
 * its request. The members tell each other their proposals for the number, and the lowest of them
 * the lane; then the communicator is made as any other.
 *
 * Invariant: what a rank says is decided in the call, where its place among the rank's births is
 * the same in each execution, not when answers come. */
#include <string.h>
#include "coll/coll.h"
#include "determinant/trail.h"
#include "handle/failure.h"
#include "pmpi/births.h"
#include "request/virtual.h"

struct word {
    int number; /* proposed */
    int lane;   /* drawn by the lowest member; 0 */
};

struct later {            /* in the image */
    struct ft_comm *comm; /* to be */
    int members;
    MPI_Request telling; /* MPI_REQUEST_NULL: all is known */
    struct word said[];  /* [members] */
};

static int is_lowest(const struct ft_rank *self, const struct ft_comm *on)
{
    for (int i = 0; i < on->size; i++)
        if (on->local[i] < self->rank)
            return 0;
    for (int i = 0; i < on->peers; i++)
        if (on->world[i] < self->rank)
            return 0;
    return 1;
}

static int *ranks_copy(const int *ranks, int count)
{
    return memcpy(ft_image_alloc((size_t)count * sizeof(int)), ranks, (size_t)count * sizeof(int));
}

static struct ft_comm *duplicate(struct ft_rank *self, struct ft_comm *on)
{
    struct ft_birth birth = {.clock = ft_comm_tick(on),
                             .inter = on->inter,
                             .size = on->size,
                             .peers = on->peers,
                             .local = ranks_copy(on->local, on->size),
                             .topology = ft_topology_copy(on->topology)};

    birth.world = on->inter ? ranks_copy(on->world, on->peers) : birth.local;
    return ft_comm_conceive(self, on, &birth);
}

/* Have all said their word? */
static int is_told(struct ft_rank *self, struct later *later)
{
    struct ft_request *telling = ft_request_find(self, later->telling);

    if (!telling)
        return 1;
    if (telling->state == FT_REQUEST_ACTIVE)
        ft_request_poll(self, telling);
    if (telling->state == FT_REQUEST_ACTIVE)
        return 0;
    ft_request_take(self, telling, &later->telling, MPI_STATUS_IGNORE);
    for (int i = 0; i < later->members; i++) {
        const struct word *word = &later->said[i];

        if (word->number > later->comm->number)
            later->comm->number = word->number;
        later->comm->lane += word->lane;
    }
    return 1;
}

static void later_advance(struct ft_rank *self, struct ft_request *request)
{
    struct later *later = request->argument;
    int code;

    if (ft_ulfm_of(self) && (code = later->comm->barred)) {
        if (later->telling != MPI_REQUEST_NULL) /* it has failed, too */
            ft_request_detach(self, ft_request_find(self, later->telling));
        ft_comm_abandon(self, later->comm);
        ft_request_ran(self, request, code);
        return;
    }
    if (!is_told(self, later) || !ft_comm_bear(self, &later->comm, &code))
        return;
    ft_image_free(later);
    ft_request_ran(self, request, code);
}

int ft_birth_comm_idup(struct ft_rank *self, struct ft_comm *on, MPI_Comm *newcomm,
                       struct ft_comm **born, MPI_Request *request)
{
    struct word mine = {.number = ft_number_propose(self)};
    int members = on->size + (on->inter ? on->peers : 0);
    struct later *later = ft_image_alloc(sizeof(*later) + (size_t)members * sizeof(mine));
    struct ft_request *done;

    ft_trail_call(self, on->id, 0, 0, 0, 0);
    if (is_lowest(self, on))
        mine.lane = ft_lane_draw(self);
    ft_lane_check(self, mine.lane);
    later->members = members;
    later->comm = *born = duplicate(self, on);
    ft_comm_present(self, on, *born);
    *newcomm = (*born)->handle;
    ft_coll_tell(self, on, &mine, sizeof(mine), later->said, &later->telling);
    done = ft_request_create(self, FT_REQUEST_COLLECTIVE, on);
    *request = done->handle;
    ft_request_run(self, done, later_advance, later);
    return MPI_SUCCESS;
}
