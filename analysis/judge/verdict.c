/* Nothing is judged yet: every site is unknown. */
#include "analysis/judge/judgement.h"

void an_verdicts_give(struct an_judgement *judgement)
{
    for (struct an_site *site = judgement->sites; site; site = site->next) {
        site->verdict = site->judged = AN_UNKNOWN;
        site->reason = "nothing is known about it";
    }
}
