/* cluster: ranks that take checkpoints and go back together. Without --protocol spbc all ranks are
 * one cluster. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "launch/run.h"
#include "files/undo.h"

/* Makes room for `count` ranks; they are entered afterwards. */
static int make(struct ft_run *run, struct ft_cluster *cluster, int count)
{
    size_t size = (size_t)count;

    cluster->run = run;
    cluster->number = (int)(cluster - run->clusters);
    cluster->restored = -1;
    cluster->fallen = 1;
    cluster->members = calloc(size, sizeof(*cluster->members));
    cluster->undo = calloc(size, sizeof(*cluster->undo));
    cluster->blocks = calloc(size, sizeof(*cluster->blocks));
    cluster->orders = calloc(size, sizeof(*cluster->orders));
    cluster->kept = calloc(run->options.keep + 1, sizeof(*cluster->kept));
    cluster->gather = ft_gather_create(count, ft_run_contains(run));
    return cluster->members && cluster->undo && cluster->blocks && cluster->orders &&
                   cluster->kept && cluster->gather
               ? 0
               : -ENOMEM;
}

static int count_ranks(const struct ft_run *run, int cluster)
{
    int count = 0;

    for (int i = 0; i < run->size; i++)
        count += run->of[i] == cluster;
    return count;
}

int ft_clusters_make(struct ft_run *run)
{
    run->clusters = calloc((size_t)run->cluster_count, sizeof(*run->clusters));
    run->oldest = calloc((size_t)run->cluster_count, sizeof(*run->oldest));
    if (!run->oldest)
        return -ENOMEM;
    for (int i = 0; run->clusters && i < run->cluster_count; i++) {
        if (make(run, &run->clusters[i], count_ranks(run, i)))
            return -ENOMEM;
    }
    for (int i = 0; run->clusters && i < run->size; i++) {
        struct ft_cluster *cluster = &run->clusters[run->of[i]];

        run->members[i].cluster = cluster;
        run->members[i].place = cluster->count;
        cluster->members[cluster->count++] = &run->members[i];
    }
    return run->clusters ? 0 : -ENOMEM;
}

static void release(struct ft_cluster *cluster)
{
    for (int i = 0; cluster->undo && i < cluster->count; i++)
        free((char *)(uintptr_t)cluster->undo[i]);
    for (int i = 0; i < cluster->kept_count; i++)
        ft_manifest_destroy(cluster->kept[i]);
    ft_gather_destroy(cluster->gather);
    free(cluster->members);
    free(cluster->undo);
    free(cluster->blocks);
    free(cluster->orders);
    free(cluster->kept);
}

void ft_clusters_free(struct ft_run *run)
{
    for (int i = 0; run->clusters && i < run->cluster_count; i++)
        release(&run->clusters[i]);
    free(run->clusters);
    free(run->oldest);
    free(run->of);
}

void ft_cluster_forget(struct ft_cluster *cluster)
{
    while (cluster->kept_count > 0) {
        ft_store_drop(cluster->run->store, cluster->kept[--cluster->kept_count]->checkpoint);
        ft_manifest_destroy(cluster->kept[cluster->kept_count]);
    }
}

int ft_clusters_fallen(const struct ft_run *run)
{
    int count = 0;

    for (int i = 0; i < run->cluster_count; i++)
        count += run->clusters[i].fallen;
    return count;
}

void ft_cluster_kill(struct ft_cluster *cluster)
{
    for (int i = 0; i < cluster->count; i++) {
        if (cluster->members[i]->group > 0)
            kill(-cluster->members[i]->group, SIGKILL);
    }
}

int ft_cluster_is_clear(struct ft_cluster *cluster)
{
    for (int i = 0; i < cluster->count; i++) {
        struct ft_member *member = cluster->members[i];

        if (member->pid > 0 || (member->group > 0 && !kill(-member->group, 0)))
            return 0;
        member->group = 0;
    }
    return 1;
}

/* Has a rank of another cluster changed a file that this one must put back? The folders of all
 * others are given at once. 0, or -errno after a message. */
static int check_files(struct ft_cluster *cluster)
{
    struct ft_run *run = cluster->run;
    char path[FT_WIRE_PATH] = "";
    int count = 0, code = 0;
    const char **others = calloc((size_t)run->size, sizeof(*others));

    for (int i = 0; others && i < run->size; i++) {
        if (run->members[i].cluster != cluster)
            others[count++] = run->members[i].cluster->undo[run->members[i].place];
    }
    if (!others)
        code = -ENOMEM;
    else if (count)
        code =
            ft_undo_shared(cluster->undo, cluster->count, cluster->restored, others, count, path);
    if (code == -EBUSY)
        ft_say("the file %s was changed by ranks of cluster %d and by others since checkpoint %d: "
               "it cannot be put back for the cluster alone (--protocol coordinated can)",
               path, cluster->number, cluster->restored);
    else if (code)
        ft_say("records of files cannot be read: %s: %s", path, strerror(-code));
    free(others);
    return code;
}

/* Undoes what the cluster's ranks did to files after the checkpoint, over all of them at once. */
static int undo_files(struct ft_cluster *cluster)
{
    char failed[FT_WIRE_PATH] = "";
    int code = check_files(cluster);

    if (code)
        return code;
    code = ft_undo_apply(cluster->undo, cluster->count, cluster->restored, failed);
    if (code == -ESTALE)
        ft_say("the file %s was changed by somebody else since checkpoint %d: it cannot be put "
               "back, and nothing was changed",
               failed, cluster->restored);
    else if (code)
        ft_say("the file %s cannot be put back to checkpoint %d: %s", failed, cluster->restored,
               strerror(-code));
    return code;
}

int ft_cluster_go_back(struct ft_cluster *cluster)
{
    struct ft_run *run = cluster->run;
    const struct ft_manifest *to =
        cluster->kept_count ? cluster->kept[cluster->kept_count - 1] : NULL;
    int code;

    cluster->restored = to ? (int)to->checkpoint : -1;
    if ((code = undo_files(cluster)))
        return code;
    for (int i = 0; i < cluster->count; i++) {
        int rank = cluster->members[i]->rank;

        for (int stream = 0; stream < 2; stream++)
            ft_output_rollback(run->output, rank, stream, to ? &to->output[2 * i + stream] : NULL);
        ft_events_emit(run->events, "rollback", "{s:i, s:i, s:I, s:i, s:i}", "rank", rank,
                       "checkpoint", cluster->restored, "hook",
                       (json_int_t)(to ? to->ranks[i].hooks : 0), "epoch", (int)run->epoch,
                       "cluster", cluster->number);
        if (rank == 0)
            run->input_position = to ? to->input : 0;
    }
    return 0;
}
