/* Shrinking: the members agree on who is dead and on a number, the library makes a communicator of
 * the others (handle/making.c), and they agree that each of them has got it. Otherwise, because
 * another one has died in the middle, all begin again.
 *
 * A making that is left in the middle costs the library's members their turn to choose numbers, for
 * good (MPICH 4.0.2, src/mpi/comm/contextid.c): it bears one such, and perhaps another. Then no
 * communicator can be made any more, and the run ends with that reason. */
#include "calls/calls.h"
#include "os/os.h"
#include "request/virtual.h"
#include "ulfm/agree.h"

#define SHRINK_CLOCK ((uint64_t)1 << 63) /* no collective of a communicator has such a clock */

struct shrinking {
    struct ft_comm *on;
    MPI_Comm *newcomm;              /* the program's */
    struct ft_agreement *agreement; /* under way, or NULL: the library makes `comm` */
    struct ft_comm *comm;           /* to be; NULL: the agreement on who is dead is under way */
    int made;
    double begun; /* ft_os_now at which the library began */
};

static const double patience = 30; /* seconds, where a making was left in the middle before */

static int *survivors(const struct ft_rank *self, const int *world, int count, uint32_t deaths,
                      int *left)
{
    int *ranks = ft_image_alloc((size_t)(count ? count : 1) * sizeof(int));
    const uint32_t *when = self->spbc->ulfm->when;

    *left = 0;
    for (int i = 0; i < count; i++)
        if (!when[world[i]] || when[world[i]] > deaths)
            ranks[(*left)++] = world[i];
    return ranks;
}

static void agreement_end(struct ft_rank *self, struct shrinking *shrinking)
{
    ft_agreement_free(self, shrinking->agreement);
    shrinking->agreement = NULL;
}

/* All know who is dead. */
static void conceive(struct ft_rank *self, struct shrinking *shrinking)
{
    const struct ft_agreement *agreement = shrinking->agreement;
    const struct ft_comm *on = shrinking->on;
    uint32_t deaths = agreement->answer.deaths;
    struct ft_birth birth = {.clock = SHRINK_CLOCK | agreement->number,
                             .number = agreement->answer.proposal,
                             .lane = 2 * agreement->answer.proposal,
                             .inter = on->inter};

    birth.local = survivors(self, on->local, on->size, deaths, &birth.size);
    birth.world = birth.local;
    birth.peers = birth.size;
    if (on->inter)
        birth.world = survivors(self, on->world, on->peers, deaths, &birth.peers);
    ft_number_take(self, birth.number);
    agreement_end(self, shrinking);
    shrinking->comm = ft_comm_conceive(self, on, &birth);
    shrinking->begun = ft_os_now();
}

void ft_making_doubt(struct ft_rank *self, double begun)
{
    if (self->spbc->ulfm->abandoned && ft_os_now() - begun > patience)
        ft_refuse(ft_call_name(self->recorder->call), (const void *)(uintptr_t)self->recorder->site,
                  "deaths have interrupted this MPI library while it made communicators, and it "
                  "makes no other ones after that");
}

/* Answers 1 when the library has made it, or cannot. */
static int make(struct ft_rank *self, struct shrinking *shrinking)
{
    struct ft_comm *comm = shrinking->comm;
    int code;

    if (ft_any_dead(self, comm->local, comm->size) || ft_any_dead(self, comm->world, comm->peers)) {
        ft_comm_abandon(self, comm);
        shrinking->made = 0;
        return 1;
    }
    if (!ft_comm_bear(self, &shrinking->comm, &code)) {
        ft_making_doubt(self, shrinking->begun);
        return 0;
    }
    shrinking->made = code == MPI_SUCCESS;
    if (!shrinking->made)
        ft_refuse(
            "MPIX_Comm_shrink", (const void *)(uintptr_t)self->recorder->site,
            "the MPI library cannot make another communicator: it has some 2,000, and those with "
            "a failure cannot be freed");
    return 1;
}

static void begin(struct ft_rank *self, struct shrinking *shrinking)
{
    shrinking->comm = NULL;
    shrinking->made = 0;
    shrinking->agreement =
        ft_agreement_begin(self, shrinking->on, FT_AGREEMENT_SHRINK, -1, ft_number_propose(self));
}

/* All have got it, or none keeps it. Answers whether they have. */
static int settle(struct ft_rank *self, struct shrinking *shrinking)
{
    int all = shrinking->agreement->answer.flag;

    agreement_end(self, shrinking);
    if (shrinking->made)
        ft_comm_present(self, shrinking->on, shrinking->comm);
    if (all) {
        *shrinking->newcomm = shrinking->comm->handle;
        return 1;
    }
    if (shrinking->made)
        ft_comm_free(self, shrinking->comm);
    begin(self, shrinking);
    return 0;
}

/* As far as it goes without waiting. Answers 1 at the end. */
static int turn(struct ft_rank *self, struct shrinking *shrinking)
{
    if (shrinking->agreement && !ft_agreement_look(self, shrinking->agreement))
        return 0;
    if (shrinking->agreement && shrinking->comm)
        return settle(self, shrinking);
    if (shrinking->agreement)
        conceive(self, shrinking);
    if (make(self, shrinking))
        shrinking->agreement =
            ft_agreement_begin(self, shrinking->on, FT_AGREEMENT_SHRUNK, shrinking->made, 0);
    return 0;
}

int ft_shrink(struct ft_rank *self, struct ft_comm *on, MPI_Comm *newcomm)
{
    struct shrinking shrinking = {.on = on, .newcomm = newcomm};
    unsigned polls = 0;

    begin(self, &shrinking);
    while (!turn(self, &shrinking)) {
        if (shrinking.agreement)
            ft_agreement_pause(self, &polls);
        else
            ft_wait_pause(self, &polls);
    }
    return MPI_SUCCESS;
}

static void shrink_advance(struct ft_rank *self, struct ft_request *request)
{
    struct shrinking *shrinking = request->argument;

    if (!turn(self, shrinking))
        return;
    ft_image_free(shrinking);
    ft_request_ran(self, request, MPI_SUCCESS);
}

int ft_ishrink(struct ft_rank *self, struct ft_comm *on, MPI_Comm *newcomm, MPI_Request *request)
{
    struct ft_request *done = ft_request_create(self, FT_REQUEST_COLLECTIVE, on);
    struct shrinking *shrinking = ft_image_alloc(sizeof(*shrinking));

    *shrinking = (struct shrinking){.on = on, .newcomm = newcomm};
    begin(self, shrinking);
    *request = done->handle;
    ft_request_run(self, done, shrink_advance, shrinking);
    return MPI_SUCCESS;
}
