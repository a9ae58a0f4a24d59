#include "ulfm/agree.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <utlist.h>
#include "request/virtual.h"

enum { SPINS = 64 }; /* turns without a sleep */

/* World ranks of both groups; to be freed. */
static int32_t *members_of(const struct ft_comm *on, uint32_t *count)
{
    int32_t *members;

    *count = (uint32_t)(on->size + (on->inter ? on->peers : 0));
    members = ft_image_alloc(*count * sizeof(*members));
    memcpy(members, on->local, (size_t)on->size * sizeof(*members));
    if (on->inter)
        memcpy(members + on->size, on->world, (size_t)on->peers * sizeof(*members));
    return members;
}

static struct ft_agreement *contribute(struct ft_rank *self, const struct ft_comm *on,
                                       struct ft_wire_agree mine)
{
    struct ft_agreement *agreement = ft_image_alloc(sizeof(*agreement));
    int32_t *members = members_of(on, &mine.count);

    agreement->comm = mine.comm;
    agreement->number = mine.number;
    LL_PREPEND(self->spbc->ulfm->open, agreement);
    if (ft_wire_send(ft_life.control, FT_WIRE_AGREE, &mine, sizeof(mine), members,
                     mine.count * sizeof(*members), -1) != 0)
        ft_panic("ftrun is gone, or the communicator has too many members for an agreement");
    ft_image_free(members);
    return agreement;
}

struct ft_agreement *ft_agreement_begin(struct ft_rank *self, struct ft_comm *on,
                                        enum ft_agreement_kind kind, int flag, int proposal)
{
    return contribute(self, on,
                      (struct ft_wire_agree){.comm = on->id,
                                             .number = ++on->agreements,
                                             .kind = kind,
                                             .flag = flag,
                                             .proposal = proposal,
                                             .acknowledged = on->acknowledged});
}

struct ft_agreement *ft_agreement_of_birth(struct ft_rank *self, struct ft_comm *on, uint64_t clock,
                                           int flag)
{
    return contribute(
        self, on,
        (struct ft_wire_agree){
            .comm = ~on->id, .number = (uint32_t)clock, .kind = FT_AGREEMENT_BIRTH, .flag = flag});
}

static void answer_take(struct ft_rank *self, const struct ft_wire_agreed *answer)
{
    struct ft_ulfm *ulfm = self->spbc->ulfm;
    struct ft_agreement *agreement, *next;

    LL_FOREACH_SAFE (ulfm->open, agreement, next) {
        if (agreement->comm != answer->comm || agreement->number != answer->number)
            continue;
        LL_DELETE(ulfm->open, agreement);
        agreement->answer = *answer;
        agreement->done = 1;
    }
}

/* Takes all that ftrun has said. */
static void listen(struct ft_rank *self)
{
    static char buffer[FT_WIRE_MAX];
    int fd;

    for (;;) {
        ssize_t length = ft_wire_receive(ft_life.control, 0, buffer, &fd);
        const struct ft_wire_agreed *answer;

        if (length == -EAGAIN)
            return;
        if (length <= 0)
            ft_panic("ftrun is gone");
        answer = ft_wire_payload(buffer, sizeof(*answer));
        if (((struct ft_wire_head *)buffer)->type == FT_WIRE_AGREED && answer)
            answer_take(self, answer);
    }
}

int ft_agreement_look(struct ft_rank *self, struct ft_agreement *agreement)
{
    if (!agreement->done)
        listen(self);
    if (!agreement->done)
        return 0;
    while (self->spbc->ulfm->deaths < agreement->answer.deaths)
        ft_failure_await(self, 1);
    return 1;
}

void ft_agreement_free(struct ft_rank *self, struct ft_agreement *agreement)
{
    if (!agreement->done)
        LL_DELETE(self->spbc->ulfm->open, agreement);
    ft_image_free(agreement);
}

static int any_between(const struct ft_ulfm *ulfm, const int *world, int count, uint32_t from,
                       uint32_t to)
{
    for (int i = 0; i < count; i++)
        if (ulfm->when[world[i]] > from && ulfm->when[world[i]] <= to)
            return 1;
    return 0;
}

int ft_agreement_code(const struct ft_rank *self, const struct ft_comm *on,
                      const struct ft_agreement *agreement)
{
    const struct ft_ulfm *ulfm = self->spbc->ulfm;
    uint32_t from = agreement->answer.acknowledged, to = agreement->answer.deaths;

    return any_between(ulfm, on->local, on->size, from, to) ||
                   any_between(ulfm, on->world, on->peers, from, to)
               ? MPIX_ERR_PROC_FAILED
               : MPI_SUCCESS;
}

void ft_agreement_pause(struct ft_rank *self, unsigned *polls)
{
    struct pollfd wait = {.fd = ft_life.control, .events = POLLIN};
    const struct timespec nap = {.tv_nsec = 50000};

    ft_progress(self);
    if (*polls >= SPINS)
        ppoll(&wait, 1, &nap, NULL);
    ft_wait_pause(self, polls);
}

int ft_agree(struct ft_rank *self, struct ft_comm *on, int *flag)
{
    struct ft_agreement *agreement = ft_agreement_begin(self, on, FT_AGREEMENT_AGREE, *flag, 0);
    unsigned polls = 0;
    int code;

    while (!ft_agreement_look(self, agreement))
        ft_agreement_pause(self, &polls);
    *flag = agreement->answer.flag;
    code = ft_agreement_code(self, on, agreement);
    ft_agreement_free(self, agreement);
    return code;
}

/* ftrun tells of a revocation behind the answers that it gave before. */
static int is_answered(struct ft_rank *self, const struct ft_comm *on,
                       struct ft_agreement *agreement)
{
    unsigned polls = 0;

    while (!ft_agreement_look(self, agreement)) {
        if (on->revoked)
            return ft_agreement_look(self, agreement);
        ft_agreement_pause(self, &polls);
    }
    return 1;
}

int ft_birth_agreed(struct ft_rank *self, struct ft_comm *on, uint64_t clock, int code)
{
    struct ft_agreement *agreement;

    if (!ft_ulfm_of(self))
        return code;
    agreement = ft_agreement_of_birth(self, on, clock, code == MPI_SUCCESS);
    if (!is_answered(self, on, agreement))
        code = MPIX_ERR_REVOKED;
    else if (code == MPI_SUCCESS && !agreement->answer.flag)
        code = on->barred != MPI_SUCCESS ? on->barred : MPIX_ERR_PROC_FAILED;
    else if (code == MPI_SUCCESS)
        code = ft_agreement_code(self, on, agreement);
    ft_agreement_free(self, agreement);
    return code;
}

struct later {
    struct ft_agreement *agreement;
    int *flag; /* the program's */
};

static void agree_advance(struct ft_rank *self, struct ft_request *request)
{
    struct later *later = request->argument;
    int code;

    if (!ft_agreement_look(self, later->agreement))
        return;
    *later->flag = later->agreement->answer.flag;
    code = ft_agreement_code(self, request->comm, later->agreement);
    ft_agreement_free(self, later->agreement);
    ft_image_free(later);
    ft_request_ran(self, request, code);
}

int ft_iagree(struct ft_rank *self, struct ft_comm *on, int *flag, MPI_Request *request)
{
    struct ft_request *done = ft_request_create(self, FT_REQUEST_COLLECTIVE, on);
    struct later *later = ft_image_alloc(sizeof(*later));

    later->flag = flag;
    later->agreement = ft_agreement_begin(self, on, FT_AGREEMENT_IAGREE, *flag, 0);
    *request = done->handle;
    ft_request_run(self, done, agree_advance, later);
    return MPI_SUCCESS;
}
