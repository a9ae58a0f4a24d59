/* restart: --restart, the store of an earlier run and what it says about the program. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "commit/commit.h"
#include "files/undo.h"
#include "options/clusters.h"
#include "host/parts.h"
#include "host/starter.h"
#include "recover/recover.h"

static struct ft_manifest *newest_of(const struct ft_run *run)
{
    return run->old.list[run->old.count - 1];
}

/* The environment, which shapes the memory that the images fit. 0 or an exit code. */
static int take_environment(struct ft_run *run)
{
    char path[FT_STORE_PATH];
    int code;

    ft_store_file(run->store, "environ", path);
    code = ft_program_load_environment(path, &run->program.envp);
    if (!code && ft_program_environment_checksum(run->program.envp) == newest_of(run)->environment)
        return 0;
    if (code && code != -ENOENT)
        return ft_say_and(1, "%s: %s", path, strerror(-code));
    return ft_say_and(1,
                      "%s, the environment of the ranks, is %s: the job cannot be continued; start "
                      "without --restart, with a new --store",
                      path, code ? "missing" : "damaged");
}

/* --restart: the same from the newest checkpoint. */
static int take_manifest(struct ft_run *run)
{
    const struct ft_manifest *newest = newest_of(run);
    struct ft_program *program = &run->program;
    char why[FT_STORE_PATH];
    int code;

    if (run->options.size && run->options.size != newest->size)
        return ft_say_and(FT_EXIT_USAGE, "the store %s belongs to a job of %d ranks, not %d",
                          ft_store_path(run->store), newest->size, run->options.size);
    if (run->options.variables || run->options.cwd)
        return ft_say_and(FT_EXIT_USAGE,
                          "--restart keeps the environment and the working directory of "
                          "the first start: leave -env and -wdir out");
    program->path = strdup(newest->program);
    program->cwd = strdup(newest->cwd);
    program->argv = ft_program_copy(newest->argv);
    program->stack_limit = newest->stack_limit;
    if (!program->path || !program->cwd || !program->argv)
        return ft_say_and(1, "no memory");
    if ((code = take_environment(run)))
        return code;
    if (access(program->path, X_OK))
        return ft_say_and(FT_EXIT_MISSING, "%s: %s", program->path, strerror(errno));
    if (ft_program_check(program->path, why, sizeof(why)))
        return ft_say_and(FT_EXIT_USAGE, "%s", why);
    program->starter = ft_starter_again(program);
    if (ft_parts_take(program, newest->size, why, sizeof(why)))
        return ft_say_and(FT_EXIT_USAGE, "%s", why);
    return 0;
}

int ft_restart_has_clusters(const struct ft_run *run)
{
    return newest_of(run)->cluster >= 0;
}

/* Is what the command line says of clusters what they are? 0 or an exit code. */
static int check_clusters(const struct ft_run *run)
{
    const struct ft_options *options = &run->options;
    const char *word = options->clusters;
    int32_t *of = calloc((size_t)run->size, sizeof(*of));
    char why[FT_STORE_WHY];
    int differ = 0;

    if (options->protocol != FT_PROTOCOL_AUTO && options->protocol != FT_PROTOCOL_SPBC)
        word = "--protocol";
    else if ((options->profile || ft_options_alone(options)) && run->cluster_count < run->size)
        word = options->profile ? "--profile" : "--protocol";
    else if (of && word && ft_clusters_read(word, run->size, of, why, sizeof(why)) > 0)
        differ = memcmp(of, run->of, (size_t)run->size * sizeof(*of)) != 0;
    else if (word)
        differ = 1;
    free(of);
    if (word && (differ || word != options->clusters))
        return ft_say_and(FT_EXIT_USAGE,
                          "--restart keeps the clusters of the first start: leave %s out",
                          word == options->clusters ? "--clusters" : word);
    return 0;
}

static int is_used(const struct ft_run *run, int cluster)
{
    int rank = 0;

    while (rank < run->size && run->of[rank] != cluster)
        rank++;
    return rank < run->size;
}

int ft_restart_clusters(struct ft_run *run)
{
    const struct ft_manifest *newest = newest_of(run);
    int code;

    for (int i = 0; i < run->size; i++) {
        run->of[i] = newest->ranks[i].cluster;
        if (run->of[i] >= run->cluster_count)
            run->cluster_count = run->of[i] + 1;
    }
    for (int i = 0; i < run->cluster_count; i++) {
        if (!is_used(run, i))
            return ft_say_and(1, "checkpoint %u is damaged: cluster %d has no ranks",
                              newest->checkpoint, i);
    }
    code = check_clusters(run);
    run->options.protocol = FT_PROTOCOL_SPBC;
    return code;
}

int ft_restart_trust(struct ft_run *run)
{
    const struct ft_manifest *newest = newest_of(run);

    if (run->options.trust != FT_TRUSTING_DEFAULT)
        return ft_say_and(FT_EXIT_USAGE,
                          "--restart keeps what was believed at the first start: leave --trust "
                          "out");
    run->trusted = newest->patterns < FT_WIRE_PATTERNS ? newest->patterns : FT_WIRE_PATTERNS;
    memcpy(run->pattern, newest->pattern, run->trusted * sizeof(*run->pattern));
    return 0;
}

/* Without clusters the one of all ranks may roll back to any of the checkpoints. */
static void take_all(struct ft_run *run)
{
    struct ft_cluster *all = run->clusters[0];

    for (int i = 0; i < run->old.count; i++)
        all->kept[all->kept_count++] = run->old.list[i];
    all->dropped = run->old.count > 0;
    run->old.count = 0;
}

int ft_restart_take(struct ft_run *run)
{
    int code;

    if (!run->options.restart)
        return 0;
    run->restarting = 1;
    if (!ft_run_contains(run)) {
        take_all(run);
        return 0;
    }
    code = ft_whole_take(run, run->old.list[--run->old.count]);
    return code ? ft_say_and(1, "files of the store %s: %s", ft_store_path(run->store),
                             strerror(-code))
                : 0;
}

/* The newest one is of no use. */
static void forget_newest(struct ft_run *run)
{
    struct ft_manifest *newest = run->whole.list[--run->whole.count];

    for (int i = 0; i < run->cluster_count; i++)
        ft_cluster_forget(run->clusters[i]);
    ft_manifest_destroy(newest);
}

int ft_restart_older(struct ft_run *run)
{
    forget_newest(run);
    return run->old.count ? ft_whole_take(run, run->old.list[--run->old.count]) : 0;
}

int ft_restart_renounce(const struct ft_run *run)
{
    uint32_t to = ft_cluster_newest(run->clusters[0])->checkpoint, *numbers = NULL;
    int count = ft_store_list(run->store, &numbers), code = 0;
    char why[FT_STORE_WHY];

    for (int i = 0; !code && i < count && numbers[i] > to; i++) {
        code = ft_store_renounce(run->store, numbers[i], why);
        if (code)
            ft_say("checkpoint %u cannot be renounced (%s), so no file is put back to an older one",
                   numbers[i], why);
    }
    if (count < 0)
        ft_say("the store %s cannot be read: %s", ft_store_path(run->store), strerror(-count));
    free(numbers);
    return code || count < 0 ? -1 : 0;
}

void ft_restart_end(struct ft_run *run)
{
    uint32_t *numbers = NULL;
    int count = ft_store_list(run->store, &numbers);

    run->restarting = 0;
    for (int i = 0; i < count; i++)
        ft_kept_release(run, numbers[i]);
    for (int i = 0; ft_run_contains(run) && i < run->size; i++)
        ft_undo_drop(run->members[i].cluster->undo[run->members[i].place],
                     (int)run->whole.list[0]->checkpoint);
    while (run->old.count)
        ft_manifest_destroy(run->old.list[--run->old.count]);
    free(numbers);
}

static int is_same_program(const struct ft_run *run, const struct ft_manifest *manifest)
{
    char *path = run->options.program ? ft_program_find(run->options.program, manifest->cwd) : NULL;
    char *const *ours = run->options.argv, *const *theirs = manifest->argv;
    int same = !run->options.program || (path && !strcmp(path, manifest->program));

    while (run->options.program && same && (*ours || *theirs)) {
        same = *ours && *theirs && !strcmp(*ours, *theirs);
        ours += *ours != NULL;
        theirs += *theirs != NULL;
    }
    free(path);
    return same;
}

/* May the job be continued from it in place of a newer one? */
static int is_alike(const struct ft_manifest *manifest, const struct ft_manifest *newer)
{
    int alike = manifest->size == newer->size && manifest->count == newer->count &&
                manifest->build == newer->build && manifest->replicas == newer->replicas &&
                (manifest->cluster < 0) == (newer->cluster < 0);

    for (int i = 0; alike && i < manifest->count; i++)
        alike = manifest->ranks[i].cluster == newer->ranks[i].cluster;
    return alike;
}

/* NULL: it is damaged, which is reported. A checkpoint that could not be examined may be whole,
 * and would be lost in favour of an older one. 0 or an exit code. */
static int load(const struct ft_run *run, uint32_t number, struct ft_manifest **out)
{
    char why[FT_STORE_WHY];
    int code = ft_store_load(run->store, number, out, why);

    if (code)
        *out = NULL;
    if (code && code != -EBADMSG)
        return ft_say_and(1,
                          "checkpoint %u cannot be read (%s). Nothing of the store is changed: "
                          "when it can be --restart continues it; without the folder ckpt-%u that "
                          "is from the checkpoint before it",
                          number, why, number);
    if (code)
        ft_say("warning: checkpoint %u is damaged (%s); it is not used", number, why);
    return 0;
}

/* Do its images lie on nodes, and none are named? */
static int is_out_of_reach(const struct ft_run *run, const struct ft_manifest *manifest)
{
    if (!manifest->near || !manifest->continues || run->options.hosts || run->options.hostfile ||
        run->options.allocated)
        return 0;
    ft_say(
        "checkpoint %u lies on the nodes of the run that took it: it is not used without --hosts",
        manifest->checkpoint);
    return 1;
}

/* Were files changed behind the checkpoint of a job with two copies of each rank? Nothing is put
 * back there. Where the count is lost, nobody knows. */
static int is_overtaken(const struct ft_run *run, const struct ft_manifest *manifest)
{
    uint64_t changes;

    return manifest->replicas && manifest->continues &&
           (ft_store_count_changes(run->store, manifest->size, &changes) ||
            changes != manifest->changes);
}

/* Loads the committed checkpoints, the newest last; damaged ones are passed over. Nothing is
 * removed before all ranks are back, so all of them count, however many are kept then. */
static int load_checkpoints(struct ft_run *run, const uint32_t *numbers, int count)
{
    int others = 0, overtaken = 0;

    run->old.list = calloc((size_t)count + 1, sizeof(*run->old.list));
    if (!run->old.list)
        return ft_say_and(1, "no memory");
    for (int i = 0; i < count; i++) {
        struct ft_manifest *manifest;

        if (load(run, numbers[i], &manifest))
            return 1;
        if (!manifest)
            continue;
        int late = is_overtaken(run, manifest);

        if (late || is_out_of_reach(run, manifest) || !manifest->continues ||
            (run->old.count && !is_alike(manifest, newest_of(run)))) {
            others += !manifest->continues;
            overtaken += late;
            ft_manifest_destroy(manifest);
            continue;
        }
        memmove(run->old.list + 1, run->old.list,
                (size_t)run->old.count++ * sizeof(*run->old.list));
        run->old.list[0] = manifest;
    }
    if (!run->old.count)
        return ft_say_and(1, "the store %s holds no usable checkpoint%s", ft_store_path(run->store),
                          overtaken ? ": files were changed since, and with --replicas none is put "
                                      "back; start the program again"
                          : others ? ": those of clusters are each of another moment, and there is "
                                     "none of all ranks yet"
                                   : "");
    const struct ft_manifest *newest = newest_of(run);
    if (!is_same_program(run, newest))
        return ft_say_and(FT_EXIT_USAGE,
                          "the store %s belongs to another program or other arguments: "
                          "%s",
                          ft_store_path(run->store), newest->program);
    if (run->options.replicas && !newest->replicas)
        return ft_say_and(
            FT_EXIT_USAGE,
            "the store %s is of a run with one copy of each rank: leave --replicas out",
            ft_store_path(run->store));
    run->build = newest->build;
    run->next = numbers[0] + 1;
    return take_manifest(run);
}

int ft_restart_open(struct ft_run *run)
{
    char why[FT_STORE_WHY];
    uint32_t *numbers = NULL;

    if (ft_store_open(run->options.store, 0, &run->store, why))
        return ft_say_and(FT_EXIT_USAGE, "%s", why);
    ft_store_sweep(run->store);
    run->keep_store = 1;
    if (ft_store_adopt(run->store, why))
        return ft_say_and(1, "%s", why);
    int count = ft_store_list(run->store, &numbers);
    int code = count < 0 ? ft_say_and(1, "the store %s cannot be read: %s",
                                      ft_store_path(run->store), strerror(-count))
                         : load_checkpoints(run, numbers, count);
    free(numbers);
    return code;
}
