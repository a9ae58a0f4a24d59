/* The settings of a run, from its options (settings.h). */
#include "launch/settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include "host/memory.h"
#include "host/parts.h"
#include "host/refused.h"
#include "launch/places.h"
#include "options/clusters.h"
#include "options/levels.h"
#include "options/trust.h"
#include "recover/recover.h"
#include "sites/sites.h"

/* All ranks run on this machine: their logs may fill a quarter of what it lets the job have. */
static uint64_t standard_limit(int size)
{
    struct ft_memory memory;

    ft_memory_look("", &memory);
    return memory.total / 4 / (uint64_t)size;
}

/* Refuses options for which one cluster has no use. 0 or an exit code. */
static int check_words(const struct ft_run *run, const char *word)
{
    return word && !ft_run_contains(run)
               ? ft_say_and(FT_EXIT_USAGE,
                            "%s needs --protocol spbc or several clusters, and there is one", word)
               : 0;
}

/* With --protocol coordinated:nonblocking all ranks roll back together, and all messages are such
 * between clusters: nothing is drained. 0: no memory. */
static int take_each(struct ft_run *run)
{
    run->each = calloc((size_t)run->size, sizeof(*run->each));
    for (int i = 0; run->each && i < run->size; i++)
        run->each[i] = i;
    return run->each != NULL;
}

/* Ranks that share a window are one cluster: what a rank had put into another one's memory does not
 * roll back with it alone. Which ranks share one, nobody knows before they make it. */
static void join_windows(struct ft_run *run)
{
    const char *last = "";
    char names[256];
    int found = 0;

    for (int i = 0; !found && i < run->size; i++) {
        const char *path = ft_parts_of(&run->program, i).path;

        if (strcmp(path, last) != 0)
            found = ft_windows_find(path, names, sizeof(names));
        last = path;
    }
    if (!found)
        return;
    ft_say(
        "%s calls %s: ranks that share a window roll back together, so all ranks are one cluster; "
        "with --protocol spbc the clusters stay, and the first window ends the run",
        last, names);
    run->cluster_count = 1;
    memset(run->of, 0, (size_t)run->size * sizeof(*run->of));
}

/* Which ranks roll back together, and so the protocol. 0 or an exit code. */
static int take_clusters(struct ft_run *run)
{
    struct ft_options *options = &run->options;
    const char *clusters = options->clusters ? options->clusters : "node";
    const char *word = ft_options_of_spbc(options);
    char why[FT_STORE_WHY], each[16];
    int count;

    run->cluster_count = 1;
    run->of = calloc((size_t)run->size, sizeof(*run->of));
    if (!run->of)
        return ft_say_and(1, "no memory for %d ranks", run->size);
    if (!options->log_limit)
        options->log_limit = standard_limit(run->size << options->replicas);
    if (options->restart && ft_restart_has_clusters(run))
        return ft_restart_clusters(run);
    if (options->ulfm) { /* for the collectives made of messages */
        options->protocol = FT_PROTOCOL_SPBC;
        options->trust = FT_TRUSTING_NONE;
    }
    if (options->profile || ft_options_alone(options)) {
        options->protocol = FT_PROTOCOL_SPBC;
        snprintf(each, sizeof(each), "%d", run->size);
        clusters = each;
    }
    if (options->replicas) {
        options->protocol = FT_PROTOCOL_SPBC;
        snprintf(each, sizeof(each), "%d", run->size);
        clusters = each;
    }
    if (ft_options_marks(options))
        return take_each(run) ? check_words(run, word)
                              : ft_say_and(1, "no memory for %d ranks", run->size);
    if (options->clusters || options->protocol == FT_PROTOCOL_SPBC) {
        count = run->at && !strcmp(clusters, "node")
                    ? ft_places_clusters(run)
                    : ft_clusters_read(clusters, run->size, run->of, why, sizeof(why));
        if (count < 0)
            return ft_say_and(FT_EXIT_USAGE, "%s", why);
        run->cluster_count = count;
    }
    if (options->protocol == FT_PROTOCOL_AUTO && run->cluster_count > 1)
        join_windows(run);
    if (options->protocol == FT_PROTOCOL_AUTO)
        options->protocol = run->cluster_count > 1 ? FT_PROTOCOL_SPBC : FT_PROTOCOL_COORDINATED;
    if (options->protocol == FT_PROTOCOL_SPBC && options->restart)
        return ft_say_and(FT_EXIT_USAGE, "the store %s is of a run without clusters: leave %s out",
                          ft_store_path(run->store),
                          options->profile ? "--profile" : "--clusters and --protocol");
    if (options->protocol == FT_PROTOCOL_SPBC && options->verify)
        return ft_say_and(FT_EXIT_USAGE,
                          "--verify is not possible with several clusters: leave --clusters out");
    return check_words(run, word);
}

/* Reads the result of a rehearsal of this very executable; NULL without --trust FILE. 0 or an
 * exit code. */
static int read_rehearsed(const struct ft_run *run, struct ft_trust **out)
{
    const char *path = run->options.rehearsed;
    char why[FT_STORE_WHY];
    uint64_t hash = 0;
    int code;

    *out = NULL;
    if (!path)
        return 0;
    if (ft_trust_read(path, out, why, sizeof(why)))
        return ft_say_and(FT_EXIT_USAGE,
                          "--trust %s: this is neither none nor proved, and as the result of a "
                          "rehearsal: %s",
                          path, why);
    code = ft_trust_hash(run->program.path, &hash);
    if (code)
        return ft_say_and(FT_EXIT_USAGE, "%s: %s", run->program.path, strerror(-code));
    return hash == (*out)->executable
               ? 0
               : ft_say_and(FT_EXIT_USAGE,
                            "--trust %s: another executable than %s was rehearsed: rehearse this "
                            "one",
                            path, run->program.path);
}

/* Which patterns the ranks believe. 0 or an exit code. */
static int take_trust(struct ft_run *run)
{
    struct ft_sites *sites = NULL;
    struct ft_trust *found = NULL;
    uint32_t count = 0;

    if (run->options.restart && ft_restart_has_clusters(run))
        return ft_restart_trust(run);
    int trusts = run->options.trust != FT_TRUSTING_NONE && ft_run_contains(run);
    int code = read_rehearsed(run, &found);

    if (!code && trusts && !ft_sites_read(run->program.path, &sites))
        count = ft_trust_choose(sites, found, run->pattern, FT_WIRE_PATTERNS);
    if (count > FT_WIRE_PATTERNS)
        ft_say("warning: %u patterns may be trusted; %d of them are, and the others are recorded",
               count, FT_WIRE_PATTERNS);
    run->trusted = count < FT_WIRE_PATTERNS ? count : FT_WIRE_PATTERNS;
    ft_sites_destroy(sites);
    free(found);
    return code;
}

/* With --restart only the store knows how many ranks there are. 0 or an exit code. */
static int take_orders(struct ft_run *run)
{
    char text[FT_FAULTS_TEXT], why[512];

    for (int i = 0; i < run->options.orders; i++) {
        struct ft_kill_order *order = &run->options.order[i];

        if (*order->node &&
            (order->rank = ft_places_first_rank(run, order->node, &order->copy)) < 0)
            return ft_say_and(FT_EXIT_USAGE, "--kill: no rank begins on node %s (--hosts)",
                              order->node);
    }
    for (int i = 0; i < run->options.orders; i++) {
        const struct ft_kill_order *order = &run->options.order[i];

        if (order->rank >= run->size)
            return ft_say_and(FT_EXIT_USAGE, "--kill: there is no rank %d of %d", order->rank,
                              run->size);
        snprintf(text, sizeof(text), "--kill %s", order->text);
        if (ft_faults_add(&run->faults, order->rank, order->copy, &order->fault, text, why,
                          sizeof(why)))
            return ft_say_and(FT_EXIT_USAGE, "--kill: %s", why);
    }
    return 0;
}

/* 0 or an exit code. */
static int read_plan(struct ft_run *run, const char **node)
{
    int32_t last = 0;

    for (int i = 0; i < run->size; i++) {
        last = run->of[i] > last ? run->of[i] : last;
        node[i] = run->at ? run->hosts.host[run->at[i]].name : run->node;
    }
    const struct ft_fault_job job = {.ranks = run->size,
                                     .cluster = run->of,
                                     .clusters = last + 1,
                                     .node = node,
                                     .hosts = run->at != NULL,
                                     .program = run->program.path};
    char why[FT_STORE_PATH + 512];

    if (!ft_faults_read(run->options.faults, &job, &run->faults, why, sizeof(why)))
        return 0;
    return ft_say_and(FT_EXIT_USAGE, "%s", why);
}

/* 0 or an exit code. */
static int take_plan(struct ft_run *run)
{
    const char **node = calloc((size_t)run->size, sizeof(*node));
    int code = 0;

    gethostname(run->node, sizeof(run->node) - 1);
    if (!node)
        return ft_say_and(1, "no memory for %d ranks", run->size);
    if (run->options.faults)
        code = read_plan(run, node);
    free(node);
    return code;
}

/* A name that no other job has. */
static uint64_t random_number(void)
{
    uint64_t number = 0;

    if (getrandom(&number, sizeof(number), 0) != sizeof(number))
        number = (uint64_t)getpid();
    return number;
}

/* Sets the folder on the nodes' disks and the levels of checkpoints: from --local and --levels, or,
 * with --restart, from the newest manifest of the job. 0 or an exit code. */
static int take_levels(struct ft_run *run)
{
    const struct ft_manifest *newest = run->old.count ? run->old.list[run->old.count - 1] : NULL;
    struct ft_options *options = &run->options;
    struct ft_near *near = &run->near;
    char why[FT_STORE_WHY];

    near->since = -1;
    if (options->local && !options->levels)
        options->levels = FT_LEVELS_DEFAULT;
    if (newest && newest->local && run->at) {
        snprintf(near->folder, sizeof(near->folder), "%s", newest->local);
        if (!(options->levels = strdup(newest->levels)))
            return ft_say_and(1, "no memory");
    } else if (options->local) {
        snprintf(near->folder, sizeof(near->folder), "%s/ftrun-%016" PRIx64, options->local,
                 random_number());
    } else {
        return 0;
    }
    if (ft_levels_read(options->levels, &near->levels, why, sizeof(why)))
        return ft_say_and(FT_EXIT_USAGE, "%s", why);
    if (run->hosts.count <= near->levels.pieces)
        return ft_say_and(FT_EXIT_USAGE, "--levels %s needs %d nodes, and %d are named",
                          options->levels, near->levels.pieces + 1, run->hosts.count);
    return ft_near_create(run) ? ft_say_and(1, "no memory for %d ranks", run->size) : 0;
}

int ft_settings_take(struct ft_run *run)
{
    int code;

    if ((code = take_levels(run)) || (code = take_orders(run)) || (code = take_clusters(run)) ||
        (code = take_plan(run)))
        return code;
    return take_trust(run);
}
