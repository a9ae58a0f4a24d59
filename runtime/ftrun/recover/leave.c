/* leave: the survivors of a death leave their epoch (--protocol spbc).
 *
 * Some clusters have fallen; their processes are being ended. The ranks of the other clusters are
 * brought to the gate, as for a checkpoint; a signal calls those that compute (interrupt.c). When
 * all of them are there they are told to LEAVE: each drains inside its cluster, writes its image
 * into memory, and waits; it will never enter its library again. When all have LEFT and the dead
 * are gone, the next epoch starts: the survivors' processes continue with their images, the fallen
 * clusters with their checkpoints.
 *
 * When in doubt, more rolls back: a survivor that dies before it has left, cannot be saved, or
 * does not come, takes its cluster along. Nothing is decided twice: ft_cluster.fallen says who
 * rolls back, ft_member.image_fd who has left. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "commit/commit.h"
#include "host/proc.h"
#include "putback/putback.h"
#include "recover/mourn.h"
#include "recover/recover.h"

static const double tick_seconds = 0.002;
static const double slow_seconds = 0.02;
static const int quick_ticks = 100;
static const double gate_patience = 30;   /* outside of the program's own code */
static const double block_patience = 2;   /* in a call that a dead rank never answers */
static const double leave_patience = 300; /* from LEAVE to LEFT: an image is written */
static const double drain_patience = 5;   /* of all of a cluster: a transfer of some GB is none */
static const double end_patience = 0.1;   /* from END to SIGKILL */
static const double idle_patience = 10;   /* outside of MPI, for what nobody sees */
static const double idle_share = 0.1;     /* of the processor, at most */
static const double idle_look = 1;        /* seconds in which it uses less */

static void on_tick(void *context);

static int is_survivor(const struct ft_member *member)
{
    return !member->cluster->fallen;
}

/* The ranks of a fallen cluster end outside of the MPI library if they come out of it soon: at the
 * gate, or here while they compute. One that is killed in the middle of a send leaves a gap in a
 * queue of the receiver, which passes nothing any more, from nobody (request/drain.c); and the
 * receiver is a survivor, perhaps. */
static void tell_end(struct ft_cluster *cluster)
{
    if (cluster->ending > 0)
        return;
    cluster->ending = ft_loop_now();
    for (int i = 0; i < cluster->count; i++) {
        struct ft_member *member = cluster->members[i];

        ft_rank_kill_writer(member);
        if (member->pid <= 0)
            continue;
        ft_rank_order(member, ++cluster->run->generation);
        ft_rank_send(member, FT_WIRE_END, NULL, 0, NULL, 0, -1);
    }
}

static void end(struct ft_cluster *cluster)
{
    int late = ft_loop_now() - cluster->ending > end_patience;

    for (int i = 0; i < cluster->count; i++) {
        struct ft_member *member = cluster->members[i];

        if (!late && member->pid > 0)
            ft_interrupt_end(member);
        else /* a process may have been forked meanwhile */
            ft_rank_kill(member);
    }
}

/* The cluster's ranks are of no use any more, whatever they were doing. */
static void bury(struct ft_cluster *cluster)
{
    tell_end(cluster);
    end(cluster);
    ft_commit_abort(cluster);
    ft_cluster_fall(cluster);
    for (int i = 0; i < cluster->count; i++)
        ft_gather_excuse(cluster->run->leave.gather, cluster->members[i]->rank);
}

static void order_survivors(struct ft_run *run)
{
    run->generation++;
    for (int i = 0; i < run->size; i++) {
        if (!is_survivor(&run->members[i]) || ft_gather_holds(run->leave.gather, i) ||
            ft_gather_rests(run->leave.gather))
            continue;
        ft_rank_order(&run->members[i], run->generation);
        ft_interrupt_look(&run->members[i], FT_INTERRUPT_LEAVE);
    }
}

/* The first death of this epoch: the next one gets its number, survivors are called. */
static void enter(struct ft_run *run)
{
    struct ft_leave *leave = &run->leave;

    run->state = FT_RUN_LEAVING;
    ft_run_look(run, 2);
    leave->told = leave->ticks = 0;
    leave->begun = run->died;
    leave->input = 0;
    ft_gather_begin(leave->gather);
    ft_still_begin(run->still);
    run->epoch++;
    for (int i = 0; i < run->cluster_count; i++) {
        run->clusters[i]->ending = 0;
        run->clusters[i]->drains = ft_loop_now();
        if (!run->clusters[i]->fallen)
            ft_checkpoint_ungather(run->clusters[i]);
    }
    for (int i = 0; i < run->size; i++) {
        run->members[i].quiet = ft_loop_now();
        ft_interrupt_begin(&run->members[i]);
    }
    ft_loop_after(run->loop, &leave->tick, tick_seconds, on_tick, run);
}

void ft_leave_begin(struct ft_run *run)
{
    int first = run->state != FT_RUN_LEAVING;

    ft_join_undo(run);
    ft_orphans_leave(run);
    if (ft_clusters_need_main(run))
        ft_clusters_fall(run, "there was no checkpoint yet");
    else if (first && ft_clusters_fallen(run) && !ft_afford_survivors(run))
        ft_clusters_fall(run, "there is too little memory to keep the others");
    if (ft_clusters_fallen(run) == run->cluster_count) {
        for (int i = 0; i < run->cluster_count; i++)
            ft_cluster_fall(run->clusters[i]);
        ft_epoch_clear(run, FT_RUN_CLEARING);
        return;
    }
    if (first)
        enter(run);
    for (int i = 0; i < run->cluster_count; i++) {
        if (run->clusters[i]->fallen)
            bury(run->clusters[i]);
    }
    ft_events_emit(run->events, "leave", "{s:i, s:i, s:i}", "fallen", ft_clusters_fallen(run), "of",
                   run->cluster_count, "epoch", (int)run->epoch);
    if (first)
        order_survivors(run);
}

/* An epoch that begins anyway does as well. */
void ft_leave_regroup(struct ft_run *run)
{
    if (run->state != FT_RUN_RUNNING)
        return;
    run->died = ft_loop_now();
    ft_leave_begin(run);
}

/* The rank does not come, or cannot be saved: its cluster rolls back, too. */
void ft_leave_condemn(struct ft_member *member, const char *why)
{
    if (member->run->options.ulfm) {
        ft_say("rank %d: ft_replace cannot be carried out: %s", member->rank, why);
        ft_finish(member->run, FT_EXIT_REFUSED);
        return;
    }
    ft_events_emit(member->run->events, "fall", "{s:i, s:i, s:s, s:i}", "rank", member->rank,
                   "cluster", member->cluster->number, "reason", why, "epoch",
                   (int)member->run->epoch);
    member->cluster->fallen = 1;
    ft_leave_begin(member->run);
}

static void look_at_all_blocks(struct ft_run *run)
{
    for (int i = 0; i < run->size; i++)
        run->leave.blocks[i] = ft_rank_block(&run->members[i]);
}

/* All are held, so nobody waits for anybody: standard input stands still, too. */
static void tell_leave(struct ft_run *run)
{
    struct ft_leave *leave = &run->leave;

    leave->told = 1;
    leave->held = ft_loop_now();
    ft_input_pause(run->input, 1);
    leave->input = ft_input_written(run->input);
    for (int i = 0; i < run->size; i++) {
        struct ft_member *member = &run->members[i];

        if (!is_survivor(member))
            continue;
        ft_rank_order(member, ft_gather_generation(leave->gather, i));
        member->quiet = leave->held;
        ft_rank_send(member, FT_WIRE_LEAVE, NULL, 0, NULL, 0, -1);
    }
}

static void carry_out(struct ft_run *run, int all)
{
    struct ft_leave *leave = &run->leave;

    if (all) {
        tell_leave(run);
        return;
    }
    for (int i = 0; i < run->size; i++) {
        if (leave->orders[i] != FT_GATHER_RELEASE)
            continue;
        if (!ft_gather_waits(leave->gather, i) && !ft_gather_rests(leave->gather))
            ft_rank_order(&run->members[i], ++run->generation);
        ft_rank_release(&run->members[i]);
    }
}

/* Is some survivor in the program's own code? Then whoever is blocked may be waiting for it. */
static int somebody_works(struct ft_run *run)
{
    for (int i = 0; i < run->size; i++) {
        if (is_survivor(&run->members[i]) && !ft_gather_holds(run->leave.gather, i) &&
            run->members[i].recorder->where == FT_WHERE_USER)
            return 1;
    }
    return 0;
}

/* A rank outside of MPI computes, perhaps for hours, or waits: for a rank that is gone, perhaps. */
static const char *is_idle(struct ft_member *member, double silence)
{
    double used;

    if (silence < idle_look)
        return NULL;
    used = ft_rank_used(member);
    if (used - member->used > idle_share * silence) {
        member->quiet = ft_loop_now();
        member->used = used;
        return NULL;
    }
    return silence > idle_patience ? "it waits outside of MPI, perhaps for a rank that is gone"
                                   : NULL;
}

/* Why the rank is not waited for any longer, or NULL. */
static const char *is_too_late(struct ft_member *member, int works)
{
    struct ft_run *run = member->run;
    uint32_t where = member->recorder->where;
    double silence = ft_loop_now() - member->quiet;

    if (run->leave.told)
        return silence > leave_patience && !ft_member_survives(member)
                   ? "it did not write its image"
                   : NULL;
    if (ft_gather_holds(run->leave.gather, member->rank) || (where == FT_WHERE_BLOCK && works)) {
        member->quiet = ft_loop_now();
        return NULL;
    }
    if (where == FT_WHERE_USER)
        return is_idle(member, silence);
    if (where == FT_WHERE_BLOCK && silence > block_patience)
        return "it waits inside the MPI library for a rank that is gone";
    return silence > gate_patience ? "it did not come to a safe point" : NULL;
}

static void condemn_late(struct ft_run *run)
{
    int works = somebody_works(run);

    for (int i = 0; i < run->size && run->state == FT_RUN_LEAVING; i++) {
        struct ft_member *member = &run->members[i];
        const char *why = is_survivor(member) ? is_too_late(member, works) : NULL;

        if (why)
            ft_leave_condemn(member, why);
    }
}

/* Not in its drain, behind it, or held before it: it may be late, or write its image. */
static int is_between(const struct ft_member *member)
{
    const struct ft_leave *leave = &member->run->leave;

    return !member->recorder->draining &&
           !(leave->told ? ft_member_survives(member)
                         : ft_gather_holds(leave->gather, member->rank));
}

/* A rank of the cluster that drains, if all others do, too, or need not; or NULL. */
static struct ft_member *who_drains(const struct ft_cluster *cluster)
{
    struct ft_member *member = NULL;

    for (int i = 0; i < cluster->count; i++) {
        if (is_between(cluster->members[i]))
            return NULL;
        if (cluster->members[i]->recorder->draining)
            member = cluster->members[i];
    }
    return member;
}

static uint32_t drained_by(const struct ft_cluster *cluster)
{
    uint32_t drained = 0;

    for (int i = 0; i < cluster->count; i++)
        drained += cluster->members[i]->recorder->drained;
    return drained;
}

/* A rank that waits in a drain waits for the others of its cluster, which may have much to take. So
 * a drain stands still when nothing moves at any of them (request/drain.c says by what). */
static void condemn_drains(struct ft_run *run)
{
    for (int i = 0; i < run->cluster_count && run->state == FT_RUN_LEAVING; i++) {
        struct ft_cluster *cluster = run->clusters[i];
        struct ft_member *member = cluster->fallen ? NULL : who_drains(cluster);
        uint32_t drained = drained_by(cluster);

        if (!member || drained != cluster->drained)
            cluster->drains = ft_loop_now();
        else if (ft_loop_now() - cluster->drains > drain_patience)
            ft_leave_condemn(member, "messages of its own cluster do not arrive, because another "
                                     "rank died while it sent");
        cluster->drained = drained;
    }
}

/* Some are held and released again and again, and nobody gets any further: all roll back. */
static void condemn_still(struct ft_run *run)
{
    if (run->state != FT_RUN_LEAVING || run->leave.told ||
        ft_still_look(run->still, run) < gate_patience)
        return;
    ft_clusters_fall(run, "the ranks wait for each other and do not come to a safe point together");
    ft_leave_begin(run);
}

static void on_tick(void *context)
{
    struct ft_run *run = context;
    struct ft_leave *leave = &run->leave;

    condemn_late(run);
    condemn_drains(run);
    condemn_still(run);
    if (run->state == FT_RUN_LEAVING && !leave->told) {
        look_at_all_blocks(run);
        carry_out(run, ft_gather_tick(leave->gather, leave->blocks, leave->orders));
        if (!leave->told)
            order_survivors(run);
    }
    ft_recover_reap(run);
    ft_leave_check(run);
    if (run->state == FT_RUN_LEAVING)
        ft_loop_after(run->loop, &leave->tick,
                      ++leave->ticks < quick_ticks ? tick_seconds : slow_seconds, on_tick, run);
}

void ft_leave_gate(struct ft_member *member, const struct ft_wire_gate *gate)
{
    struct ft_run *run = member->run;
    struct ft_leave *leave = &run->leave;

    ft_gather_report(leave->gather, member->rank, gate, (const void *)(gate + 1));
    if (gate->more || leave->told)
        return;
    look_at_all_blocks(run);
    carry_out(run, ft_gather_decide(leave->gather, leave->blocks, leave->orders));
}

/* Its image was sent, and did not arrive. */
static const char *lack_descriptor(struct ft_run *run)
{
    if (!run->lack_told++)
        ft_say(
            "warning: ftrun can have no more descriptors (ulimit -Hn): clusters roll back in which "
            "nobody died");
    return "ftrun can have no more descriptors";
}

void ft_leave_left(struct ft_member *member, const struct ft_wire_left *left, const char *reason,
                   int *fd)
{
    struct ft_run *run = member->run;

    if (run->state != FT_RUN_LEAVING)
        return;
    if (left->error ||
        (*fd < 0 && !member->node)) { /* also from the drain of a checkpoint that was under way */
        ft_leave_condemn(member, *reason       ? reason
                                 : left->error ? strerror(left->error)
                                               : lack_descriptor(run));
        return;
    }
    if (!run->leave.told)
        return;
    ft_rank_drop_image(member);
    member->image_fd = *fd;
    member->left = member->node != NULL;
    *fd = -1;
    ft_copies_left(member);
    if (member->rank == 0) {
        run->input_position = run->leave.input - left->stdin_left;
        ft_input_pause(run->input, 0);
    }
    ft_events_emit(run->events, "left", "{s:i, s:I, s:f, s:f, s:b, s:i, s:i}", "rank", member->rank,
                   "bytes", (json_int_t)left->bytes, "drain", left->drain, "image", left->image,
                   "interrupted", (int)left->interrupted, "signals", member->call.sent, "epoch",
                   (int)run->epoch);
    ft_leave_check(run);
}

/* Has every survivor left, and is everybody dead who has to be? */
static int is_complete(struct ft_run *run)
{
    int complete = 1;

    for (int i = 0; i < run->cluster_count; i++) {
        struct ft_cluster *cluster = run->clusters[i];

        if (cluster->fallen && !ft_cluster_is_clear(cluster)) {
            end(cluster);
            complete = 0;
        }
    }
    for (int i = 0; i < run->size; i++)
        complete &= !is_survivor(&run->members[i]) || ft_member_survives(&run->members[i]) ||
                    run->members[i].mourned;
    return complete;
}

/* Only the rank's writer could still be alive, and has nobody to report to. */
static void close_dead(struct ft_member *member)
{
    if (member->pid > 0)
        return;
    ft_commit_abort(member->cluster);
    ft_rank_close(member);
}

void ft_leave_check(struct ft_run *run)
{
    int more;

    if (run->state != FT_RUN_LEAVING || !is_complete(run))
        return;
    if ((more = ft_files_fit(run)) < 0) {
        ft_finish(run, 1);
        return;
    }
    if (more) {
        ft_leave_begin(run);
        return;
    }
    ft_loop_cancel(run->loop, &run->leave.tick);
    if (run->options.ulfm && ft_replace_take(run))
        return;
    for (int i = 0; i < run->size; i++)
        close_dead(&run->members[i]);
    ft_shm_sweep(run->shm);
    ft_away_sweep(run);
    ft_recover_next(run);
}

void ft_leave_end(struct ft_run *run)
{
    for (int i = 0; i < run->size; i++)
        ft_rank_drop_image(&run->members[i]);
    for (int i = 0; i < run->cluster_count; i++)
        run->clusters[i]->fallen = 0;
}
