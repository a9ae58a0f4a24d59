/* Idea: analysis/invariance says on which communicators' members a value is the same; here these
 * communicators are compared with the one that is asked about. */
#include "analysis/region/same.h"
#include "analysis/invariance/invariance.h"
#include "analysis/region/group.h"

enum { DEEP = 4 };

/* Do all collectives on communicator `number` have all ranks of `comm`? */
static bool has_all(struct an_judgement *judgement, unsigned number, const struct an_term *comm)
{
    const struct an_node *node;
    for (unsigned n = 0; (node = an_invariance_group(judgement->invariance, number, n)); n++) {
        struct an_term whole = an_term_of(judgement, node, NULL);
        if (an_group_covers(judgement, &whole, comm) != AN_MUST_MATCH)
            return false;
    }
    return true;
}

enum an_sameness an_sameness_of(struct an_judgement *judgement, const struct an_node *expression,
                                const struct an_term *comm)
{
    if (!judgement->invariance)
        judgement->invariance = an_invariance_create(judgement->program);
    uint64_t marks = an_invariance_of(judgement->invariance, expression);
    if (marks & (AN_DIFFERS | AN_OF_RANK))
        return marks & AN_OF_RANK ? AN_RANKED : AN_UNSHOWN;
    if (judgement->asking == DEEP) /* a communicator that is made by what it gave itself */
        return AN_UNSHOWN;
    judgement->asking++;
    bool all = true;
    for (unsigned n = 0; n < AN_GROUPS && all; n++)
        if (marks >> (AN_SOURCE_GROUP + n) & 1)
            all = has_all(judgement, n, comm);
    judgement->asking--;
    return all ? AN_SAME : AN_UNSHOWN;
}
