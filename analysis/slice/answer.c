/* Idea: one search, breadth first, from what the site gives. The first send that it meets is the
 * answer, and the way back from there is the witness. */
#include "analysis/slice/inside.h"

enum { STEPS = 24, SHORT = 60, ANY_TAG = -1 };

struct search {
    struct an_slice *slice;
    struct sl_vertex *first, *last;
    struct sl_vertex *found;
};

struct an_slice *an_slice_create(struct an_judgement *judgement)
{
    struct an_slice *slice = an_judgement_alloc(judgement, sizeof *slice);

    slice->judgement = judgement;
    slice->program = judgement->program;
    slice->loose = sl_vertex_create(slice, SL_PLACE, NULL);
    slice->outside = sl_vertex_create(slice, SL_PLACE, NULL);
    slice->addressed = sl_vertex_create(slice, SL_PLACE, NULL);
    slice->kept = sl_vertex_create(slice, SL_PLACE, NULL);
    slice->numbers = sl_vertex_create(slice, SL_PLACE, NULL);
    slice->goes_on = sl_vertex_create(slice, SL_CONTROL, NULL);
    sl_point(slice);
    sl_depend(slice);
    return slice;
}

void an_slice_destroy(struct an_slice *slice)
{
    if (!slice)
        return;
    HASH_CLEAR(hh, slice->names);
    HASH_CLEAR(hh, slice->texts);
    HASH_CLEAR(hh, slice->records);
    HASH_CLEAR(hh, slice->functions);
    free(slice->queue);
    free(slice->receives);
}

/* ---- The search ---- */

static void reach(struct search *search, struct sl_vertex *vertex, struct sl_vertex *from,
                  const struct an_node *by)
{
    vertex = sl_find(vertex);
    if (!vertex || vertex->mark == search->slice->searches)
        return;
    vertex->mark = search->slice->searches;
    vertex->from = from;
    vertex->by = by;
    vertex->later = NULL;
    if (search->last)
        search->last->later = vertex;
    else
        search->first = vertex;
    search->last = vertex;
}

static void search_run(struct search *search)
{
    for (struct sl_vertex *v = search->first; v; v = v->later) {
        if (v->kind == SL_SEND || v->kind == SL_HIDDEN) {
            search->found = v;
            return;
        }
        for (const struct sl_edge *edge = v->edges; edge; edge = edge->next)
            reach(search, edge->to, v, edge->node);
    }
}

static void outcome_reach(struct search *search, const struct an_mpi *mpi)
{
    const struct an_call *what = mpi->what;
    bool posts = what->flags & (AN_NONBLOCKING | AN_PERSISTENT);
    const int outs[] = {what->receive.buffer,
                        what->status,
                        what->index,
                        what->indices,
                        what->flag,
                        what->message,
                        posts || what->role == AN_TEST ? what->request : -1};

    for (unsigned i = 0; i < sizeof outs / sizeof *outs; i++) {
        const struct an_node *argument = sl_mpi_argument(search->slice, mpi, outs[i]);
        if (argument)
            reach(search, sl_pointed_in(search->slice, argument), NULL, mpi->call);
    }
    if (sl_is_by_address(search->slice, mpi, &what->receive))
        reach(search, sl_in(search->slice, search->slice->addressed), NULL, mpi->call);
}

static bool tags_differ(struct an_slice *slice, const struct an_mpi *one,
                        const struct an_mpi *other)
{
    const struct an_node *a = sl_mpi_argument(slice, one, one->what->receive.tag);
    const struct an_node *b = sl_mpi_argument(slice, other, other->what->receive.tag);

    a = a ? an_plain(a) : NULL;
    b = b ? an_plain(b) : NULL;
    return a && b && a->constant && b->constant && a->value != ANY_TAG && b->value != ANY_TAG &&
           a->value != b->value;
}

/* Another receive does not get what one receive takes. */
static void rivals_reach(struct search *search, const struct an_site *site)
{
    if (!(site->wildcard & (AN_WILD_SOURCE | AN_WILD_TAG)))
        return;
    for (unsigned i = 0; i < search->slice->receives_count; i++) {
        struct an_mpi other;
        if (an_call_is_mpi(search->slice->program, search->slice->receives[i], &other) &&
            !tags_differ(search->slice, &site->mpi, &other))
            outcome_reach(search, &other);
    }
}

/* ---- What is said about it ---- */

static const char *outcome_name(const struct an_site *site)
{
    if (site->wildcard & (AN_WILD_SOURCE | AN_WILD_TAG))
        return "the order of arrival";
    return site->wildcard & AN_WILD_INDEX ? "which request completes first"
                                          : "when the answer is yes";
}

static const char *text_of(struct an_slice *slice, const struct an_node *node)
{
    const char *text = an_text(an_program_unit_of(slice->program, node), node);

    if (strlen(text) <= SHORT)
        return text;
    return an_judgement_printf(slice->judgement, "%.*s...", SHORT, text);
}

/* The expression by which the found send was reached; *decides: it is a condition. */
static const struct an_node *carrier_of(const struct sl_vertex *found, bool *decides)
{
    for (const struct sl_vertex *v = found; v; v = v->from) {
        if (!v->by || !v->from)
            continue;
        *decides = v->kind == SL_CONTROL;
        return v->by;
    }
    return NULL;
}

static const char *reason_make(struct an_slice *slice, const struct an_site *site,
                               const struct sl_vertex *found)
{
    const char *what = outcome_name(site);
    bool decides = false;
    const struct an_node *carrier = carrier_of(found, &decides);
    const char *name = found->node->name ? found->node->name : "what a pointer calls";

    if (found->kind == SL_HIDDEN)
        return an_judgement_printf(slice->judgement,
                                   "it would have to be known whether %s (line %u) sends", name,
                                   found->node->place.line);
    if (!carrier)
        return an_judgement_printf(slice->judgement, "%s may decide on the send in line %u", what,
                                   found->node->place.line);
    if (decides)
        return an_judgement_printf(
            slice->judgement,
            "`%s` in line %u, which may depend on %s, decides on the send in line %u",
            text_of(slice, carrier), carrier->place.line, what, found->node->place.line);
    return an_judgement_printf(slice->judgement, "`%s` may carry %s into the send in line %u",
                               text_of(slice, carrier), what, found->node->place.line);
}

static struct an_step *step_before(struct an_slice *slice, const struct an_node *node,
                                   const char *text, struct an_step *next)
{
    if (next && next->node == node)
        return next;
    struct an_step *step = an_judgement_alloc(slice->judgement, sizeof *step);
    *step = (struct an_step){node, text, next};
    return step;
}

static struct an_step *witness_make(struct an_slice *slice, const struct an_site *site,
                                    const struct sl_vertex *found, const char *reason)
{
    struct an_step *steps = step_before(slice, found->node, reason, NULL);
    unsigned count = 0;

    for (const struct sl_vertex *v = found; v && count < STEPS; v = v->from)
        if (v->by && v->from) {
            steps = step_before(
                slice, v->by, v->kind == SL_CONTROL ? "may decide what happens" : "may carry it on",
                steps);
            count++;
        }
    return step_before(slice, site->node, "its outcome is open here", steps);
}

struct an_slice_answer an_slice_ask(struct an_slice *slice, const struct an_site *site)
{
    struct search search = {.slice = slice};
    struct an_slice_answer answer = {.reaches = true, .send = site->node};

    if (!an_program_is_whole(slice->program) || slice->nowhere) {
        answer.send = slice->nowhere ? slice->nowhere : site->node;
        answer.reason =
            slice->nowhere
                ? "it would have to be known which addresses are in a datatype"
                : "it would have to be known what functions that are not here do with it";
        answer.witness = step_before(slice, site->node, answer.reason, NULL);
        return answer;
    }
    slice->searches++;
    outcome_reach(&search, &site->mpi);
    rivals_reach(&search, site);
    search_run(&search);
    if (!search.found)
        return (struct an_slice_answer){.reaches = false};
    answer.send = search.found->node;
    answer.reason = reason_make(slice, site, search.found);
    answer.witness = witness_make(slice, site, search.found, answer.reason);
    return answer;
}
