/* Births of communicators by groups that share no collective: messages between the members, on a
 * lane of their own. MPI has all of them make such communicators in one order, so one lane is
 * enough. */
#include <string.h>
#include "coll/coll.h"
#include "determinant/trail.h"
#include "handle/failure.h"
#include "pmpi/births.h"
#include "request/virtual.h"

#define MEETING_TAG (FT_LANE_MEETING << FT_LANE_BITS)

static struct ft_request message_of(struct ft_rank *self, enum ft_request_kind kind, int world,
                                    void *data, int bytes)
{
    return (struct ft_request){.kind = (uint8_t)kind,
                               .comm = ft_comm_lanes(self),
                               .buffer = data,
                               .count = bytes,
                               .type = MPI_BYTE,
                               .peer = world,
                               .tag = MEETING_TAG};
}

static int told(struct ft_rank *self, int world, void *data, int bytes)
{
    struct ft_request in = message_of(self, FT_REQUEST_RECV, world, data, bytes);
    int code = ft_recv_post(self, &in);

    if (code != MPI_SUCCESS)
        return code;
    if (in.state == FT_REQUEST_ACTIVE)
        ft_request_wait(self, &in);
    return in.code;
}

static int tell(struct ft_rank *self, int world, void *data, int bytes)
{
    struct ft_request out = message_of(self, FT_REQUEST_SEND, world, data, bytes);
    int code = ft_send_post(self, &out);

    if (code != MPI_SUCCESS)
        return code;
    if (out.state == FT_REQUEST_ACTIVE)
        ft_request_wait(self, &out);
    return out.code;
}

/* The first of the group hears all proposals and tells the highest. */
static int number_meet(struct ft_rank *self, const int *world, int size, int *number)
{
    int heard, code = MPI_SUCCESS;

    if (self->rank != world[0]) {
        code = tell(self, world[0], number, sizeof(*number));
        return code == MPI_SUCCESS ? told(self, world[0], number, sizeof(*number)) : code;
    }
    for (int i = 1; i < size && code == MPI_SUCCESS; i++) {
        code = told(self, world[i], &heard, sizeof(heard));
        *number = heard > *number ? heard : *number;
    }
    for (int i = 1; i < size && code == MPI_SUCCESS; i++)
        code = tell(self, world[i], number, sizeof(*number));
    return code;
}

/* With --ulfm all of them fail when one is dead. */
static void meeting_begin(struct ft_rank *self, const int *world, int size)
{
    struct ft_ulfm *ulfm = ft_ulfm_of(self);

    if (!ulfm)
        return;
    ulfm->meeting = world;
    ulfm->meeting_size = size;
}

static int *ranks_copy(const int *ranks, int count)
{
    return memcpy(ft_image_alloc((size_t)count * sizeof(int)), ranks, (size_t)count * sizeof(int));
}

int ft_birth_comm_create_group(struct ft_rank *self, struct ft_comm *on, MPI_Group group,
                               MPI_Comm *newcomm)
{
    struct ft_birth birth = {0};
    const int *members = ft_group_members(self, group, &birth.size);
    int number = ft_number_propose(self), place,
        code = PMPI_Group_rank(ft_group_real(self, group), &place);

    ft_trail_call(self, on->id, 0, 0, birth.size, 0);
    if (code == MPI_SUCCESS)
        code = ft_group_inside(on, members, birth.size);
    if (code != MPI_SUCCESS || !newcomm)
        return code != MPI_SUCCESS ? code : MPI_ERR_ARG;
    *newcomm = MPI_COMM_NULL;
    if (place == MPI_UNDEFINED)
        return MPI_SUCCESS;
    birth.local = ranks_copy(members, birth.size);
    birth.world = birth.local;
    birth.peers = birth.size;
    meeting_begin(self, birth.local, birth.size);
    code = number_meet(self, birth.local, birth.size, &number);
    meeting_begin(self, NULL, 0);
    if (code != MPI_SUCCESS)
        return code;
    ft_birth_number(self, &birth, number);
    return ft_birth_give(self, on, &birth, newcomm);
}

struct side { /* one group, as its leader tells the other */
    int size, number;
};

/* Gives and takes; the message of the lower rank goes first. */
static int swap(struct ft_rank *self, int world, void *mine, int give, void *theirs, int take)
{
    int first = self->rank < world;
    int code = first ? tell(self, world, mine, give) : told(self, world, theirs, take);

    if (code != MPI_SUCCESS)
        return code;
    return first ? told(self, world, theirs, take) : tell(self, world, mine, give);
}

/* The leaders tell each other their sides: *there and, to be freed, its ranks. */
static int leaders_meet(struct ft_rank *self, const struct ft_comm *on, int other, struct side here,
                        struct side *there, int **ranks)
{
    int code = swap(self, other, &here, sizeof(here), there, sizeof(*there));

    if (code != MPI_SUCCESS || here.size < 0 || there->size < 0)
        return code;
    *ranks = ft_image_alloc((size_t)there->size * sizeof(int));
    return swap(self, other, on->local, here.size * (int)sizeof(int), *ranks,
                there->size * (int)sizeof(int));
}

/* The leader's bytes, to all of its group. */
static int leader_tells(struct ft_rank *self, struct ft_comm *on, int leader, void *data, int bytes)
{
    char *all = ft_image_alloc((size_t)on->size * (size_t)bytes);
    int code = ft_coll_allgather(self, on, data, bytes, all);

    memcpy(data, all + (size_t)leader * (size_t)bytes, (size_t)bytes);
    ft_image_free(all);
    return code;
}

/* The world rank of the other leader, or -1. */
static int other_leader(struct ft_rank *self, MPI_Comm peer, int remote_leader)
{
    const struct ft_comm *meeting = ft_comm_find(self, peer);

    if (!meeting || remote_leader < 0 || remote_leader >= meeting->peers)
        return -1;
    return meeting->world[remote_leader];
}

/* A group in which somebody is dead has -1 members: the other leader waits for a word of it. */
static struct side here_of(const struct ft_comm *on, const struct ft_words *words, int code)
{
    return (struct side){code == MPI_SUCCESS ? on->size : -1, words->number};
}

/* The other group: *there and, to be freed, its ranks. */
static int sides_meet(struct ft_rank *self, struct ft_comm *on, int leader, int other,
                      struct side *there, int **ranks)
{
    struct ft_words words = {0};
    int gathered = ft_words_gather(self, on, 0, 0, &words), code = gathered;

    *ranks = NULL;
    if (code == MPI_SUCCESS)
        ft_words_free(on, &words);
    else if (!ft_ulfm_of(self))
        return code;
    if (on->rank == leader)
        code = leaders_meet(self, on, other, here_of(on, &words, gathered), there, ranks);
    if (code != MPI_SUCCESS && on->rank == leader && gathered == MPI_SUCCESS && ft_ulfm_of(self))
        there->size = -1; /* the others wait for a word */
    else if (code != MPI_SUCCESS)
        return code;
    code = gathered;
    if (code == MPI_SUCCESS)
        code = leader_tells(self, on, leader, there, sizeof(*there));
    if (code != MPI_SUCCESS || there->size < 0)
        return code != MPI_SUCCESS ? code : MPIX_ERR_PROC_FAILED;
    there->number = words.number > there->number ? words.number : there->number;
    if (on->rank != leader)
        *ranks = ft_image_alloc((size_t)there->size * sizeof(int));
    return leader_tells(self, on, leader, *ranks, there->size * (int)sizeof(int));
}

static int are_disjoint(const struct ft_birth *birth)
{
    for (int i = 0; i < birth->size; i++)
        for (int k = 0; k < birth->peers; k++)
            if (birth->local[i] == birth->world[k])
                return 0;
    return 1;
}

int ft_birth_intercomm_create(struct ft_rank *self, struct ft_comm *on, int leader, MPI_Comm peer,
                              int remote_leader, MPI_Comm *newcomm)
{
    struct ft_birth birth = {.inter = 1, .size = on->size};
    int other = on->rank == leader ? other_leader(self, peer, remote_leader) : 0;
    struct side there = {0, 0};
    int code;

    if (!newcomm || on->inter)
        return newcomm ? MPI_ERR_COMM : MPI_ERR_ARG;
    if (leader < 0 || leader >= on->size || other < 0 ||
        (on->rank == leader && other == self->rank))
        return MPI_ERR_RANK;
    ft_comm_tick(on);
    *newcomm = MPI_COMM_NULL;
    code = sides_meet(self, on, leader, other, &there, &birth.world);
    if (code != MPI_SUCCESS)
        return code;
    birth.local = ranks_copy(on->local, on->size);
    birth.peers = there.size;
    if (!are_disjoint(&birth))
        return MPI_ERR_COMM;
    ft_birth_number(self, &birth, there.number);
    return ft_birth_give(self, on, &birth, newcomm);
}
