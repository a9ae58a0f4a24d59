/* Kill orders (fault.h). */
#include "fault/fault.h"

#include <signal.h>
#include <unistd.h>

static int has_fired(const struct ft_rank *self, uint32_t index)
{
    return ft_life.boot.kill[index].fired || (self->recorder->kills_fired >> index & 1);
}

static uint64_t event_counter(const struct ft_rank *self, uint32_t event)
{
    return event == FT_KILL_HOOK ? self->hooks : self->calls;
}

void ft_fault_arm(struct ft_rank *self)
{
    self->kill_call = self->kill_hook = UINT64_MAX;
    for (uint32_t i = 0; i < ft_life.boot.kills; i++) {
        const struct ft_wire_kill *kill = &ft_life.boot.kill[i];
        uint64_t *next = kill->event == FT_KILL_HOOK ? &self->kill_hook : &self->kill_call;

        if (!has_fired(self, i) && kill->number > event_counter(self, kill->event) &&
            kill->number < *next)
            *next = kill->number;
    }
}

static void carry_out(struct ft_rank *self, uint32_t index)
{
    const struct ft_wire_kill *order = &ft_life.boot.kill[index];

    __atomic_or_fetch(&self->recorder->kills_fired, 1ULL << index, __ATOMIC_SEQ_CST);
    if (order->signal == 0)
        _exit(1);
    kill(getpid(), order->signal);
}

void ft_fault_fire(struct ft_rank *self)
{
    for (uint32_t i = 0; i < ft_life.boot.kills; i++) {
        const struct ft_wire_kill *order = &ft_life.boot.kill[i];

        if (!has_fired(self, i) && order->number == event_counter(self, order->event))
            carry_out(self, i);
    }
    ft_fault_arm(self);
}
