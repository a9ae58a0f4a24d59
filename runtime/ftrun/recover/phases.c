/* phases: the coordinator of a replay, with --protocol hydee (Guermouche et al., IPDPS'12,
 * algorithm 4). Each rank that rolls back tells the phase of its next orphan, a message that it
 * will send a second time (libft/stream/phases.h). The lowest of these is the phase up to which all
 * ranks may resend logged messages: an orphan of a lower one is left nowhere.
 *
 * The order is only one of speed here: determinants give each rank what it had, in whatever order
 * messages come. So where a program waits for something that has no phase, the end of a synchronous
 * send or a message that was probed, all messages are let go when nothing has moved for a while. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "host/shared.h"
#include "protocol/phases.h"
#include "recover/recover.h"

static const double look = 0.1;     /* seconds between two looks */
static const double patience = 1.0; /* without a movement */

struct ft_phasing {
    struct ft_phases *phases; /* shared with all ranks */
    int fd;
    int messages;           /* PHASE, in this epoch */
    struct ft_still *still; /* while messages wait for their phase */
    struct ft_timer look;
};

int ft_phases_create(struct ft_run *run)
{
    size_t bytes = FT_PHASES_BYTES(run->cluster_count);
    struct ft_phasing *phasing;

    if (!ft_options_phases(&run->options))
        return 0;
    phasing = calloc(1, sizeof(*phasing));
    if (!phasing)
        return -ENOMEM;
    run->phasing = phasing;
    phasing->phases = ft_shared_create("ftrun-phases", bytes, bytes, &phasing->fd);
    if (!phasing->phases)
        return -errno;
    for (int i = 0; i < run->cluster_count; i++)
        phasing->phases->of_cluster[i].value = 1;
    return ft_still_create(run->size, &phasing->still);
}

void ft_phases_destroy(struct ft_run *run)
{
    if (run->phasing)
        ft_still_destroy(run->phasing->still);
    free(run->phasing);
}

void ft_phases_path(const struct ft_run *run, char *path, size_t size)
{
    if (run->phasing)
        snprintf(path, size, "/proc/%d/fd/%d", (int)getpid(), run->phasing->fd);
}

static void allow(struct ft_run *run, uint32_t phase, int given_up)
{
    __atomic_store_n(&run->phasing->phases->allowed.value, phase, __ATOMIC_RELEASE);
    if (phase != FT_PHASES_ALL)
        return;
    ft_loop_cancel(run->loop, &run->phasing->look);
    if (run->died > 0)
        ft_events_emit(run->events, "phases", "{s:i, s:b, s:i, s:f}", "messages",
                       run->phasing->messages, "given_up", given_up, "epoch", (int)run->epoch,
                       "seconds", ft_loop_now() - run->epoch_started);
}

/* Ranks that wait for the start of the epoch do not count. */
static void on_look(void *context)
{
    struct ft_run *run = context;

    if (run->state != FT_RUN_RUNNING)
        ft_still_begin(run->phasing->still);
    else if (ft_still_look(run->phasing->still, run) >= patience) {
        allow(run, FT_PHASES_ALL, 1);
        return;
    }
    ft_loop_after(run->loop, &run->phasing->look, look, on_look, run);
}

void ft_phases_begin(struct ft_run *run)
{
    if (!run->phasing)
        return;
    for (int i = 0; i < run->size; i++)
        run->members[i].phase = ft_member_survives(&run->members[i]) ? FT_PHASES_ALL : 0;
    run->phasing->messages = 0;
    __atomic_store_n(&run->phasing->phases->allowed.value, 0, __ATOMIC_RELEASE);
    ft_still_begin(run->phasing->still);
    ft_loop_after(run->loop, &run->phasing->look, look, on_look, run);
}

void ft_phases_note(struct ft_member *member, int64_t phase)
{
    struct ft_run *run = member->run;
    uint32_t least = FT_PHASES_ALL;

    if (!run->phasing)
        return;
    run->phasing->messages++;
    member->phase = (uint32_t)phase;
    for (int i = 0; i < run->size; i++) {
        if (run->members[i].phase < least)
            least = run->members[i].phase;
    }
    if (least > run->phasing->phases->allowed.value)
        allow(run, least, 0);
}
