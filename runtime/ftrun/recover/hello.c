/* hello: what a rank is told when it has said HELLO: BOOT, and its connection of PMI. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "options/clusters.h"
#include "recover/recover.h"

_Static_assert(sizeof(struct ft_wire_head) + sizeof(struct ft_wire_boot) +
                       FT_CLUSTERS_RANKS * sizeof(int32_t) <=
                   FT_WIRE_MAX,
               "the clusters of all ranks are in BOOT");

/* The rank's part of the fault plan (ft_faults_index). */
static void fill_faults(const struct ft_member *member, struct ft_wire_boot *boot)
{
    const struct ft_fault *fault;

    while ((fault = ft_faults_find(ft_run_faults(member->run), member->rank, member->run->copy,
                                   boot->faults))) {
        boot->fault[boot->faults] = fault->order;
        if (fault->done >= fault->order.times) /* a lost node takes its recorders along */
            boot->fault[boot->faults].times = 0;
        boot->faults++;
    }
}

static void fill_role(const struct ft_member *member, struct ft_wire_boot *boot)
{
    struct ft_verify_role role;

    ft_verify_runs_role(member->run, member->rank, &role);
    _Static_assert(sizeof(role.trace) == sizeof(boot->trace), "a path");
    memcpy(boot->trace, role.trace, sizeof(boot->trace));
    boot->seed = role.seed;
    boot->begun = role.begun;
    boot->waiting = role.waiting;
    boot->progress = role.progress;
}

/* Where the life begins: an image of the store, the rank's own image, or main (neither). */
static void fill_source(const struct ft_member *member, struct ft_wire_boot *boot)
{
    const struct ft_run *run = member->run;

    boot->restore = -1;
    if (ft_member_survives(member)) {
        boot->survivor = member->continued ? FT_SURVIVOR_EXEC : FT_SURVIVOR_NEW;
        if (member->left) /* its agent has it */
            return;
        if (member->node) {
            ft_store_lent_image(run->store, member->rank,
                                member->crossed ? FT_STORE_CROSSED : FT_STORE_ORIGIN, boot->image);
            return;
        }
        snprintf(boot->image, sizeof(boot->image), "/proc/%d/fd/%d", (int)getpid(),
                 member->image_fd);
    } else if (member->cluster->restored >= 0) {
        boot->restore = member->cluster->restored;
        if (ft_cluster_newest(member->cluster)->near)
            ft_near_image(run, (uint32_t)boot->restore, member->rank, boot->image,
                          sizeof(boot->image));
        else
            ft_store_image(run->store, (uint32_t)boot->restore, member->rank, 0, boot->image);
    }
}

static void fill_clusters(const struct ft_member *member, struct ft_wire_boot *boot)
{
    const struct ft_run *run = member->run;
    char name[64];

    boot->clusters = run->each ? run->size : run->parts;
    ft_marks_path(run, boot->marks, sizeof(boot->marks));
    boot->spread = (uint32_t)ft_ring_is_spread(member);
    boot->unmarked = (uint32_t)member->unmarked;
    boot->hasty = (uint32_t)ft_options_optimistic(&run->options);
    boot->carries = (uint32_t)ft_options_causal(&run->options);
    boot->uncertain = (uint32_t)member->uncertain;
    boot->log_limit = run->options.log_limit;
    boot->window = run->options.window ? run->options.window : FT_WIRE_WINDOW;
    ft_phases_path(run, boot->phases, sizeof(boot->phases));
    snprintf(name, sizeof(name), "log/rank-%d", member->rank);
    ft_store_file(run->store, name, boot->log);
}

/* The other copy's recorder and what both share. */
static void fill_pair(const struct ft_member *member, struct ft_wire_boot *boot)
{
    const struct ft_member *twin = ft_member_twin(member);
    const struct ft_member *first = member->run->copy ? twin : member;

    if (!twin)
        return;
    boot->replicas = 1;
    boot->compare = (uint32_t)member->run->options.compare;
    boot->crossed = (uint32_t)member->crossed;
    boot->copy = (uint32_t)member->run->copy;
    if (member->node) /* its agent has what the copies share */
        return;
    snprintf(boot->other, sizeof(boot->other), "/proc/%d/fd/%d", (int)getpid(), twin->recorder_fd);
    snprintf(boot->pair, sizeof(boot->pair), "/proc/%d/fd/%d", (int)getpid(), first->pair_fd);
    snprintf(boot->changes, sizeof(boot->changes), "/proc/%d/fd/%d", (int)getpid(),
             first->run->changes_fd);
    if (boot->copy)
        snprintf(boot->ring, sizeof(boot->ring), "/proc/%d/fd/%d", (int)getpid(),
                 first->recorder_fd);
}

static void send_boot(struct ft_member *member)
{
    struct ft_run *run = member->run;
    static struct ft_wire_boot boot;

    memset(&boot, 0, sizeof(boot));
    boot.rank = member->rank;
    boot.size = run->size;
    boot.epoch = run->epoch;
    boot.every = run->options.every;
    boot.content = (uint32_t)run->options.content;
    boot.trust = run->trusted;
    boot.ulfm = run->options.replace ? FT_ULFM_REPLACE
                : run->options.ulfm  ? FT_ULFM_SHRINK
                                     : FT_ULFM_NONE;
    boot.renewed = run->deaths.renewed;
    boot.replacement = (uint32_t)member->replacement;
    boot.believed = ft_ring_believed(member, 1);
    memcpy(boot.pattern, run->pattern, sizeof(boot.pattern));
    boot.hook_events = (uint32_t)run->options.hook_events;
    boot.recorder_fd = FT_RANK_RECORDER;
    boot.call_events = (uint32_t)run->options.call_events;
    boot.nodes = run->nodes != NULL;
    boot.native = (uint32_t)ft_options_are_native(&run->options);
    boot.adversary = (uint32_t)run->options.adversary;
    fill_faults(member, &boot);
    fill_source(member, &boot);
    fill_pair(member, &boot);
    snprintf(boot.topology, sizeof(boot.topology), "/proc/%d/fd/%d", (int)getpid(), run->topology);
    snprintf(boot.folder, sizeof(boot.folder), "%s", run->folder);
    strcpy(boot.undo, member->cluster->undo[member->place]);
    if (run->verify_runs)
        fill_role(member, &boot);
    if (ft_run_contains(run))
        fill_clusters(member, &boot);
    ft_rank_send(member, FT_WIRE_BOOT, &boot, sizeof(boot), run->each ? run->each : run->of,
                 boot.clusters ? (size_t)run->size * sizeof(*run->of) : 0,
                 member->continued ? member->recorder_fd : -1);
}

/* Opens the rank's connection of PMI. The epoch is over when the state is CLEARING: then the rank
 * is about to be killed, and gets none. */
static void send_pmi(struct ft_member *member)
{
    struct ft_run *run = member->run;
    char text[FT_PMI_VARIABLES];
    struct ft_wire_number count = {0};
    unsigned variables;

    if (run->state >= FT_RUN_CLEARING)
        return;
    if (member->node) { /* the agent has the connection */
        ft_rank_send(member, FT_WIRE_PMI, NULL, 0, NULL, 0, -1);
        return;
    }
    size_t length = ft_pmi_variables(run->pmi, member->rank, member->rank, text, &variables);
    int fd = ft_pmi_open(run->pmi, member->rank);
    if (fd < 0) {
        ft_say("rank %d cannot be started: %s in ftrun%s", member->rank, strerror(-fd),
               fd == -EMFILE ? " (ulimit -Hn)" : "");
        ft_finish(run, 1);
        return;
    }
    count.value = variables;
    ft_rank_send(member, FT_WIRE_PMI, &count, sizeof(count), text, length, fd);
    close(fd);
}

void ft_hello_answer(struct ft_member *member)
{
    send_boot(member);
    send_pmi(member);
}
