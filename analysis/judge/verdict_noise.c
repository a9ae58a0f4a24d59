/* Idea: clocks and such are followed from each function that reads one and sends, itself or through
 * what it calls. A message that is longer than what was written is seen in the text: an array
 * without a first value, filled by counted loops and single stores up to less than what is sent. */
#include "analysis/flow/extent.h"
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

static bool names(const struct an_node *node, const char *symbol)
{
    return node->kind == AN_REFERENCE && node->symbol && strcmp(node->symbol, symbol) == 0;
}

/* Whether a mention of an array is one element, whose address is not taken. */
static bool is_element(const struct an_node *mention)
{
    const struct an_node *index = mention->parent;
    bool address = index->parent->kind == AN_UNARY && index->parent->op == AN_OP_ADDRESS;
    return index->kind == AN_INDEX && index->child == mention && !address;
}

/* Whether all that `loop` does with `array` is to fill it from 0 up to a constant, which is put
 * into *filled. */
static bool is_filled_by(const struct an_node *loop, const char *array, int64_t *filled)
{
    const struct an_node *condition = an_plain(an_child(loop, 1));
    bool writes = false;

    if (condition->kind != AN_BINARY || !an_plain(condition->child->next)->constant ||
        !an_plain(condition->child)->symbol ||
        (condition->op != AN_OP_LT && condition->op != AN_OP_LE))
        return false;
    for (const struct an_node *n = loop; n; n = an_next(loop, n, false)) {
        if (!names(n, array))
            continue;
        if (!is_element(n) || !names(an_plain(n->next), an_plain(condition->child)->symbol))
            return false;
        writes |= n->parent->parent->kind == AN_ASSIGN && n->parent->parent->child == n->parent;
    }
    *filled = an_plain(condition->child->next)->value + (condition->op == AN_OP_LE);
    return writes;
}

/* The VARIABLE of a local array without a first value, or NULL. */
static const struct an_node *bare_array(const struct an_node *function, const char *array)
{
    for (const struct an_node *n = function; n; n = an_next(function, n, false))
        if (n->kind == AN_VARIABLE && n->symbol && strcmp(n->symbol, array) == 0)
            return n->storage == AN_LOCAL_VARIABLE && n->type && n->type->class == AN_ARRAY &&
                           (!n->child || n->child->kind == AN_EMPTY)
                       ? n
                       : NULL;
    return NULL;
}

/* Whether a mention of the array is an element of constant number that is set; *filled becomes the
 * next one. */
static bool is_set_alone(const struct an_node *mention, int64_t *filled)
{
    if (!is_element(mention) || !an_plain(mention->next)->constant)
        return false;
    *filled = an_plain(mention->next)->value + 1;
    return true;
}

/* Whether every mention of the array that may be in front of the send fills less than `count`
 * elements of it. */
static bool is_partly_filled(const struct an_node *function, const struct an_node *send,
                             const struct an_node *array, int64_t count)
{
    int64_t most = 0, filled = 0;

    for (const struct an_node *n = an_body(function); n;) {
        bool loop =
            n->kind == AN_FOR && !an_flow_holds(n, send) && is_filled_by(n, array->symbol, &filled);
        bool mention = names(n, array->symbol) && !an_flow_holds(send, n) &&
                       an_flow_may_precede(n, send, array);
        if (mention && !is_set_alone(n, &filled))
            return false;
        if ((loop || mention) && filled > most)
            most = filled;
        n = an_next(an_body(function), n, loop);
    }
    return most > 0 && most < count;
}

/* How many elements of the array a send takes, when its datatype is that of the elements; or 0. */
static int64_t elements_sent(const struct an_type *element, const struct an_node *count,
                             const struct an_node *datatype)
{
    static const struct {
        const char *type, *datatype;
    } same[] = {{"int", "MPI_INT"},     {"double", "MPI_DOUBLE"},
                {"float", "MPI_FLOAT"}, {"long", "MPI_LONG"},
                {"char", "MPI_CHAR"},   {"unsigned int", "MPI_UNSIGNED"},
                {"char", "MPI_BYTE"},   {"long", "MPI_INT64_T"},
                {"int", "MPI_INT32_T"}, {"unsigned long", "MPI_UINT64_T"}};

    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcmp(element->name, same[i].type) == 0 && datatype->name &&
            strcmp(datatype->name, same[i].datatype) == 0)
            return count->constant ? count->value : 0;
    return 0;
}

static void tail_find(struct an_judgement *judgement, const struct an_node *function,
                      const struct an_mpi *mpi)
{
    const struct an_message_arguments *sent = &mpi->what->send;
    struct an_program *program = judgement->program;

    if (mpi->what->role != AN_SEND || mpi->what->flags & AN_PERSISTENT)
        return;
    const struct an_node *buffer = an_mpi_argument(program, mpi, (unsigned)sent->buffer);
    const struct an_node *count = an_mpi_argument(program, mpi, (unsigned)sent->count);
    const struct an_node *datatype = an_mpi_argument(program, mpi, (unsigned)sent->datatype);
    buffer = buffer ? an_plain(buffer) : NULL;
    if (!buffer || buffer->kind != AN_REFERENCE || !buffer->symbol || !count || !datatype)
        return;
    const struct an_node *array = bare_array(function, buffer->symbol);
    int64_t elements = array ? elements_sent(array->type->below, count, datatype) : 0;
    if (elements > 0 && is_partly_filled(function, mpi->call, array, elements))
        an_finding_add(judgement, NULL, "payload-noise", mpi->call,
                       "the message is longer than what was written into its buffer",
                       "send as many elements as were written", NULL);
}

static void call_judge(struct an_judgement *judgement, const struct an_node *function,
                       const struct an_node *call)
{
    struct an_mpi mpi;

    if (!an_call_is_mpi(judgement->program, call, &mpi) || mpi.what->flags & AN_SETS_UP)
        return;
    tail_find(judgement, function, &mpi);
    if (mpi.what->role == AN_SEND || mpi.what->role == AN_EXCHANGE ||
        mpi.what->role == AN_COLLECTIVE)
        an_padding_find(judgement, &mpi);
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
                call_judge(judgement, f, n);
    }
}
