/* epoch: one life of the MPI library: the launcher's job and all ranks' processes.
 *
 * Invariant: no process of an epoch is alive when the next one's first rank starts (writers of
 * images included: they are in the ranks' process groups). The launcher's next job, which touches
 * nothing of the ranks, starts while the old ranks are still dying. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "launch/run.h"

static const double slot_patience = 30; /* seconds from the start of mpiexec to its last slot */

static int all_back(const struct ft_run *run)
{
    for (int i = 0; i < run->size; i++) {
        if (!run->members[i].back)
            return 0;
    }
    return 1;
}

static double moment_of_death(const struct ft_run *run)
{
    return run->died > 0 ? ft_loop_now() - run->died : ft_loop_now() - run->epoch_started;
}

void ft_epoch_back(struct ft_member *member)
{
    struct ft_run *run = member->run;

    member->back = 1;
    if (run->state != FT_RUN_STARTING || !all_back(run))
        return;
    run->state = FT_RUN_RUNNING;
    run->launch_failures = run->fruitless = 0;
    ft_events_emit(run->events, "epoch", "{s:i, s:i, s:f}", "epoch", (int)run->epoch, "ranks",
                   run->size, "seconds", moment_of_death(run));
    if (run->died > 0)
        run->lost += moment_of_death(run);
    if (run->checkpoint.wanted)
        ft_checkpoint_begin(run);
    else
        ft_checkpoint_schedule(run);
}

/* What the recorder says about the life before must not be taken for this one's. Kill orders that
 * were carried out stay carried out. */
static void reset_recorder(struct ft_member *member, int restore)
{
    struct ft_recorder *recorder = member->recorder;
    const struct ft_run *run = member->run;
    uint32_t order = 0;

    if (restore >= 0)
        order = run->kept[run->kept_count - 1]->ranks[member->rank].order;
    member->fired |= recorder->kills_fired;
    memset(recorder, 0, sizeof(*recorder));
    recorder->version = FT_RECORDER_VERSION;
    recorder->phase = restore >= 0 ? FT_PHASE_RUNNING : FT_PHASE_START;
    recorder->kills_fired = member->fired;
    recorder->order = order;
    recorder->committed = run->kept_count ? run->kept[run->kept_count - 1]->checkpoint + 1 : 0;
}

/* Starts the launcher's job of the epoch that comes next. */
static int launch(struct ft_run *run, uint32_t epoch)
{
    char why[512];
    int code = ft_slots_launch(run->slots, epoch, why, sizeof(why));

    if (code)
        ft_say("%s", why);
    return code;
}

/* A launcher that neither ends nor brings its slots. */
static void on_slow_launch(void *context)
{
    struct ft_run *run = context;
    int missing = 0;

    for (int i = 0; i < run->size; i++)
        missing += !run->members[i].told_pmi && run->members[i].pmi_fd < 0;
    if (run->state != FT_RUN_STARTING || !missing)
        return;
    ft_say("warning: %d of %d slots have not come within %.0f s; starting mpiexec again", missing,
           run->size, slot_patience);
    ft_slots_drop(run->slots);
    ft_recover_launcher(run);
}

void ft_epoch_start(struct ft_run *run, int restore)
{
    char why[FT_STORE_PATH + 512];
    int code;

    run->state = FT_RUN_STARTING;
    run->restored = restore;
    run->finalized = 0;
    run->strays = 0;
    run->epoch_started = ft_loop_now();
    for (int i = 0; i < run->size; i++)
        reset_recorder(&run->members[i], restore);
    if (restore < 0 && ft_run_recovers(run))
        ft_checkpoint_order(run);
    if (run->rehearsal && (code = ft_rehearse_begin(run))) {
        ft_say("a folder for traces in %s: %s", ft_store_path(run->store), strerror(-code));
        ft_finish(run, 1);
        return;
    }
    if (run->epoch == 0 && launch(run, 0)) {
        ft_finish(run, 1);
        return;
    }
    for (int i = 0; i < run->size; i++) {
        code = ft_rank_start(&run->members[i], why, sizeof(why));

        if (code) {
            ft_say("rank %d: %s", i, why);
            ft_finish(run, code == -ENOENT ? FT_EXIT_MISSING : 1);
            return;
        }
    }
    ft_loop_after(run->loop, &run->launch, slot_patience, on_slow_launch, run);
    ft_recover_launcher(run); /* it may have ended while the old ranks were dying */
}

static void kill_members(struct ft_run *run)
{
    for (int i = 0; i < run->size; i++) {
        if (run->members[i].group > 0)
            kill(-run->members[i].group, SIGKILL);
    }
}

static int is_cleared(struct ft_run *run)
{
    for (int i = 0; i < run->size; i++) {
        struct ft_member *member = &run->members[i];

        if (member->pid > 0 || (member->group > 0 && !kill(-member->group, 0)))
            return 0;
        member->group = 0;
    }
    return 1;
}

static void check_again(void *context)
{
    ft_recover_reap(context);
    ft_epoch_check(context);
}

void ft_epoch_check(struct ft_run *run)
{
    if (run->done || (run->state != FT_RUN_CLEARING && run->state != FT_RUN_ENDING))
        return;
    if (!is_cleared(run)) {
        kill_members(run); /* a process may have been forked while the group was being killed */
        ft_loop_after(run->loop, &run->clear, 0.001, check_again, run);
        return;
    }
    ft_loop_cancel(run->loop, &run->clear);
    for (int i = 0; i < run->size; i++)
        ft_rank_close(&run->members[i]);
    ft_shm_sweep(run->shm);
    ft_checkpoint_abort(run);
    if (run->state == FT_RUN_ENDING)
        ft_finish_clear(run);
    else
        ft_recover_next(run);
}

/* From here on slots are those of the next epoch, which may come before this one is cleared. */
static void drop_slots(struct ft_run *run)
{
    ft_slots_drop(run->slots);
    for (int i = 0; i < run->size; i++)
        ft_rank_forget_pmi(&run->members[i]);
}

void ft_epoch_clear(struct ft_run *run, enum ft_run_state state)
{
    int was_clearing = run->state >= FT_RUN_CLEARING;

    run->state = state;
    kill_members(run);
    if (!was_clearing) {
        ft_loop_cancel(run->loop, &run->checkpoint.tick);
        ft_loop_cancel(run->loop, &run->checkpoint.due);
        drop_slots(run);
    }
    if (state == FT_RUN_CLEARING && !was_clearing && launch(run, ++run->epoch))
        run->state = FT_RUN_ENDING, run->code = 1;
    ft_loop_after(run->loop, &run->clear, 0.001, check_again, run);
}
