/* putback: how far files that ranks share take everybody back (files/undo_share.c has the rule),
 * and the undoing of what the clusters that roll back did to files. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "files/undo.h"
#include "putback/putback.h"

static uint64_t nanoseconds(double seconds)
{
    return (uint64_t)(seconds * 1e9);
}

/* The moment at which the cluster ended an interval (ft_undo_end): that of its first checkpoint
 * which has the interval's number, or a higher one. */
static uint64_t end_of(const void *context, uint32_t interval)
{
    const struct ft_cluster *cluster = context;

    for (int i = 0; i < cluster->cut_count; i++) {
        if (cluster->cuts[i].checkpoint >= interval)
            return nanoseconds(cluster->cuts[i].frozen);
    }
    return UINT64_MAX;
}

static struct ft_undo_party party_of(const struct ft_cluster *cluster, int goes_back)
{
    struct ft_undo_party party = {
        .folders = cluster->undo, .count = cluster->count, .end = end_of, .context = cluster};
    const struct ft_manifest *newest = ft_cluster_newest(cluster);

    party.number = !goes_back ? FT_UNDO_STAYS : newest ? (int)newest->checkpoint : -1;
    party.cut = !goes_back ? nanoseconds(ft_loop_now()) : newest ? nanoseconds(newest->frozen) : 0;
    return party;
}

/* Drops the cluster's checkpoints that are younger than `time`. */
static void lower(struct ft_cluster *cluster, uint64_t time)
{
    const struct ft_manifest *newest;

    while ((newest = ft_cluster_newest(cluster)) && nanoseconds(newest->frozen) > time)
        ft_cluster_drop_newest(cluster);
    /* The moment of a checkpoint of an earlier ftrun is not known here. */
    cluster->saved = newest && newest->frozen > 0 ? newest->frozen : cluster->run->started;
}

/* All clusters roll back, to their newest checkpoints that are not younger than `time`. 0, or -1
 * after the message `refusal`: a cluster has none. */
static int all_fall(struct ft_run *run, uint64_t time, const char *why, const char *refusal)
{
    for (int i = 0; i < run->cluster_count; i++) {
        struct ft_cluster *cluster = run->clusters[i];

        if (!cluster->fallen)
            ft_events_emit(run->events, "fall", "{s:i, s:i, s:s, s:i}", "rank",
                           cluster->members[0]->rank, "cluster", cluster->number, "reason", why,
                           "epoch", (int)run->epoch);
        lower(cluster, time);
        if (!cluster->kept_count && ft_clusters_dropped(run)) {
            ft_say("%s", refusal);
            return -1;
        }
        ft_cluster_fall(cluster);
    }
    return 0;
}

static int rank_of(const struct ft_run *run, const struct ft_undo_share *share, int which)
{
    const struct ft_cluster *cluster = run->clusters[share->party[which]];

    return cluster->members[share->place[which]]->rank;
}

/* Takes all clusters back because of a file that ranks share. 0, or -1 after a message. */
static int share_fall(struct ft_run *run, const struct ft_undo_share *share)
{
    char why[FT_WIRE_PATH + 64], refusal[FT_WIRE_PATH + 256];
    int one = rank_of(run, share, 0), other = rank_of(run, share, 1);

    snprintf(why, sizeof(why), "ranks %d and %d share a file: %s", one, other, share->path);
    snprintf(refusal, sizeof(refusal),
             "ranks %d and %d share the file %s, and not every rank has kept a checkpoint from "
             "before that: the file cannot be put back. Run such a program with --protocol "
             "coordinated",
             one, other, share->path);
    return all_fall(run, share->time, why, refusal);
}

/* Does a cluster roll back to a checkpoint in which several clusters have one file without a
 * name, while others do not roll back to it? Such a checkpoint is one of all ranks. *earliest:
 * the moment of the first of all checkpoints that somebody rolls back to. */
static int is_torn(const struct ft_run *run, const struct ft_undo_party *parties,
                   uint64_t *earliest)
{
    int torn = 0;

    *earliest = UINT64_MAX;
    for (int i = 0; i < run->cluster_count; i++) {
        const struct ft_manifest *newest = ft_cluster_newest(run->clusters[i]);
        int nameless = parties[i].number != FT_UNDO_STAYS && newest && newest->nameless;

        *earliest = parties[i].cut < *earliest ? parties[i].cut : *earliest;
        for (int j = 0; nameless && j < run->cluster_count; j++)
            torn |= parties[j].number != parties[i].number;
    }
    return torn;
}

/* One step of ft_files_fit. 1: all roll back farther than before; 0: they need not; -EBUSY after
 * a message; or another -errno. */
static int fit_once(struct ft_run *run, struct ft_undo_party *parties, struct ft_undo_share *share)
{
    uint64_t earliest;
    int code;

    for (int i = 0; i < run->cluster_count; i++)
        parties[i] = party_of(run->clusters[i], run->clusters[i]->fallen);
    code = ft_undo_shared(parties, run->cluster_count, share);
    if (code > 0)
        return share_fall(run, share) ? -EBUSY : 1;
    if (code == 0 && is_torn(run, parties, &earliest))
        code = all_fall(run, earliest, "ranks share a file without a name",
                        "ranks share a file without a name, and not every rank has kept a "
                        "checkpoint with it: it cannot be put back. Run such a program with "
                        "--protocol coordinated")
                   ? -EBUSY
                   : 1;
    return code;
}

/* Records cannot be read. A record that is damaged, missing, or changed by others stays so, and
 * --restart needs it, too. */
static void say_unusable(struct ft_run *run, const char *path, int code)
{
    run->barred = code == -EBADMSG || code == -ENOENT;
    if (code == -EBADMSG)
        ft_say("%s, which says what the program has changed in files, is damaged: they cannot be "
               "put back to a checkpoint; start without --restart, with a new --store",
               path);
    else
        ft_say("records of files cannot be read: %s: %s", path, strerror(-code));
}

int ft_files_fit(struct ft_run *run)
{
    struct ft_undo_party *parties = calloc((size_t)run->cluster_count, sizeof(*parties));
    static struct ft_undo_share share;
    int fallen = ft_clusters_fallen(run), code = parties ? 1 : -ENOMEM;

    while (code > 0 && run->cluster_count > 1)
        code = fit_once(run, parties, &share);
    free(parties);
    if (code < 0 && code != -EBUSY)
        say_unusable(run, parties ? share.path : "", code);
    return code < 0 ? -1 : ft_clusters_fallen(run) > fallen;
}

int ft_files_shared(const struct ft_cluster *cluster, double moment, char *path)
{
    const struct ft_run *run = cluster->run;
    struct ft_undo_party *parties = calloc((size_t)run->cluster_count, sizeof(*parties));
    static struct ft_undo_share share;
    int code = 0;

    for (int i = 0; parties && i < run->cluster_count; i++) {
        parties[i] = party_of(run->clusters[i], run->clusters[i] != cluster);
        if (run->clusters[i] == cluster)
            parties[i].cut = nanoseconds(moment);
    }
    if (parties && run->cluster_count > 1)
        code = ft_undo_shared(parties, run->cluster_count, &share);
    free(parties);
    if (code <= 0)
        return 0;
    snprintf(path, FT_WIRE_PATH, "%s", share.path);
    return 1;
}

/* Checkpoints that the cluster rolls back to before have ended no interval. */
static void drop_cuts(struct ft_cluster *cluster)
{
    const struct ft_manifest *newest = ft_cluster_newest(cluster);

    while (cluster->cut_count &&
           (!newest || cluster->cuts[cluster->cut_count - 1].checkpoint > newest->checkpoint))
        cluster->cut_count--;
}

/* Do all roll back to one moment, and was nothing to be done again at that moment? */
static int is_one_moment(const struct ft_run *run, const struct ft_undo_party *parties, int count)
{
    const struct ft_manifest *newest = ft_cluster_newest(run->clusters[0]);

    for (int i = 0; i < count; i++) {
        if (parties[i].cut != parties[0].cut)
            return 0;
    }
    return count == run->cluster_count && (!newest || !newest->unsettled);
}

static int undo(struct ft_run *run, char *failed)
{
    size_t room = (size_t)run->cluster_count;
    struct ft_undo_party *parties = calloc(room, sizeof(*parties));
    struct ft_folders folders = {.clusters = calloc(room, sizeof(*folders.clusters))};
    int count = 0, code = parties && folders.clusters ? 0 : -ENOMEM;

    for (int i = 0; !code && i < run->cluster_count; i++) {
        if (!run->clusters[i]->fallen)
            continue;
        drop_cuts(run->clusters[i]);
        folders.clusters[count] = run->clusters[i];
        parties[count++] = party_of(run->clusters[i], 1);
    }
    folders.all = count == run->cluster_count;
    if (!code)
        code = ft_undo_apply(parties, count, failed, ft_folders_tell, &folders);
    if (!code)
        ft_settle_begin(run, is_one_moment(run, parties, count));
    free(parties);
    free(folders.clusters);
    return code;
}

int ft_files_undo(struct ft_run *run)
{
    char failed[FT_WIRE_PATH] = "";
    int code = undo(run, failed);

    if (!code)
        return 0;
    run->barred = code == -ESTALE || code == -ENOENT;
    if (code == -ESTALE)
        ft_say("the file %s was changed by somebody else since the checkpoint: it cannot be put "
               "back, and nothing was changed",
               failed);
    else if (code == -EBADMSG)
        say_unusable(run, failed, code);
    else
        ft_say("the file %s cannot be put back to the checkpoint: %s", failed, strerror(-code));
    return code;
}

void ft_files_note_cut(struct ft_cluster *cluster, const struct ft_manifest *manifest)
{
    struct ft_cut *more =
        realloc(cluster->cuts, (size_t)(cluster->cut_count + 1) * sizeof(*cluster->cuts));

    if (!more) /* records are dropped later then */
        return;
    cluster->cuts = more;
    more[cluster->cut_count++] =
        (struct ft_cut){.checkpoint = manifest->checkpoint, .frozen = manifest->frozen};
}

/* Drops what precedes the cluster's last checkpoint before that moment. */
static void drop_before(struct ft_cluster *cluster, double moment)
{
    int last = -1;

    while (last + 1 < cluster->cut_count && cluster->cuts[last + 1].frozen <= moment)
        last++;
    if (last < 0)
        return;
    for (int i = 0; i < cluster->count; i++)
        ft_undo_drop(cluster->undo[i], (int)cluster->cuts[last].checkpoint);
    cluster->cut_count -= last + 1;
    memmove(cluster->cuts, cluster->cuts + last + 1,
            (size_t)cluster->cut_count * sizeof(*cluster->cuts));
}

void ft_files_drop(struct ft_run *run)
{
    double oldest = INFINITY;

    for (int i = 0; i < run->cluster_count; i++) {
        if (!run->clusters[i]->kept_count)
            return;
        oldest = fmin(oldest, run->clusters[i]->kept[0]->frozen);
    }
    if (run->whole.count)
        oldest = fmin(oldest, run->whole.list[0]->frozen);
    if (!ft_clusters_dropped(run)) /* the beginning can still be rolled back to */
        return;
    for (int i = 0; i < run->cluster_count; i++)
        drop_before(run->clusters[i], oldest);
}
