/* whole: checkpoints of all ranks at one moment, from which --restart continues a job with
 * clusters.
 *
 * Checkpoints of clusters are each of another moment. A death leads back to them because the
 * recorders of the dead, and the survivors, know what has happened since; when everything is gone
 * nobody does. So now and then (ft_whole_is_due), and before the run ends to be continued, all
 * clusters are joined (join.c) for one checkpoint. Its images are each cluster's own checkpoint,
 * too. Once it is there the clusters are as they were; it stays in the store until --keep newer
 * ones are there, and what is kept of files, input and output reaches back to it.
 *
 * No image may know of what another rank has done behind its own image: every rank stays where
 * it is until all images are taken (ft_wire_freeze.stays). And what a rank that has rolled back
 * is still to be given again lies in its recorder: a checkpoint that finds one does not count. With
 * two copies of each rank (--replicas) the team that leads takes it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "commit/commit.h"
#include "putback/putback.h"

enum { EVERY = 10 };                      /* of the checkpoints of a cluster one is of all ranks */
enum { DOUBLINGS = 10 };                  /* of that, at most */
static const double patience = 0.25;      /* while a rank computes, and all others wait */
static const double share_of_time = 0.01; /* likewise, of the time since the last one */

int ft_whole_is_up_to_date(const struct ft_run *run)
{
    if (run->settle.unsettled)
        return 0;
    for (int i = 0; i < run->size; i++) {
        const struct ft_recorder *recorder = run->members[i].recorder;

        if (ft_progress_of(recorder) < recorder->longest)
            return 0;
    }
    return 1;
}

/* The first one follows the first checkpoint of each cluster, which is that of its start. Without
 * a store that the user has named nobody looks for it after everything was killed. */
int ft_whole_is_due(const struct ft_run *run)
{
    int doublings = run->whole.missed < DOUBLINGS ? run->whole.missed : DOUBLINGS;
    int every = run->near.levels.every ? run->near.levels.every : EVERY;
    int rounds = (run->whole.count && every > 1 ? every - 1 : 1) << doublings;

    if (run->twin && !ft_run_leads(run))
        return 0;
    if (run->cluster_count == 1 || run->stopping || run->whole.wanted)
        return run->cluster_count > 1;
    return (run->options.store || run->nodes) && run->whole.parted >= rounds * run->cluster_count &&
           !ft_checkpoint_is_open(run) && ft_whole_is_up_to_date(run);
}

void ft_whole_missed(struct ft_run *run)
{
    run->whole.missed++;
    run->whole.parted = 0;
    for (int i = 0; i < run->cluster_count; i++)
        run->clusters[i]->checkpoint.wanted = 1;
}

/* A job that is to stop has time for it, and so has who asks. */
int ft_whole_give_up(struct ft_cluster *cluster)
{
    struct ft_run *run = cluster->run;
    double now = ft_loop_now(), since = run->whole.at > 0 ? run->whole.at : run->started;

    if (!cluster->whole || run->stopping || run->whole.wanted ||
        now - cluster->checkpoint.begun <= fmax(patience, share_of_time * (now - since)))
        return 0;
    ft_join_undo(run);
    ft_whole_missed(run);
    ft_commit_next(run->clusters[0]);
    return 1;
}

int ft_whole_is(const struct ft_cluster *cluster)
{
    return ft_run_contains(cluster->run) && cluster->count == cluster->run->size;
}

void ft_whole_taken(const struct ft_cluster *cluster, uint32_t checkpoint)
{
    for (int i = 0; ft_whole_is(cluster) && i < cluster->count; i++) {
        __atomic_store_n(&cluster->members[i]->recorder->taken, checkpoint + 1, __ATOMIC_RELEASE);
        ft_rank_tell(cluster->members[i]);
    }
}

int ft_whole_save_logs(const struct ft_run *run, const struct ft_manifest *manifest)
{
    int code = 0;

    for (int i = 0; !code && i < run->size; i++)
        code = ft_store_save_log(run->store, manifest->checkpoint, i);
    return code;
}

/* The oldest ones are needed no more. */
static void forget_older(struct ft_run *run)
{
    while (run->whole.count > (int)run->options.keep) {
        struct ft_manifest *oldest = run->whole.list[0];

        memmove(run->whole.list, run->whole.list + 1,
                (size_t)--run->whole.count * sizeof(*run->whole.list));
        ft_kept_release(run, oldest->checkpoint);
        ft_manifest_destroy(oldest);
    }
}

/* Clusters that stay may roll back to their parts of it yet, so its folder may stay; but no
 * later ftrun finds it, whatever becomes of this one. */
static int renounce_newest(struct ft_run *run)
{
    struct ft_manifest *newest = run->whole.list[run->whole.count - 1];
    int code;

    newest->continues = 0;
    if ((code = ft_store_amend(run->store, newest)))
        return code;
    run->whole.count--;
    ft_kept_release(run, newest->checkpoint);
    ft_manifest_destroy(newest);
    return 0;
}

int ft_whole_renounce(struct ft_run *run, const struct ft_manifest *to)
{
    int code = 0;

    while (!code && run->whole.count &&
           (!to || run->whole.list[run->whole.count - 1]->checkpoint > to->checkpoint))
        code = renounce_newest(run);
    return code;
}

/* The manifest of the cluster's own images; NULL: no memory. */
static struct ft_manifest *part_of(const struct ft_cluster *cluster,
                                   const struct ft_manifest *whole)
{
    int32_t *ranks = calloc((size_t)cluster->count, sizeof(*ranks));
    struct ft_manifest *part = NULL;

    for (int i = 0; ranks && i < cluster->count; i++)
        ranks[i] = cluster->members[i]->rank;
    if (ranks)
        part = ft_manifest_part(whole, cluster->number, ranks, cluster->count);
    free(ranks);
    return part;
}

/* Without memory for that the cluster's newest checkpoint is an older one. */
static int share(struct ft_cluster *cluster, const struct ft_manifest *whole)
{
    struct ft_manifest *part = part_of(cluster, whole);

    if (!part)
        return -ENOMEM;
    cluster->kept[cluster->kept_count++] = part;
    ft_files_note_cut(cluster, part);
    return 0;
}

void ft_whole_share(struct ft_run *run, const struct ft_manifest *whole)
{
    for (int i = 0; i < run->cluster_count; i++)
        share(run->clusters[i], whole);
}

void ft_whole_keep(struct ft_run *run, struct ft_manifest *whole)
{
    if (!whole->continues) {
        ft_kept_release(run, whole->checkpoint); /* where nobody has his part */
        ft_manifest_destroy(whole);
        return;
    }
    run->whole.parted = run->whole.missed = 0;
    run->whole.at = ft_loop_now();
    run->whole.list[run->whole.count++] = whole;
    forget_older(run);
}

/* One that the job cannot be continued from is the clusters' own all the same. */
void ft_whole_note(const struct ft_cluster *cluster)
{
    const struct ft_manifest *newest = ft_cluster_newest(cluster);
    struct ft_manifest *copy = NULL;

    if (ft_whole_is(cluster) && newest->continues)
        copy = part_of(cluster, newest);
    if (copy)
        ft_whole_keep(cluster->run, copy);
}

/* With two copies of each rank no file is put back: none may have been changed since. */
static int is_continued_by(const struct ft_run *run)
{
    return run->whole.count > 0 &&
           (!run->twin || run->whole.list[run->whole.count - 1]->changes == ft_ring_acts(run));
}

int ft_whole_continues(const struct ft_run *run)
{
    if (!ft_run_contains(run))
        return run->clusters[0]->kept_count > 0;
    return is_continued_by(run) || (run->twin && is_continued_by(run->twin));
}

static int restore_logs(const struct ft_run *run, uint32_t checkpoint)
{
    int code = 0;

    for (int i = 0; !code && ft_run_contains(run) && i < run->size; i++)
        code = ft_store_restore_log(run->store, checkpoint, i);
    return code;
}

int ft_whole_take(struct ft_run *run, struct ft_manifest *whole)
{
    int code = restore_logs(run, whole->checkpoint);

    for (int i = 0; !code && i < run->cluster_count; i++) {
        code = share(run->clusters[i], whole);
        run->clusters[i]->dropped = 1;
        run->clusters[i]->acts = whole->changes;
    }
    for (int i = 0; i < run->size; i++) { /* nothing is known of what followed */
        struct ft_recorder *recorder = run->members[i].recorder;

        recorder->determinants = recorder->determinants_kept = whole->ranks[i].determinants;
        recorder->trail = whole->ranks[i].trail;
    }
    run->whole.list[run->whole.count++] = whole;
    return code;
}
