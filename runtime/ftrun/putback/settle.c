/* settle: files are off limits for ranks that are as far as they ever were, until those that
 * rolled back are, too (files/settle.h). Each rank's recorder says so, and where the rank was. */
#include "host/proc.h"
#include "putback/putback.h"

static const double pause = 0.005;   /* seconds between two looks */
static const double patience = 30;   /* while nothing moves */
static const double least_use = 0.1; /* of a processor, by a rank that computes */

void ft_settle_begin(struct ft_run *run, int all)
{
    if (!all && !run->settle.unsettled)
        run->settle.begun = ft_loop_now();
    run->settle.unsettled = !all;
    run->settle.afresh = all;
}

/* The first rank that is not where it was, or NULL. */
static const struct ft_member *find_behind(const struct ft_run *run)
{
    for (int i = 0; i < run->size; i++) {
        if (!run->members[i].ended && !ft_is_where_it_was(run->members[i].recorder))
            return &run->members[i];
    }
    return NULL;
}

/* Ranks that wait for each other by files may come to them in another order than before: then one
 * waits for the end of this, and another one waits for a file of the first. */
static int is_stuck(struct ft_run *run)
{
    struct ft_settle *settle = &run->settle;
    double now = ft_loop_now(), used = 0;
    uint64_t sum = 0;

    for (int i = 0; i < run->size; i++) {
        const struct ft_member *member = &run->members[i];

        sum += ft_progress_of(member->recorder) + ft_changes_of(member->recorder);
        if (!ft_is_where_it_was(member->recorder))
            used += ft_rank_used(member);
    }
    if (sum != settle->sum || used - settle->used > least_use * (now - settle->moved)) {
        settle->sum = sum;
        settle->used = used;
        settle->moved = now;
    }
    return now - settle->moved > patience;
}

static void on_look(void *context)
{
    struct ft_run *run = context;
    const struct ft_member *behind = find_behind(run);

    if (run->state != FT_RUN_RUNNING)
        return; /* the next epoch looks again */
    if (behind && is_stuck(run)) {
        ft_say("rank %d does not come to where it was before the death, and others wait for that "
               "with their files: ranks that wait for each other by files need --protocol "
               "coordinated",
               behind->rank);
        run->settle.stuck(run);
        return;
    }
    if (behind) {
        ft_loop_after(run->loop, &run->settle.timer, pause, on_look, run);
        return;
    }
    run->settle.unsettled = 0;
    for (int i = 0; i < run->size; i++) {
        __atomic_store_n(&run->members[i].recorder->unsettled, 0, __ATOMIC_RELEASE);
        ft_rank_tell(&run->members[i]);
    }
    ft_events_emit(run->events, "settled", "{s:f, s:i}", "seconds",
                   ft_loop_now() - run->settle.begun, "epoch", (int)run->epoch);
}

void ft_settle_watch(struct ft_run *run, void (*stuck)(struct ft_run *run))
{
    run->settle.stuck = stuck;
    run->settle.moved = ft_loop_now();
    if (run->settle.unsettled)
        on_look(run);
}
