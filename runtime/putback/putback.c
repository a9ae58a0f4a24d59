/* putback: files of clusters that go back (files/undo.h).
 *
 * Clusters that change the same file depend on each other by it. Each cluster's changes since its
 * checkpoint are undone, and a file has one state at a time; so of those that have changed it all
 * must go back to checkpoints that precede the first change to be undone. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "files/undo.h"
#include "putback/putback.h"

static uint64_t nanoseconds(double seconds)
{
    return (uint64_t)(seconds * 1e9);
}

static struct ft_undo_party party_of(const struct ft_cluster *cluster, int goes_back)
{
    struct ft_undo_party party = {.folders = cluster->undo, .count = cluster->count};
    const struct ft_manifest *newest = ft_cluster_newest(cluster);

    party.number = !goes_back ? FT_UNDO_STAYS : newest ? (int)newest->checkpoint : -1;
    party.cut = !goes_back ? nanoseconds(ft_loop_now()) : newest ? nanoseconds(newest->frozen) : 0;
    return party;
}

/* Goes back to the newest checkpoint before that moment. */
static void lower(struct ft_cluster *cluster, uint64_t time)
{
    const struct ft_manifest *newest;

    while ((newest = ft_cluster_newest(cluster)) && nanoseconds(newest->frozen) > time)
        ft_cluster_drop_newest(cluster);
    /* One of an earlier ftrun is of no moment that is known here. */
    cluster->saved = newest && newest->frozen > 0 ? newest->frozen : cluster->run->started;
}

/* A file that `cluster` has changed is put back to a moment before its checkpoint, or, if it was to
 * stay, before now. Who was to stay goes back to its newest checkpoint first, `far` or to one of
 * before that moment: behind the newest it may have changed the file for the first time. 0, or -1
 * after a message. */
static int fall_behind(struct ft_cluster *cluster, const struct ft_cluster *early,
                       const struct ft_undo_misfit *misfit, int far)
{
    struct ft_run *run = cluster->run;
    char why[FT_WIRE_PATH + 64];

    snprintf(why, sizeof(why), "it has changed a file together with cluster %d: %s", early->number,
             misfit->path);
    if (!cluster->fallen)
        ft_events_emit(run->events, "fall", "{s:i, s:i, s:s, s:i}", "rank",
                       cluster->members[0]->rank, "cluster", cluster->number, "reason", why,
                       "epoch", (int)run->epoch);
    if (far || cluster->fallen)
        lower(cluster, misfit->time);
    if (!cluster->kept_count && ft_clusters_dropped(run)) {
        ft_say("the file %s was changed by ranks of clusters %d and %d, and neither has a kept "
               "checkpoint from before that: it cannot be put back (--protocol coordinated can)",
               misfit->path, early->number, cluster->number);
        return -1;
    }
    if (cluster->kept_count)
        ft_cluster_fall(cluster);
    else
        ft_clusters_fall(run, why);
    return 0;
}

/* Records cannot be read. What is damaged, missing, or changed by others stays so, and --restart
 * needs it, too. */
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
    static struct ft_undo_misfit misfit;
    int fallen = ft_clusters_fallen(run), code = parties ? 1 : -ENOMEM, nameless = 0;

    while (code > 0 && run->cluster_count > 1) {
        for (int i = 0; i < run->cluster_count; i++)
            parties[i] = party_of(run->clusters[i], run->clusters[i]->fallen);
        code = ft_undo_fit(parties, run->cluster_count, -1, &misfit);
        nameless = code == 0;
        if (nameless)
            code = ft_nameless_fit(run, parties, &misfit);
        if (code > 0 &&
            fall_behind(run->clusters[misfit.late], run->clusters[misfit.early], &misfit, nameless))
            code = -EBUSY;
    }
    free(parties);
    if (code < 0 && code != -EBUSY)
        say_unusable(run, parties ? misfit.path : "", code);
    return code < 0 ? -1 : ft_clusters_fallen(run) > fallen;
}

struct ft_cluster *ft_files_partner(const struct ft_cluster *cluster, double moment, char *path)
{
    const struct ft_run *run = cluster->run;
    struct ft_undo_party *parties = calloc((size_t)run->cluster_count, sizeof(*parties));
    static struct ft_undo_misfit misfit;
    int index = 0, code = 0;

    for (int i = 0; parties && i < run->cluster_count; i++) {
        parties[i] = party_of(run->clusters[i], run->clusters[i] != cluster);
        if (run->clusters[i] == cluster)
            index = i;
    }
    if (parties)
        parties[index].cut = nanoseconds(moment);
    if (parties && run->cluster_count > 1)
        code = ft_undo_fit(parties, run->cluster_count, index, &misfit);
    free(parties);
    if (code <= 0)
        return NULL;
    snprintf(path, FT_WIRE_PATH, "%s", misfit.path);
    return run->clusters[misfit.early];
}

static int add_access(void *context, int party, int place, const struct ft_undo_access *access)
{
    struct ft_run *run = context;
    int fallen = -1, i = -1;

    while (fallen < party)
        fallen += run->clusters[++i]->fallen != 0;
    return ft_turns_add(&run->turns, run->clusters[i]->members[place]->rank, access);
}

/* Do all go back to one moment? Then nobody has heard of what is put back, unless something was to
 * be written again at that moment. */
static int is_one_moment(const struct ft_run *run, const struct ft_undo_party *parties, int count)
{
    const struct ft_manifest *newest = ft_cluster_newest(run->clusters[0]);

    if (newest && newest->unsettled)
        return 0;
    for (int i = 0; i < count; i++) {
        if (parties[i].cut != parties[0].cut)
            return 0;
    }
    return count == run->cluster_count;
}

/* Else survivors and those who go back wait for files (settle.c, turns.c). */
static int undo(struct ft_run *run, const struct ft_undo_party *parties, int count, char *failed)
{
    int code;

    run->turns.afresh = is_one_moment(run, parties, count);
    if (run->turns.afresh) {
        ft_turns_forget(&run->turns, parties[0].cut);
        code = ft_undo_apply(parties, count, failed, ft_folders_add, run);
        if (!code)
            ft_settle_afresh(run);
        return code;
    }
    code = ft_undo_accesses(parties, count, failed, add_access, run);
    return code ? code : ft_undo_apply(parties, count, failed, ft_settle_add, run);
}

int ft_files_undo(struct ft_run *run)
{
    struct ft_undo_party *parties = calloc((size_t)run->cluster_count, sizeof(*parties));
    char failed[FT_WIRE_PATH] = "";
    int count = 0, code;

    for (int i = 0; parties && i < run->cluster_count; i++) {
        if (run->clusters[i]->fallen)
            parties[count++] = party_of(run->clusters[i], 1);
    }
    code = parties ? undo(run, parties, count, failed) : -ENOMEM;
    free(parties);
    if (!code)
        return ft_settle_publish(run);
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
    if (run->whole_count)
        oldest = fmin(oldest, run->whole[0]->frozen);
    if (!ft_clusters_dropped(run)) /* the beginning can still be gone back to */
        return;
    for (int i = 0; i < run->cluster_count; i++)
        drop_before(run->clusters[i], oldest);
}
