/* phases: the coordinator of a replay, with --protocol hydee (Guermouche et al., IPDPS'12,
 * algorithm 4). Each rank that rolls back tells the phase of its next orphan, a message that it
 * will send a second time (libft/stream/phases.h). The lowest of these is the phase up to which all
 * ranks may resend logged messages: an orphan of a lower one is left nowhere.
 *
 * The order is only one of speed here: determinants give each rank what it had, in whatever order
 * messages come. So where a program waits for something that has no phase, the end of a synchronous
 * send or a message that was probed, all messages are let go when nothing has moved for a while. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#include "protocol/phases.h"
#include "recover/recover.h"

static const double look = 0.1;     /* seconds between two looks */
static const double patience = 1.0; /* without a movement */

int ft_phases_create(struct ft_run *run)
{
    size_t bytes = FT_PHASES_BYTES(run->cluster_count);

    if (!ft_options_phases(&run->options))
        return 0;
    run->phases_fd = memfd_create("ftrun-phases", MFD_CLOEXEC);
    if (run->phases_fd < 0 || ftruncate(run->phases_fd, (off_t)bytes))
        return -errno;
    run->phases = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, run->phases_fd, 0);
    if (run->phases == MAP_FAILED)
        return -errno;
    for (int i = 0; i < run->cluster_count; i++)
        run->phases->of_cluster[i].value = 1;
    return ft_still_create(run->size, &run->phasing);
}

static void allow(struct ft_run *run, uint32_t phase, int given_up)
{
    __atomic_store_n(&run->phases->allowed.value, phase, __ATOMIC_RELEASE);
    if (phase != FT_PHASES_ALL)
        return;
    ft_loop_cancel(run->loop, &run->phase_look);
    if (run->died > 0)
        ft_events_emit(run->events, "phases", "{s:i, s:b, s:i, s:f}", "messages", run->phase_count,
                       "given_up", given_up, "epoch", (int)run->epoch, "seconds",
                       ft_loop_now() - run->epoch_started);
}

/* Ranks that wait for the start of the epoch do not count. */
static void on_look(void *context)
{
    struct ft_run *run = context;

    if (run->state != FT_RUN_RUNNING)
        ft_still_begin(run->phasing);
    else if (ft_still_look(run->phasing, run) >= patience) {
        allow(run, FT_PHASES_ALL, 1);
        return;
    }
    ft_loop_after(run->loop, &run->phase_look, look, on_look, run);
}

void ft_phases_begin(struct ft_run *run)
{
    if (!run->phases)
        return;
    for (int i = 0; i < run->size; i++)
        run->members[i].phase = ft_member_survives(&run->members[i]) ? FT_PHASES_ALL : 0;
    run->phase_count = 0;
    __atomic_store_n(&run->phases->allowed.value, 0, __ATOMIC_RELEASE);
    ft_still_begin(run->phasing);
    ft_loop_after(run->loop, &run->phase_look, look, on_look, run);
}

void ft_phases_note(struct ft_member *member, int64_t phase)
{
    struct ft_run *run = member->run;
    uint32_t least = FT_PHASES_ALL;

    if (!run->phases)
        return;
    run->phase_count++;
    member->phase = (uint32_t)phase;
    for (int i = 0; i < run->size; i++) {
        if (run->members[i].phase < least)
            least = run->members[i].phase;
    }
    if (least > run->phases->allowed.value)
        allow(run, least, 0);
}
