/* The slow way into a call and out of it (process.h): a fault may be due, or other threads may be
 * in MPI, too (MPI_THREAD_MULTIPLE). A call of a thread begins when the thread has the lock, and
 * what it says in the recorder is said under the lock. */
#include "process.h"

/* The thread's own state, which it needs again after it has let others into MPI. */
static __thread struct {
    struct ft_upcall call;
    uint32_t times; /* of the lock */
    int blocked;    /* 1: a blocking call of the library is open. If the thread calls MPI, then in a
                       callback, below which the library may hold a lock of its own */
} aside __attribute__((tls_model("initial-exec")));

static int take_part(void)
{
    return (ft_fault_pending & FT_PENDING_THREADS) && !aside.blocked;
}

void ft_enter_slowly(struct ft_rank *self, uint32_t call, const void *site, int poll)
{
    struct ft_recorder *recorder = self->recorder;
    unsigned mark = ft_site;

    ft_depth++;
    ft_site = 0;
    if (take_part())
        ft_threads_take();
    if (poll)
        recorder->polls = ++self->polls;
    ft_enter_note(self, call, site, mark);
    ft_fault_call(self);
    if (__atomic_load_n(&recorder->order, __ATOMIC_RELAXED) != self->order_seen)
        ft_gate_enter(self, FT_WAITING_NOT);
}

void ft_leave_slowly(struct ft_rank *self)
{
    if (ft_fault_pending & FT_PENDING_FAULT)
        ft_fault_moment(self, FT_MOMENT_AFTER);
    self->recorder->where = FT_WHERE_USER;
    if (take_part())
        ft_threads_give();
    ft_depth--;
}

void ft_block_slowly(struct ft_rank *self)
{
    if (ft_fault_pending & FT_PENDING_FAULT)
        ft_fault_moment(self, FT_MOMENT_INSIDE);
    if (!take_part())
        return;
    aside.call = ft_upcall_save(self);
    aside.blocked = 1;
    aside.times = ft_threads_leave();
}

void ft_unblock_slowly(struct ft_rank *self)
{
    if (!aside.blocked)
        return;
    aside.blocked = 0;
    ft_threads_return(aside.times);
    ft_upcall_restore(self, aside.call);
}

void ft_threads_pause(struct ft_rank *self)
{
    struct ft_upcall call = ft_upcall_save(self);

    if (!take_part())
        return;
    ft_threads_turn();
    ft_upcall_restore(self, call);
}
