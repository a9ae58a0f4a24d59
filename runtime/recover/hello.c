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

/* The rank's kill orders, in the order of the command line, which has no more of them than fit. */
static void fill_kills(const struct ft_member *member, struct ft_wire_boot *boot)
{
    const struct ft_options *options = &member->run->options;

    for (int i = 0; i < options->orders; i++) {
        if (options->order[i].rank != member->rank)
            continue;
        boot->kill[boot->kills] = options->order[i].kill;
        boot->kill[boot->kills].fired = member->fired >> boot->kills & 1;
        boot->kills++;
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
        snprintf(boot->image, sizeof(boot->image), "/proc/%d/fd/%d", (int)getpid(),
                 member->image_fd);
    } else if (member->cluster->restored >= 0) {
        boot->restore = member->cluster->restored;
        ft_store_image(run->store, (uint32_t)boot->restore, member->rank, 0, boot->image);
    }
}

static void fill_clusters(const struct ft_member *member, struct ft_wire_boot *boot)
{
    const struct ft_run *run = member->run;
    char name[64];

    boot->clusters = run->parts;
    boot->log_limit = run->options.log_limit;
    boot->window = run->options.window ? run->options.window : FT_WIRE_WINDOW;
    snprintf(name, sizeof(name), "log/rank-%d", member->rank);
    ft_store_file(run->store, name, boot->log);
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
    boot.believed = ft_ring_believed(member, 1);
    memcpy(boot.pattern, run->pattern, sizeof(boot.pattern));
    boot.hook_events = (uint32_t)run->options.hook_events;
    boot.recorder_fd = FT_RANK_RECORDER;
    boot.call_events = (uint32_t)run->options.call_events;
    boot.adversary = (uint32_t)run->options.adversary;
    fill_kills(member, &boot);
    fill_source(member, &boot);
    snprintf(boot.topology, sizeof(boot.topology), "/proc/%d/fd/%d", (int)getpid(), run->topology);
    snprintf(boot.folder, sizeof(boot.folder), "%s", ft_shm_folder(run->shm));
    strcpy(boot.undo, member->cluster->undo[member->place]);
    if (run->verify_runs)
        fill_role(member, &boot);
    if (ft_run_contains(run))
        fill_clusters(member, &boot);
    ft_wire_send(member->control, FT_WIRE_BOOT, &boot, sizeof(boot), run->of,
                 boot.clusters ? (size_t)run->size * sizeof(*run->of) : 0,
                 member->continued ? member->recorder_fd : -1);
}

/* Opens the rank's connection of PMI. The epoch is over when the state is CLEARING: then the rank is
 * about to be killed, and gets none. */
static void send_pmi(struct ft_member *member)
{
    struct ft_run *run = member->run;
    char text[FT_PMI_VARIABLES];
    struct ft_wire_number count = {0};
    unsigned variables;

    if (run->state >= FT_RUN_CLEARING)
        return;
    size_t length = ft_pmi_variables(run->pmi, member->rank, text, &variables);
    int fd = ft_pmi_open(run->pmi, member->rank);
    if (fd < 0) {
        ft_say("rank %d cannot be started: %s in ftrun%s", member->rank, strerror(-fd),
               fd == -EMFILE ? " (ulimit -Hn)" : "");
        ft_finish(run, 1);
        return;
    }
    count.value = variables;
    ft_wire_send(member->control, FT_WIRE_PMI, &count, sizeof(count), text, length, fd);
    close(fd);
}

void ft_hello_answer(struct ft_member *member)
{
    send_boot(member);
    send_pmi(member);
}
