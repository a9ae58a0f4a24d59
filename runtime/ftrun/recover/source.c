/* source: a life that cannot begin with its image, and what it begins with then.
 *
 * Damage is what the image's file says of itself, or that it is not there: then the older one is
 * tried. That a process does not get what it needs says nothing about the image, and may be over in
 * a moment: nothing is dropped for it as long as the job could be continued later. */
#include <errno.h>
#include <string.h>
#include "commit/commit.h"
#include "recover/recover.h"

/* Where a job with clusters is continued, all have to begin at the same moment. */
static void use_older(struct ft_cluster *cluster)
{
    struct ft_run *run = cluster->run;
    int code = 0;

    if (run->restarting && ft_run_contains(run))
        code = ft_restart_older(run);
    else
        ft_cluster_drop_newest(cluster);
    if (code)
        ft_say("the checkpoint before it cannot be used: %s", strerror(-code));
}

/* The images are whole, and fit another process than this one: so are the older ones. */
static void end_misfit(struct ft_member *member, const char *reason)
{
    struct ft_run *run = member->run;

    if (run->state == FT_RUN_ENDING)
        return; /* another rank has said it */
    ft_say(
        "rank %d cannot go on from checkpoint %d: %s. Nothing of the store is changed: with what "
        "was installed when the checkpoint was taken --restart continues it",
        member->rank, member->cluster->restored, reason);
    run->barred = 1;
    ft_finish(run, 1);
    run->keep_store |= run->options.store != NULL;
}

/* A survivor's own image is no checkpoint: its cluster rolls back. */
static void lose_survivor(struct ft_member *member, const char *reason)
{
    struct ft_run *run = member->run;

    ft_events_emit(run->events, "fall", "{s:i, s:i, s:s, s:i}", "rank", member->rank, "cluster",
                   member->cluster->number, "reason", reason, "epoch", (int)run->epoch);
    ft_cluster_fall(member->cluster);
}

/* The newest checkpoint of the rank's cluster is not used any more, if that is what it began with.
 */
static void drop_source(const struct ft_member *member)
{
    const struct ft_manifest *newest = ft_cluster_newest(member->cluster);

    if (newest && newest->checkpoint == (uint32_t)member->cluster->restored)
        use_older(member->cluster);
}

static void begin_again(struct ft_run *run)
{
    if (run->died <= 0)
        run->died = ft_loop_now();
    ft_epoch_clear(run, FT_RUN_CLEARING);
}

void ft_source_damaged(struct ft_member *member, int error, const char *reason)
{
    if (ft_member_survives(member)) {
        lose_survivor(member, reason);
    } else if (error == ESTALE) {
        end_misfit(member, reason);
        return;
    } else {
        ft_say("warning: checkpoint %d is damaged (rank %d: %s); it is not used",
               member->cluster->restored, member->rank, reason);
        drop_source(member);
    }
    begin_again(member->run);
}

static void end_hindered(struct ft_member *member, const char *reason)
{
    struct ft_run *run = member->run;

    ft_say("rank %d cannot go on from checkpoint %d, %d times in a row: %s. Nothing of the store "
           "is changed: when that is there again --restart continues it",
           member->rank, member->cluster->restored, run->fruitless, reason);
    ft_finish(run, 1);
}

/* Nothing could be continued later, so what is left is what is older. */
static void give_way(struct ft_member *member, const char *reason)
{
    struct ft_run *run = member->run;

    ft_say("warning: checkpoint %d is given up, because rank %d cannot go on from it, %d times in "
           "a row: %s",
           member->cluster->restored, member->rank, run->fruitless, reason);
    run->fruitless = 0;
    drop_source(member);
}

static void note_hindrance(const struct ft_member *member, const char *reason)
{
    struct ft_run *run = member->run;

    ft_events_emit(run->events, "hindered", "{s:i, s:i, s:s, s:i}", "rank", member->rank,
                   "checkpoint", member->cluster->restored, "reason", reason, "epoch",
                   (int)run->epoch);
    if (!run->fruitless++)
        ft_say("warning: rank %d cannot go on from checkpoint %d yet: %s; it is tried again",
               member->rank, member->cluster->restored, reason);
}

void ft_source_hindered(struct ft_member *member, const char *reason)
{
    struct ft_run *run = member->run;

    if (run->state != FT_RUN_STARTING)
        return; /* another rank has said it */
    if (ft_member_survives(member)) {
        lose_survivor(member, reason);
        begin_again(run);
        return;
    }
    note_hindrance(member, reason);
    if (run->fruitless >= FT_PLAN_FRUITLESS && ft_whole_continues(run)) {
        end_hindered(member, reason);
        return;
    }
    if (run->fruitless >= FT_PLAN_FRUITLESS)
        give_way(member, reason);
    begin_again(run);
}
