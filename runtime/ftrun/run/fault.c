/* fault: faults of the plan, seen from ftrun: it tells what ranks inject into themselves, and
 * injects itself at moments of time and at its own points. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "calls/calls.h"
#include "points/points.h"
#include "run/run.h"

static const double retry =
    0.01; /* seconds until a victim that is between two lives is looked for again */

/* As the plan calls it: "mpi:Send:inside". */
static void name_point(const struct ft_wire_fault *order, char *name, size_t size)
{
    if (order->point == FT_POINT_PROGRAM)
        snprintf(name, size, "%s", order->name);
    else if (order->point == FT_POINT_MPI)
        snprintf(name, size, "mpi:%s%s%s",
                 order->call ? ft_call_name(order->call) + strlen("MPI_") : "any",
                 order->moment ? ":" : "", order->moment ? ft_moments[order->moment] : "");
    else
        snprintf(name, size, "%s", ft_points[order->point].name);
}

static void describe_arguments(const struct ft_wire_fault *order, const struct ft_wire_fired *fired,
                               char *text, size_t size)
{
    const char *own = ft_points[order->point].argument;

    if (order->point == FT_POINT_PROGRAM)
        snprintf(text, size, " tag1:%lld tag2:%lld tag3:%lld", (long long)fired->argument[0],
                 (long long)fired->argument[1], (long long)fired->argument[2]);
    else if (*own)
        snprintf(text, size, " %s:%lld", own, (long long)fired->argument[0]);
    else
        snprintf(text, size, " call:%llu", (unsigned long long)fired->number);
}

static void tell(const struct ft_run *run, const char *name, int rank, const char *kind,
                 const char *arguments)
{
    ft_say("FaultID: %s Rank:%d%s", name, rank, arguments);
    ft_events_emit(run->events, "fault", "{s:s, s:i, s:s, s:s, s:i}", "point", name, "rank", rank,
                   "kind", kind, "arguments", arguments + strspn(arguments, " "), "epoch",
                   (int)run->epoch);
}

void ft_fault_fired(struct ft_member *member, const struct ft_wire_fired *fired)
{
    struct ft_fault *fault =
        ft_faults_find(ft_run_faults(member->run), member->rank, member->run->copy, fired->index);
    char name[FT_WIRE_POINT + 16], arguments[128];

    if (!fault)
        return;
    fault->done++;
    if (fault->order.kind == FT_FAULT_NODE)
        ft_rank_send(member, FT_WIRE_ALIVE, NULL, 0, NULL, 0, -1);
    name_point(&fault->order, name, sizeof(name));
    describe_arguments(&fault->order, fired, arguments, sizeof(arguments));
    tell(member->run, name, member->rank, ft_fault_kinds[fault->order.kind], arguments);
}

/* Injects the fault: sends the signal to the rank's process, kills a rank on another node with all
 * that it has started, or breaks the connection to its node. */
static void hit(struct ft_member *member, uint32_t kind, int signal)
{
    if (kind == FT_FAULT_LINK)
        ft_node_break(member->node);
    else if (member->node)
        ft_rank_kill(member);
    else
        kill(member->pid, signal);
}

/* Its process, 0: it has none now. A rank that has ended rightly gets none any more. */
static pid_t victim(const struct ft_run *run, int rank)
{
    const struct ft_member *member = &run->members[rank];

    return member->ended ? -1 : member->pid;
}

void ft_fault_pass(struct ft_run *run, enum ft_point point, int64_t argument)
{
    struct ft_faults *faults = ft_run_faults(run);

    for (size_t i = 0; i < faults->count; i++) {
        struct ft_fault *fault = &faults->list[i];
        const struct ft_wire_fault *order = &fault->order;
        struct ft_wire_fired fired = {.argument = {argument}};
        char arguments[128];

        if (order->point != point || fault->copy != run->copy || fault->done == order->times ||
            ((order->compared & 1) && order->argument[0] != argument))
            continue;
        if (++fault->met < order->number || victim(run, fault->rank) <= 0)
            continue;
        fault->done++;
        describe_arguments(order, &fired, arguments, sizeof(arguments));
        tell(run, ft_points[point].name, fault->rank, ft_fault_kinds[order->kind], arguments);
        hit(&run->members[fault->rank], order->kind,
            order->kind == FT_FAULT_HANG ? SIGSTOP : order->value);
    }
}

struct clock { /* a clock of the plan, and its timer */
    struct ft_run *run;
    struct ft_fault_clock *clock;
    struct ft_timer timer;
    int rank; /* that is waited for, -1: none is drawn yet */
    int fired;
};

static void arm(struct clock *clock);

/* Answers 0 when the rank is between two lives. */
static int strike(struct clock *clock, int rank)
{
    struct ft_run *run = clock->run;
    pid_t pid = victim(run, rank);
    char seconds[64];

    if (pid == 0)
        return 0;
    if (pid < 0)
        return 1;
    snprintf(seconds, sizeof(seconds), " seconds:%.3f", ft_loop_now() - run->started);
    tell(run, clock->clock->random ? "random" : "after", rank, ft_fault_kinds[clock->clock->kind],
         seconds);
    hit(&run->members[rank], clock->clock->kind, clock->clock->signal);
    clock->fired++;
    return 1;
}

static void on_time(void *context)
{
    struct clock *clock = context;
    struct ft_fault_clock *plan = clock->clock;

    for (int i = 0; plan->together && i < plan->count; i++)
        strike(clock, plan->ranks[i]);
    if (!plan->together && clock->rank < 0)
        clock->rank = ft_fault_clock_rank(plan);
    if ((plan->together && !clock->fired) || (!plan->together && !strike(clock, clock->rank))) {
        ft_loop_after(clock->run->loop, &clock->timer, retry, on_time, clock);
        return;
    }
    clock->rank = -1;
    if (ft_fault_clock_next(plan))
        arm(clock);
}

static void arm(struct clock *clock)
{
    double left = clock->clock->at - (ft_loop_now() - clock->run->started);

    ft_loop_after(clock->run->loop, &clock->timer, left > 0 ? left : 0, on_time, clock);
}

int ft_fault_start(struct ft_run *run)
{
    struct ft_faults *faults = &run->faults;

    run->fault_clocks = calloc(faults->clock_count + 1, sizeof(*run->fault_clocks));
    if (!run->fault_clocks)
        return -1;
    for (size_t i = 0; i < faults->clock_count; i++) {
        struct clock *clock = &run->fault_clocks[i];

        *clock = (struct clock){.run = run, .clock = &faults->clocks[i], .rank = -1};
        if (!clock->clock->random || ft_fault_clock_next(clock->clock))
            arm(clock);
    }
    return 0;
}

void ft_fault_end(struct ft_run *run)
{
    free(run->fault_clocks);
    ft_faults_free(&run->faults);
}

static void tell_missed(const struct ft_fault *fault, const struct ft_recorder *recorder,
                        uint32_t met)
{
    const struct ft_wire_fault *order = &fault->order;
    char name[FT_WIRE_POINT + 16];

    name_point(order, name, sizeof(name));
    if (order->point == FT_POINT_HOOK || order->point == FT_POINT_CALL)
        ft_say(
            "%s was never reached: rank %d has executed %llu %ss", fault->text, fault->rank,
            (unsigned long long)(order->point == FT_POINT_HOOK ? recorder->hooks : recorder->calls),
            name);
    else if (order->point == FT_POINT_MPI && order->call)
        ft_say("%s was never reached: rank %d has called %s %u times", fault->text, fault->rank,
               ft_call_name(order->call), met);
    else
        ft_say("%s was never reached: rank %d has passed %s %u times", fault->text, fault->rank,
               name, met);
}

void ft_fault_account(const struct ft_run *run)
{
    for (size_t i = 0; i < run->faults.count; i++) {
        const struct ft_fault *fault = &run->faults.list[i];
        const struct ft_run *team = fault->copy ? run->twin : run;
        const struct ft_recorder *recorder = team->members[fault->rank].recorder;
        uint32_t index = ft_faults_index(&run->faults, i);
        int own = ft_points[fault->order.point].process == FT_POINT_OF_FTRUN;

        if (!fault->done && (own || !recorder->fault_done[index]))
            tell_missed(fault, recorder, own ? fault->met : recorder->fault_met[index]);
    }
    for (size_t i = 0; i < run->faults.clock_count; i++) {
        if (run->fault_clocks && !run->fault_clocks[i].fired)
            ft_say("%s: nobody was hit before the end of the run", run->faults.clocks[i].text);
    }
}
