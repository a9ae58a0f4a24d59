/* Carries out the orders of a fault plan (fault.h). How often a rank has met an order's point, and
 * how often the order was carried out, is in the recorder, which survives the rank. */
#include "fault/fault.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fault/exact.h"
#include "image/layout.h"

uint8_t ft_fault_armed[FT_POINTS];
uint8_t ft_fault_pending;
FT_EXPORT unsigned ft_fault_named;

/* The orders with moment inside or after whose call the rank is in. */
static struct {
    uint64_t orders; /* bit i: order i */
    uint32_t call;
    int depth; /* ft_depth of that call: one that is made in a callback is another one */
} pending;

static const struct ft_wire_fault *order_at(uint32_t index)
{
    return &ft_life.boot.fault[index];
}

static int is_over(const struct ft_recorder *recorder, uint32_t index)
{
    return recorder->fault_done[index] >= order_at(index)->times;
}

/* Hooks and calls have logical numbers, which roll back with the image. */
static void arm_number(struct ft_rank *self, const struct ft_wire_fault *order)
{
    int hook = order->point == FT_POINT_HOOK;
    uint64_t *next = hook ? &self->fault_hook : &self->fault_call;

    if (order->number > (hook ? self->hooks : self->calls) && order->number < *next)
        *next = order->number;
}

void ft_fault_arm(struct ft_rank *self)
{
    self->fault_call =
        ft_life.boot.call_events || self->mpi_state != 1 || self->order_never ? 0 : UINT64_MAX;
    self->fault_hook = UINT64_MAX;
    for (uint32_t i = 0; i < ft_life.boot.faults; i++) {
        if (is_over(self->recorder, i))
            continue;
        if (order_at(i)->point == FT_POINT_MPI)
            self->fault_call = 0;
        else if (order_at(i)->point <= FT_POINT_CALL)
            arm_number(self, order_at(i));
    }
    ft_fault_named = ft_fault_armed[FT_POINT_PROGRAM];
}

void ft_fault_start(void)
{
    for (uint32_t i = 0; i < ft_life.boot.faults; i++)
        ft_fault_armed[order_at(i)->point] = 1;
}

/* ftrun learns of it before it happens. */
static void tell(uint32_t index, uint64_t number, const int64_t *argument)
{
    struct ft_wire_fired fired = {.index = index, .number = number};

    memcpy(fired.argument, argument, sizeof fired.argument);
    ft_wire_send(ft_life.control, FT_WIRE_FIRED, &fired, sizeof fired, NULL, 0, -1);
}

static void sleep_for(double seconds)
{
    struct timespec left = {.tv_sec = (time_t)seconds,
                            .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};

    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
        ;
}

/* A signal that is ignored ends the rank, too: inside a job of Slurm ranks begin with SIGTERM
 * ignored, which nobody who orders a death needs to know. */
static void end_by_signal(int number)
{
    struct sigaction now;

    if (!sigaction(number, NULL, &now) && now.sa_handler == SIG_IGN)
        signal(number, SIG_DFL);
    kill(getpid(), number);
}

static void end_by(const struct ft_wire_fault *order)
{
    switch (order->kind) {
    case FT_FAULT_KILL:
        end_by_signal(order->value);
        break;
    case FT_FAULT_EXIT:
        if (order->point > FT_POINT_PROGRAM)
            _exit(order->value);
        ft_depth = 0;
        exit(order->value);
    case FT_FAULT_EXIT_NOW:
        _exit(order->value);
    case FT_FAULT_NODE:
        ft_await_answer();        /* ftrun has heard of it: FIRED would be lost with the agent */
        kill(getppid(), SIGKILL); /* this process is killed by the kernel then */
        for (;;)
            pause();
    case FT_FAULT_SEGV:
        *(volatile int *)(uintptr_t)order->null = 0;
        break;
    case FT_FAULT_ABORT:
        abort();
    default:
        kill(getpid(), SIGSTOP);
    }
}

/* Answers a kind that the code at the point carries out, or 0. */
static uint32_t carry_out(struct ft_recorder *recorder, uint32_t index, uint64_t number,
                          const int64_t *argument)
{
    const struct ft_wire_fault *order = order_at(index);

    recorder->fault_done[index]++;
    tell(index, number, argument);
    if (order->instruction)
        ft_exact_step(order->instruction, order->value);
    else if (order->delay)
        ft_exact_timer(order->delay, order->value);
    else if (order->kind == FT_FAULT_SLOW)
        sleep_for(order->seconds);
    else if (order->kind == FT_FAULT_FLIP)
        *(volatile uint8_t *)(uintptr_t)order->address ^= (uint8_t)(1u << order->bit);
    else if (order->kind == FT_FAULT_FULL || order->kind == FT_FAULT_CORRUPT)
        return order->kind;
    else
        end_by(order);
    return 0;
}

/* Counts a pass of the order's point; answers its number if the order is due, or 0. */
static uint64_t pass(struct ft_recorder *recorder, uint32_t index)
{
    uint64_t number = ++recorder->fault_met[index];

    return number >= order_at(index)->number ? number : 0;
}

static int fits(const struct ft_wire_fault *order, const int64_t *argument)
{
    for (int i = 0; i < FT_WIRE_ARGUMENTS; i++) {
        if ((order->compared >> i & 1) && order->argument[i] != argument[i])
            return 0;
    }
    return 1;
}

static uint32_t meet(uint32_t point, const char *name, const int64_t *argument)
{
    struct ft_recorder *recorder = (struct ft_recorder *)FT_RECORDER_AT;
    uint32_t kind = 0;

    for (uint32_t i = 0; i < ft_life.boot.faults; i++) {
        uint64_t number;

        if (order_at(i)->point != point || is_over(recorder, i) ||
            (name && strcmp(name, order_at(i)->name) != 0) || !fits(order_at(i), argument))
            continue;
        if ((number = pass(recorder, i)))
            kind = carry_out(recorder, i, number, argument);
    }
    return kind;
}

uint32_t ft_fault_meet(enum ft_point point, int64_t argument)
{
    const int64_t arguments[FT_WIRE_ARGUMENTS] = {argument};

    return meet(point, NULL, arguments);
}

FT_EXPORT void ft_fault_at(const char *name, long tag1, long tag2, long tag3)
{
    const int64_t arguments[FT_WIRE_ARGUMENTS] = {tag1, tag2, tag3};

    if (ft_self == NULL)
        return;
    ft_depth++;
    meet(FT_POINT_PROGRAM, name, arguments);
    ft_depth--;
}

/* For --call-events. */
static void count_kind(struct ft_recorder *recorder)
{
    struct ft_recorder_kind *kind = recorder->kinds;

    for (; kind < recorder->kinds + FT_RECORDER_KINDS; kind++) {
        if (!kind->call)
            kind->call = recorder->call;
        if (kind->call == recorder->call) {
            kind->count++;
            return;
        }
    }
}

static int is_due(const struct ft_rank *self, uint32_t index)
{
    const struct ft_wire_fault *order = order_at(index);

    if (order->point == FT_POINT_CALL)
        return order->number == self->calls;
    return order->point == FT_POINT_MPI && (!order->call || order->call == self->recorder->call) &&
           pass(self->recorder, index);
}

static void fire_call(struct ft_rank *self, uint32_t index)
{
    const struct ft_wire_fault *order = order_at(index);
    const int64_t none[FT_WIRE_ARGUMENTS] = {0};

    carry_out(self->recorder, index,
              order->point == FT_POINT_CALL ? self->calls : self->recorder->fault_met[index], none);
}

static void wait_for_moment(const struct ft_rank *self, uint32_t index)
{
    pending.orders |= 1ULL << index;
    pending.call = self->recorder->call;
    pending.depth = ft_depth;
    ft_fault_pending |= FT_PENDING_FAULT;
}

void ft_fault_call(struct ft_rank *self)
{
    if (ft_life.boot.call_events)
        count_kind(self->recorder);
    if (self->mpi_state != 1)
        ft_outside(self);
    for (uint32_t i = 0; i < ft_life.boot.faults; i++) {
        if (is_over(self->recorder, i) || !is_due(self, i))
            continue;
        if (order_at(i)->moment == FT_MOMENT_BEFORE)
            fire_call(self, i);
        else
            wait_for_moment(self, i);
    }
    ft_fault_arm(self);
}

/* A call that never waits has no inside of its own: its end is as good. */
void ft_fault_moment(struct ft_rank *self, enum ft_moment moment)
{
    if (self->recorder->call != pending.call || ft_depth != pending.depth)
        return;
    for (uint32_t i = 0; i < ft_life.boot.faults; i++) {
        if (!(pending.orders >> i & 1) || order_at(i)->moment > moment)
            continue;
        pending.orders &= ~(1ULL << i);
        fire_call(self, i);
    }
    if (!pending.orders)
        ft_fault_pending &= (uint8_t)~FT_PENDING_FAULT;
}

void ft_fault_hook(struct ft_rank *self)
{
    const int64_t none[FT_WIRE_ARGUMENTS] = {0};

    for (uint32_t i = 0; i < ft_life.boot.faults; i++) {
        if (order_at(i)->point == FT_POINT_HOOK && !is_over(self->recorder, i) &&
            order_at(i)->number == self->hooks)
            carry_out(self->recorder, i, self->hooks, none);
    }
    ft_fault_arm(self);
}
