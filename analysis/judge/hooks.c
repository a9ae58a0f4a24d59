/* No main loop is looked for yet. */
#include "analysis/judge/judgement.h"

void an_hooks_find(struct an_judgement *judgement)
{
    judgement->hook_reason = "no loop was looked for";
}
