/* commit: from the freeze to the commit, and when the next checkpoint is due.
 *
 * A checkpoint exists when ft_store_commit has renamed its folder, and not before; whatever goes
 * wrong until then (no memory to clone, a full disk, a writer that dies) costs this checkpoint and
 * nothing else. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "commit/commit.h"
#include "commit/interval.h"
#include "putback/putback.h"

static double interval_of(const struct ft_cluster *cluster)
{
    const struct ft_options *options = &cluster->run->options;

    if (options->interval > 0)
        return options->interval;
    if (options->every)
        return INFINITY;
    return ft_interval_optimal(cluster->checkpoint.cost, options->mtbf);
}

static void on_due(void *context)
{
    ft_checkpoint_begin(context);
}

/* The first interval of each cluster has another length, so that they do not write together. That
 * of one which goes on while another recovers is not begun anew: deaths may come more often than
 * it. */
void ft_commit_schedule(struct ft_cluster *cluster)
{
    struct ft_run *run = cluster->run;
    double interval = interval_of(cluster), since = cluster->checkpoint.begun;

    if (isinf(interval) || !ft_run_recovers(run))
        return;
    if (since <= 0) /* none in its life */
        since = cluster->checkpoint.begun = run->epoch_started;
    if (cluster->kept_count < 2 && !cluster->dropped)
        interval *= (cluster->number + 1.0) / run->cluster_count;
    ft_loop_after(run->loop, &cluster->checkpoint.due,
                  fmax(since + interval - ft_loop_now(), 0.001), on_due, cluster);
}

/* Is the oldest one in the store, and all others are on the nodes? Then it stays beside those that
 * are kept: it needs no node. With clusters one of all ranks does (whole.c). */
static int is_only_stored(const struct ft_cluster *cluster)
{
    int at = 1;

    if (ft_run_contains(cluster->run) || cluster->kept[0]->near)
        return 0;
    while (at < cluster->kept_count && cluster->kept[at]->near)
        at++;
    return at > 1 && at == cluster->kept_count;
}

static void forget_older(struct ft_cluster *cluster)
{
    int first;

    while (cluster->kept_count - (first = is_only_stored(cluster)) >
           (int)cluster->run->options.keep) {
        struct ft_manifest *oldest = cluster->kept[first];

        cluster->kept_count--;
        memmove(cluster->kept + first, cluster->kept + first + 1,
                (size_t)(cluster->kept_count - first) * sizeof(*cluster->kept));
        ft_kept_release(cluster->run, oldest->checkpoint);
        ft_manifest_destroy(oldest);
        cluster->dropped = 1;
    }
}

/* Is the oldest moment that can be rolled back to one of all ranks? */
static int is_whole_oldest(const struct ft_cluster *cluster)
{
    const struct ft_run *run = cluster->run;

    return run->whole.count && run->whole.list[0]->checkpoint <= cluster->kept[0]->checkpoint;
}

/* The rank's position in its output at that moment. */
static const struct ft_position *oldest_position(const struct ft_cluster *cluster, int place)
{
    return is_whole_oldest(cluster)
               ? &cluster->run->whole.list[0]->output[2 * cluster->members[place]->rank]
               : &cluster->kept[0]->output[2 * place];
}

static void release_output(const struct ft_cluster *cluster)
{
    struct ft_run *run = cluster->run;

    for (int i = 0; i < cluster->count; i++)
        ft_output_commit(run->output, cluster->members[i]->rank, oldest_position(cluster, i));
    ft_output_pump(run->output);
    ft_output_watch(run);
}

/* Drops logs and outcomes that no kept checkpoint needs, and releases output that waited for the
 * commit. A job with --store releases output only at a commit that --restart can continue from. */
static void after_commit(struct ft_cluster *cluster, int continues)
{
    struct ft_run *run = cluster->run;

    forget_older(cluster);
    ft_files_drop(run);
    const struct ft_manifest *oldest = cluster->kept[0];
    if (continues || !run->options.store || !ft_run_contains(run) || run->each)
        release_output(cluster);
    if (!cluster->dropped) /* the beginning can still be rolled back to */
        return;
    if (cluster->members[0]->rank == 0)
        ft_input_drop(run->input,
                      is_whole_oldest(cluster) ? run->whole.list[0]->input : oldest->input);
    for (int i = 0; i < cluster->count; i++)
        ft_ring_drop(cluster->members[i], oldest->ranks[i].determinants, oldest->ranks[i].trail);
}

static uint64_t total_bytes(const struct ft_manifest *manifest)
{
    uint64_t bytes = 0;

    for (int i = 0; i < manifest->count; i++)
        bytes += manifest->ranks[i].bytes;
    return bytes;
}

static void emit_commit(const struct ft_cluster *cluster, const struct ft_manifest *manifest)
{
    const struct ft_checkpoint *checkpoint = &cluster->checkpoint;
    struct ft_run *run = cluster->run;

    ft_events_emit(run->events, "checkpoint-commit",
                   "{s:i, s:i, s:I, s:I, s:f, s:f, s:f, s:i, s:i, s:s}", "checkpoint",
                   (int)manifest->checkpoint, "epoch", (int)run->epoch, "hook",
                   (json_int_t)manifest->ranks[0].hooks, "bytes", (json_int_t)total_bytes(manifest),
                   "gather", checkpoint->frozen - checkpoint->begun, "pause", checkpoint->pause,
                   "write", checkpoint->writing, "cluster", cluster->number, "ranks",
                   cluster->count, "level", ft_levels_name(&run->near.levels, manifest->near));
}

static void note_commit(struct ft_cluster *cluster, struct ft_manifest *manifest)
{
    struct ft_run *run = cluster->run;
    struct ft_checkpoint *checkpoint = &cluster->checkpoint;

    if (checkpoint->failures)
        ft_say("checkpoint %u was taken again, after %d that were not", manifest->checkpoint,
               checkpoint->failures);
    checkpoint->failures = 0;
    cluster->kept[cluster->kept_count++] = manifest;
    ft_files_note_cut(cluster, manifest);
    ft_spread_note(cluster, manifest);
    cluster->saved = checkpoint->frozen;
    cluster->acts = checkpoint->acts;
    run->summary.checkpoints++;
    run->whole.parted++;
    run->summary.bytes += total_bytes(manifest);
    checkpoint->writing = ft_loop_now() - checkpoint->frozen;
    checkpoint->cost = ft_interval_cost(checkpoint->pause, checkpoint->writing);
    for (int i = 0; i < cluster->count; i++) {
        cluster->members[i]->recorder->committed = manifest->checkpoint + 1;
        ft_rank_tell(cluster->members[i]);
    }
    emit_commit(cluster, manifest);
}

static int has_kept(const struct ft_cluster *cluster)
{
    return cluster->kept_count > 0 ||
           (cluster->part[0] && has_kept(cluster->part[0]) && has_kept(cluster->part[1]));
}

static void give_up(struct ft_cluster *cluster)
{
    struct ft_checkpoint *checkpoint = &cluster->checkpoint;

    /* Said once, until one succeeds again; not when nobody will roll back any more. A failure
     * that was not reported does not count: a death may lead back nevertheless. */
    if (!cluster->run->finalized && !checkpoint->failures++)
        ft_say("warning: checkpoint %u was not taken (%s); %s; trying again when the next is due",
               checkpoint->manifest->checkpoint, checkpoint->why,
               has_kept(cluster) ? "the previous one stays"
                                 : "a failure now leads back to the start");
    ft_removal_discard(cluster->run, checkpoint->manifest->checkpoint);
    ft_manifest_destroy(checkpoint->manifest);
}

/* The next cluster behind `cluster`, in the order of their list, that waits for its turn; behind:
 * also one that goes behind all others. NULL: none. */
static struct ft_cluster *find_next(const struct ft_cluster *cluster, int behind)
{
    struct ft_run *run = cluster->run;
    int at = ft_cluster_position(cluster);

    for (int i = 1; i <= run->cluster_count; i++) {
        struct ft_cluster *next = run->clusters[(at + i) % run->cluster_count];

        if (next->checkpoint.state != FT_CHECKPOINT_NONE)
            continue;
        if (next->checkpoint.wanted || (behind && next->checkpoint.behind))
            return next;
    }
    return NULL;
}

void ft_commit_next(const struct ft_cluster *cluster)
{
    struct ft_cluster *next = find_next(cluster, 0);

    if (cluster->run->state != FT_RUN_RUNNING)
        return;
    if (!next)
        next = find_next(cluster, 1);
    if (next)
        ft_checkpoint_begin(next);
}

/* Have ranks come to share a file since the checkpoint was begun? Then it does not fit the
 * checkpoints of the other clusters, and one of all ranks is taken instead. */
static int is_outdated(const struct ft_cluster *cluster)
{
    const struct ft_checkpoint *checkpoint = &cluster->checkpoint;
    char path[FT_WIRE_PATH];

    return !checkpoint->failed && cluster->run->cluster_count > 1 &&
           (checkpoint->shares || ft_files_shared(cluster, checkpoint->frozen, path));
}

static void postpone(struct ft_cluster *cluster)
{
    struct ft_checkpoint *checkpoint = &cluster->checkpoint;

    (cluster->part[0] ? cluster->part[0] : cluster)->checkpoint.wanted = 1;
    ft_removal_discard(cluster->run, checkpoint->manifest->checkpoint);
    ft_manifest_destroy(checkpoint->manifest);
}

static int commit_manifest(struct ft_run *run, struct ft_manifest *manifest)
{
    int code;

    ft_fault_pass(run, FT_POINT_CHECKPOINT_COMMIT, manifest->checkpoint);
    code = ft_store_commit(run->store, manifest);
    if (!code)
        ft_fault_pass(run, FT_POINT_CHECKPOINT_COMMITTED, manifest->checkpoint);
    return code;
}

static void commit(struct ft_cluster *cluster)
{
    struct ft_run *run = cluster->run;
    struct ft_manifest *manifest = cluster->checkpoint.manifest;
    int code = 0;

    manifest->continues = cluster->count == run->size && !cluster->checkpoint.owed && !run->each;
    if (manifest->continues && ft_run_contains(run) && (code = ft_whole_save_logs(run, manifest)))
        ft_checkpoint_fail(cluster, "messages that wait in files cannot be kept for it: %s",
                           strerror(-code));
    else if (manifest->continues && (code = ft_input_sync(run->input, manifest->input)))
        ft_checkpoint_fail(cluster, "standard input cannot be kept for it: %s", strerror(-code));
    else if ((code = commit_manifest(run, manifest)))
        ft_checkpoint_fail(cluster, "the manifest cannot be written: %s", strerror(-code));
}

/* A checkpoint of all ranks is there, and the clusters are as they were. */
static void keep_whole(struct ft_run *run, struct ft_manifest *whole,
                       const struct ft_checkpoint *taken)
{
    int continues = whole->continues;

    ft_whole_share(run, whole);
    ft_whole_keep(run, whole);
    for (int i = 0; i < run->cluster_count; i++) {
        struct ft_cluster *cluster = run->clusters[i];

        cluster->saved = taken->frozen;
        cluster->checkpoint.begun = taken->begun;
        if (cluster->kept_count)
            after_commit(cluster, continues);
        if (run->state == FT_RUN_RUNNING)
            ft_commit_schedule(cluster);
    }
}

/* Parts become clusters again, of one that was joined for this checkpoint alone. */
static void part(struct ft_cluster *joined)
{
    struct ft_checkpoint taken = joined->checkpoint;
    struct ft_run *run = joined->run;
    struct ft_manifest *manifest = NULL;
    int whole = joined->whole;

    if (joined->kept_count)
        manifest = joined->kept[--joined->kept_count];
    ft_join_undo(run);
    if (manifest)
        keep_whole(run, manifest, &taken);
    else if (whole)
        ft_whole_missed(run);
}

/* Is it the one behind which the run stops? It may be one that the job cannot be continued from. */
static int is_final(const struct ft_cluster *cluster)
{
    const struct ft_run *run = cluster->run;

    return run->stopping && cluster->count == run->size && !run->part[0]->checkpoint.wanted;
}

/* Does the run stop behind it? With two copies of each rank no file is put back, so the ranks stay
 * until then, and change none behind their images. */
static int is_last(const struct ft_cluster *cluster)
{
    return is_final(cluster) && !cluster->checkpoint.owed;
}

/* The checkpoint is committed, or given up: what now? 1: it was the last one. */
static int go_on(struct ft_cluster *cluster)
{
    struct ft_run *run = cluster->run;
    int all = is_final(cluster);
    int owed = cluster->checkpoint.owed, asked = cluster->checkpoint.asked;

    if (cluster->part[0]) {
        part(cluster);
        cluster = run->clusters[0];
    } else {
        ft_commit_schedule(cluster);
    }
    run->served = ft_cluster_position(cluster);
    if (all && !owed)
        return 1;
    ft_output_stop(run->output, 0);
    if (owed && asked)
        run->whole.wanted = 1; /* who asked for it cannot continue from this one */
    if (all)
        run->part[0]->checkpoint.wanted = 1;
    if (all || (owed && asked))
        ft_checkpoint_begin_later(run);
    if (!all)
        ft_commit_next(cluster);
    return 0;
}

static void keep(struct ft_cluster *cluster)
{
    ft_whole_note(cluster);
    ft_join_keep(cluster);
    after_commit(cluster, ft_cluster_newest(cluster)->continues);
}

/* All writers have ended: commits, or gives this one up. 1: it was the last one. */
static int conclude(struct ft_cluster *cluster)
{
    struct ft_checkpoint *checkpoint = &cluster->checkpoint;
    int outdated = is_outdated(cluster);

    if (cluster->run->twin && !is_last(cluster))
        ft_whole_taken(cluster, checkpoint->manifest->checkpoint);
    if (!checkpoint->failed && !outdated)
        commit(cluster);
    if (outdated) {
        postpone(cluster);
    } else if (!checkpoint->failed) {
        note_commit(cluster, checkpoint->manifest);
        if (!cluster->whole)
            keep(cluster);
    } else {
        give_up(cluster);
    }
    checkpoint->manifest = NULL;
    checkpoint->state = FT_CHECKPOINT_NONE;
    return go_on(cluster);
}

/* Has the other copy of a rank recorded an outcome since the image was taken? */
static int is_behind(const struct ft_cluster *cluster)
{
    const struct ft_manifest *manifest = cluster->checkpoint.manifest;

    for (int i = 0; cluster->run->twin && i < cluster->count; i++) {
        if (manifest->ranks[i].determinants < ft_ring_count(cluster->members[i]))
            return 1;
    }
    return 0;
}

/* Looks whether the state is complete: all images taken, then all of them written, then copies on
 * other nodes. 1: that was the last checkpoint. */
int ft_commit_check(struct ft_cluster *cluster)
{
    struct ft_checkpoint *checkpoint = &cluster->checkpoint;

    for (int i = 0; i < cluster->count; i++) {
        if (!cluster->members[i]->snapshot)
            return 0;
    }
    if (checkpoint->state == FT_CHECKPOINT_FREEZING) {
        checkpoint->state = FT_CHECKPOINT_WRITING;
        checkpoint->owed |= is_behind(cluster);
        if (!cluster->run->twin || !is_last(cluster))
            ft_whole_taken(cluster, checkpoint->manifest->checkpoint);
        ft_finalize_all(cluster->run);
    }
    for (int i = 0; i < cluster->count; i++) {
        const struct ft_member *member = cluster->members[i];

        if (member->writer > 0 || (!member->written && !checkpoint->failed))
            return 0;
    }
    if (cluster->run->state >= FT_RUN_CLEARING)
        return 0;
    if (checkpoint->manifest->near && !checkpoint->spread && !checkpoint->failed)
        ft_spread_begin(cluster);
    return (checkpoint->failed || !checkpoint->spreading) && conclude(cluster);
}

/* Was the writer reaped before its rank told about it? */
static int take_stray(struct ft_run *run, const struct ft_node *node, pid_t writer, int *status)
{
    for (int i = 0; i < FT_RUN_STRAYS; i++) {
        if (writer <= 0 || run->strays.entry[i].pid != writer || run->strays.entry[i].node != node)
            continue;
        *status = run->strays.entry[i].status;
        run->strays.entry[i].pid = 0;
        return 1;
    }
    return 0;
}

/* Is this about the checkpoint that is being taken? */
static int is_present(const struct ft_cluster *cluster, uint32_t checkpoint)
{
    return cluster->checkpoint.state >= FT_CHECKPOINT_FREEZING &&
           cluster->checkpoint.manifest->checkpoint == checkpoint;
}

int ft_commit_snapshot(struct ft_member *member, const struct ft_wire_snapshot *snapshot,
                       const char *reason)
{
    struct ft_cluster *cluster = member->cluster;
    struct ft_checkpoint *checkpoint = &cluster->checkpoint;
    int status;

    if (!is_present(cluster, snapshot->checkpoint))
        return 0;
    member->snapshot = 1;
    checkpoint->manifest->ranks[member->place].hooks = snapshot->hooks;
    checkpoint->manifest->ranks[member->place].determinants = snapshot->determinants;
    checkpoint->manifest->ranks[member->place].trail = snapshot->trail;
    /* The recorder stands still where the rank waits for all others (whole.c). */
    checkpoint->owed |= snapshot->writer && (snapshot->determinants < ft_ring_count(member) ||
                                             snapshot->trail < member->recorder->trail);
    checkpoint->pause = fmax(checkpoint->pause, snapshot->drain + snapshot->fork);
    if (member->rank == 0) {
        checkpoint->manifest->input -= snapshot->stdin_left;
        ft_input_pause(member->run->input, 0);
    }
    member->writer = snapshot->writer;
    if (!snapshot->writer)
        ft_checkpoint_fail(
            cluster, "rank %d: no image could be taken: %s%s", member->rank,
            *reason ? reason : strerror(snapshot->error),
            snapshot->error == ENOMEM ? ", too little memory for a copy of the process" : "");
    if (take_stray(member->run, member->node, member->writer, &status))
        return ft_commit_writer(member, status);
    if (checkpoint->failed)
        ft_rank_kill_writer(member);
    return ft_commit_check(cluster);
}

/* The next ones go to the store. */
static void fail_near(struct ft_member *member, int error)
{
    ft_checkpoint_fail(member->cluster, "rank %d on node %s: writing to %s: %s", member->rank,
                       member->node->name, member->run->near.folder, strerror(error));
    ft_spread_full(member->cluster);
}

void ft_commit_written(struct ft_member *member, const struct ft_wire_written *written)
{
    struct ft_cluster *cluster = member->cluster;

    if (!is_present(cluster, written->checkpoint))
        return;
    member->written = 1;
    cluster->checkpoint.manifest->ranks[member->place].bytes = written->bytes;
    cluster->checkpoint.manifest->ranks[member->place].checksum = written->checksum;
    if (written->error == ESRCH)
        ft_checkpoint_fail(cluster, "rank %d ended or began a new life before its log was read",
                           member->rank);
    else if (written->error && cluster->checkpoint.manifest->near)
        fail_near(member, written->error);
    else if (written->error)
        ft_checkpoint_fail(cluster, "rank %d: writing to %s: %s", member->rank,
                           ft_store_path(member->run->store), strerror(written->error));
}

int ft_commit_writer(struct ft_member *member, int status)
{
    struct ft_cluster *cluster = member->cluster;

    member->writer = 0;
    if (cluster->checkpoint.state < FT_CHECKPOINT_FREEZING)
        return 0;
    if (!member->written)
        ft_checkpoint_fail(cluster, "rank %d: the process that wrote the image ended by %s %d",
                           member->rank, WIFSIGNALED(status) ? "signal" : "exit",
                           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return ft_commit_check(cluster);
}

void ft_commit_abort(struct ft_cluster *cluster)
{
    struct ft_checkpoint *checkpoint = &cluster->checkpoint;
    struct ft_run *run = cluster->run;

    checkpoint->requested = 0;
    ft_loop_cancel(run->loop, &checkpoint->tick);
    ft_loop_cancel(run->loop, &checkpoint->due);
    run->whole.wanted |= checkpoint->state != FT_CHECKPOINT_NONE && checkpoint->asked;
    if (run->whole.wanted) /* asked for, and not taken */
        run->part[0]->checkpoint.wanted = 1;
    if (checkpoint->state == FT_CHECKPOINT_NONE)
        return;
    ft_output_stop(run->output, 0);
    ft_removal_discard(run, checkpoint->manifest->checkpoint);
    ft_manifest_destroy(checkpoint->manifest);
    checkpoint->manifest = NULL;
    checkpoint->state = FT_CHECKPOINT_NONE;
}
