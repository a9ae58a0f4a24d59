/* progress: one line that is written over, for phases that last longer than two seconds. */
#include <stdio.h>
#include <unistd.h>
#include "launch/progress.h"
#include "launch/run.h"

static const double quiet_seconds = 2;

static int count_back(const struct ft_run *run)
{
    int count = 0;

    for (int i = 0; i < run->size; i++)
        count += run->members[i].back;
    return count;
}

static int count_held(const struct ft_run *run)
{
    int count = 0;

    for (int i = 0; i < run->size; i++)
        count += ft_gather_holds(run->gather, i);
    return count;
}

/* The line for the present phase; 0: none is due. */
static int describe(const struct ft_run *run, char *line, size_t size)
{
    double now = ft_loop_now(), since = now - run->epoch_started;

    if (run->rehearsal && now - run->started > quiet_seconds)
        return ft_rehearse_describe(run, line, (int)size);
    if (run->state == FT_RUN_STARTING && since > quiet_seconds)
        return snprintf(line, size, "%s: %d of %d ranks are in the program (%.0f s)",
                        run->died > 0 ? "recovering" : "starting", count_back(run), run->size,
                        since);
    since = now - run->checkpoint.begun;
    if (run->state != FT_RUN_RUNNING || since < quiet_seconds)
        return 0;
    if (run->checkpoint.state == FT_CHECKPOINT_GATHERING)
        return snprintf(line, size, "checkpoint: %d of %d ranks have stopped (%.0f s)",
                        count_held(run), run->size, since);
    if (run->checkpoint.state == FT_CHECKPOINT_WRITING && run->stopping)
        return snprintf(line, size, "checkpoint: writing (%.0f s)", since);
    return 0;
}

static void on_second(void *context)
{
    struct ft_run *run = context;
    char line[128];

    if (describe(run, line, sizeof(line))) {
        fprintf(stderr, "\rftrun: %s\033[K", line);
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
