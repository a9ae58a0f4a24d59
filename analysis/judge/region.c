/* No patterns yet: what is not deterministic is logged. */
#include "analysis/judge/judgement.h"

void an_regions_find(struct an_judgement *judgement)
{
    for (struct an_site *site = judgement->sites; site; site = site->next)
        site->logged = site->verdict >= AN_NON_DETERMINISTIC;
}
