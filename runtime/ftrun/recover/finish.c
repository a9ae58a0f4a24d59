/* finish: every way in which a run ends, and its last words.
 *
 * Invariant: the code of the first reason stands. Nothing is removed before all processes are dead.
 */
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "commit/commit.h"
#include "host/parts.h"
#include "host/site.h"
#include "recover/recover.h"

static const double stop_patience = 30; /* batch systems kill half a minute after SIGTERM */

void ft_finish_mark(struct ft_run *run, int code)
{
    run->state = FT_RUN_ENDING;
    run->code = code;
    run->keep_store = run->restarting || ft_whole_continues(run);
}

/* The first team may have ended before the run does. */
static int is_ending(const struct ft_run *run)
{
    return run->state == FT_RUN_ENDING && !(run->given_up && run->twin->state != FT_RUN_ENDING);
}

void ft_finish(struct ft_run *run, int code)
{
    run = ft_run_first(run);
    if (is_ending(run))
        return;
    ft_finish_mark(run, code);
    if (run->twin)
        ft_epoch_clear(run->twin, FT_RUN_ENDING);
    ft_epoch_clear(run, FT_RUN_ENDING);
}

void ft_finish_own(struct ft_run *run, int code)
{
    run = ft_run_first(run);
    if (is_ending(run))
        return;
    if (run->verify_runs) {
        ft_verify_runs_over(run, code, NULL);
        return;
    }
    if (run->torn.armed) { /* not all is here of what it has printed, but --restart prints it */
        ft_finish(run, 1);
        return;
    }
    ft_finish(run, code);
    run->own_end = 1;
    run->keep_store = 0;
}

void ft_finish_refused(struct ft_member *member, const char *call, const char *reason,
                       uint64_t site)
{
    struct ft_run *run = member->run;
    char place[FT_STORE_PATH];

    ft_site_name_in(member->node ? 0 : member->pid, ft_parts_of(&run->program, member->rank).path,
                    site, place, sizeof(place));
    ft_events_emit(run->events, "refused", "{s:i, s:s, s:s, s:s}", "rank", member->rank, "call",
                   call, "site", place, "reason", reason);
    ft_say("rank %d: %s at %s: %s", member->rank, call, place, reason);
    run = ft_run_first(run);
    ft_finish(run, FT_EXIT_REFUSED);
    /* A job that is continued need not find again what came of a death, or of want of room. */
    run->keep_store = run->keep_store && run->options.store;
}

/* The line can be given to a shell as it is: ' in the path is '\''. */
static void print_restart(const struct ft_run *run)
{
    char quoted[4 * FT_STORE_PATH], *to = quoted;

    if (!ft_whole_continues(run) || run->barred)
        return;
    for (const char *from = ft_store_path(run->store); *from; from++)
        to = *from == '\'' ? stpcpy(to, "'\\''") : mempcpy(to, from, 1);
    *to = 0;
    ft_say("to continue: ftrun --restart%s --store '%s'",
           *run->near.folder ? " --hosts NODES"
           : run->twin       ? " --replicas all"
                             : "",
           quoted);
}

void ft_finish_stopped(struct ft_run *run)
{
    int continues = ft_whole_continues(run);

    if (!continues)
        ft_say("stopped before the first checkpoint%s: there is nothing to continue",
               ft_run_contains(run) ? " of all ranks" : "");
    ft_finish(run, continues ? FT_EXIT_LATER : FT_EXIT_STOPPED);
}

static void on_impatience(void *context)
{
    struct ft_run *run = context;

    ft_say("no further checkpoint could be taken within %.0f s", stop_patience);
    ft_finish_stopped(run);
}

void ft_finish_stop(struct ft_run *run, const char *why)
{
    if (is_ending(run))
        return;
    if (run->verify_runs) {
        ft_verify_runs_stop(run, why);
        return;
    }
    if (run->stopping)
        return;
    if (!ft_run_recovers(run)) {
        ft_say("%s: the run ends here, because %s", why,
               run->options.ulfm ? "--ulfm takes no checkpoints"
                                 : "--protocol none takes no checkpoints");
        ft_finish(run, FT_EXIT_STOPPED);
        return;
    }
    run->stopping = 1;
    ft_say("%s: taking a last checkpoint", why);
    ft_loop_after(run->loop, &run->patience, stop_patience, on_impatience, run);
    if (run->twin)
        ft_copies_stop(run);
    else
        ft_checkpoint_begin_last(run);
}

void ft_finish_terminate(struct ft_run *run)
{
    if (run->terminated && run->stopping)
        ft_finish_stopped(run);
    else
        ft_finish_stop(run, "SIGTERM");
    run->terminated = 1;
}

/* Reports the bytes copied for other clusters, by rank and in all. */
static void summarize_logs(const struct ft_run *run)
{
    uint64_t logged = 0, most = 0, spilled = 0;
    int where = 0;

    for (int i = 0; i < run->size; i++) {
        const struct ft_recorder *recorder = run->members[i].recorder;
        uint64_t own = ft_log_most_of(recorder);

        logged += recorder->logged;
        spilled += recorder->log_spilled;
        if (own > most) {
            most = own;
            where = i;
        }
        ft_events_emit(run->events, "log", "{s:i, s:I, s:I, s:I, s:I}", "rank", i, "logged",
                       (json_int_t)recorder->logged, "dropped", (json_int_t)recorder->log_dropped,
                       "most", (json_int_t)own, "spilled", (json_int_t)recorder->log_spilled);
    }
    if (run->summary.failures || run->options.verbose)
        ft_say("%.1f MB of messages logged, %.1f MB of them in files; at most %.1f MB of memory at "
               "a time by one rank (rank %d)",
               (double)logged / 1e6, (double)spilled / 1e6, (double)most / 1e6, where);
}

static void summarize(const struct ft_run *run)
{
    int ended = !run->interrupted && !run->terminated && !run->stopping;

    if (ft_run_contains(run) && !run->options.ulfm) {
        summarize_logs(run);
        ft_account_determinants(run);
    }
    if (run->options.call_events)
        ft_account_calls(run);
    if (ended)
        ft_fault_account(run);
    ft_events_emit(run->events, "end", "{s:i, s:i, s:f, s:i, s:I, s:I}", "code", run->code,
                   "failures", (int)run->summary.failures, "lost", run->summary.lost, "checkpoints",
                   (int)run->summary.checkpoints, "bytes", (json_int_t)run->summary.bytes,
                   "rolled_back", (json_int_t)run->summary.rolled_back);
    if (run->options.ulfm)
        ft_say("%u of %d ranks died", run->deaths.count, run->size);
    else if (run->summary.failures || run->options.verbose)
        ft_say(
            "%u failure%s%s, %llu rank%s rolled back, %.2f s lost, %u checkpoint%s taken, "
            "%.1f MB written",
            run->summary.failures, run->summary.failures == 1 ? "" : "s",
            ended && !run->own_end ? "" : " survived", (unsigned long long)run->summary.rolled_back,
            run->summary.rolled_back == 1 ? "" : "s", run->summary.lost, run->summary.checkpoints,
            run->summary.checkpoints == 1 ? "" : "s", (double)run->summary.bytes / 1e6);
}

/* One that is to end ftrun, or 0. */
static int next_signal(const struct ft_run *run)
{
    struct signalfd_siginfo info;

    while (read(run->signals, &info, sizeof(info)) == sizeof(info)) {
        if (info.ssi_signo != SIGCHLD && info.ssi_signo != SIGUSR1)
            return (int)info.ssi_signo;
    }
    return 0;
}

/* 1: something still waits. */
static int pump_all(const struct ft_run *run)
{
    int left = ft_output_pump(run->output);

    return run->twin ? ft_output_pump(run->twin->output) | left : left;
}

/* A slow reader of the output is waited for until a signal comes. After a signal or a time limit
 * that came just before the program ended by itself, the reader has one second more. */
static void write_rest(struct ft_run *run)
{
    double end = ft_loop_now() + (run->interrupted || run->stopping ? 1 : INFINITY);
    int number = 0, left;

    ft_output_end(run->output, run->keep_store);
    if (run->twin)
        ft_output_end(run->twin->output, 0);
    while ((left = pump_all(run)) && ft_loop_now() < end && !number) {
        poll(NULL, 0, 5);
        number = next_signal(run);
    }
    if (!run->code)
        run->code = number ? 128 + number : left ? 128 + SIGTERM : run->output_lost;
}

void ft_finish_clear(struct ft_run *run)
{
    write_rest(run);
    if (ft_profile_write(run) && !run->code)
        run->code = 1;
    summarize(run);
    if (run->keep_store)
        print_restart(run);
    run->done = 1;
}
