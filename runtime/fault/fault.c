/* Kill orders (fault.h). Calls are counted by kind in the recorder, not in the image: an order that
 * names a kind and a number means one moment of the run, whatever is done again. */
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

static void arm_order(struct ft_rank *self, const struct ft_wire_kill *kill)
{
    uint64_t *next = kill->event == FT_KILL_HOOK ? &self->kill_hook : &self->kill_call;

    if (kill->event == FT_KILL_KIND)
        self->kill_call = 0;
    else if (kill->number > event_counter(self, kill->event) && kill->number < *next)
        *next = kill->number;
}

void ft_fault_arm(struct ft_rank *self)
{
    self->kill_call = ft_life.boot.call_events || self->mpi_state != 1 ? 0 : UINT64_MAX;
    self->kill_hook = UINT64_MAX;
    for (uint32_t i = 0; i < ft_life.boot.kills; i++) {
        if (!has_fired(self, i))
            arm_order(self, &ft_life.boot.kill[i]);
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

/* The number of the present call among those of its kind, from 1; 0: there are too many kinds. */
static uint64_t count_kind(struct ft_recorder *recorder)
{
    struct ft_recorder_kind *kind = recorder->kinds;

    for (; kind < recorder->kinds + FT_RECORDER_KINDS; kind++) {
        if (!kind->call)
            kind->call = recorder->call;
        if (kind->call == recorder->call)
            return ++kind->count;
    }
    return 0;
}

static int is_due(const struct ft_rank *self, const struct ft_wire_kill *order, uint64_t number)
{
    if (order->event == FT_KILL_KIND)
        return order->call == self->recorder->call && order->number == number;
    return order->event == FT_KILL_CALL && order->number == self->calls;
}

void ft_fault_call(struct ft_rank *self)
{
    uint64_t number = self->kill_call == 0 ? count_kind(self->recorder) : 0;

    if (self->mpi_state != 1)
        ft_outside(self);
    for (uint32_t i = 0; i < ft_life.boot.kills; i++) {
        if (!has_fired(self, i) && is_due(self, &ft_life.boot.kill[i], number))
            carry_out(self, i);
    }
    ft_fault_arm(self);
}

void ft_fault_hook(struct ft_rank *self)
{
    for (uint32_t i = 0; i < ft_life.boot.kills; i++) {
        const struct ft_wire_kill *order = &ft_life.boot.kill[i];

        if (!has_fired(self, i) && order->event == FT_KILL_HOOK && order->number == self->hooks)
            carry_out(self, i);
    }
    ft_fault_arm(self);
}
