#include "handle/failure.h"

#include <string.h>
#include <time.h>
#include <utlist.h>
#include "handle/handles.h"
#include "image/layout.h"
#include "os/os.h"

/* A life of the library begins. Survivors and new processes count on from the same numbers. */
static void failure_begin(struct ft_rank *self)
{
    struct ft_ulfm *ulfm = self->spbc->ulfm;
    struct ft_comm *world = &self->handles->world;

    ulfm->deaths = ulfm->searched = ulfm->told->healed;
    ulfm->revokes = ulfm->told->healed_revokes;
    ulfm->asked = ulfm->told->cleared;
    world->clock = (uint64_t)ft_life.boot.renewed << 32;
    world->agreements = ft_life.boot.renewed << 16;
    world->acknowledged = ulfm->deaths;
}

void ft_failure_start(struct ft_rank *self)
{
    struct ft_ulfm *ulfm = ft_image_alloc(sizeof(*ulfm));

    ulfm->told = (struct ft_deaths *)(FT_RECORDER_AT + FT_RECORDER_BYTES);
    ulfm->when = ft_image_alloc((size_t)self->size * sizeof(*ulfm->when));
    self->spbc->ulfm = ulfm;
    failure_begin(self);
}

/* The library's part is gone, and none is made again. */
static void comm_retire(struct ft_comm *comm)
{
    comm->real = MPI_COMM_NULL;
    comm->lane = FT_LANE_RETIRED;
    comm->revoked = 1;
    comm->barred = MPIX_ERR_REVOKED;
}

void ft_failure_renew(struct ft_rank *self)
{
    struct ft_comm *comm;

    memset(self->spbc->ulfm->when, 0, (size_t)self->size * sizeof(*self->spbc->ulfm->when));
    memset(self->sent, 0, (size_t)self->size * sizeof(*self->sent));
    memset(self->received, 0, (size_t)self->size * sizeof(*self->received));
    self->spbc->ulfm->abandoned = 0;
    DL_FOREACH (self->handles->comm, comm) {
        if (comm->inter || (comm->id > FT_LANES_ID && comm->size > 1)) {
            comm_retire(comm);
            continue;
        }
        comm->revoked = 0;
        comm->barred = MPI_SUCCESS;
        if (comm->id > FT_LANES_ID) /* the rank is alone in it */
            ft_must(ft_comm_make(self, comm), "making a communicator of one rank again");
    }
    failure_begin(self);
    self->spbc->replaying = self->spbc->resending = 1;
}

void ft_failure_revoke_all(struct ft_rank *self)
{
    struct ft_comm *comm;

    DL_FOREACH (self->handles->comm, comm)
        if (!ft_comm_is_lanes(comm)) {
            comm->revoked = 1;
            comm->barred = MPIX_ERR_REVOKED;
        }
    self->spbc->replaying = self->spbc->resending = 1;
}

int ft_any_dead(const struct ft_rank *self, const int *world, int count)
{
    for (int i = 0; i < count; i++)
        if (ft_is_dead(self, world[i]))
            return 1;
    return 0;
}

static int any_dead_behind(const struct ft_ulfm *ulfm, const int *world, int count, uint32_t known)
{
    for (int i = 0; i < count; i++)
        if (ulfm->when[world[i]] > known)
            return 1;
    return 0;
}

int ft_comm_unacknowledged(const struct ft_rank *self, const struct ft_comm *comm)
{
    const struct ft_ulfm *ulfm = self->spbc->ulfm;

    return any_dead_behind(ulfm, comm->world, comm->peers, comm->acknowledged) ||
           (comm->inter && any_dead_behind(ulfm, comm->local, comm->size, comm->acknowledged));
}

static int is_revoked(const struct ft_ulfm *ulfm, uint64_t id)
{
    for (uint32_t i = ulfm->told->healed_revokes; i < ulfm->revokes; i++)
        if (ulfm->told->revoked[i] == id)
            return 1;
    return 0;
}

void ft_failure_mark(struct ft_rank *self, struct ft_comm *comm)
{
    const struct ft_ulfm *ulfm = self->spbc->ulfm;

    if (!comm->revoked)
        comm->revoked = is_revoked(ulfm, comm->id);
    if (comm->revoked)
        comm->barred = MPIX_ERR_REVOKED;
    else if (ft_any_dead(self, comm->world, comm->peers) ||
             (comm->inter && ft_any_dead(self, comm->local, comm->size)))
        comm->barred = MPIX_ERR_PROC_FAILED;
}

static void mark_all(struct ft_rank *self)
{
    struct ft_comm *comm;

    DL_FOREACH (self->handles->comm, comm)
        if (!ft_comm_is_lanes(comm))
            ft_failure_mark(self, comm);
    DL_FOREACH (self->handles->births, comm)
        ft_failure_mark(self, comm);
    /* From now on each call is described, and looked at. */
    self->spbc->replaying = self->spbc->resending = 1;
}

int ft_failure_learn(struct ft_rank *self)
{
    struct ft_ulfm *ulfm = self->spbc->ulfm;
    uint32_t deaths = __atomic_load_n(&ulfm->told->count, __ATOMIC_ACQUIRE);
    uint32_t revokes = __atomic_load_n(&ulfm->told->revokes, __ATOMIC_ACQUIRE);

    if (deaths == ulfm->deaths && revokes == ulfm->revokes)
        return 0;
    while (ulfm->deaths < deaths) {
        int world = ulfm->told->death[ulfm->deaths].rank;

        ulfm->when[world] = ++ulfm->deaths;
    }
    ulfm->revokes = revokes;
    mark_all(self);
    return 1;
}

int ft_failure_await(struct ft_rank *self, double seconds)
{
    const struct timespec nap = {.tv_nsec = 200000};
    double end = ft_os_now() + seconds;

    while (!ft_failure_learn(self)) {
        if (ft_os_now() > end)
            return 0;
        nanosleep(&nap, NULL);
    }
    return 1;
}

void ft_failure_revoke(struct ft_rank *self, struct ft_comm *comm)
{
    struct ft_wire_number id = {(int64_t)comm->id};

    if (comm->revoked)
        return;
    if (ft_wire_send(ft_life.control, FT_WIRE_REVOKE, &id, sizeof(id), NULL, 0, -1) != 0)
        ft_panic("ftrun is gone");
    comm->revoked = 1;
    mark_all(self);
}

void ft_comm_abandon(struct ft_rank *self, struct ft_comm *comm)
{
    ft_making_forget(comm);
    ft_number_take(self, comm->number);
    DL_DELETE(self->handles->births, comm);
    self->spbc->ulfm->abandoned++;
}

/* The answer of MPICH when its transport meets a process that is gone. ftrun will tell in a
 * moment which one it was. */
int ft_failure_code(struct ft_rank *self, const struct ft_comm *comm, int code)
{
    static const double patience = 0.5;
    int class = MPI_SUCCESS;

    if (code == MPI_ERR_IN_STATUS || ft_failure_text(code))
        return code;
    PMPI_Error_class(code, &class);
    if (!comm || (class != MPI_ERR_OTHER && class != MPI_ERR_INTERN))
        return code;
    if (!comm->barred)
        ft_failure_await(self, patience);
    return comm->barred ? comm->barred : code;
}

const char *ft_failure_text(int code)
{
    return code == MPIX_ERR_PROC_FAILED           ? "MPIX_ERR_PROC_FAILED: a process has failed"
           : code == MPIX_ERR_PROC_FAILED_PENDING ? "MPIX_ERR_PROC_FAILED_PENDING: a process has "
                                                    "failed, and the request is still pending"
           : code == MPIX_ERR_REVOKED             ? "MPIX_ERR_REVOKED: the communicator is revoked"
                                                  : NULL;
}
