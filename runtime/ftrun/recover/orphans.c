/* orphans: with --protocol optimistic or causal, a node was lost, and perhaps outcomes with it that
 * ftrun had not got (libft/stream/orphans.h). Its ranks ask before they decide the first outcome
 * anew, and are answered when each of them has sent all again that others have of it. Where that
 * cannot happen before the answer, somebody may depend on a lost outcome: then all go back to one
 * moment.
 *
 * Invariant: member->uncertain: a rank of a lost node that has not been answered. */
#include <errno.h>
#include <stdlib.h>
#include "recover/recover.h"

static const double look = 0.1;     /* seconds between two looks */
static const double patience = 1.0; /* without a movement */

struct ft_doubting {
    struct ft_still *still; /* while ranks ask */
    struct ft_timer look;
};

int ft_orphans_create(struct ft_run *run)
{
    if (!ft_options_doubts(&run->options))
        return 0;
    run->doubting = calloc(1, sizeof(*run->doubting));
    return run->doubting ? ft_still_create(run->size, &run->doubting->still) : -ENOMEM;
}

void ft_orphans_destroy(struct ft_run *run)
{
    if (run->doubting)
        ft_still_destroy(run->doubting->still);
    free(run->doubting);
}

/* Has each of these ranks sent all again that others have? */
static int are_clear(const struct ft_run *run)
{
    for (int i = 0; i < run->size; i++) {
        if (run->members[i].uncertain && !run->members[i].clear)
            return 0;
    }
    return 1;
}

static void answer_all(struct ft_run *run)
{
    ft_loop_cancel(run->loop, &run->doubting->look);
    for (int i = 0; i < run->size; i++) {
        struct ft_member *member = &run->members[i];

        if (member->asks)
            ft_rank_send(member, FT_WIRE_ALIVE, NULL, 0, NULL, 0, -1);
        member->uncertain = member->asks = 0;
    }
}

static void condemn_all(struct ft_run *run, const char *why)
{
    ft_loop_cancel(run->loop, &run->doubting->look);
    run->together = 1;
    ft_clusters_fall(run, why);
}

static void take_all_back(struct ft_run *run, const char *why)
{
    if (run->state > FT_RUN_LEAVING)
        return;
    condemn_all(run, why);
    run->died = ft_loop_now();
    ft_leave_begin(run);
}

static void on_look(void *context)
{
    struct ft_run *run = context;

    if (run->state == FT_RUN_RUNNING && ft_still_look(run->doubting->still, run) >= patience)
        take_all_back(run,
                      "nothing has moved for 1 s: other ranks may depend on outcomes that were "
                      "lost with a node");
    else
        ft_loop_after(run->loop, &run->doubting->look, look, on_look, run);
}

void ft_orphans_begin(struct ft_run *run)
{
    for (int i = 0; i < run->size; i++)
        run->members[i].clear = run->members[i].asks = 0;
}

void ft_orphans_clear(struct ft_member *member)
{
    member->clear = 1;
    if (are_clear(member->run))
        answer_all(member->run);
}

void ft_orphans_fresh(struct ft_member *member)
{
    struct ft_run *run = member->run;

    member->asks = 1;
    if (are_clear(run)) {
        answer_all(run);
        return;
    }
    if (!member->clear || run->state > FT_RUN_RUNNING) {
        take_all_back(run, "other ranks may depend on outcomes that were lost with a node");
        return;
    }
    ft_still_begin(run->doubting->still);
    ft_loop_after(run->loop, &run->doubting->look, look, on_look, run);
}

void ft_orphans_leave(struct ft_run *run)
{
    for (int i = 0; i < run->size; i++) {
        if (run->members[i].asks && !run->together)
            condemn_all(run, "a death while it was not known who depends on outcomes that were "
                             "lost with a node");
    }
}
