/* epoch: one life of the MPI library in all ranks' processes.
 *
 * Invariant: no process of an epoch is alive when the next one's first rank starts (writers of
 * images included: they are in the ranks' process groups), or it has left the epoch (leave.c). */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "commit/commit.h"
#include "putback/putback.h"
#include "recover/recover.h"

/* A rank that died after returning counts as absent; its death is handled next, as one of the
 * starting epoch. */
static int all_back(const struct ft_run *run)
{
    for (int i = 0; i < run->size; i++) {
        const struct ft_member *member = &run->members[i];

        if (!member->back || (member->pid <= 0 && !member->ended))
            return 0;
    }
    return 1;
}

static double moment_of_death(const struct ft_run *run)
{
    return run->died > 0 ? ft_loop_now() - run->died : ft_loop_now() - run->epoch_started;
}

/* Reports the cost of the failure: the ranks of fallen clusters, and no other rank's work. */
static void emit_contained(struct ft_run *run)
{
    struct ft_leave *leave = &run->leave;
    double left = run->epoch_started;
    int ranks = 0, fallen = ft_clusters_fallen(run);
    int stayed =
        fallen < run->cluster_count && leave->held >= run->died; /* somebody has left the epoch */

    for (int i = 0; i < run->size; i++)
        ranks += !ft_member_survives(&run->members[i]);
    run->summary.rolled_back += (uint64_t)ranks;
    if (!ft_run_contains(run))
        return;
    ft_events_emit(run->events, "contained", "{s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:f}", "clusters",
                   fallen, "of", run->cluster_count, "ranks", ranks, "size", run->size, "epoch",
                   (int)run->epoch, "gather", stayed ? leave->held - leave->begun : 0, "leave",
                   stayed ? left - leave->held : left - run->died, "start", ft_loop_now() - left);
}

/* With clusters the ranks wait for this moment: so a death in an epoch that starts costs nobody
 * anything, because nobody has done anything in it. */
static void release_all(struct ft_run *run)
{
    for (int i = 0; i < run->size; i++) {
        if (ft_member_survives(&run->members[i]) || run->members[i].cluster->restored >= 0 ||
            run->members[i].replacement)
            ft_rank_release(&run->members[i]);
    }
}

static void end_stuck(struct ft_run *run)
{
    ft_finish(run, 1);
}

static void begin_running(struct ft_run *run)
{
    run->state = FT_RUN_RUNNING;
    ft_run_look(run, ft_run_contains(run) ? 20 : 1000);
    if (run->restarting)
        ft_restart_end(run);
    run->fruitless = 0;
    ft_events_emit(run->events, "epoch", "{s:i, s:i, s:f}", "epoch", (int)run->epoch, "ranks",
                   run->size, "seconds", moment_of_death(run));
    if (run->died > 0) {
        run->summary.lost += moment_of_death(run);
        emit_contained(run);
    }
    if (ft_run_contains(run)) {
        release_all(run);
        ft_interrupt_serve(run);
        ft_settle_watch(run, end_stuck);
    }
    ft_leave_end(run);
}

void ft_epoch_back(struct ft_member *member)
{
    struct ft_run *run = member->run;

    member->back = 1;
    if (run->state != FT_RUN_STARTING || !all_back(run))
        return;
    begin_running(run);
    for (int i = 0; i < run->cluster_count; i++) {
        if (run->clusters[i]->checkpoint.state == FT_CHECKPOINT_NONE)
            ft_commit_schedule(run->clusters[i]);
    }
    for (int i = 0; i < run->parts; i++) { /* the list of clusters may become shorter here */
        if (run->part[i]->checkpoint.wanted || run->stopping)
            ft_checkpoint_begin(run->part[i]);
    }
}

/* How far the rank was in the life before, or in one before that. */
static void keep_reached(struct ft_recorder *recorder, const struct ft_recorder *old)
{
    int farther = ft_is_where_it_was(old);

    recorder->reached = farther ? ft_progress_of(old) : old->reached;
    recorder->reached_changes = farther ? ft_changes_of(old) : old->reached_changes;
}

/* The recorder's words about the life before must not be taken for this one's. Faults that
 * were injected stay injected, and determinants are there to be given again. A survivor's
 * recorder goes on. */
static void reset_recorder(struct ft_member *member)
{
    struct ft_recorder *recorder = member->recorder;
    const struct ft_cluster *cluster = member->cluster;
    const struct ft_manifest *newest = ft_cluster_newest(cluster);
    struct ft_recorder old = *recorder;

    __atomic_store_n(&recorder->unsettled, (uint32_t)member->run->settle.unsettled,
                     __ATOMIC_RELEASE);
    ft_rank_tell(member);
    if (ft_member_survives(member) && !member->crossed) {
        if (member->lost) /* a second copy that begins again, with the image that it began with */
            ft_ring_lose(member, 0, 0);
        return;
    }
    member->life_began = ft_loop_now();
    memset(recorder, 0, sizeof(*recorder));
    recorder->version = FT_RECORDER_VERSION;
    recorder->phase = newest ? FT_PHASE_RUNNING : FT_PHASE_START;
    memcpy(recorder->fault_met, old.fault_met, sizeof(old.fault_met));
    memcpy(recorder->fault_done, old.fault_done, sizeof(old.fault_done));
    if (member->run->options.ulfm) /* nothing is done again */
        return;
    recorder->determinants = old.determinants;
    recorder->determinants_kept = old.determinants_kept;
    recorder->trail = old.trail;
    recorder->contents = old.contents;
    recorder->phased = old.phased;
    recorder->trail_from = old.trail_from;
    recorder->believed = old.believed;
    recorder->spared = old.spared;
    recorder->logged = old.logged;
    recorder->log_dropped = old.log_dropped;
    recorder->log_most = ft_log_most_of(&old);
    recorder->behind = old.calls > old.behind ? old.calls : old.behind;
    recorder->longest = ft_progress_of(&old) > old.longest ? ft_progress_of(&old) : old.longest;
    if (!member->run->settle.afresh)
        keep_reached(recorder, &old);
    recorder->unsettled = (uint32_t)member->run->settle.unsettled;
    recorder->sites_beyond = old.sites_beyond;
    memcpy(recorder->sites, old.sites, sizeof(old.sites));
    memcpy(recorder->kinds, old.kinds, sizeof(old.kinds));
    recorder->order = newest ? newest->ranks[member->place].order : 0;
    recorder->committed = newest ? newest->checkpoint + 1 : 0;
    if (member->lost)
        ft_ring_lose(member, newest ? newest->ranks[member->place].determinants : 0,
                     newest ? newest->ranks[member->place].trail : 0);
}

/* A process for the rank, or the next life of the one that it has. 0 or -errno after a message. */
static int start_rank(struct ft_member *member)
{
    char why[FT_STORE_PATH + 512];
    int code;

    if (ft_member_survives(member) && member->pid > 0) {
        ft_rank_continue(member);
        return 0;
    }
    ft_rank_close(member);
    code = ft_rank_start(member, why, sizeof(why));
    if (code)
        ft_say("rank %d: %s", member->rank, why);
    return code;
}

static int start_ranks(struct ft_run *run)
{
    for (int i = 0; i < run->size; i++) {
        int code = start_rank(&run->members[i]);

        if (code)
            return code;
    }
    return 0;
}

/* Traces of --verify, the order for checkpoint 0. */
static int prepare(struct ft_run *run)
{
    int code = 0;

    for (int i = 0; i < run->cluster_count && ft_run_recovers(run); i++) {
        if (run->clusters[i]->fallen && run->clusters[i]->restored < 0)
            ft_checkpoint_order(run->clusters[i]);
    }
    if (run->verify_runs && (code = ft_verify_runs_begin(run)))
        ft_say("a folder for traces in %s: %s", ft_store_path(run->store), strerror(-code));
    return code;
}

void ft_epoch_start(struct ft_run *run)
{
    int code;

    run->state = FT_RUN_STARTING;
    run->finalized = 0;
    run->epoch_started = ft_loop_now();
    ft_pmi_begin(run->pmi);
    ft_away_epoch(run);
    for (int i = 0; i < run->size; i++)
        reset_recorder(&run->members[i]);
    ft_marks_begin(run);
    ft_phases_begin(run);
    ft_orphans_begin(run);
    if (prepare(run)) {
        ft_finish(run, 1);
        return;
    }
    if ((code = start_ranks(run)))
        ft_finish(run, code == -ENOENT ? FT_EXIT_MISSING : 1);
}

static void kill_members(struct ft_run *run)
{
    for (int i = 0; i < run->cluster_count; i++)
        ft_cluster_kill(run->clusters[i]);
}

static int is_cleared(struct ft_run *run)
{
    for (int i = 0; i < run->cluster_count; i++) {
        if (!ft_cluster_is_clear(run->clusters[i]))
            return 0;
    }
    return 1;
}

static void check_again(void *context)
{
    ft_recover_reap(context);
    ft_epoch_check(context);
}

/* The team of first copies ends behind that of the second ones, whose lines it writes, too. */
static int waits_for_copies(const struct ft_run *run)
{
    return !run->copy && run->twin && !run->twin->done;
}

/* Has the team of first copies been given up while the team of second copies still runs? */
static int is_left_behind(const struct ft_run *run)
{
    return run->given_up && !run->copy && run->twin->state != FT_RUN_ENDING;
}

/* Is something still awaited before the epoch is over? */
static int is_awaited(struct ft_run *run)
{
    return !is_cleared(run) ||
           (run->state == FT_RUN_ENDING && waits_for_copies(run) && !is_left_behind(run));
}

void ft_epoch_check(struct ft_run *run)
{
    if (run->done || (run->state != FT_RUN_CLEARING && run->state != FT_RUN_ENDING))
        return;
    if (is_awaited(run)) {
        kill_members(run); /* a process may have been forked while the group was being killed */
        ft_loop_after(run->loop, &run->clear, 0.001, check_again, run);
        return;
    }
    ft_loop_cancel(run->loop, &run->clear);
    for (int i = 0; i < run->size; i++) {
        ft_rank_close(&run->members[i]);
        if (run->state == FT_RUN_CLEARING) /* the libraries start again; a survivor goes on */
            ft_output_discard(run->output, i, 1);
    }
    ft_shm_sweep(run->shm);
    ft_away_sweep(run);
    for (int i = 0; i < run->cluster_count; i++)
        ft_commit_abort(run->clusters[i]);
    if (is_left_behind(run))
        return;
    if (run->state == FT_RUN_ENDING && run->copy)
        run->done = 1;
    else if (run->state == FT_RUN_ENDING)
        ft_finish_clear(run);
    else
        ft_recover_next(run);
}

void ft_epoch_clear(struct ft_run *run, enum ft_run_state state)
{
    int leaving = run->state >= FT_RUN_LEAVING; /* then the epoch has its number already */

    ft_join_undo(run);
    ft_loop_cancel(run->loop, &run->leave.tick);
    run->state = state;
    kill_members(run);
    for (int i = 0; i < run->cluster_count; i++) {
        ft_loop_cancel(run->loop, &run->clusters[i]->checkpoint.tick);
        ft_loop_cancel(run->loop, &run->clusters[i]->checkpoint.due);
    }
    if (state == FT_RUN_CLEARING && !leaving)
        run->epoch++;
    ft_loop_after(run->loop, &run->clear, 0.001, check_again, run);
}
