/* recover: what ended, what it means, and where to roll back to.
 *
 * All children that can be reaped are reaped before anything is decided, so deaths that happen
 * together are one failure. When in doubt, more is rolled back: in the end all ranks. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "commit/commit.h"
#include "host/parts.h"
#include "host/proc.h"
#include "host/site.h"
#include "putback/putback.h"
#include "recover/mourn.h"
#include "recover/recover.h"

static struct ft_member *member_of(struct ft_run *run, pid_t pid)
{
    for (int i = 0; run && i < run->size; i++) {
        if (run->members[i].pid == pid)
            return &run->members[i];
    }
    return run && !run->copy ? member_of(run->twin, pid) : NULL;
}

static struct ft_member *owner_of(struct ft_run *run, const struct ft_node *node, pid_t writer)
{
    for (int i = 0; run && i < run->size; i++) {
        if (run->members[i].node == node && run->members[i].writer == writer)
            return &run->members[i];
    }
    return run && !run->copy ? owner_of(run->twin, node, writer) : NULL;
}

static int reap_removal(struct ft_run *run, pid_t pid)
{
    if (!run || !ft_removal_reaped(run, pid))
        return 0;
    if (!run->removal.pid)
        ft_commit_next(run->clusters[run->served % run->cluster_count]);
    return 1;
}

/* A child that is no rank: a writer, whose rank's messages may still be unread, or a helper. */
static void reap_other(struct ft_run *run, pid_t pid, int status)
{
    if (ft_zygote_reaped(run->starter.zygote, pid) || ft_nodes_reaped(run->nodes, pid, status) ||
        (run->twin && ft_nodes_reaped(run->twin->nodes, pid, status)))
        return;
    if (reap_removal(run, pid) || reap_removal(run->twin, pid))
        return;
    for (int i = 0; i < run->size; i++)
        ft_rank_listen(&run->members[i]);
    for (int i = 0; run->twin && i < run->size; i++)
        ft_rank_listen(&run->twin->members[i]);
    ft_recover_child(run, NULL, pid, status);
}

void ft_recover_child(struct ft_run *run, const struct ft_node *node, pid_t pid, int status)
{
    struct ft_member *owner = owner_of(run, node, pid);

    if (owner) {
        if (ft_commit_writer(owner, status))
            ft_finish_stopped(run);
    } else { /* orphans of the program come here, too: the oldest entry gives way */
        run->strays.entry[run->strays.made % FT_RUN_STRAYS].pid = pid;
        run->strays.entry[run->strays.made % FT_RUN_STRAYS].node = node;
        run->strays.entry[run->strays.made++ % FT_RUN_STRAYS].status = status;
    }
}

static void emit_death(struct ft_run *run, const struct ft_member *member, int status)
{
    const struct ft_recorder *recorder = member->recorder;
    double detection = member->first_sign > 0 ? ft_loop_now() - member->first_sign : 0;

    ft_events_emit(run->events, "death", "{s:i, s:i, s:s, s:i, s:i, s:I, s:I, s:i, s:f}", "rank",
                   member->rank, "pid", ft_rank_number(member), "node",
                   member->node ? member->was : run->node, WIFSIGNALED(status) ? "signal" : "code",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), "phase",
                   (int)recorder->phase, "hook", (json_int_t)recorder->hooks, "call",
                   (json_int_t)recorder->calls, "epoch", (int)run->epoch, "detection", detection);
}

/* "was killed by signal 11 (Segmentation fault)" or "exited with code 3". */
static void describe(int status, char *text, size_t size)
{
    if (WIFSIGNALED(status))
        snprintf(text, size, "was killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(text, size, "exited with code %d between MPI_Init and MPI_Finalize",
                 WEXITSTATUS(status));
}

/* The same rank died at the same place again and again: rolling back would never end. */
static void give_up(struct ft_member *member, int status)
{
    struct ft_run *run = member->run;
    char how[128], site[FT_STORE_PATH];
    int code = ft_plan_code(status);

    describe(status, how, sizeof(how));
    ft_site_name(ft_parts_of(&run->program, member->rank).path, member->plan.last.site, site,
                 sizeof(site));
    ft_say("rank %d %s at the same place %d times in a row (hook %llu, last MPI call at %s): a "
           "rollback does not help",
           member->rank, how, FT_PLAN_REPEATS, (unsigned long long)member->plan.last.hooks, site);
    if (member->backtrace)
        ft_say("rank %d, backtrace:\n%s", member->rank, member->backtrace);
    ft_finish(run, code ? code : 1);
}

/* Nobody is recovered with --verify. */
static void end_verified(struct ft_member *member, int status)
{
    char how[128], text[256];
    int code = ft_plan_code(status);

    describe(status, how, sizeof(how));
    snprintf(text, sizeof(text), "rank %d %s", member->rank, how);
    if (member->backtrace)
        ft_say("rank %d, backtrace:\n%s", member->rank, member->backtrace);
    ft_verify_runs_over(member->run, code ? code : 1, text);
}

/* --protocol none: nothing to roll back to. */
static void end_unprotected(struct ft_member *member, int status)
{
    char how[128];
    int code = ft_plan_code(status);

    describe(status, how, sizeof(how));
    ft_say("rank %d %s, and --protocol none has nothing to roll back to", member->rank, how);
    if (member->backtrace)
        ft_say("rank %d, backtrace:\n%s", member->rank, member->backtrace);
    ft_finish(member->run, code ? code : 1);
}

/* Where an epoch starts from images the program does nothing, so the place says nothing about it:
 * fruitless epochs are counted instead. */
static int is_place_of_program(const struct ft_member *member)
{
    return member->run->state != FT_RUN_STARTING ||
           (member->cluster->restored < 0 && !ft_member_survives(member));
}

static int note_death(struct ft_member *member, int status)
{
    struct ft_place place = {.rank = member->rank,
                             .hooks = member->recorder->hooks,
                             .progress = ft_progress_of(member->recorder),
                             .site = member->recorder->site};

    emit_death(member->run, member, status);
    if (member->run->verify_runs) {
        end_verified(member, status);
        return 1;
    }
    if (member->run->options.ulfm) {
        ft_mourn(member, status);
        return 1;
    }
    if (!ft_run_recovers(member->run)) {
        end_unprotected(member, status);
        return 1;
    }
    member->run->died = ft_loop_now();
    if (!is_place_of_program(member) || ft_plan_note(&member->plan, &place) < FT_PLAN_REPEATS)
        return 0;
    give_up(member, status);
    return 1;
}

/* Seconds of work that fallen clusters do again: the most that one of them does. */
static double lost_work(const struct ft_run *run)
{
    double saved = run->died;

    for (int i = 0; i < run->cluster_count; i++) {
        if (run->clusters[i]->fallen && run->clusters[i]->saved < saved)
            saved = run->clusters[i]->saved;
    }
    return run->died - saved;
}

/* Somebody has died where work was being done. After MPI_Finalize nobody can leave an epoch: all
 * roll back. */
static void contain(struct ft_run *run)
{
    if (run->finalized || ft_rank_any_ended(run))
        ft_clusters_fall(run, "ranks are behind MPI_Finalize");
    if (run->state == FT_RUN_RUNNING)
        run->summary.lost += lost_work(run);
    ft_leave_begin(run);
}

/* With clusters: at the beginning of the program all roll back, whoever has died. */
static void emit_beginning(struct ft_run *run)
{
    if (ft_clusters_need_main(run) && run->cluster_count > 1)
        ft_events_emit(run->events, "wide", "{s:s, s:i}", "reason", "there was no checkpoint yet",
                       "epoch", (int)run->epoch);
}

/* An epoch that was about to start is started again, from the same images. */
static void roll_back(struct ft_run *run)
{
    run->summary.failures++;
    if (ft_copies_gives_up(run)) {
        ft_epoch_clear(run, FT_RUN_CLEARING);
        return;
    }
    if (run->state != FT_RUN_STARTING) {
        contain(run);
        return;
    }
    emit_beginning(run);
    if (++run->fruitless < FT_PLAN_FRUITLESS) {
        ft_epoch_clear(run, FT_RUN_CLEARING);
        return;
    }
    ft_say("%d times in a row not all ranks came back to the program: giving up", run->fruitless);
    ft_finish(run, 1);
}

/* Have all ranks ended? *code: the first one other than 0, in the order of ranks. */
static int have_ended(const struct ft_run *run, int *code)
{
    *code = 0;
    for (int i = 0; i < run->size; i++) {
        if (!run->members[i].ended)
            return 0;
        if (!*code && !run->members[i].mourned)
            *code = run->members[i].code;
    }
    if (ft_mourn_nobody_lives(run))
        *code = run->members[0].code ? run->members[0].code : 1;
    return 1;
}

/* The first of two teams of copies that ends is the end, unless the other one's output is to be
 * compared. */
static void check_end(struct ft_run *run)
{
    int code, other;

    if (!have_ended(run, &code) ||
        (run->options.compare && run->state < FT_RUN_CLEARING && !have_ended(run->twin, &other)))
        return;
    ft_finish_own(run, code);
}

/* Ended by ftrun, or after its image was taken: nothing that matters is lost. */
static int is_dispensable(const struct ft_member *member)
{
    enum ft_run_state state = member->run->state;

    return state >= FT_RUN_CLEARING ||
           (state == FT_RUN_LEAVING && (member->cluster->fallen || ft_member_survives(member)));
}

/* A rank's process has ended. Returns 1 when that is a failure; then its cluster has fallen, unless
 * an epoch was about to start. */
static int judge(struct ft_member *member, int status)
{
    struct ft_run *run = member->run;

    switch (ft_plan_judge(status, member->recorder->phase)) {
    case FT_VERDICT_FAILURE:
        if (note_death(member, status))
            return 0;
        ft_join_undo(run);
        member->cluster->fallen |= run->state != FT_RUN_STARTING;
        return 1;
    case FT_VERDICT_OWN_END:
        ft_finish_own(run, WEXITSTATUS(status));
        return 0;
    case FT_VERDICT_OWN_EXIT:
        ft_pipes_drain(member);
        ft_output_watch(run);
        member->ended = 1;
        member->code = WEXITSTATUS(status);
    }
    return 0;
}

/* Whether the kernel is ending a rank's process, which can be reaped in a moment. */
static int is_rank_ending(const struct ft_run *run)
{
    for (int i = 0; i < run->size; i++) {
        if (!run->members[i].node && ft_proc_is_ending(run->members[i].pid))
            return 1;
    }
    return 0;
}

/* The dead of other nodes. Returns 1 when one of them is a failure. */
static int judge_noted(struct ft_run *run)
{
    int failed = 0;

    for (int i = 0; run->exits > 0 && i < run->size; i++) {
        struct ft_member *member = &run->members[i];

        if (!member->exited)
            continue;
        member->exited = 0;
        run->exits--;
        member->pid = 0;
        failed |= !is_dispensable(member) && judge(member, member->status);
        ft_copies_died(member);
    }
    return failed;
}

void ft_recover_note(struct ft_member *member, int status)
{
    if (member->exited)
        return;
    member->exited = 1;
    member->status = status;
    member->was = member->node->name;
    member->first_sign = ft_loop_now();
    member->run->exits++;
}

/* A team: what follows when all that can be reaped is reaped. */
static void look_at(struct ft_run *run, int failed)
{
    failed |= judge_noted(run);
    ft_rank_forget_groups(run);
    if (failed && run->state < FT_RUN_CLEARING)
        roll_back(run);
    if (run->state < FT_RUN_LEAVING)
        check_end(run);
    ft_leave_check(run);
    ft_epoch_check(run);
}

void ft_recover_reap(struct ft_run *run)
{
    int status, failed[FT_COPIES] = {0};
    pid_t pid;

    run = ft_run_first(run);
    while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
        if (WIFSTOPPED(status)) {
            ft_hung_note(run, pid);
            continue;
        }
        struct ft_member *member = member_of(run, pid);

        if (!member) {
            reap_other(run, pid, status);
            continue;
        }
        ft_rank_listen(member);
        member->pid = 0;
        failed[member->run->copy] |= !is_dispensable(member) && judge(member, status);
        ft_copies_died(member);
    }
    look_at(run, failed[0]);
    if (run->twin)
        look_at(run->twin, failed[1]);
}

static const double abort_patience = 0.05; /* seconds until a dead process can be reaped */
static const double ending_patience = 60;  /* while the kernel is still ending it: its memory goes
                                              behind what others see of it */

/* May a death be the cause that is not known yet? */
static int is_abort_open(const struct ft_member *member)
{
    return (is_rank_ending(member->run) || ft_away_is_open(member->run)) &&
           ft_loop_now() - member->aborted < ending_patience;
}

static void on_abort(void *context)
{
    struct ft_member *member = context;
    struct ft_run *run = member->run;

    ft_recover_reap(run);
    if (member->aborted <= 0)
        return; /* what was reaped was the last of its epoch: the next one has begun */
    if (run->state < FT_RUN_LEAVING && is_abort_open(member))
        ft_loop_after(run->loop, &member->abort, abort_patience, on_abort, member);
    else if (run->state < FT_RUN_LEAVING && member->doubts)
        ft_rank_send(member, FT_WIRE_ALIVE, NULL, 0, NULL, 0, -1);
    else if (run->state < FT_RUN_LEAVING)
        ft_finish_own(run, member->abort_code);
    else if (run->state == FT_RUN_LEAVING && !member->cluster->fallen)
        ft_leave_condemn(member, "its MPI library met a rank that was gone");
}

/* MPI_Abort is the program's own end, unless a death was the cause: a library that meets a dead
 * process aborts, too, and may be faster than the news. */
void ft_recover_abort(struct ft_member *member, int code)
{
    member->abort_code = code;
    member->doubts = 0;
    member->aborted = ft_loop_now();
    ft_away_ask(member->run);
    ft_loop_after(member->run->loop, &member->abort, abort_patience, on_abort, member);
}

void ft_recover_doubt(struct ft_member *member)
{
    ft_recover_abort(member, 0);
    member->doubts = 1;
}

/* All begin at main, if one must. 0, or -1 after a message. */
static int choose_main(struct ft_run *run)
{
    if (!ft_clusters_need_main(run) || ft_copies_begin_again(run))
        return 0;
    if (ft_clusters_dropped(run)) {
        ft_say("no usable checkpoint is left, and the beginning of the run is not kept (--keep): "
               "start the program again");
        return -1;
    }
    ft_clusters_fall(run, "no checkpoint of a cluster can be used");
    for (int i = 0; i < run->cluster_count; i++)
        ft_cluster_forget(run->clusters[i]);
    return 0;
}

/* Before files are put back behind it: where ftrun is killed in the middle of that, no other one
 * takes them for those of the checkpoint. 0, or -1 after a message. */
static int renounce_newer(struct ft_run *run)
{
    int code = 0;

    if (run->restarting)
        return ft_restart_renounce(run);
    for (int i = 0; !code && i < run->cluster_count; i++) {
        if (run->clusters[i]->fallen)
            code = ft_whole_renounce(run, ft_cluster_newest(run->clusters[i]));
    }
    if (!code)
        return 0;
    ft_say("a checkpoint of all ranks cannot be renounced (%s), so no file is put back to an older "
           "one",
           strerror(-code));
    return -1;
}

/* Outcomes were lost with a node, which survivors may depend on: all begin at the newest moment at
 * which there is a checkpoint of all, or at main. 0 or -errno. */
static int go_together(struct ft_run *run)
{
    run->together = 0;
    for (int i = 0; i < run->cluster_count; i++)
        ft_cluster_forget(run->clusters[i]);
    for (int i = 0; i < run->size; i++) {
        run->members[i].lost = FT_LOST_ALL;
        run->members[i].records = 0;
    }
    return run->whole.count ? ft_whole_take(run, run->whole.list[--run->whole.count]) : 0;
}

/* 0, or -1 after a message. */
static int go_back(struct ft_run *run)
{
    int code = run->together ? go_together(run) : 0;

    if (code)
        return ft_say_and(-1, "files of the store %s: %s", ft_store_path(run->store),
                          strerror(-code));
    if (ft_files_fit(run) < 0 || choose_main(run) || renounce_newer(run) || ft_files_undo(run))
        return -1;
    for (int i = 0; i < run->cluster_count; i++) {
        if (!run->clusters[i]->fallen || !ft_cluster_go_back(run->clusters[i]))
            continue;
        ft_say("no memory for what ranks had printed when their checkpoint was taken");
        return -1;
    }
    return 0;
}

void ft_recover_next(struct ft_run *run)
{
    if (run->verify_runs && !ft_verify_runs_next(run)) {
        run->state = FT_RUN_ENDING;
        ft_finish_clear(run);
        return;
    }
    for (int i = 0; run->verify_runs && i < run->cluster_count; i++)
        run->clusters[i]->fallen = 1; /* the next run begins at main */
    if (ft_copies_heal(run) || ft_copies_part(run) || ft_fetch_settle(run))
        return;
    if (go_back(run))
        ft_finish(run, 1);
    else
        ft_epoch_start(run);
}

void ft_recover_begin(struct ft_run *run)
{
    if (run->options.restart)
        ft_recover_next(run);
    else
        ft_epoch_start(run);
}
