/* progress: one line that is written over, for phases that last longer than two seconds. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "launch/progress.h"
#include "recover/verify_runs.h"
#include "run/run.h"
#include "run/verify_hang.h"

static const double quiet_seconds = 2;

static int count_back(const struct ft_run *run)
{
    int count = 0;

    for (int i = 0; i < run->size; i++)
        count += run->members[i].back;
    return count;
}

static int count_held(const struct ft_cluster *cluster)
{
    int count = 0;

    for (int i = 0; i < cluster->count; i++)
        count += ft_gather_holds(cluster->gather, i);
    return count;
}

static int count_left(const struct ft_run *run)
{
    int count = 0;

    for (int i = 0; i < run->size; i++)
        count += ft_member_survives(&run->members[i]);
    return count;
}

/* The cluster that takes a checkpoint, or NULL. */
static const struct ft_cluster *busy_cluster(const struct ft_run *run)
{
    for (int i = 0; i < run->cluster_count; i++) {
        if (run->clusters[i]->checkpoint.state != FT_CHECKPOINT_NONE)
            return run->clusters[i];
    }
    return NULL;
}

/* The first rank that has not come to the gate, or -1. */
static int find_missing(const struct ft_run *run)
{
    const struct ft_cluster *cluster = busy_cluster(run);

    for (int i = 0; run->state == FT_RUN_LEAVING && !run->leave.told && i < run->size; i++) {
        if (!run->members[i].cluster->fallen && !ft_gather_holds(run->leave.gather, i))
            return i;
    }
    if (run->state != FT_RUN_RUNNING || !cluster ||
        cluster->checkpoint.state != FT_CHECKPOINT_GATHERING)
        return -1;
    for (int i = 0; i < cluster->count; i++) {
        if (!ft_gather_holds(cluster->gather, i))
            return cluster->members[i]->rank;
    }
    return -1;
}

/* "; rank 3 waits in MPI_Recv at halo.c:31", behind the line, or nothing. The name of a place costs
 * some time (host/site.c), so it is looked up when it is another one. */
static void print_missing(const struct ft_run *run)
{
    static char *text;
    static uint64_t calls;
    static int shown = -1;
    int rank = find_missing(run);

    if (rank < 0)
        return;
    if (rank != shown || calls != run->members[rank].recorder->calls) {
        free(text);
        shown = rank;
        calls = run->members[rank].recorder->calls;
        text = ft_hang_rank(run, rank);
    }
    fprintf(stderr, "; %s", text ? text : "");
}

static int describe_checkpoint(const struct ft_run *run, char *line, size_t size)
{
    const struct ft_cluster *cluster = busy_cluster(run);
    double since = cluster ? ft_loop_now() - cluster->checkpoint.begun : 0;

    if (since < quiet_seconds)
        return 0;
    if (cluster->checkpoint.state == FT_CHECKPOINT_GATHERING)
        return snprintf(line, size, "checkpoint: %d of %d ranks have stopped (%.0f s)",
                        count_held(cluster), cluster->count, since);
    if (cluster->checkpoint.state == FT_CHECKPOINT_WRITING && run->stopping)
        return snprintf(line, size, "checkpoint: writing (%.0f s)", since);
    return 0;
}

/* The line for the present phase; 0: none is due. */
static int describe(const struct ft_run *run, char *line, size_t size)
{
    double now = ft_loop_now(), since = now - run->epoch_started;

    if (run->verify_runs && now - run->started > quiet_seconds)
        return ft_verify_runs_describe(run, line, (int)size);
    if (run->state == FT_RUN_STARTING && since > quiet_seconds)
        return snprintf(line, size, "%s: %d of %d ranks are in the program (%.0f s)",
                        run->died > 0 ? "recovering" : "starting", count_back(run), run->size,
                        since);
    if (run->state == FT_RUN_LEAVING && now - run->leave.begun > quiet_seconds)
        return snprintf(line, size, "recovering: %d of %d ranks have left (%.0f s)",
                        count_left(run), run->size, now - run->leave.begun);
    return run->state == FT_RUN_RUNNING ? describe_checkpoint(run, line, size) : 0;
}

static void on_second(void *context)
{
    struct ft_run *run = context;
    char line[128];

    if (describe(run, line, sizeof(line))) {
        fprintf(stderr, "\r\033[?7lftrun: %s", line); /* cut at the edge of the terminal */
        print_missing(run);
        fputs("\033[K\033[?7h", stderr);
        run->progress_shown = 1;
    } else if (run->progress_shown) {
        fputs("\r\033[K", stderr);
        run->progress_shown = 0;
    }
    ft_loop_after(run->loop, &run->progress, 1, on_second, run);
}

void ft_progress_start(struct ft_run *run)
{
    if (isatty(STDERR_FILENO))
        ft_loop_after(run->loop, &run->progress, 1, on_second, run);
}
