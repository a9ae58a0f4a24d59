/* Idea: where one message only can match, or nobody can see which did, nothing has to be followed.
 */
#include "analysis/judge/verdict_names.h"
#include "analysis/flow/flow.h"
#include "analysis/flow/tag.h"
#include "analysis/judge/verdict_findings.h"
#include "analysis/region/start.h"

#include <string.h>

void an_site_give(struct an_site *site, enum an_verdict verdict, const char *reason)
{
    site->verdict = site->judged = verdict;
    site->reason = reason;
}

const struct an_node *an_site_argument(struct an_judgement *judgement, const struct an_site *site,
                                       int number)
{
    return number < 0 ? NULL : an_mpi_argument(judgement->program, &site->mpi, (unsigned)number);
}

bool an_names_are_callers(struct an_judgement *judgement, const struct an_site *site)
{
    const struct an_node *function = an_function_of(site->node);
    const struct an_node *source = an_site_argument(judgement, site, site->mpi.what->receive.peer);

    if (!(site->maybe & AN_WILD_SOURCE) || !function || !source)
        return false;
    return !an_function_callers(judgement->program, function).complete;
}

static bool is_alone_in_loop(const struct an_site *site)
{
    const struct an_node *loop = site->node;

    while (loop && loop->kind != AN_WHILE && loop->kind != AN_DO && loop->kind != AN_FOR &&
           loop->kind != AN_FUNCTION)
        loop = loop->parent;
    if (!loop || loop->kind == AN_FUNCTION)
        return false;
    for (const struct an_node *n = loop; n; n = an_next(loop, n, false))
        if ((n->kind == AN_CALL && n != site->node) || n->kind == AN_ASSIGN ||
            (n->kind == AN_UNARY && n->op >= AN_OP_PRE_INC))
            return false;
    return true;
}

/* A choice among requests that is none. */
static bool choice_is_none(struct an_judgement *judgement, struct an_site *site)
{
    const struct an_node *number = an_site_argument(judgement, site, site->mpi.what->requests);
    unsigned open = site->wildcard;

    if (open == AN_WILD_INDEX && number && number->constant && number->value == 1) {
        an_site_give(site, AN_DETERMINISTIC, "there is one request, so that there is no choice");
        an_finding_add(judgement, site, "waitany-is-wait", site->node,
                       "one request is waited for as if several could complete",
                       "call MPI_Wait instead", NULL);
        return true;
    }
    if (!(open & (AN_WILD_SOURCE | AN_WILD_TAG | AN_WILD_FLAG)) &&
        an_flow_is_in_order(judgement->program, site)) {
        an_site_give(site, AN_DETERMINISTIC,
                     "each request is completed before the next one is posted");
        an_finding_add(judgement, site, "waitany-is-wait", site->node,
                       "requests that complete in one order are waited for as if they raced",
                       "call MPI_Wait instead", NULL);
        return true;
    }
    return false;
}

bool an_names_decide(struct an_judgement *judgement, struct an_site *site)
{
    const struct an_node *tag = an_site_argument(judgement, site, site->mpi.what->receive.tag);
    unsigned open = site->wildcard;

    if (!open) {
        an_site_give(site, AN_DETERMINISTIC,
                     "its source and tag are named, so that one message can match");
        return true;
    }
    if (open == AN_WILD_TAG) {
        an_site_give(site, AN_DETERMINISTIC,
                     "the source is named, and messages of one source do not overtake each other");
        return true;
    }
    if (open == AN_WILD_SOURCE && tag &&
        an_flow_tag_names_source(judgement->program, site->node, tag)) {
        an_site_give(site, AN_DETERMINISTIC,
                     "the tag names the sender, so that one message can match");
        return true;
    }
    if (site->mpi.what->role == AN_CHOICE && choice_is_none(judgement, site))
        return true;
    if (open == AN_WILD_FLAG && is_alone_in_loop(site)) {
        an_site_give(site, AN_DETERMINISTIC, "the loop only waits until the answer is yes");
        return true;
    }
    return false;
}

/* ---- What nobody reads ---- */

/* The variable that a call fills by the argument, or NULL. */
static const struct an_node *filled_by(const struct an_node *argument)
{
    const struct an_node *node = an_plain(argument);

    if (node && node->kind == AN_UNARY && node->op == AN_OP_ADDRESS)
        node = an_plain(node->child);
    while (node && node->kind == AN_INDEX)
        node = an_plain(node->child);
    return node && node->kind == AN_REFERENCE && node->symbol ? node : NULL;
}

/* Is the variable named here in order to be filled by a call that completes requests? */
static bool is_filled_here(struct an_program *program, const struct an_node *name)
{
    const struct an_node *argument = name;
    struct an_mpi mpi;

    while (argument->parent && argument->parent->kind != AN_CALL &&
           (argument->parent->kind == AN_CAST || argument->parent->kind == AN_INDEX ||
            (argument->parent->kind == AN_UNARY && argument->parent->op == AN_OP_ADDRESS)))
        argument = argument->parent;
    if (!argument->parent || !an_call_is_mpi(program, argument->parent, &mpi))
        return false;
    const int outputs[] = {mpi.what->flag, mpi.what->index, mpi.what->status};
    bool completes =
        mpi.what->role == AN_WAIT || mpi.what->role == AN_TEST || mpi.what->role == AN_CHOICE;
    for (unsigned i = 0; completes && i < sizeof outputs / sizeof *outputs; i++)
        if (outputs[i] >= 0 &&
            filled_by(an_mpi_argument(program, &mpi, (unsigned)outputs[i])) == name)
            return true;
    return false;
}

static bool is_unread(struct an_judgement *judgement, const struct an_site *site, int number)
{
    const struct an_node *argument = an_site_argument(judgement, site, number);
    const struct an_node *name = argument ? filled_by(argument) : NULL;
    const struct an_node *function = an_function_of(site->node);

    if (!argument || argument->constant || an_plain(argument)->constant)
        return true;
    if (!name || name->storage != AN_LOCAL_VARIABLE || an_function_of(argument) != function)
        return false;
    for (const struct an_node *n = function; n; n = an_next(function, n, false))
        if (n->kind == AN_REFERENCE && n->symbol && strcmp(n->symbol, name->symbol) == 0 &&
            !is_filled_here(judgement->program, n))
            return false;
    return true;
}

/* Does nobody read what the call tells? */
static bool is_silent(struct an_judgement *judgement, const struct an_site *site)
{
    const struct an_call *what = site->mpi.what;

    return !(site->wildcard & (AN_WILD_SOURCE | AN_WILD_TAG)) && what->indices < 0 &&
           is_unread(judgement, site, what->flag) && is_unread(judgement, site, what->index) &&
           is_unread(judgement, site, what->status);
}

static bool completes(const struct an_site *site)
{
    return site->mpi.what->role == AN_TEST || site->mpi.what->role == AN_CHOICE;
}

bool an_names_are_unread(struct an_judgement *judgement, const struct an_site *site)
{
    struct an_program *program = judgement->program;
    const char *name = completes(site) ? an_request_name(program, &site->mpi) : NULL;

    for (const struct an_site *other = name ? judgement->sites : NULL; other; other = other->next) {
        const char *same = completes(other) ? an_request_name(program, &other->mpi) : NULL;
        if (same && strcmp(same, name) == 0 && !is_silent(judgement, other))
            return false;
    }
    return name != NULL;
}
