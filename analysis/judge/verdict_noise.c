/* Idea: clocks and such are followed from each function that reads one and sends, itself or through
 * what it calls. A message that is longer than what was written is seen in the text: an array
 * without a first value, filled by a counted loop up to less than what is sent. */
#include "analysis/flow/flow.h"
#include "analysis/judge/verdict_findings.h"

#include <string.h>

static const long noise_budget = 20000;

static bool is_address_cast(const struct an_node *node)
{
    return node->kind == AN_CAST && node->type && node->type->class == AN_INTEGER &&
           node->child->type && node->child->type->class == AN_POINTER && !node->child->constant;
}

/* Whether something noisy is read in the function, or in a callee that does not send by itself. */
static bool is_noisy(struct an_program *program, const struct an_node *function)
{
    for (const struct an_node *n = an_body(function); n; n = an_next(an_body(function), n, false)) {
        if (is_address_cast(n))
            return true;
        if (n->kind != AN_CALL)
            continue;
        if (an_flow_is_clock(program, n))
            return true;
        struct an_targets targets = an_call_targets(program, n);
        for (unsigned i = 0; i < targets.count; i++) {
            const struct an_effects *effects = an_function_effects(program, targets.functions[i]);
            if (effects->clock && !effects->sends && !effects->collective)
                return true;
        }
    }
    return false;
}

static struct an_step *path_create(struct an_judgement *judgement, const struct an_flow_why *why,
                                   const struct an_node *send, const char *text)
{
    struct an_step *steps = an_judgement_alloc(judgement, sizeof *steps);

    steps->node = send;
    steps->text = text;
    for (; why; why = why->before) {
        struct an_step *step = an_judgement_alloc(judgement, sizeof *step);
        step->node = why->node;
        step->text = an_judgement_printf(judgement, "%s", why->text);
        step->next = steps;
        steps = step;
    }
    return steps;
}

static void function_follow(struct an_judgement *judgement, const struct an_node *function)
{
    struct an_flow *flow = an_flow_run(judgement, NULL, NULL, function, 0, noise_budget);

    for (const struct an_flow_send *send = flow->sends; send; send = send->next) {
        if (!send->rule)
            continue;
        bool steers = strcmp(send->rule, "clock-steers-sends") == 0;
        an_finding_add(judgement, NULL, send->rule, send->call, send->text,
                       steers ? "let one rank read the clock and tell the others" : NULL,
                       path_create(judgement, send->what.why, send->call, send->text));
    }
    an_flow_destroy(flow);
}

/* Whether `loop` fills `array` from 0 up to a constant, which is put into *filled. */
static bool is_filled_by(const struct an_node *loop, const char *array, int64_t *filled)
{
    const struct an_node *condition = an_plain(an_child(loop, 1));
    bool writes = false;

    if (condition->kind != AN_BINARY || !an_plain(condition->child->next)->constant ||
        (condition->op != AN_OP_LT && condition->op != AN_OP_LE))
        return false;
    for (const struct an_node *n = loop; n; n = an_next(loop, n, false))
        if (n->kind == AN_ASSIGN && n->child->kind == AN_INDEX) {
            const struct an_node *base = an_plain(n->child->child);
            const struct an_node *index = an_plain(n->child->child->next);
            writes |= base->symbol && strcmp(base->symbol, array) == 0 && index->symbol &&
                      condition->child->symbol &&
                      strcmp(index->symbol, an_plain(condition->child)->symbol) == 0;
        }
    *filled = an_plain(condition->child->next)->value + (condition->op == AN_OP_LE);
    return writes;
}

static bool is_declared_bare(const struct an_node *function, const char *array)
{
    for (const struct an_node *n = function; n; n = an_next(function, n, false))
        if (n->kind == AN_VARIABLE && n->symbol && strcmp(n->symbol, array) == 0)
            return n->storage == AN_LOCAL_VARIABLE && n->type && n->type->class == AN_ARRAY &&
                   (!n->child || n->child->kind == AN_EMPTY);
    return false;
}

/* Whether every mention of the array in front of the send is in loops that fill less than `count`.
 */
static bool is_partly_filled(const struct an_node *function, const struct an_node *send,
                             const char *array, int64_t count)
{
    int64_t most = 0, filled;

    for (const struct an_node *n = an_body(function); n;) {
        bool loop = n->kind == AN_FOR && is_filled_by(n, array, &filled);
        if (loop && filled > most)
            most = filled;
        if (n->kind == AN_REFERENCE && n->symbol && strcmp(n->symbol, array) == 0 &&
            n->place.offset < send->place.offset)
            return false;
        n = an_next(an_body(function), n, loop);
    }
    return most > 0 && most < count;
}

static void tail_find(struct an_judgement *judgement, const struct an_node *function,
                      const struct an_node *call)
{
    struct an_mpi mpi;

    if (!an_call_is_mpi(judgement->program, call, &mpi) || mpi.what->role != AN_SEND)
        return;
    const struct an_node *buffer =
        an_mpi_argument(judgement->program, &mpi, (unsigned)mpi.what->send.buffer);
    const struct an_node *count =
        an_mpi_argument(judgement->program, &mpi, (unsigned)mpi.what->send.count);
    buffer = buffer ? an_plain(buffer) : NULL;
    if (!buffer || buffer->kind != AN_REFERENCE || !count || !count->constant ||
        !is_declared_bare(function, buffer->symbol) ||
        !is_partly_filled(function, call, buffer->symbol, count->value))
        return;
    an_finding_add(judgement, NULL, "payload-noise", call,
                   "the message is longer than what was written into its buffer",
                   "send as many elements as were written", NULL);
}

void an_noise_find(struct an_judgement *judgement)
{
    for (const struct an_node *f = an_program_next(judgement->program, NULL); f;
         f = an_program_next(judgement->program, f)) {
        const struct an_effects *effects = an_function_effects(judgement->program, f);
        if (!effects->sends && !effects->collective)
            continue;
        if (is_noisy(judgement->program, f))
            function_follow(judgement, f);
        for (const struct an_node *n = an_body(f); n; n = an_next(an_body(f), n, false))
            if (n->kind == AN_CALL)
                tail_find(judgement, f, n);
    }
}
