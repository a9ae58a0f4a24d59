/* Idea: the send that is nearest to what the site gives is the answer, and the way there is the
 * witness. */
#include "analysis/slice/inside.h"

enum { STEPS = 24, SHORT = 60 };

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
    HASH_CLEAR(hh, slice->tags);
    free(slice->queue);
    free(slice->receives);
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
    struct sl_start start = sl_nearest(slice, site);
    if (!start.vertex)
        return (struct an_slice_answer){.reaches = false};
    const struct sl_vertex *found = sl_way(start);
    answer.send = found->node;
    answer.reason = reason_make(slice, site, found);
    answer.witness = witness_make(slice, site, found, answer.reason);
    return answer;
}
