/* The hook: the safe point that ftcc puts into the main loop (ft.h). */
#include "ft.h"
#include "process.h"
#include "sites/sites.h"

static void tell(uint32_t type, uint64_t number)
{
    struct ft_wire_number message = {(int64_t)number};

    if (ft_wire_send(ft_life.control, type, &message, sizeof message, NULL, 0, -1) != 0)
        ft_panic("ftrun is gone");
}

/* The rare work of a hook: a fault, a requested checkpoint, an event. */
static void hook_due(struct ft_rank *self)
{
    if (self->hooks >= self->fault_hook)
        ft_fault_hook(self);
    if (self->hooks >= self->every_hook) {
        self->every_hook += ft_life.boot.every;
        tell(FT_WIRE_REQUEST, self->hooks);
    }
    if (ft_life.boot.hook_events)
        tell(FT_WIRE_HOOK, self->hooks);
}

FT_EXPORT void ft_hook(void)
{
    struct ft_rank *self = ft_self;

    if (self == NULL || self->mpi_state != 1)
        return;
    self->recorder->hooks = ++self->hooks;
    if (ft_unlikely(self->hooks >= self->fault_hook || self->hooks >= self->every_hook ||
                    ft_life.boot.hook_events))
        hook_due(self);
    if (ft_unlikely(__atomic_load_n(&self->recorder->order, __ATOMIC_RELAXED) !=
                    self->order_seen)) {
        ft_depth++;
        ft_gate_enter(self, FT_WAITING_NOT);
        self->recorder->where = FT_WHERE_USER;
        ft_depth--;
    }
}

/* The table of the executable is looked at when the first such hook runs. Without a table only
 * wrappers are safe points: nobody knows which of the candidates is the main loop, and a loop that
 * does not run equally often on all ranks would number its hooks differently. */
static int look_up(uint32_t id)
{
    static struct ft_sites *sites;
    static int read;
    const struct ft_hook_entry *hook;

    if (!read) {
        read = 1;
        ft_depth++;
        ft_sites_read("/proc/self/exe", &sites);
        ft_depth--;
    }
    hook = ft_sites_hook(sites, id);
    return hook && hook->chosen;
}

/* Most candidates are in loops that poll or compute, and are not chosen: their answer is
 * remembered. A word has the id and, lowest, the answer and whether there is one, so that threads
 * see both or none. */
static int is_chosen(uint32_t id)
{
    static uint64_t answers[64];
    uint64_t *place = &answers[id & 63], answer = __atomic_load_n(place, __ATOMIC_RELAXED);

    if (ft_unlikely((answer | 1) != ((uint64_t)id << 32 | 3))) {
        answer = (uint64_t)id << 32 | 2 | (uint64_t)look_up(id);
        __atomic_store_n(place, answer, __ATOMIC_RELAXED);
    }
    return answer & 1;
}

FT_EXPORT void ft_hook_at(unsigned id)
{
    if (ft_self != NULL && is_chosen(id))
        ft_hook();
}
