/* The gate: where a rank answers a checkpoint order.
 *
 * A held rank has left the library (or polls it from a wait loop), so its image could be taken. It
 * keeps the library's progress going, because others may still need it, until ftrun says RELEASE
 * (somebody is behind on a collective: go on to the next safe point) or FREEZE (nobody is; HOLD may
 * come before it), or LEAVE (the same, after a death in another cluster). Which of them is decided
 * in ftrun alone (run/gather.c). A rank that is called in the middle of a computation comes here
 * from a signal handler (interrupt.c). */
#include "checkpoint/checkpoint.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "files/files.h"
#include "handle/handle.h"
#include "libc/libc.h"
#include "os/os.h"
#include "request/failed.h"
#include "request/virtual.h"
#include "window/window.h"

#define SPINS 64            /* looks at the socket between which the rank does not sleep */
#define THREADS_PATIENCE 10 /* seconds that a checkpoint waits for threads before a word */
#define CLOCKS ((FT_WIRE_MAX - 256) / sizeof(struct ft_wire_clock))

static char gate_buffer[FT_WIRE_MAX];

/* Reports where the rank stands, in as many messages as the clocks need. */
static void report(struct ft_rank *self, enum ft_waiting waiting)
{
    struct ft_wire_clock *clocks = (struct ft_wire_clock *)gate_buffer;
    struct ft_wire_gate gate = {
        .generation = self->order_seen, .waiting = waiting, .hooks = self->hooks};
    uint32_t from = 0;

    do {
        gate.count = ft_comm_clocks(self, from, clocks, CLOCKS);
        gate.more = gate.count == CLOCKS;
        from += gate.count;
        if (ft_wire_send(ft_life.control, FT_WIRE_GATE, &gate, sizeof gate, clocks,
                         gate.count * sizeof *clocks, -1) != 0)
            ft_panic("ftrun is gone");
    } while (gate.more);
}

/* By the same signal as when ftrun ends it; but outside of the library. */
_Noreturn void ft_gate_end(void)
{
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

/* The next message of ftrun; the library's progress goes on meanwhile. */
static uint32_t next_order(struct ft_rank *self)
{
    struct pollfd wait = {.fd = ft_life.control, .events = POLLIN};
    struct timespec nap = {.tv_nsec = 50000};
    ssize_t length;
    int fd;

    for (int i = 0;; i++) {
        length = ft_wire_receive(ft_life.control, 0, gate_buffer, &fd);
        if (length > 0 && ((struct ft_wire_head *)gate_buffer)->type == FT_WIRE_END)
            ft_gate_end();
        if (length > 0)
            return ((struct ft_wire_head *)gate_buffer)->type;
        if (length != -EAGAIN)
            ft_panic("ftrun is gone");
        ft_progress(self);
        if (i >= SPINS)
            ppoll(&wait, 1, &nap, NULL);
    }
}

static void note_files(struct ft_rank *self)
{
    ft_files_hold(self);
    if (ft_wire_send(ft_life.control, FT_WIRE_HELD, NULL, 0, NULL, 0, -1) != 0)
        ft_panic("ftrun is gone");
}

/* One stay at the gate. */
static void hold(struct ft_rank *self, enum ft_waiting waiting)
{
    double begin = ft_os_now();
    int noted = 0;

    self->order_seen =
        __atomic_load_n(&self->recorder->order, __ATOMIC_ACQUIRE) ^ self->order_never;
    self->lock_times = ft_threads_times();
    self->recorder->where = FT_WHERE_GATE;
    report(self, waiting);
    for (;;) {
        uint32_t order = next_order(self);

        if (order == FT_WIRE_RELEASE)
            return;
        if (order == FT_WIRE_FREEZE) {
            const struct ft_wire_freeze *freeze =
                ft_wire_payload(gate_buffer, sizeof(struct ft_wire_freeze));

            if (freeze == NULL)
                ft_panic("a FREEZE order of ftrun is too short");
            ft_checkpoint_take(self, freeze, ft_os_now() - begin, noted);
            return;
        }
        if (order == FT_WIRE_HOLD) {
            note_files(self);
            noted = 1;
        }
        if (order == FT_WIRE_LEAVE) {
            ft_checkpoint_leave(self);
            return;
        }
        if (order == FT_WIRE_FINALIZE)
            ft_life.finalize = 1;
    }
}

void ft_gate_wait(struct ft_rank *self)
{
    while (next_order(self) != FT_WIRE_RELEASE)
        ;
}

void ft_gate_leave(struct ft_rank *self)
{
    while (next_order(self) != FT_WIRE_LEAVE)
        ;
    ft_checkpoint_leave(self);
}

/* Others are not to wait for this rank at their gates, which passes its own. */
static void stay_away(struct ft_rank *self)
{
    struct ft_recorder *recorder = self->recorder;

    recorder->block_comm = recorder->block_clock = 0;
    __atomic_store_n(&recorder->where, FT_WHERE_BLOCK, __ATOMIC_RELEASE);
}

/* Says once that a checkpoint waits for threads that do not end. */
static void threads_wait(int wait)
{
    static double since;
    static int told;
    double now = wait ? ft_os_now() : 0;

    if (!wait || since == 0)
        since = now;
    if (told || now - since < THREADS_PATIENCE)
        return;
    told = 1;
    ft_warn("checkpoints wait: threads of the program have been at work for %d s without an end "
            "(pthread_join, the end of a parallel region)",
            THREADS_PATIENCE);
}

/* The rank has MPI_THREAD_MULTIPLE. Is it asked to the gate, and may it
 * stop? No thread but main is in an image, so the rank stops when main is alone. */
static int threads_may_stop(struct ft_rank *self)
{
    if (__atomic_load_n(&self->recorder->order, __ATOMIC_RELAXED) ==
        (self->order_seen ^ self->order_never)) {
        threads_wait(0);
        return 0;
    }
    if (ft_libc_is_alone()) {
        threads_wait(0);
        return 1;
    }
    threads_wait(1);
    stay_away(self);
    return 0;
}

void ft_gate_enter(struct ft_rank *self, enum ft_waiting waiting)
{
    if (ft_unlikely(self->order_never) && waiting == FT_WAITING_MESSAGE)
        ft_threads_pause(self);
    if (self->mpi_state != 1 || self->in_callback || ft_life.finalize)
        return;
    if (ft_ulfm_of(self)) {
        ft_failed_meet(self);
        return;
    }
    if (ft_unlikely(self->order_never) && !threads_may_stop(self))
        return;
    if (ft_unlikely(!ft_windows_may_stop(self))) {
        stay_away(self);
        return;
    }
    hold(self, waiting);
    self->recorder->where = FT_WHERE_CALL;
}

void ft_gate_pass(struct ft_rank *self, unsigned pass)
{
    static const struct timespec nap = {.tv_nsec = 50000};

    ft_wait_point(self, FT_WAITING_NOT);
    ft_progress(self);
    ft_running_turn(self);
    if (pass < SPINS)
        sched_yield();
    else
        clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
}
