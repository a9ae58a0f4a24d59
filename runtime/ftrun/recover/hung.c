/* hung: a process of the job that was stopped (SIGSTOP) and that nobody continues is killed, which
 * is a failure like any other. The kernel tells of a stop when it happens, so this costs a run
 * without one nothing. A rank that computes, or waits for another one, is never stopped, however
 * long it takes. */
#include <signal.h>
#include <stdlib.h>
#include "host/proc.h"
#include "recover/recover.h"

static const double longest = 10; /* seconds; FT_PATIENCE if that is less */

enum { MOST = 64 };

struct ft_hung {
    struct {
        pid_t pid;
        double since; /* ft_loop_now */
    } stopped[MOST];  /* [count] processes of the job */
    int count;
    struct ft_timer look;
};

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
    struct ft_hung *hung = run->hung;
    double now = ft_loop_now(), next = 0;
    int kept = 0;

    for (int i = 0; i < hung->count; i++) {
        double due = hung->stopped[i].since + patience();

        if (!is_stopped(hung->stopped[i].pid))
            continue;
        if (due <= now) {
            end(run, hung->stopped[i].pid);
            continue;
        }
        next = next > 0 && next < due ? next : due;
        hung->stopped[kept++] = hung->stopped[i];
    }
    hung->count = kept;
    if (kept)
        ft_loop_after(run->loop, &hung->look, next - now, on_time, run);
}

/* When the table is full, or no memory for it, the process is only found if it stops again. */
void ft_hung_note(struct ft_run *run, pid_t pid)
{
    struct ft_hung *hung = run->hung;

    if (!hung)
        hung = run->hung = calloc(1, sizeof(*hung));
    if (!hung || hung->count == MOST)
        return;
    hung->stopped[hung->count].pid = pid;
    hung->stopped[hung->count++].since = ft_loop_now();
    if (!hung->look.armed)
        ft_loop_after(run->loop, &hung->look, patience(), on_time, run);
}

void ft_hung_destroy(struct ft_run *run)
{
    free(run->hung);
}
