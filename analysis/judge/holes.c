/* What could not be seen, in one place. */
#include "analysis/judge/judgement.h"

void an_holes_find(struct an_judgement *judgement)
{
    (void)judgement;
}
