/* The lock of MPI_THREAD_MULTIPLE (process.h): a ticket for each thread that comes, so that they
 * have their turns in order and a thread that waits for a message keeps nobody out.
 *
 * Invariant: the thread whose ticket is `serving` has the lock; `next` is the ticket of the next
 * one that comes. */
#include "process.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SPINS 64 /* looks between which a thread does not sleep */

static uint32_t next, serving;
static __thread uint32_t times __attribute__((tls_model("initial-exec"))); /* it has the lock */

static void await_turn(uint32_t ticket)
{
    uint32_t now;

    for (int i = 0; (now = __atomic_load_n(&serving, __ATOMIC_ACQUIRE)) != ticket; i++) {
        if (i < SPINS)
            sched_yield();
        else
            syscall(SYS_futex, &serving, FUTEX_WAIT_PRIVATE, now, NULL, NULL, 0);
    }
}

static void pass_on(void)
{
    uint32_t now = __atomic_add_fetch(&serving, 1, __ATOMIC_SEQ_CST);

    if (__atomic_load_n(&next, __ATOMIC_SEQ_CST) != now)
        syscall(SYS_futex, &serving, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void ft_threads_take(void)
{
    if (times++ == 0)
        await_turn(__atomic_fetch_add(&next, 1, __ATOMIC_SEQ_CST));
}

void ft_threads_give(void)
{
    if (--times == 0)
        pass_on();
}

uint32_t ft_threads_leave(void)
{
    uint32_t had = times;

    times = 0;
    pass_on();
    return had;
}

void ft_threads_return(uint32_t had)
{
    await_turn(__atomic_fetch_add(&next, 1, __ATOMIC_SEQ_CST));
    times = had;
}

void ft_threads_turn(void)
{
    if (__atomic_load_n(&next, __ATOMIC_RELAXED) != serving + 1)
        ft_threads_return(ft_threads_leave());
}

uint32_t ft_threads_times(void)
{
    return times;
}

void ft_threads_again(uint32_t had)
{
    times = had;
    next = had != 0;
    serving = 0;
}
