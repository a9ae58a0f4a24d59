/* groups: communicators of all shapes, and who is in which. All ranks know of all groups, those
 * that they are no members of, too, so all draw the same. */
#ifndef GROUPS_H
#define GROUPS_H

#include "draw.h"

enum { GROUPS = 6, RANKS = 16 };

/* Ranks of one colour share a communicator; a rank with NOBODY has none. With `sides` it is one
 * between those of side 0 and those of side 1. */
enum { NOBODY = -1 };

struct group {
    enum { UNUSED, BEGUN, USED } used;
    int sides, busy; /* busy: how many open transfers need the handle itself */
    int colour[RANKS], side[RANKS], order[RANKS];
    MPI_Comm comm;
};

static struct group groups[GROUPS]; /* the first is the world */

static inline int is_member(const struct group *group, int who)
{
    return group->used && group->colour[who] != NOBODY;
}

static inline int share(const struct group *group, int one, int other)
{
    return is_member(group, one) && group->colour[one] == group->colour[other];
}

/* The rank that `who` has in its communicator, or in its side of it. */
static inline int rank_in(const struct group *group, int who)
{
    int before = 0;

    for (int r = 0; r < size; r++)
        before += share(group, who, r) && group->side[r] == group->side[who] &&
                  group->order[r] < group->order[who];
    return before;
}

static inline int members_of(const struct group *group, int who)
{
    int count = 0;

    for (int r = 0; r < size; r++)
        count += share(group, who, r);
    return count;
}

/* One that has its communicators. */
static inline struct group *draw_group(void)
{
    struct group *group;

    do
        group = &groups[draw(GROUPS)];
    while (group->used != USED);
    return group;
}

static inline struct group *free_group(void)
{
    for (int i = 0; i < GROUPS; i++)
        if (!groups[i].used)
            return &groups[i];
    return NULL;
}

/* The rank with the lowest number stands for its colour. */
static inline void colours_settle(struct group *group)
{
    int colour[RANKS];

    for (int r = 0; r < size; r++) {
        colour[r] = NOBODY;
        for (int other = r; other >= 0; other--)
            if (group->colour[r] != NOBODY && group->colour[other] == group->colour[r])
                colour[r] = other;
    }
    memcpy(group->colour, colour, sizeof colour);
}

/* Parts of the communicators of another group; some members are left out. */
static inline void group_split(struct group *made, const struct group *from)
{
    int backwards = draw(2), mine;

    for (int r = 0; r < size; r++) {
        int out = draw(5) == 0, part = draw(2);

        if (!is_member(from, r) || out)
            made->colour[r] = NOBODY;
        else
            made->colour[r] = 2 * from->colour[r] + part;
        made->order[r] = backwards ? -from->order[r] : from->order[r];
    }
    mine = made->colour[rank];
    if (is_member(from, rank))
        MPI_Comm_split(from->comm, mine == NOBODY ? MPI_UNDEFINED : mine, made->order[rank],
                       &made->comm);
    colours_settle(made);
}

/* Two sides of the world. */
static inline void group_sides(struct group *made)
{
    int other = 0;
    MPI_Comm local;

    made->sides = 1;
    for (int r = 0; r < size; r++) {
        made->side[r] = draw(2);
        made->colour[r] = 0;
        made->order[r] = r;
    }
    made->side[0] = 0;
    made->side[size - 1] = 1;
    while (made->side[other] == made->side[rank])
        other++;
    MPI_Comm_split(MPI_COMM_WORLD, made->side[rank], rank, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, other, 3, &made->comm);
    MPI_Comm_free(&local);
}

static inline void group_free(struct group *group)
{
    if (is_member(group, rank))
        MPI_Comm_free(&group->comm);
    memset(group, 0, sizeof *group);
}

static inline void groups_begin(void)
{
    check(size <= RANKS, "too many ranks", size);
    groups[0].used = USED;
    groups[0].comm = MPI_COMM_WORLD;
    for (int r = 0; r < size; r++)
        groups[0].order[r] = r;
}

static inline void groups_end(void)
{
    for (int i = 1; i < GROUPS; i++)
        group_free(&groups[i]);
}

#endif
