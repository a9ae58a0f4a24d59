#include "request/follow.h"

#include <sched.h>
#include <time.h>

#include "request/again.h"

#define YIELDS 4 /* turns of a wait before it sleeps: the leader may need the core */

void ft_follow_turn(struct ft_rank *self)
{
    if (!ft_determinants_follow(self))
        return;
    if (!ft_determinants_follows(self)) {
        self->spbc->following = 0;
        self->spbc->replaying--;
    }
    ft_held_learn(self);
}

void ft_follow_start(struct ft_rank *self)
{
    ft_streams_follow = ft_follow_turn;
    if (!self->spbc || self->spbc->following || !ft_determinants_follows(self))
        return;
    self->spbc->following = 1;
    self->spbc->replaying++;
}

static void pause_briefly(unsigned turns)
{
    static const struct timespec nap = {.tv_nsec = 50000};

    if (turns < YIELDS)
        sched_yield();
    else
        clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
}

void ft_follow_wait(struct ft_rank *self, unsigned clock, int gate)
{
    ft_follow_turn(self);
    for (unsigned turns = 0; !ft_determinants_ready(self, clock); turns++) {
        ft_progress(self);
        ft_running_turn(self);
        pause_briefly(turns);
        if (gate)
            ft_wait_point(self, FT_WAITING_MESSAGE);
    }
}
