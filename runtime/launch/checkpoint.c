/* checkpoint: from the order to the commit.
 *
 * One checkpoint is taken at a time. It exists when ft_store_commit has renamed its folder, and not
 * before; whatever goes wrong until then (no memory to clone, a full disk, a writer that dies)
 * costs this checkpoint and nothing else. Numbers are never used twice, because undo records of
 * files are numbered by the checkpoint they follow. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "launch/interval.h"
#include "launch/run.h"
#include "files/undo.h"

static const double tick_seconds = 0.002; /* between two looks while ranks are gathered */
static const double slow_seconds = 0.02;  /* the same, when a rank computes for long */
static const int quick_ticks = 100;

static void on_tick(void *context);

static void set_order(struct ft_member *member, uint32_t generation)
{
    __atomic_store_n(&member->recorder->order, generation, __ATOMIC_RELEASE);
}

static void fail(struct ft_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Only the first reason is kept. */
static void fail(struct ft_run *run, const char *format, ...)
{
    struct ft_checkpoint *checkpoint = &run->checkpoint;
    va_list list;

    if (checkpoint->failed)
        return;
    checkpoint->failed = 1;
    va_start(list, format);
    vsnprintf(checkpoint->why, sizeof(checkpoint->why), format, list);
    va_end(list);
    for (int i = 0; i < run->size; i++) {
        if (run->members[i].writer > 0)
            kill(run->members[i].writer, SIGKILL);
    }
}

static double interval_of(const struct ft_run *run)
{
    if (run->options.interval > 0)
        return run->options.interval;
    if (run->options.every)
        return INFINITY;
    return ft_interval_optimal(run->checkpoint.cost, run->options.mtbf);
}

static void on_due(void *context)
{
    ft_checkpoint_begin(context);
}

void ft_checkpoint_schedule(struct ft_run *run)
{
    double interval = interval_of(run), since = run->epoch_started;

    if (isinf(interval) || !ft_run_recovers(run))
        return;
    if (run->checkpoint.begun > since)
        since = run->checkpoint.begun;
    ft_loop_after(run->loop, &run->checkpoint.due, fmax(since + interval - ft_loop_now(), 0.001),
                  on_due, run);
}

/* A manifest with what is known before the images are taken. */
static struct ft_manifest *draft(const struct ft_run *run)
{
    struct ft_manifest *manifest = ft_manifest_create(run->size);

    if (!manifest)
        return NULL;
    manifest->checkpoint = run->next;
    manifest->stack_limit = run->program.stack_limit;
    manifest->program = strdup(run->program.path);
    manifest->cwd = strdup(run->program.cwd);
    manifest->argv = ft_program_copy(run->program.argv);
    if (manifest->program && manifest->cwd && manifest->argv)
        return manifest;
    ft_manifest_destroy(manifest);
    return NULL;
}

/* Prepares the folder, and orders all ranks to the gate. */
static void begin(struct ft_run *run)
{
    struct ft_checkpoint *checkpoint = &run->checkpoint;
    int code = 0;

    checkpoint->begun = ft_loop_now();
    checkpoint->manifest = draft(run);
    if (!checkpoint->manifest || (code = ft_store_begin(run->store, run->next))) {
        ft_say("warning: no checkpoint could be begun (%s); the previous one stays",
               strerror(code ? -code : ENOMEM));
        ft_manifest_destroy(checkpoint->manifest);
        checkpoint->manifest = NULL;
        ft_checkpoint_schedule(run);
        return;
    }
    ft_events_emit(run->events, "checkpoint-begin", "{s:i, s:i}", "checkpoint", (int)run->next,
                   "epoch", (int)run->epoch);
    run->next++;
    checkpoint->state = FT_CHECKPOINT_GATHERING;
    checkpoint->failed = checkpoint->ticks = checkpoint->wanted = 0;
    checkpoint->pause = 0;
    ft_loop_cancel(run->loop, &checkpoint->due);
    ft_gather_begin(run->gather);
    run->generation++;
    for (int i = 0; i < run->size; i++) {
        run->members[i].snapshot = run->members[i].written = 0;
        run->members[i].writer = 0;
        set_order(&run->members[i], run->generation);
    }
    ft_loop_after(run->loop, &checkpoint->tick, tick_seconds, on_tick, run);
}

void ft_checkpoint_order(struct ft_run *run)
{
    begin(run);
}

static int anybody_ended(const struct ft_run *run)
{
    for (int i = 0; i < run->size; i++) {
        if (run->members[i].ended)
            return 1;
    }
    return 0;
}

void ft_checkpoint_begin(struct ft_run *run)
{
    if (run->finalized || run->state >= FT_RUN_CLEARING || anybody_ended(run) ||
        !ft_run_recovers(run))
        return;
    if (run->state == FT_RUN_STARTING || run->checkpoint.state != FT_CHECKPOINT_NONE)
        run->checkpoint.wanted = 1;
    else
        begin(run);
}

/* All ranks ask at the same hook; the first one counts. */
void ft_checkpoint_request(struct ft_member *member)
{
    struct ft_run *run = member->run;
    uint64_t request = run->options.every ? member->recorder->hooks / run->options.every : 0;

    if (request <= run->checkpoint.requested)
        return;
    run->checkpoint.requested = request;
    ft_checkpoint_begin(run);
}

/* What the ranks' recorders show at this moment. */
static void look_at_blocks(struct ft_run *run)
{
    for (int i = 0; i < run->size; i++) {
        const struct ft_recorder *recorder = run->members[i].recorder;
        struct ft_gather_block *block = &run->blocks[i];

        block->blocked = __atomic_load_n(&recorder->where, __ATOMIC_ACQUIRE) == FT_WHERE_BLOCK;
        block->comm = recorder->block_comm;
        block->clock = recorder->block_clock;
    }
}

/* All are held: their output so far belongs to the checkpoint, standard input stands still. */
static void take_positions(struct ft_run *run)
{
    struct ft_manifest *manifest = run->checkpoint.manifest;

    for (int i = 0; i < run->size; i++)
        ft_rank_drain(&run->members[i]);
    ft_output_watch(run);
    for (int i = 0; i < 2 * run->size; i++) {
        if (ft_output_position(run->output, i / 2, i % 2, &manifest->output[i]))
            fail(run, "no memory for the output's position");
    }
    ft_input_pause(run->input, 1);
    manifest->input = ft_input_written(run->input);
}

static void freeze_all(struct ft_run *run)
{
    static struct ft_wire_freeze freeze;
    struct ft_checkpoint *checkpoint = &run->checkpoint;

    ft_loop_cancel(run->loop, &checkpoint->tick);
    checkpoint->state = FT_CHECKPOINT_FREEZING;
    checkpoint->frozen = ft_loop_now();
    checkpoint->manifest->build = run->build;
    take_positions(run);
    freeze.checkpoint = checkpoint->manifest->checkpoint;
    for (int i = 0; i < run->size; i++) {
        uint32_t generation = ft_gather_generation(run->gather, i);

        checkpoint->manifest->ranks[i].order = generation;
        set_order(&run->members[i], generation);
        ft_store_image(run->store, freeze.checkpoint, i, 1, freeze.image);
        ft_wire_send(run->members[i].control, FT_WIRE_FREEZE, &freeze, sizeof(freeze), NULL, 0, -1);
    }
}

/* Carries out what the gatherer decided. A rank that is released outside a wait stops again at its
 * very next safe point; one inside a wait would only come back at once, and waits for the tick. */
static void carry_out(struct ft_run *run, int all)
{
    if (all) {
        freeze_all(run);
        return;
    }
    for (int i = 0; i < run->size; i++) {
        if (run->orders[i] != FT_GATHER_RELEASE)
            continue;
        if (!ft_gather_waits(run->gather, i))
            set_order(&run->members[i], ++run->generation);
        ft_rank_release(&run->members[i]);
    }
}

static void on_tick(void *context)
{
    struct ft_run *run = context;
    struct ft_checkpoint *checkpoint = &run->checkpoint;

    look_at_blocks(run);
    carry_out(run, ft_gather_tick(run->gather, run->blocks, run->orders));
    if (checkpoint->state != FT_CHECKPOINT_GATHERING)
        return;
    run->generation++;
    for (int i = 0; i < run->size; i++) {
        if (!ft_gather_holds(run->gather, i))
            set_order(&run->members[i], run->generation);
    }
    checkpoint->ticks++;
    ft_loop_after(run->loop, &checkpoint->tick,
                  checkpoint->ticks < quick_ticks ? tick_seconds : slow_seconds, on_tick, run);
}

void ft_checkpoint_gate(struct ft_member *member, const struct ft_wire_gate *gate)
{
    struct ft_run *run = member->run;
    const struct ft_wire_head *head = (const struct ft_wire_head *)(const void *)gate - 1;
    const struct ft_wire_clock *clocks = (const void *)(gate + 1);

    if (head->length < sizeof(*gate) + (size_t)gate->count * sizeof(*clocks))
        return;
    if (run->checkpoint.state != FT_CHECKPOINT_GATHERING) {
        if (!gate->more)
            ft_rank_release(member);
        return;
    }
    ft_gather_report(run->gather, member->rank, gate, clocks);
    if (gate->more)
        return;
    look_at_blocks(run);
    carry_out(run, ft_gather_decide(run->gather, run->blocks, run->orders));
}

static void forget_older(struct ft_run *run)
{
    while (run->kept_count > (int)run->options.keep) {
        ft_store_drop(run->store, run->kept[0]->checkpoint);
        ft_manifest_destroy(run->kept[0]);
        memmove(run->kept, run->kept + 1, (size_t)--run->kept_count * sizeof(*run->kept));
        run->dropped = 1;
    }
}

/* What no kept checkpoint needs any more is dropped; what waited for the commit is let go. */
static void after_commit(struct ft_run *run)
{
    forget_older(run);
    const struct ft_manifest *oldest = run->kept[0];
    ft_output_commit(run->output, oldest->output);
    ft_output_watch(run);
    if (!run->dropped) /* the beginning can still be gone back to */
        return;
    ft_input_drop(run->input, oldest->input);
    for (int i = 0; i < run->size; i++)
        ft_undo_drop(run->undo[i], (int)oldest->checkpoint);
}

static uint64_t total_bytes(const struct ft_manifest *manifest)
{
    uint64_t bytes = 0;

    for (int i = 0; i < manifest->size; i++)
        bytes += manifest->ranks[i].bytes;
    return bytes;
}

static void note_commit(struct ft_run *run, struct ft_manifest *manifest)
{
    struct ft_checkpoint *checkpoint = &run->checkpoint;
    uint64_t bytes = total_bytes(manifest);

    if (checkpoint->failures)
        ft_say("checkpoint %u was taken again, after %d that were not", manifest->checkpoint,
               checkpoint->failures);
    checkpoint->failures = 0;
    run->kept[run->kept_count++] = manifest;
    run->saved = checkpoint->frozen;
    run->checkpoints++;
    run->bytes += bytes;
    checkpoint->writing = ft_loop_now() - checkpoint->frozen;
    checkpoint->cost = ft_interval_cost(checkpoint->pause, checkpoint->writing);
    for (int i = 0; i < run->size; i++)
        run->members[i].recorder->committed = manifest->checkpoint + 1;
    ft_events_emit(run->events, "checkpoint-commit", "{s:i, s:i, s:I, s:I, s:f, s:f, s:f}",
                   "checkpoint", (int)manifest->checkpoint, "epoch", (int)run->epoch, "hook",
                   (json_int_t)manifest->ranks[0].hooks, "bytes", (json_int_t)bytes, "gather",
                   checkpoint->frozen - checkpoint->begun, "pause", checkpoint->pause, "write",
                   checkpoint->writing);
}

static void give_up(struct ft_run *run)
{
    struct ft_manifest *manifest = run->checkpoint.manifest;

    if (!run->checkpoint.failures++) /* said once, until one succeeds again */
        ft_say("warning: checkpoint %u was not taken (%s); %s; trying again every interval",
               manifest->checkpoint, run->checkpoint.why,
               run->kept_count ? "the previous one stays"
                               : "a failure now leads back to the start");
    ft_store_discard(run->store, manifest->checkpoint);
    ft_manifest_destroy(manifest);
}

/* All writers have ended: commits, or gives this one up. */
static void conclude(struct ft_run *run)
{
    struct ft_checkpoint *checkpoint = &run->checkpoint;
    int code;

    if (!checkpoint->failed && (code = ft_store_commit(run->store, checkpoint->manifest)))
        fail(run, "the manifest cannot be written: %s", strerror(-code));
    if (!checkpoint->failed) {
        note_commit(run, checkpoint->manifest);
        after_commit(run);
    } else {
        give_up(run);
    }
    checkpoint->manifest = NULL;
    checkpoint->state = FT_CHECKPOINT_NONE;
    if (checkpoint->wanted)
        ft_checkpoint_begin(run);
    else if (run->stopping)
        ft_finish_stopped(run);
    else
        ft_checkpoint_schedule(run);
}

/* Looks whether the state is complete: all images taken, then all of them written. */
static void check(struct ft_run *run)
{
    struct ft_checkpoint *checkpoint = &run->checkpoint;

    for (int i = 0; i < run->size; i++) {
        if (!run->members[i].snapshot)
            return;
    }
    if (checkpoint->state == FT_CHECKPOINT_FREEZING) {
        checkpoint->state = FT_CHECKPOINT_WRITING;
        ft_rank_finalize_all(run);
    }
    for (int i = 0; i < run->size; i++) {
        if (run->members[i].writer > 0 || (!run->members[i].written && !checkpoint->failed))
            return;
    }
    if (run->state < FT_RUN_CLEARING)
        conclude(run);
}

/* Was the writer reaped before its rank told about it? */
static int take_stray(struct ft_run *run, pid_t writer, int *status)
{
    for (int i = 0; i < FT_RUN_STRAYS; i++) {
        if (writer <= 0 || run->stray[i].pid != writer)
            continue;
        *status = run->stray[i].status;
        run->stray[i].pid = 0;
        return 1;
    }
    return 0;
}

void ft_checkpoint_snapshot(struct ft_member *member, const struct ft_wire_snapshot *snapshot,
                            const char *reason)
{
    struct ft_run *run = member->run;
    struct ft_checkpoint *checkpoint = &run->checkpoint;
    int status;

    if (checkpoint->state != FT_CHECKPOINT_FREEZING ||
        snapshot->checkpoint != checkpoint->manifest->checkpoint)
        return;
    member->snapshot = 1;
    checkpoint->manifest->ranks[member->rank].hooks = snapshot->hooks;
    checkpoint->pause = fmax(checkpoint->pause, snapshot->drain + snapshot->fork);
    if (member->rank == 0) {
        checkpoint->manifest->input -= snapshot->stdin_left;
        ft_input_pause(run->input, 0);
    }
    member->writer = snapshot->writer;
    if (!snapshot->writer)
        fail(run, "rank %d: no image could be taken: %s%s", member->rank,
             *reason ? reason : strerror(snapshot->error),
             snapshot->error == ENOMEM ? ", too little memory for a copy of the process" : "");
    if (take_stray(run, member->writer, &status)) {
        ft_checkpoint_writer(member, status);
        return;
    }
    if (member->writer > 0 && checkpoint->failed)
        kill(member->writer, SIGKILL);
    check(run);
}

void ft_checkpoint_written(struct ft_member *member, const struct ft_wire_written *written)
{
    struct ft_run *run = member->run;
    struct ft_checkpoint *checkpoint = &run->checkpoint;

    if (checkpoint->state < FT_CHECKPOINT_FREEZING ||
        written->checkpoint != checkpoint->manifest->checkpoint)
        return;
    member->written = 1;
    checkpoint->manifest->ranks[member->rank].bytes = written->bytes;
    checkpoint->manifest->ranks[member->rank].checksum = written->checksum;
    if (written->error)
        fail(run, "rank %d: writing to %s: %s", member->rank, ft_store_path(run->store),
             strerror(written->error));
}

void ft_checkpoint_writer(struct ft_member *member, int status)
{
    struct ft_run *run = member->run;

    member->writer = 0;
    if (run->checkpoint.state < FT_CHECKPOINT_FREEZING)
        return;
    if (!member->written)
        fail(run, "rank %d: the process that wrote the image ended by %s %d", member->rank,
             WIFSIGNALED(status) ? "signal" : "exit",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    check(run);
}

void ft_checkpoint_abort(struct ft_run *run)
{
    struct ft_checkpoint *checkpoint = &run->checkpoint;

    checkpoint->requested = 0;
    ft_loop_cancel(run->loop, &checkpoint->tick);
    ft_loop_cancel(run->loop, &checkpoint->due);
    if (checkpoint->state == FT_CHECKPOINT_NONE)
        return;
    ft_store_discard(run->store, checkpoint->manifest->checkpoint);
    ft_manifest_destroy(checkpoint->manifest);
    checkpoint->manifest = NULL;
    checkpoint->state = FT_CHECKPOINT_NONE;
}
