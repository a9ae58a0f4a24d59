/* A change of files by a rank with two copies (ftrun --replicas): the copies meet for it, and the
 * one that leads makes it.
 *
 * The leader waits until the other copy has come to the same change, makes it, and writes its
 * outcome into the ring; the other copy takes the outcome from there. So what came before the
 * change in the program, by this rank or by messages of others, has been done by both teams when
 * the change is made, and what comes behind it has not: all reads of a program whose accesses are
 * in an order see what they see in a run without copies, however far the teams are apart.
 *
 * Nobody makes a change alone while the other copy is dead: its successor begins with an image of
 * the living one, and still has to read what came before the change. Waiting ends with `alone`,
 * when there will be no successor.
 *
 * A leader that dies has made the change or not: the next one finds `begun` without an outcome, and
 * looks (files/once.c).
 *
 * There is no deadlock: a copy waits for the other one to come to the same event of the program, or
 * for a message of an earlier event, and these orders have no cycle. */
#include <errno.h>
#include <time.h>
#include "determinant/determinant.h"
#include "determinant/reading.h"
#include "request/follow.h"

/* Once no image can be taken any more a wait only looks. */
static void wait_once(struct ft_rank *self, unsigned pass)
{
    static const struct timespec nap = {.tv_nsec = 50000};

    if (self->mpi_state == 1) {
        ft_gate_pass(self, pass);
        return;
    }
    ft_follow_turn(self);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
}

static int is_met(const struct ft_pair *pair, uint64_t number)
{
    return __atomic_load_n(&pair->came[!ft_life.boot.copy], __ATOMIC_ACQUIRE) >= number ||
           __atomic_load_n(&pair->alone, __ATOMIC_ACQUIRE);
}

/* This copy has come to the change. On several nodes its agent tells the other one's. */
static void come(const struct ft_rank *self, struct ft_pair *pair, uint64_t number)
{
    uint64_t *came = &pair->came[ft_life.boot.copy];

    if (*came == number)
        return;
    __atomic_store_n(came, number, __ATOMIC_RELEASE);
    ft_logged_count();
    if (self->spbc->noted & FT_NOTED_LOGGED)
        ft_logged_ship();
}

/* Behind a safe point the process may be another copy, and another copy may lead. */
static enum ft_act_part meet(struct ft_rank *self, struct ft_act *act, uint64_t number)
{
    for (unsigned pass = 0;; pass++) {
        struct ft_pair *pair = ft_life.pair;

        come(self, pair, number);
        if (ft_determinants_follows(self))
            ft_follow_turn(self);
        if (ft_determinants_ready(self, FT_CLOCKS)) {
            if (ft_determinant_value(self, FT_VALUE_ACT, act, sizeof *act))
                return FT_ACT_TAKEN;
            if (is_met(pair, number))
                return pair->begun == number ? FT_ACT_DOUBT : FT_ACT_MINE;
        }
        wait_once(self, pass);
    }
}

enum ft_act_part ft_act_meet(struct ft_rank *self, struct ft_act *act)
{
    struct ft_recorder *recorder = self->recorder;
    uint32_t where = recorder->where;
    int error = errno;
    enum ft_act_part part;

    ft_depth++;
    recorder->where = FT_WHERE_CALL;
    part = meet(self, act, self->acts + 1);
    recorder->where = where;
    ft_depth--;
    self->acts++;
    if (part == FT_ACT_TAKEN && ft_life.pair->made < self->acts)
        ft_life.pair->made = self->acts;
    errno = error;
    return part;
}

/* On several nodes the change is made when ftrun knows that it is begun: the node may be lost. */
void ft_act_begin(struct ft_rank *self, int64_t there, int64_t size)
{
    struct ft_pair *pair = ft_life.pair;

    pair->there = there;
    pair->size = size;
    __atomic_store_n(&pair->begun, self->acts, __ATOMIC_RELEASE);
    if (ft_life.changes != NULL)
        ft_life.changes[ft_life.boot.rank] = self->acts;
    ft_logged_count();
    if (self->spbc->noted & FT_NOTED_LOGGED)
        ft_logged_wait();
}

void ft_act_note(struct ft_rank *self, const struct ft_act *act)
{
    ft_determinant_value_note(self, FT_VALUE_ACT, act, sizeof *act);
    __atomic_store_n(&ft_life.pair->made, self->acts, __ATOMIC_RELEASE);
    ft_logged_count();
    if (self->spbc->noted & FT_NOTED_LOGGED) /* the other copy waits for the outcome */
        ft_logged_ship();
}
