#include "recover/mourn.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "commit/commit.h"
#include "recorder/deaths.h"
#include "recover/recover.h"

/* The entry, and behind it the count. */
static void tell(const struct ft_member *member, const void *entry, size_t bytes, size_t at,
                 uint32_t count, size_t count_at)
{
    const off_t base = FT_RECORDER_BYTES;

    if (pwrite(member->recorder_fd, entry, bytes, base + (off_t)at) != (ssize_t)bytes ||
        pwrite(member->recorder_fd, &count, sizeof(count), base + (off_t)count_at) !=
            sizeof(count)) {
        ft_say("no memory to tell the ranks of a failure");
        ft_finish(member->run, 1);
    }
}

void ft_mourn_call(struct ft_run *run)
{
    run->generation++;
    for (int i = 0; i < run->size; i++)
        ft_rank_order(&run->members[i], run->generation);
}

static void tell_all(struct ft_run *run, const struct ft_member *dead, pid_t pid)
{
    struct ft_death death = {dead->rank, pid};
    size_t at = offsetof(struct ft_deaths, death) + run->deaths.count * sizeof(death);

    run->deaths.count++;
    for (int i = 0; i < run->size; i++)
        tell(&run->members[i], &death, sizeof(death), at, run->deaths.count,
             offsetof(struct ft_deaths, count));
    ft_mourn_call(run);
}

int ft_mourn_nobody_lives(const struct ft_run *run)
{
    for (int i = 0; i < run->size; i++)
        if (!run->members[i].mourned)
            return 0;
    return run->size > 0;
}

static const double start_patience = 20; /* seconds */

static void on_start_patience(void *context)
{
    struct ft_run *run = context;

    if (run->state != FT_RUN_STARTING)
        return;
    ft_say("a rank ended before all others were through MPI_Init, and they do not come: the MPI "
           "library cannot start without it");
    ft_finish(run, 1);
}

/* While libraries start each of them waits for all others. One that is through has given them what
 * they need, as a rule. Answers 0 when the run ends. */
static int may_start(struct ft_member *member, int status)
{
    struct ft_run *run = member->run;

    if (run->state != FT_RUN_STARTING)
        return 1;
    if (run->deaths.renewed &&
        ++run->fruitless < FT_PLAN_FRUITLESS) { /* again, from the same images */
        run->summary.failures++;
        ft_epoch_clear(run, FT_RUN_CLEARING);
        return 0;
    }
    if (member->back && !run->deaths.renewed) {
        ft_loop_after(run->loop, &run->deaths.look, start_patience, on_start_patience, run);
        return 1;
    }
    ft_say("rank %d ended before it was through MPI_Init: the MPI library cannot start without it",
           member->rank);
    ft_finish(run, ft_plan_code(status) ? ft_plan_code(status) : 1);
    return 0;
}

/* ---- A death in the middle of a message ----
 *
 * The dead sender may leave a gap in the receiver's queue, and the receiver may be unable to fill
 * it (libft/request/queue.h). Then sooner or later all ranks wait in the library for each other. So
 * do the ranks of a program with a deadlock of its own. */
static const double look_interval = 2; /* seconds */
static const double longest = 30; /* seconds without any movement; FT_PATIENCE if that is less */

/* Looks without any movement after which the run ends. */
static int looks_most(void)
{
    double patience = ft_still_patience() < longest ? ft_still_patience() : longest;

    return patience > look_interval ? (int)(patience / look_interval) : 1;
}

/* The calls entered by all living ranks, or 0 when one of them is not inside a call. */
static uint64_t calls_of_waiting(const struct ft_run *run)
{
    uint64_t calls = 1;

    for (int i = 0; i < run->size; i++) {
        const struct ft_member *member = &run->members[i];

        if (member->ended)
            continue;
        if (member->recorder->where == FT_WHERE_USER)
            return 0;
        calls += member->recorder->calls;
    }
    return calls;
}

static void on_look(void *context)
{
    struct ft_run *run = context;
    uint64_t calls = calls_of_waiting(run);

    if (run->state >= FT_RUN_CLEARING || run->finalized)
        return;
    run->deaths.looks = calls && calls == run->deaths.looked && run->state == FT_RUN_RUNNING
                            ? run->deaths.looks + 1
                            : 0;
    run->deaths.looked = calls;
    if (run->deaths.looks < looks_most()) {
        ft_loop_after(run->loop, &run->deaths.look, look_interval, on_look, run);
        return;
    }
    ft_say(
        "since a rank died all others wait in MPI calls, and nothing has moved for %.0f s: either "
        "the program waits for what nobody sends, or the rank died while it handed a message to "
        "another one, which can receive nothing any more",
        look_interval * looks_most());
    ft_finish(run, FT_EXIT_REFUSED);
}

void ft_mourn(struct ft_member *member, int status)
{
    struct ft_run *run = member->run;

    if (!may_start(member, status))
        return;
    run->summary.failures++;
    ft_pipes_drain(member);
    ft_output_watch(run);
    member->ended = member->mourned = 1;
    member->code = ft_plan_code(status);
    if (run->options.verbose)
        ft_say("rank %d is dead; the others are told", member->rank);
    tell_all(run, member, member->group);
    if (run->state != FT_RUN_STARTING)
        ft_loop_after(run->loop, &run->deaths.look, look_interval, on_look, run);
    ft_agree_look(run);
    ft_finalize_all(run);
}

void ft_mourn_revoke(struct ft_run *run, uint64_t comm)
{
    size_t at = offsetof(struct ft_deaths, revoked) + run->deaths.revoked * sizeof(comm);

    for (uint32_t i = run->deaths.healed_revokes; i < run->deaths.revoked; i++)
        if (run->deaths.revokes[i] == comm)
            return;
    if (run->deaths.revoked == FT_RUN_REVOKED) {
        ft_say("more than %d communicators were revoked: --ulfm has no room for another one",
               FT_RUN_REVOKED);
        ft_finish(run, FT_EXIT_REFUSED);
        return;
    }
    run->deaths.revokes[run->deaths.revoked++] = comm;
    for (int i = 0; i < run->size; i++)
        tell(&run->members[i], &comm, sizeof(comm), at, run->deaths.revoked,
             offsetof(struct ft_deaths, revokes));
    ft_mourn_call(run);
}
