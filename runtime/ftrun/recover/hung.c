/* hung: a process of the job that was stopped (SIGSTOP) and that nobody continues is killed, which
 * is a failure like any other. The kernel tells of a stop when it happens, so this costs a run
 * without one nothing. A rank that computes, or waits for another one, is never stopped, however
 * long it takes. */
#include <signal.h>
#include "host/proc.h"
#include "recover/recover.h"

static const double longest = 10; /* seconds; FT_PATIENCE if that is less */

static double patience(void)
{
    return ft_still_patience() < longest ? ft_still_patience() : longest;
}

static int is_stopped(pid_t pid)
{
    char text[4096];

    return ft_proc_read(pid, "status", text, sizeof(text)) &&
           *ft_proc_value(text, "\nState:\t") == 'T';
}

static void end(const struct ft_run *run, pid_t pid)
{
    for (int i = 0; i < run->size; i++) {
        const struct ft_member *member = &run->members[i];

        if (member->pid == pid || member->writer == pid)
            ft_say("%s rank %d has been stopped for %.0f s (SIGSTOP): it is killed",
                   member->pid == pid ? "the process of" : "the process that writes the image of",
                   i, patience());
    }
    kill(pid, SIGKILL);
}

static void on_time(void *context)
{
    struct ft_run *run = context;
    double now = ft_loop_now(), next = 0;
    int kept = 0;

    for (int i = 0; i < run->stopped_count; i++) {
        double due = run->stopped[i].since + patience();

        if (!is_stopped(run->stopped[i].pid))
            continue;
        if (due <= now) {
            end(run, run->stopped[i].pid);
            continue;
        }
        next = next > 0 && next < due ? next : due;
        run->stopped[kept++] = run->stopped[i];
    }
    run->stopped_count = kept;
    if (kept)
        ft_loop_after(run->loop, &run->hung, next - now, on_time, run);
}

/* When the table is full the process is only found if it stops again. */
void ft_hung_note(struct ft_run *run, pid_t pid)
{
    if (run->stopped_count == FT_RUN_STRAYS)
        return;
    run->stopped[run->stopped_count].pid = pid;
    run->stopped[run->stopped_count++].since = ft_loop_now();
    if (!run->hung.armed)
        ft_loop_after(run->loop, &run->hung, patience(), on_time, run);
}
