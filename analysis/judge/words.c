/* The user's word. */
#include "analysis/judge/judgement.h"

void an_words_obey(struct an_judgement *judgement)
{
    (void)judgement;
}
