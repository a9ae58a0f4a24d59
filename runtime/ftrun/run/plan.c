/* plan: the table of section "what is a failure". */
#include <sys/wait.h>
#include "recorder/recorder.h"
#include "run/plan.h"

enum ft_verdict ft_plan_judge(int status, uint32_t phase)
{
    if (!WIFEXITED(status) || phase == FT_PHASE_RUNNING)
        return FT_VERDICT_FAILURE;
    if (phase == FT_PHASE_START && WEXITSTATUS(status))
        return FT_VERDICT_OWN_END;
    return FT_VERDICT_OWN_EXIT;
}

int ft_plan_code(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int is_same(const struct ft_place *a, const struct ft_place *b)
{
    return a->rank == b->rank && a->hooks == b->hooks && a->progress == b->progress &&
           a->site == b->site;
}

int ft_plan_note(struct ft_plan *plan, const struct ft_place *place)
{
    if (!plan->repeats || !is_same(&plan->last, place))
        plan->repeats = 0;
    plan->last = *place;
    return ++plan->repeats;
}
