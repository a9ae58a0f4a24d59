/* Idea: all sends of the program are compared with the receive, each in the words of the outermost
 * callers from which its tag can be told. */
#include "analysis/region/outside.h"
#include "analysis/judgement/memo.h"
#include "analysis/region/walk.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum { TERMS = 32, CALLERS_UP = 3 };

struct terms {
    struct an_term comm[TERMS], tag[TERMS];
    unsigned count;
    bool unknown; /* there are more */
};

/* A function that the region may enter. */
struct callee {
    const struct an_node *function;
    enum { NOT_ASKED, ASKING, ONLY_INSIDE, ALSO_OUTSIDE } entered; /* from where */
    UT_hash_handle hh;
};

struct outside {
    struct an_judgement *judgement;
    const struct an_pattern *pattern; /* or NULL: nothing is inside */
    unsigned spared;                  /* so many sends do not count */
    struct callee *inside;            /* functions that the region may enter */
    struct terms receive;
};

/* ---- What the region calls ---- */

static void calls_add(struct outside *outside, const struct an_node *root)
{
    for (const struct an_node *n = root; n; n = an_next(root, n, false)) {
        if (n->kind != AN_CALL)
            continue;
        struct an_targets targets = an_call_targets(outside->judgement->program, n);
        for (unsigned i = 0; i < targets.count; i++) {
            const struct an_node *function = targets.functions[i];
            struct callee *found;
            HASH_FIND_PTR(outside->inside, &function, found);
            if (found)
                continue;
            found = calloc(1, sizeof *found);
            if (!found)
                abort();
            found->function = function;
            HASH_ADD_PTR(outside->inside, function, found);
            calls_add(outside, an_body(function));
        }
    }
}

static bool is_inside(const struct outside *outside, const struct an_node *call);

/* Does nobody but the region enter the function? */
static bool only_inside(const struct outside *outside, struct callee *callee)
{
    if (callee->entered != NOT_ASKED)
        return callee->entered == ONLY_INSIDE;
    callee->entered = ASKING;
    struct an_callers callers = an_function_callers(outside->judgement->program, callee->function);
    bool only = callers.complete;
    for (unsigned i = 0; i < callers.count && only; i++)
        only = an_function_of(callers.calls[i]) == callee->function ||
               is_inside(outside, callers.calls[i]);
    callee->entered = only ? ONLY_INSIDE : ALSO_OUTSIDE;
    return only;
}

/* Is the call one that only the region makes? */
static bool is_inside(const struct outside *outside, const struct an_node *call)
{
    const struct an_node *function = an_function_of(call);
    struct callee *found;
    if (!outside->pattern)
        return false;
    if (an_is_within(outside->pattern->first, outside->pattern->last, call))
        return true;
    HASH_FIND_PTR(outside->inside, &function, found);
    return found && only_inside(outside, found);
}

/* ---- Comparison ---- */

static bool names_parameter(const struct an_node *function, const struct an_term *term)
{
    return term->symbol && an_parameter_number(function, term->symbol) >= 0;
}

/* Effect: adds the terms of a message in the words of the callers of its function; of a send,
 * without the calls that only the region makes. */
static void terms_fill(struct outside *outside, const struct an_node *comm,
                       const struct an_node *tag, const struct an_node *function,
                       const struct an_frame *frame, unsigned levels, struct terms *terms)
{
    struct an_judgement *judgement = outside->judgement;
    struct an_term term = an_term_of(judgement, tag, frame);
    struct an_callers callers = {.count = 0};
    if (levels && names_parameter(function, &term))
        callers = an_function_callers(judgement->program, function);
    if (callers.count == 0) {
        terms->unknown |= terms->count == TERMS;
        if (terms->count == TERMS)
            return;
        terms->comm[terms->count] = an_term_of(judgement, comm, frame);
        terms->tag[terms->count++] = term;
        return;
    }
    terms->unknown |= !callers.complete;
    for (unsigned i = 0; i < callers.count; i++) {
        const struct an_node *call = callers.calls[i];
        if (terms != &outside->receive && is_inside(outside, call))
            continue;
        const struct an_frame *above = an_frame_create(judgement, call, NULL);
        terms_fill(outside, comm, tag, an_function_of(call),
                   an_frames_join(judgement, frame, above), levels - 1, terms);
    }
}

static const struct an_node *argument(const struct outside *outside, const struct an_mpi *mpi,
                                      int number)
{
    return number < 0 ? NULL : an_mpi_argument(outside->judgement->program, mpi, (unsigned)number);
}

/* In how many of the words that its callers give to it may the send match? */
static unsigned may_match(struct outside *outside, const struct an_mpi *mpi)
{
    struct terms send = {.count = 0};
    unsigned found = 0;
    terms_fill(outside, argument(outside, mpi, mpi->what->comm),
               argument(outside, mpi, mpi->what->send.tag), an_function_of(mpi->call), NULL,
               CALLERS_UP, &send);
    if (send.unknown)
        return TERMS;
    for (unsigned i = 0; i < send.count; i++)
        for (unsigned k = 0; k < outside->receive.count; k++)
            found += an_tag_match(&send.tag[i], &outside->receive.tag[k]) != AN_NO_MATCH &&
                     an_comm_match(&send.comm[i], &outside->receive.comm[k]) != AN_NO_MATCH;
    return found;
}

/* May anything call the function? */
static bool is_reached(const struct an_program *program, const struct an_node *function)
{
    struct an_callers callers = an_function_callers(program, function);
    return function == an_program_main(program) || callers.count || !callers.complete;
}

static const struct an_node *in_function(struct outside *outside, const struct an_node *function)
{
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        struct an_mpi mpi;
        if (n->kind != AN_CALL || !an_call_is_mpi(outside->judgement->program, n, &mpi) ||
            (mpi.what->role != AN_SEND && mpi.what->role != AN_EXCHANGE))
            continue;
        unsigned found = is_inside(outside, n) ? 0 : may_match(outside, &mpi);
        if (found > outside->spared)
            return n;
        outside->spared -= found;
    }
    return NULL;
}

static const struct an_node *in_program(struct outside *outside)
{
    struct an_program *program = outside->judgement->program;
    const struct an_node *found = NULL;
    for (const struct an_node *f = an_program_next(program, NULL); f && !found;
         f = an_program_next(program, f))
        if (is_reached(program, f))
            found = in_function(outside, f);
    return found;
}

static void inside_fill(struct outside *outside)
{
    const struct an_pattern *pattern = outside->pattern;
    for (const struct an_node *s = pattern->first; s; s = s == pattern->last ? NULL : s->next)
        calls_add(outside, s);
}

static void inside_free(struct outside *outside)
{
    struct callee *one, *next;
    HASH_ITER (hh, outside->inside, one, next) {
        HASH_DEL(outside->inside, one);
        free(one);
    }
}

bool an_region_recurs(struct an_judgement *judgement, const struct an_pattern *pattern)
{
    struct outside outside = {.judgement = judgement, .pattern = pattern};
    struct callee *found;
    inside_fill(&outside);
    HASH_FIND_PTR(outside.inside, &pattern->function, found);
    inside_free(&outside);
    return found != NULL;
}

const struct an_node *an_outside_find(struct an_judgement *judgement,
                                      const struct an_region *region,
                                      const struct an_pattern *pattern)
{
    struct outside outside = {.judgement = judgement, .pattern = pattern};
    const struct an_mpi *mpi = &region->site->mpi;
    inside_fill(&outside);
    terms_fill(&outside, argument(&outside, mpi, mpi->what->comm),
               argument(&outside, mpi, mpi->what->receive.tag), region->function, region->frame,
               CALLERS_UP, &outside.receive);
    const struct an_node *found = in_program(&outside);
    inside_free(&outside);
    return found;
}

bool an_outside_is_single(struct an_judgement *judgement, const struct an_term *comm,
                          const struct an_term *tag)
{
    struct outside outside = {.judgement = judgement, .spared = 1};
    outside.receive = (struct terms){.comm = {*comm}, .tag = {*tag}, .count = 1};
    return !in_program(&outside);
}

const struct an_node *an_outside_argument(const struct an_judgement *judgement,
                                          const struct an_mpi *mpi, int number)
{
    const struct an_node *node =
        number < 0 ? NULL : an_mpi_argument(judgement->program, mpi, (unsigned)number);
    const struct an_node *own =
        number < 0 || node ? NULL : an_argument(mpi->inner, (unsigned)number);

    return own && an_plain(own)->constant ? own : node;
}

/* ---- Labels ---- */

struct an_labels {
    struct an_term *comm, *tag; /* `count` pairs */
    unsigned count;
    bool unknown; /* there are more */
};

static const struct an_labels *labels_of(struct an_judgement *judgement, const struct an_mpi *mpi,
                                         int tag)
{
    struct an_question_words question = {.words = {(uintptr_t)mpi->call, (uintptr_t)mpi->inner,
                                                   (uintptr_t)mpi->what, (uintptr_t)tag},
                                         .count = 4};
    struct outside outside = {.judgement = judgement};
    struct terms terms = {.count = 0};
    struct an_labels *labels;
    bool known;

    labels = an_memo(judgement, AN_MEMO_LABELS, &question, sizeof *labels, &known);
    if (known)
        return labels;
    terms_fill(&outside, an_outside_argument(judgement, mpi, mpi->what->comm),
               an_outside_argument(judgement, mpi, tag), an_function_of(mpi->call), NULL,
               CALLERS_UP, &terms);
    size_t bytes = (terms.count + 1) * sizeof *terms.comm;
    *labels = (struct an_labels){an_judgement_alloc(judgement, bytes),
                                 an_judgement_alloc(judgement, bytes), terms.count, terms.unknown};
    memcpy(labels->comm, terms.comm, terms.count * sizeof *terms.comm);
    memcpy(labels->tag, terms.tag, terms.count * sizeof *terms.tag);
    return labels;
}

const struct an_labels *an_labels_of_receive(struct an_judgement *judgement,
                                             const struct an_mpi *mpi)
{
    return labels_of(judgement, mpi, mpi->what->receive.tag);
}

const struct an_labels *an_labels_of_send(struct an_judgement *judgement, const struct an_mpi *mpi)
{
    bool labelled = mpi->what->comm >= 0 && mpi->what->send.tag >= 0;

    return labelled ? labels_of(judgement, mpi, mpi->what->send.tag) : NULL;
}

bool an_labels_meet(const struct an_labels *one, const struct an_labels *other)
{
    if (!one || !other)
        return false;
    if (one->unknown || other->unknown)
        return true;
    for (unsigned i = 0; i < one->count; i++)
        for (unsigned k = 0; k < other->count; k++)
            if (an_tag_match(&one->tag[i], &other->tag[k]) != AN_NO_MATCH &&
                an_comm_match(&one->comm[i], &other->comm[k]) != AN_NO_MATCH)
                return true;
    return false;
}
