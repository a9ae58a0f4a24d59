/* Births of communicators that the members of another one make together.
 *
 * All but the merge are one thing: each member names a color and a key, as in MPI_Comm_split. In a
 * duplicate all have one color; in a grid those that have a place; in a group the group's first
 * member is the color, and the place there the key. Ranks are never reordered. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "coll/coll.h"
#include "determinant/trail.h"
#include "handle/failure.h"
#include "pmpi/births.h"
#include "calls/calls.h"
#include "os/os.h"
#include "request/virtual.h"
#include "ulfm/agree.h"

void ft_lane_check(struct ft_rank *self, int lane)
{
    const int *bound = ft_attribute_predefined(self, MPI_TAG_UB);

    if (bound && lane > *bound >> FT_LANE_BITS)
        ft_refuse(ft_call_name(self->recorder->call), (const void *)(uintptr_t)self->recorder->site,
                  "the tags of this MPI library do not suffice for so many communicators with "
                  "--protocol spbc");
}

void ft_birth_number(struct ft_rank *self, struct ft_birth *birth, int number)
{
    ft_lane_check(self, 2 * number);
    ft_number_take(self, number);
    birth->number = number;
    birth->lane = 2 * number;
}

/* On an intercommunicator an allgather tells of the other group; that group then sends back what it
 * has been told. */
static int echo_gather(struct ft_rank *self, struct ft_comm *on, struct ft_words *words)
{
    int most = on->size > on->peers ? on->size : on->peers, code;
    size_t bytes = (size_t)most * sizeof(struct ft_word);
    char *told = ft_image_alloc(bytes), *all = ft_image_alloc((size_t)on->peers * bytes);

    memcpy(told, words->there, (size_t)on->peers * sizeof(struct ft_word));
    code = ft_coll_allgather(self, on, told, (int)bytes, all);
    memcpy(words->here, all, (size_t)on->size * sizeof(struct ft_word));
    ft_image_free(told);
    ft_image_free(all);
    return code;
}

static int words_highest(const struct ft_word *word, int count, int highest)
{
    for (int i = 0; i < count; i++)
        highest = word[i].number > highest ? word[i].number : highest;
    return highest;
}

int ft_words_gather(struct ft_rank *self, struct ft_comm *on, int a, int b, struct ft_words *words)
{
    struct ft_word mine = {ft_number_propose(self), a, b};
    int code;

    ft_trail_call(self, on->id, a, b, 0, 0);
    words->here = ft_image_alloc((size_t)on->size * sizeof(struct ft_word));
    words->there = words->here;
    if (on->inter)
        words->there = ft_image_alloc((size_t)on->peers * sizeof(struct ft_word));
    code = ft_coll_allgather(self, on, &mine, sizeof(mine), words->there);
    if (code == MPI_SUCCESS && on->inter)
        code = echo_gather(self, on, words);
    if (code != MPI_SUCCESS) {
        ft_words_free(on, words);
        return code;
    }
    words->number = words_highest(words->there, on->peers, words_highest(words->here, on->size, 0));
    return MPI_SUCCESS;
}

void ft_words_free(const struct ft_comm *on, struct ft_words *words)
{
    if (on->inter)
        ft_image_free(words->there);
    ft_image_free(words->here);
}

int ft_birth_hopeless(struct ft_rank *self, const struct ft_comm *parent,
                      const struct ft_birth *birth, const struct ft_comm *comm)
{
    if (ft_any_dead(self, comm->world, comm->peers) || ft_any_dead(self, comm->local, comm->size))
        return MPIX_ERR_PROC_FAILED;
    return birth->clock || !parent->revoked ? MPI_SUCCESS : MPIX_ERR_REVOKED;
}

int ft_birth_give(struct ft_rank *self, const struct ft_comm *parent, struct ft_birth *birth,
                  MPI_Comm *newcomm)
{
    struct ft_comm *comm = ft_comm_conceive(self, parent, birth);
    double begun = ft_ulfm_of(self) ? ft_os_now() : 0;
    unsigned polls = 0;
    int code;

    while (!ft_comm_bear(self, &comm, &code)) {
        ft_wait_pause(self, &polls);
        if (!ft_ulfm_of(self))
            continue;
        if ((code = ft_birth_hopeless(self, parent, birth, comm))) {
            ft_comm_abandon(self, comm);
            return code;
        }
        ft_making_doubt(self, begun);
    }
    if (comm)
        ft_comm_present(self, parent, comm);
    *newcomm = comm ? comm->handle : MPI_COMM_NULL;
    return code;
}

struct chosen {
    int key, index, world;
};

static int chosen_order(const void *a, const void *b)
{
    const struct chosen *one = a, *two = b;

    if (one->key != two->key)
        return one->key < two->key ? -1 : 1;
    return one->index - two->index;
}

/* The world ranks of one color, in order; to be freed. */
static int *ranks_chosen(const struct ft_word *word, const int *world, int count, int color,
                         int *size)
{
    struct chosen *chosen = ft_image_alloc((size_t)count * sizeof(*chosen));
    int *ranks = ft_image_alloc((size_t)count * sizeof(int));

    *size = 0;
    for (int i = 0; i < count; i++)
        if (word[i].a == color)
            chosen[(*size)++] = (struct chosen){word[i].b, i, world[i]};
    qsort(chosen, (size_t)*size, sizeof(*chosen), chosen_order);
    for (int i = 0; i < *size; i++)
        ranks[i] = chosen[i].world;
    ft_image_free(chosen);
    return ranks;
}

static int color_birth(struct ft_rank *self, struct ft_comm *on, int color,
                       const struct ft_words *words, struct ft_birth *birth, MPI_Comm *newcomm)
{
    birth->inter = on->inter;
    birth->local = ranks_chosen(words->here, on->local, on->size, color, &birth->size);
    birth->world = birth->local;
    birth->peers = birth->size;
    if (on->inter)
        birth->world = ranks_chosen(words->there, on->world, on->peers, color, &birth->peers);
    if (birth->peers)
        return ft_birth_give(self, on, birth, newcomm);
    ft_image_free(birth->local);
    ft_image_free(birth->world);
    return MPI_SUCCESS;
}

int ft_birth_by_color(struct ft_rank *self, struct ft_comm *on, int color, int key,
                      struct ft_topology *topology, MPI_Comm *newcomm)
{
    struct ft_birth birth = {.clock = ft_comm_tick(on), .topology = topology};
    struct ft_words words;
    int gathered = ft_words_gather(self, on, color, key, &words);
    int code = ft_birth_agreed(self, on, birth.clock, gathered);

    *newcomm = MPI_COMM_NULL;
    if (code != MPI_SUCCESS) {
        if (gathered == MPI_SUCCESS)
            ft_words_free(on, &words);
        return code;
    }
    ft_birth_number(self, &birth, words.number);
    if (color != MPI_UNDEFINED)
        code = color_birth(self, on, color, &words, &birth, newcomm);
    ft_words_free(on, &words);
    return code;
}

int ft_birth_comm_dup(struct ft_rank *self, struct ft_comm *on, MPI_Comm *newcomm)
{
    return ft_birth_by_color(self, on, 0, 0, ft_topology_copy(on->topology), newcomm);
}

int ft_birth_comm_split(struct ft_rank *self, struct ft_comm *on, int color, int key,
                        MPI_Comm *newcomm)
{
    if (!newcomm)
        return MPI_ERR_ARG;
    return ft_birth_by_color(self, on, color, key, NULL, newcomm);
}

/* The part that a type of MPI_Comm_split_type gives. */
struct part {
    int color; /* equal where the hints are */
    int made;  /* 1: all with this color get a communicator; 0: MPI_COMM_NULL */
};

/* The value of `key`; "" where there is none. */
static struct part part_hinted(struct ft_rank *self, MPI_Info info, const char *key, char *value)
{
    int found = 0;

    if (info != MPI_INFO_NULL)
        PMPI_Info_get(ft_info_real(self, info), key, MPI_MAX_INFO_VAL, value, &found);
    if (!found)
        value[0] = 0;
    return (struct part){(int)(XXH3_64bits(value, strlen(value)) & INT_MAX), 0};
}

/* All ranks of a job run on one machine, bound to the same cores: no resource tells them apart, and
 * each folder is common to them. Then MPICH, too, answers MPI_COMM_NULL for a resource. */
static struct part part_of(struct ft_rank *self, int type, MPI_Info info)
{
    char value[MPI_MAX_INFO_VAL + 1];
    struct part part = {type == MPI_UNDEFINED ? type : 0, type == MPI_COMM_TYPE_SHARED};

    if (type == MPI_COMM_TYPE_HW_GUIDED) {
        part = part_hinted(self, info, "mpi_hw_resource_type", value);
        part.made = strcmp(value, "mpi_shared_memory") == 0;
    } else if (type == MPIX_COMM_TYPE_NEIGHBORHOOD) {
        part = part_hinted(self, info, "nbhd_common_dirname", value);
        part.made = value[0] != 0;
    }
    return part;
}

static int type_is_wrong(int type)
{
    return type != MPI_UNDEFINED && type != MPI_COMM_TYPE_SHARED &&
           type != MPI_COMM_TYPE_HW_GUIDED && type != MPI_COMM_TYPE_HW_UNGUIDED &&
           type != MPIX_COMM_TYPE_NEIGHBORHOOD;
}

static int colors_differ(const struct ft_comm *on, const struct ft_words *words, int color)
{
    for (int i = 0; i < on->size; i++)
        if (words->here[i].a != MPI_UNDEFINED && words->here[i].a != color)
            return 1;
    return 0;
}

static int hinted_birth(struct ft_rank *self, struct ft_comm *on, int color,
                        const struct ft_words *words, struct ft_birth *birth, MPI_Info info,
                        MPI_Comm *newcomm)
{
    int code = color_birth(self, on, color, words, birth, newcomm);
    struct ft_comm *born = code == MPI_SUCCESS ? ft_comm_find(self, *newcomm) : NULL;

    if (born) {
        ft_comm_hint(self, born, info);
        ft_comm_hint_real(self, born);
    }
    return code;
}

int ft_birth_comm_split_type(struct ft_rank *self, struct ft_comm *on, int type, int key,
                             MPI_Info info, MPI_Comm *newcomm)
{
    struct ft_birth birth = {.clock = 0};
    struct ft_words words;
    struct part part;
    int code;

    if (!newcomm || type_is_wrong(type))
        return MPI_ERR_ARG;
    *newcomm = MPI_COMM_NULL;
    birth.clock = ft_comm_tick(on);
    part = part_of(self, type, info);
    code = ft_words_gather(self, on, part.color, key, &words);
    if (code != MPI_SUCCESS)
        return code;
    ft_birth_number(self, &birth, words.number);
    if (part.color != MPI_UNDEFINED && colors_differ(on, &words, part.color))
        code = type == MPI_COMM_TYPE_HW_GUIDED ? MPI_ERR_OTHER : MPI_SUCCESS;
    else if (part.made)
        code = hinted_birth(self, on, part.color, &words, &birth, info, newcomm);
    ft_words_free(on, &words);
    return code;
}

static int is_inside(const struct ft_comm *on, int world)
{
    for (int i = 0; i < on->size; i++)
        if (on->local[i] == world)
            return 1;
    return 0;
}

int ft_group_inside(const struct ft_comm *on, const int *ranks, int size)
{
    for (int i = 0; i < size; i++)
        if (!is_inside(on, ranks[i]))
            return MPI_ERR_GROUP;
    return MPI_SUCCESS;
}

/* The color and key of a group's member: its first world rank, and the own place in it. */
static int group_color(struct ft_rank *self, const struct ft_comm *on, MPI_Group group, int *color,
                       int *key)
{
    int size, code = PMPI_Group_rank(ft_group_real(self, group), key);
    const int *members = ft_group_members(self, group, &size);

    if (code == MPI_SUCCESS)
        code = ft_group_inside(on, members, size);
    *color = code == MPI_SUCCESS && *key != MPI_UNDEFINED ? members[0] : MPI_UNDEFINED;
    return code;
}

/* On an intercommunicator each side gives one group, so there is one color. */
int ft_birth_comm_create(struct ft_rank *self, struct ft_comm *on, MPI_Group group,
                         MPI_Comm *newcomm)
{
    int color, key, code = newcomm ? group_color(self, on, group, &color, &key) : MPI_ERR_ARG;

    if (code != MPI_SUCCESS)
        return code;
    if (on->inter && color != MPI_UNDEFINED)
        color = 0;
    return ft_birth_by_color(self, on, color, key, NULL, newcomm);
}

/* The group with the lower first rank comes first where `high` does not say. */
static int is_first(const struct ft_comm *on, const struct ft_words *words)
{
    int here = words->here[0].a, there = words->there[0].a;

    return here != there ? !here : on->local[0] < on->world[0];
}

int ft_birth_intercomm_merge(struct ft_rank *self, struct ft_comm *on, int high, MPI_Comm *newcomm)
{
    struct ft_birth birth = {0};
    struct ft_words words;
    int code, gathered, first;

    if (!on->inter || !newcomm)
        return on->inter ? MPI_ERR_ARG : MPI_ERR_COMM;
    birth.clock = ft_comm_tick(on);
    gathered = ft_words_gather(self, on, high != 0, 0, &words);
    code = ft_birth_agreed(self, on, birth.clock, gathered);
    if (code != MPI_SUCCESS) {
        if (gathered == MPI_SUCCESS)
            ft_words_free(on, &words);
        return code;
    }
    first = is_first(on, &words);
    ft_birth_number(self, &birth, words.number);
    birth.size = birth.peers = on->size + on->peers;
    birth.local = birth.world = ft_image_alloc((size_t)birth.size * sizeof(int));
    memcpy(birth.local + (first ? 0 : on->peers), on->local, (size_t)on->size * sizeof(int));
    memcpy(birth.local + (first ? on->size : 0), on->world, (size_t)on->peers * sizeof(int));
    ft_words_free(on, &words);
    return ft_birth_give(self, on, &birth, newcomm);
}
