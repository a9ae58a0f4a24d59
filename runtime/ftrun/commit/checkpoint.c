/* checkpoint: from the order to the freeze, for one cluster.
 *
 * Clusters do not stop at the same time: while one is being gathered or written, another one waits
 * for its turn, but not for one that waits for a rank which computes; clusters that were joined for
 * their first checkpoint give it up then. (Checkpoint 0 of all clusters is ordered with their
 * start.) Numbers are never used twice, over all clusters, because undo
 * records of files are numbered by the checkpoint they follow. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "commit/commit.h"
#include "putback/putback.h"
#include "run/verify_hang.h"

static const double tick_seconds = 0.002; /* between two looks while ranks are gathered */
static const double slow_seconds = 0.02;  /* the same, when a rank computes for long */
static const int quick_ticks = 100;
static const double gather_patience = 0.25; /* until other clusters go on */
static const double still_seconds = 60;     /* in which nobody moves, until ftrun says so */

static void on_tick(void *context);

void ft_checkpoint_fail(struct ft_cluster *cluster, const char *format, ...)
{
    struct ft_checkpoint *checkpoint = &cluster->checkpoint;
    va_list list;

    if (checkpoint->failed)
        return;
    checkpoint->failed = 1;
    va_start(list, format);
    vsnprintf(checkpoint->why, sizeof(checkpoint->why), format, list);
    va_end(list);
    for (int i = 0; i < cluster->count; i++)
        ft_rank_kill_writer(cluster->members[i]);
}

/* A manifest with what is known before the images are taken. */
static struct ft_manifest *draft(struct ft_cluster *cluster)
{
    struct ft_run *run = cluster->run;
    struct ft_manifest *manifest = ft_manifest_create(run->size, cluster->count);

    if (!manifest)
        return NULL;
    manifest->checkpoint = ft_run_first(run)->next;
    manifest->cluster = ft_run_contains(run) ? cluster->number : -1;
    manifest->stack_limit = run->program.stack_limit;
    manifest->environment = ft_program_environment_checksum(run->program.envp);
    manifest->replicas = run->twin != NULL;
    manifest->patterns = run->trusted;
    manifest->pattern = calloc(run->trusted + 1, sizeof(*manifest->pattern));
    manifest->program = strdup(run->program.path);
    manifest->cwd = strdup(run->program.cwd);
    manifest->argv = ft_program_copy(run->program.argv);
    manifest->near = ft_spread_choose(cluster);
    if (*run->near.folder) {
        manifest->local = strdup(run->near.folder);
        manifest->levels = strdup(run->options.levels);
    }
    for (int i = 0; i < cluster->count; i++) {
        manifest->ranks[i].rank = cluster->members[i]->rank;
        manifest->ranks[i].cluster = run->of[cluster->members[i]->rank];
    }
    if (manifest->pattern)
        memcpy(manifest->pattern, run->pattern, run->trusted * sizeof(*manifest->pattern));
    if (manifest->program && manifest->cwd && manifest->argv && manifest->pattern &&
        (!*run->near.folder || (manifest->local && manifest->levels)))
        return manifest;
    ft_manifest_destroy(manifest);
    return NULL;
}

/* Orders all its ranks to the gate. */
static void gather(struct ft_cluster *cluster)
{
    struct ft_run *run = cluster->run;
    struct ft_checkpoint *checkpoint = &cluster->checkpoint;

    checkpoint->state = FT_CHECKPOINT_GATHERING;
    ft_run_look(run, 2);
    checkpoint->failed = checkpoint->ticks = checkpoint->wanted = checkpoint->behind = 0;
    checkpoint->still = checkpoint->holding = checkpoint->owed = checkpoint->shares = 0;
    checkpoint->asked = checkpoint->spread = checkpoint->spreading = 0;
    checkpoint->pause = 0;
    ft_loop_cancel(run->loop, &checkpoint->due);
    ft_gather_begin(cluster->gather);
    ft_still_begin(run->still);
    run->generation++;
    for (int i = 0; i < cluster->count; i++) {
        struct ft_member *member = cluster->members[i];

        member->snapshot = member->written = member->frozen = 0;
        member->writer = 0;
        ft_rank_order(member, run->generation);
    }
    ft_loop_after(run->loop, &checkpoint->tick, tick_seconds, on_tick, cluster);
}

/* Nobody begins it before the timer, or the next request, does: what was in the way is still there.
 */
static void not_begun(struct ft_cluster *cluster)
{
    struct ft_run *run = cluster->run;
    int whole = cluster->whole;

    cluster->checkpoint.wanted = cluster->checkpoint.behind = 0;
    if (!cluster->part[0]) {
        ft_commit_schedule(cluster);
        return;
    }
    ft_join_undo(run);
    if (whole)
        ft_whole_missed(run);
}

/* Prepares the folder, and orders all ranks to the gate. */
static void begin(struct ft_cluster *cluster)
{
    struct ft_run *run = cluster->run;
    struct ft_checkpoint *checkpoint = &cluster->checkpoint;
    uint32_t number = ft_run_first(run)->next;
    int code = 0;

    checkpoint->begun = ft_loop_now();
    checkpoint->acts = ft_ring_acts(run);
    checkpoint->manifest = draft(cluster);
    if (!checkpoint->manifest || (code = ft_store_begin(run->store, number))) {
        if (!checkpoint->failures++)
            ft_say("warning: no checkpoint could be begun (%s); the previous one stays; trying "
                   "again when the next one is due",
                   strerror(code ? -code : ENOMEM));
        ft_manifest_destroy(checkpoint->manifest);
        checkpoint->manifest = NULL;
        not_begun(cluster);
        return;
    }
    ft_events_emit(run->events, "checkpoint-begin", "{s:i, s:i, s:i, s:i}", "checkpoint",
                   (int)number, "epoch", (int)run->epoch, "cluster", cluster->number, "ranks",
                   cluster->count);
    ft_run_first(run)->next++;
    gather(cluster);
}

void ft_checkpoint_order(struct ft_cluster *cluster)
{
    begin(cluster);
}

/* One that a rank keeps waiting, because it computes. It may be any time until it is there, so
 * others go on. */
static int is_slow(const struct ft_cluster *cluster)
{
    const struct ft_checkpoint *checkpoint = &cluster->checkpoint;

    return checkpoint->state == FT_CHECKPOINT_GATHERING && !cluster->part[0] &&
           ft_loop_now() - checkpoint->begun > gather_patience;
}

static int is_turn_taken(const struct ft_run *run)
{
    if (run->removal.pid > 0)
        return 1;
    for (int i = 0; i < run->cluster_count; i++) {
        const struct ft_cluster *cluster = run->clusters[i];

        if (cluster->checkpoint.state != FT_CHECKPOINT_NONE && !is_slow(cluster))
            return 1;
    }
    return 0;
}

int ft_checkpoint_is_open(const struct ft_run *run)
{
    for (int i = 0; i < run->cluster_count; i++) {
        enum ft_checkpoint_state state = run->clusters[i]->checkpoint.state;

        if (state == FT_CHECKPOINT_GATHERING || state == FT_CHECKPOINT_FREEZING)
            return 1;
    }
    return 0;
}

static void on_later(void *context)
{
    struct ft_run *run = context;

    if (!run->whole.wanted && !run->stopping)
        return; /* it was taken meanwhile */
    if (ft_whole_is_up_to_date(run))
        ft_checkpoint_begin(run->part[0]);
    else
        ft_checkpoint_begin_later(run);
}

void ft_checkpoint_begin_later(struct ft_run *run)
{
    ft_loop_after(run->loop, &run->whole.later, tick_seconds, on_later, run);
}

static int is_over(const struct ft_run *run)
{
    return run->finalized || run->state >= FT_RUN_CLEARING || ft_rank_any_ended(run) ||
           !ft_run_recovers(run);
}

void ft_checkpoint_begin_now(struct ft_cluster *cluster)
{
    const struct ft_run *run = cluster->run;

    if (!is_over(run) && run->state == FT_RUN_RUNNING &&
        cluster->checkpoint.state == FT_CHECKPOINT_NONE)
        begin(cluster);
}

void ft_checkpoint_begin(struct ft_cluster *cluster)
{
    struct ft_run *run = cluster->run;

    if (is_over(run))
        return;
    if (run->state != FT_RUN_RUNNING || cluster->checkpoint.state != FT_CHECKPOINT_NONE ||
        is_turn_taken(run)) {
        cluster->checkpoint.wanted = 1;
    } else if (run->stopping && ft_run_contains(run) && !ft_whole_is_up_to_date(run)) {
        cluster->checkpoint.wanted = 1;
        ft_checkpoint_begin_later(run);
    } else {
        begin(ft_whole_is_due(run) ? ft_join_all(cluster) : ft_join_sharers(cluster));
        ft_finalize_all(run); /* the one in the way may be given up, and this one not begun */
    }
}

/* The team of copies that leads takes it. */
void ft_checkpoint_begin_all(struct ft_run *run)
{
    if (run->twin && ft_run_leads(run->twin))
        run = run->twin;
    run->whole.wanted = 1;
    ft_checkpoint_begin(run->part[0]);
}

void ft_checkpoint_begin_last(struct ft_run *run)
{
    for (int i = 0; i < run->parts; i++) {
        if (run->cluster_count > 1)
            ft_checkpoint_ungather(run->part[i]);
        run->part[i]->checkpoint.wanted = run->part[i]->checkpoint.state != FT_CHECKPOINT_GATHERING;
    }
    if (run->part[0]->checkpoint.wanted)
        ft_checkpoint_begin(run->part[0]);
}

/* A log is nearly full. It loses what receivers have in checkpoints when its rank takes one, too,
 * so the rank's own cluster comes last. */
static void shorten_log(struct ft_member *member, const void *clusters, size_t count)
{
    struct ft_run *run = member->run;
    struct ft_cluster *own = run->part[run->of[member->rank]];
    int32_t number;

    for (size_t i = 0; i < count; i++) {
        memcpy(&number, (const char *)clusters + i * sizeof(number), sizeof(number));
        if (number >= 0 && number < run->parts)
            ft_checkpoint_begin(run->part[number]);
    }
    own->checkpoint.behind = 1;
    if (!is_turn_taken(run))
        ft_checkpoint_begin(own);
}

/* All ranks of a cluster ask at the same hook; the first one counts. One that needs room asks
 * until it has it. The request belongs to the initial cluster, also while that is joined to
 * others for a checkpoint: no other cluster has its hooks (join.c). */
void ft_checkpoint_request(struct ft_member *member, int64_t why, const void *clusters,
                           size_t count)
{
    struct ft_cluster *own = member->run->part[member->run->of[member->rank]];
    uint64_t every = member->run->options.every;
    uint64_t request = every ? member->recorder->hooks / every : 0;

    if (member->run->stopping) /* the last one comes anyway, and is of all */
        return;
    if (why == FT_REQUEST_LOG) {
        shorten_log(member, clusters, count);
        return;
    }
    if (why != FT_REQUEST_ROOM && request <= own->checkpoint.requested)
        return;
    if (why != FT_REQUEST_ROOM)
        own->checkpoint.requested = request;
    ft_checkpoint_begin(own);
    if (why == FT_REQUEST_ROOM && member->run->twin) /* the copies have one ring */
        ft_checkpoint_begin(ft_member_twin(member)->cluster);
}

static void look_at_blocks(struct ft_cluster *cluster)
{
    for (int i = 0; i < cluster->count; i++)
        cluster->blocks[i] = ft_rank_block(cluster->members[i]);
}

/* The rank is held: its output so far belongs to the checkpoint. */
static void take_position(struct ft_member *member)
{
    struct ft_cluster *cluster = member->cluster;
    struct ft_run *run = cluster->run;
    struct ft_manifest *manifest = cluster->checkpoint.manifest;

    ft_pipes_drain(member);
    ft_output_watch(run);
    for (int i = 0; i < 2; i++) {
        if (ft_output_position(run->output, member->rank, i,
                               &manifest->output[2 * member->place + i]))
            ft_checkpoint_fail(cluster, "no memory for the output's position");
    }
    if (member->rank == 0)
        ft_input_pause(run->input, 1);
    if (member->place == 0)
        manifest->input = ft_input_written(run->input);
}

static int32_t oldest_of(const struct ft_cluster *cluster)
{
    return cluster->kept_count ? (int32_t)cluster->kept[0]->checkpoint : -1;
}

/* A rank with two copies: each may begin with an image of the other one, so the older one
 * counts. */
static int32_t oldest_of_both(const struct ft_cluster *cluster, const struct ft_cluster *twin)
{
    if (twin->run->given_up)
        return oldest_of(cluster);
    if (!cluster->kept_count || !twin->kept_count)
        return -1;
    return cluster->kept[0]->ranks[0].progress <= twin->kept[0]->ranks[0].progress
               ? oldest_of(cluster)
               : oldest_of(twin) | FT_WIRE_OTHER;
}

/* The oldest checkpoint that each cluster may roll back to, -1: none. For senders' logs; ranks know
 * the clusters of the start. */
static void fill_oldest(const struct ft_run *run, int32_t *oldest)
{
    for (int i = 0; run->each && i < run->size; i++)
        oldest[i] = oldest_of(run->part[0]);
    for (int i = 0; !run->each && i < run->parts; i++)
        oldest[i] =
            run->twin ? oldest_of_both(run->part[i], run->twin->part[i]) : oldest_of(run->part[i]);
}

/* This checkpoint answers the requests to the parts of a joined cluster that came before all
 * were held; but not those for a checkpoint of all ranks, where this is of some. */
static void answer_requests(struct ft_cluster *cluster)
{
    struct ft_run *run = cluster->run;

    if (cluster->count == run->size) {
        cluster->checkpoint.asked = run->whole.wanted;
        run->whole.wanted = 0;
    } else if (run->whole.wanted || run->stopping) {
        return;
    }
    for (int i = 0; cluster->part[0] && i < cluster->count; i++) {
        struct ft_checkpoint *part = &run->part[run->of[cluster->members[i]->rank]]->checkpoint;

        part->wanted = part->behind = 0;
    }
}

/* Processes reaped before FREEZE are not this checkpoint's writers, even if a writer later gets
 * the same pid. */
static void forget_strays(struct ft_run *run)
{
    for (int i = 0; i < run->cluster_count; i++) {
        if (run->clusters[i]->checkpoint.state == FT_CHECKPOINT_FREEZING)
            return; /* it may be one of these */
    }
    memset(run->strays.entry, 0, sizeof(run->strays.entry));
}

/* The checkpoint is one of this moment. */
static void freeze_begin(struct ft_cluster *cluster)
{
    char path[FT_WIRE_PATH];
    struct ft_run *run = cluster->run;
    struct ft_checkpoint *checkpoint = &cluster->checkpoint;

    ft_loop_cancel(run->loop, &checkpoint->tick);
    forget_strays(run);
    checkpoint->state = FT_CHECKPOINT_FREEZING;
    if (!ft_run_contains(run))
        ft_run_look(run, 1000);
    checkpoint->manifest->frozen = checkpoint->frozen = ft_loop_now();
    answer_requests(cluster);
    checkpoint->manifest->unsettled = run->settle.unsettled;
    /* --restart knows of nothing that is to be written again, and images may have seen it. */
    checkpoint->owed = ft_whole_is(cluster) && run->settle.unsettled;
    checkpoint->manifest->changes = ft_ring_acts(run);
    checkpoint->manifest->build = run->build;
    checkpoint->shares = ft_run_contains(run) && ft_nameless_shared(cluster, path);
    checkpoint->manifest->nameless = cluster->count == run->size && checkpoint->shares;
    fill_oldest(run, run->oldest);
}

/* The rank stands at the gate, and its image is to be taken. */
static void freeze_rank(struct ft_member *member)
{
    static struct ft_wire_freeze freeze;
    struct ft_cluster *cluster = member->cluster;
    struct ft_run *run = cluster->run;
    struct ft_manifest_rank *entry = &cluster->checkpoint.manifest->ranks[member->place];
    size_t clusters = run->each ? (size_t)run->size : (size_t)run->parts;
    uint32_t generation = ft_gather_generation(cluster->gather, member->place);

    freeze.checkpoint = cluster->checkpoint.manifest->checkpoint;
    freeze.stays = ft_whole_is(cluster) && !run->each;
    strcpy(freeze.store, ft_store_path(run->store));
    if (run->twin)
        strcpy(freeze.other, ft_store_path(run->twin->store));
    freeze.kept = oldest_of(cluster);
    entry->order = generation;
    entry->progress = ft_progress_of(member->recorder);
    ft_rank_order(member, generation);
    ft_store_image(run->store, freeze.checkpoint, member->rank, 1, freeze.image);
    freeze.near[0] = 0;
    if (cluster->checkpoint.manifest->near)
        ft_near_image(run, freeze.checkpoint, member->rank, freeze.near, sizeof(freeze.near));
    ft_rank_send(member, FT_WIRE_FREEZE, &freeze, sizeof(freeze), run->oldest,
                 ft_run_contains(run) ? clusters * sizeof(*run->oldest) : 0, -1);
}

/* All are held. */
static void freeze_all(struct ft_cluster *cluster)
{
    struct ft_run *run = cluster->run;

    freeze_begin(cluster);
    for (int i = 0; i < cluster->count; i++)
        take_position(cluster->members[i]);
    if (run->stopping && cluster->count == run->size)
        ft_output_stop(run->output, 1);
    for (int i = 0; i < cluster->count; i++)
        freeze_rank(cluster->members[i]);
}

/* --protocol coordinated:nonblocking: whoever comes to the gate takes its image, and goes on. One
 * that comes again had taken it before. */
static void freeze_next(struct ft_member *member)
{
    struct ft_cluster *cluster = member->cluster;

    if (member->frozen) {
        ft_rank_release(member);
        return;
    }
    if (cluster->checkpoint.state == FT_CHECKPOINT_GATHERING)
        freeze_begin(cluster);
    member->frozen = 1;
    take_position(member);
    freeze_rank(member);
}

/* In a drain a rank waits for those of the cluster of its start only. Where several are one, some
 * would go on, and change files, before others have noted what these are like. */
static void hold_all(struct ft_cluster *cluster)
{
    ft_loop_cancel(cluster->run->loop, &cluster->checkpoint.tick);
    cluster->checkpoint.holding = cluster->count;
    for (int i = 0; i < cluster->count; i++)
        ft_rank_send(cluster->members[i], FT_WIRE_HOLD, NULL, 0, NULL, 0, -1);
}

void ft_checkpoint_held(struct ft_member *member)
{
    struct ft_checkpoint *checkpoint = &member->cluster->checkpoint;

    if (checkpoint->state == FT_CHECKPOINT_GATHERING && checkpoint->holding > 0 &&
        --checkpoint->holding == 0)
        freeze_all(member->cluster);
}

/* Carries out what the gatherer decided. A rank that is released outside a wait stops again at its
 * very next safe point; one inside a wait would only come back at once, and waits for the tick. In
 * a rest all go on. */
static void carry_out(struct ft_cluster *cluster, int all)
{
    if (all && ft_join_is_joined(cluster))
        hold_all(cluster);
    else if (all)
        freeze_all(cluster);
    if (all)
        return;
    for (int i = 0; i < cluster->count; i++) {
        if (cluster->orders[i] != FT_GATHER_RELEASE)
            continue;
        if (!ft_gather_waits(cluster->gather, i) && !ft_gather_rests(cluster->gather))
            ft_rank_order(cluster->members[i], ++cluster->run->generation);
        ft_rank_release(cluster->members[i]);
    }
}

/* The program may be in a deadlock, in which it would be without ftrun, too. It is not ended:
 * somebody could still compute inside of a call, in an operation of its own. */
static void say_still(struct ft_cluster *cluster)
{
    struct ft_run *run = cluster->run;
    double seconds = ft_still_look(run->still, run);
    char *where;

    if (seconds < still_seconds || cluster->checkpoint.still)
        return;
    cluster->checkpoint.still = 1;
    where = ft_hang_text(run, NULL);
    ft_say("warning: a checkpoint waits, and no rank has come to another MPI call for %.0f s: %s",
           seconds, where ? where : "");
    free(where);
}

static void on_tick(void *context)
{
    struct ft_cluster *cluster = context;
    struct ft_run *run = cluster->run;
    struct ft_checkpoint *checkpoint = &cluster->checkpoint;

    look_at_blocks(cluster);
    carry_out(cluster, ft_gather_tick(cluster->gather, cluster->blocks, cluster->orders));
    if (checkpoint->state != FT_CHECKPOINT_GATHERING || checkpoint->holding ||
        ft_whole_give_up(cluster))
        return;
    say_still(cluster);
    run->generation++;
    for (int i = 0; i < cluster->count; i++) {
        if (!ft_gather_holds(cluster->gather, i) && !ft_gather_rests(cluster->gather))
            ft_rank_order(cluster->members[i], run->generation);
    }
    checkpoint->ticks++;
    ft_loop_after(run->loop, &checkpoint->tick,
                  checkpoint->ticks < quick_ticks ? tick_seconds : slow_seconds, on_tick, cluster);
    if (is_slow(cluster))
        ft_commit_next(cluster); /* which may join this one to another: last */
}

void ft_checkpoint_gate(struct ft_member *member, const struct ft_wire_gate *gate)
{
    struct ft_cluster *cluster = member->cluster;
    enum ft_checkpoint_state state = cluster->checkpoint.state;

    if (state != FT_CHECKPOINT_GATHERING &&
        !(member->run->each && state == FT_CHECKPOINT_FREEZING)) {
        if (!gate->more)
            ft_rank_release(member);
        return;
    }
    ft_gather_report(cluster->gather, member->place, gate, (const void *)(gate + 1));
    if (gate->more)
        return;
    if (member->run->each) {
        freeze_next(member);
        return;
    }
    look_at_blocks(cluster);
    carry_out(cluster, ft_gather_decide(cluster->gather, cluster->blocks, cluster->orders));
}

void ft_checkpoint_ungather(struct ft_cluster *cluster)
{
    if (cluster->checkpoint.state != FT_CHECKPOINT_GATHERING)
        return;
    for (int i = 0; i < cluster->count; i++) {
        if (cluster->checkpoint.holding || ft_gather_holds(cluster->gather, i))
            ft_rank_release(cluster->members[i]);
    }
    ft_commit_abort(cluster);
    cluster->checkpoint.wanted = 1;
}
