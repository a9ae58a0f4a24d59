/* Idea: a tag is a constant plus terms with factors. Locals that are set once, or just before, are
 * replaced by what they are set to. A tag names its sender when, in place of some term of it, the
 * tag of a send has the rank of the process. */
#include "analysis/flow/tag.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS = 12, DEEPEST = 6 };

struct sum {
    int64_t constant;
    unsigned count;
    bool broken;
    struct {
        const struct an_node *node;
        const char *text;
        int64_t factor;
    } terms[TERMS];
};

static void sum_add(struct sum *sum, struct an_program *program, const struct an_node *node,
                    int64_t factor)
{
    const char *text = an_text(an_program_unit_of(program, node), node);

    for (unsigned i = 0; i < sum->count; i++)
        if (strcmp(sum->terms[i].text, text) == 0) {
            sum->terms[i].factor += factor;
            if (!sum->terms[i].factor)
                sum->terms[i] = sum->terms[--sum->count];
            return;
        }
    if (sum->count == TERMS) {
        sum->broken = true;
        return;
    }
    sum->terms[sum->count].node = node;
    sum->terms[sum->count].text = text;
    sum->terms[sum->count++].factor = factor;
}

/* The value last assigned to a local in front of `use`, looking upwards through the blocks around;
 * NULL when there is none that surely holds. */
static const struct an_node *definition_find(const struct an_node *use, const char *symbol)
{
    const struct an_node *found = NULL;

    for (const struct an_node *inner = use; inner && inner->kind != AN_FUNCTION;
         inner = inner->parent) {
        const struct an_node *block = inner->parent;
        if (!block || (block->kind != AN_BLOCK && block->kind != AN_IF))
            continue;
        found = NULL;
        for (const struct an_node *child = block->child; child && child != inner;
             child = child->next)
            for (const struct an_node *n = child; n; n = an_next(child, n, false)) {
                bool here = n == child || (child->kind == AN_DECLARE && n->parent == child);
                if (n->kind == AN_VARIABLE && n->symbol && strcmp(n->symbol, symbol) == 0 &&
                    n->child && n->child->kind != AN_EMPTY)
                    found = n->child;
                if (n->kind == AN_ASSIGN && n->child->symbol &&
                    strcmp(n->child->symbol, symbol) == 0)
                    found = here && n->op == AN_OP_NONE ? n->child->next : use;
                if (n->kind == AN_UNARY && n->child && n->child->symbol && n->op >= AN_OP_ADDRESS &&
                    n->op != AN_OP_DEREF && strcmp(n->child->symbol, symbol) == 0)
                    found = use;
            }
        if (found)
            return found == use ? NULL : found;
    }
    return NULL;
}

static void sum_read(struct sum *sum, struct an_program *program, const struct an_node *node,
                     int64_t factor, const struct an_node *use, unsigned depth)
{
    node = an_plain(node);
    if (node->constant) {
        sum->constant += factor * node->value;
        return;
    }
    if (node->kind == AN_BINARY && (node->op == AN_OP_ADD || node->op == AN_OP_SUB)) {
        sum_read(sum, program, node->child, factor, use, depth);
        sum_read(sum, program, node->child->next, node->op == AN_OP_ADD ? factor : -factor, use,
                 depth);
        return;
    }
    if (node->kind == AN_BINARY && node->op == AN_OP_MUL) {
        const struct an_node *left = an_plain(node->child), *right = an_plain(node->child->next);
        if (left->constant || right->constant) {
            sum_read(sum, program, left->constant ? right : left,
                     factor * (left->constant ? left->value : right->value), use, depth);
            return;
        }
    }
    if (node->kind == AN_REFERENCE && node->storage == AN_LOCAL_VARIABLE && depth < DEEPEST) {
        const struct an_node *set = definition_find(use, node->symbol);
        bool simple = set && (an_plain(set)->kind == AN_BINARY || an_plain(set)->constant ||
                              an_plain(set)->kind == AN_NUMBER);
        if (simple && (an_plain(set)->constant || an_plain(set)->op == AN_OP_ADD ||
                       an_plain(set)->op == AN_OP_SUB || an_plain(set)->op == AN_OP_MUL)) {
            sum_read(sum, program, set, factor, set, depth + 1);
            return;
        }
    }
    sum_add(sum, program, node, factor);
}

static struct sum sum_of(struct an_program *program, const struct an_node *node)
{
    struct sum sum = {.constant = 0};
    sum_read(&sum, program, node, 1, node, 0);
    return sum;
}

bool an_flow_tags_differ(struct an_program *program, const struct an_node *a,
                         const struct an_node *b)
{
    struct sum one = sum_of(program, a), two = sum_of(program, b);

    if (one.broken || two.broken || one.count != two.count)
        return false;
    if (one.count == 0)
        return one.constant != two.constant;
    bool factors = one.constant == two.constant && one.count == 1;
    for (unsigned i = 0; i < one.count; i++) {
        if (strcmp(one.terms[i].text, two.terms[i].text) != 0)
            return false;
        if (one.terms[i].factor != two.terms[i].factor)
            return factors;
    }
    return one.constant != two.constant;
}

bool an_flow_texts_differ(struct an_program *program, const struct an_node *a,
                          const struct an_node *b)
{
    if (!a || !b)
        return false;
    a = an_plain(a);
    b = an_plain(b);
    if (a->constant && b->constant)
        return a->value != b->value;
    if (an_function_of(a) != an_function_of(b))
        return false;
    return strcmp(an_text(an_program_unit_of(program, a), a),
                  an_text(an_program_unit_of(program, b), b)) != 0;
}

static bool name_is_rank(const char *name)
{
    static const char *const words[] = {"rank", "my_id", "myid",   "mype",    "my_pe",  "iam",
                                        "me",   "mypid", "myrank", "my_rank", "myproc", "pid"};
    for (size_t i = 0; name && i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]), all = strlen(name);
        if (all >= length && strcasecmp(name + all - length, words[i]) == 0 &&
            (all == length || !isalnum((unsigned char)name[all - length - 1]) || length > 3))
            return true;
    }
    return false;
}

/* The process's rank: what MPI_Comm_rank writes in this function, or somewhere to that global. */
static bool is_rank(struct an_program *program, const struct an_node *term)
{
    const struct an_node *function = an_function_of(term);

    if (term->kind != AN_REFERENCE && term->kind != AN_MEMBER)
        return false;
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        struct an_mpi mpi;
        if (n->kind != AN_CALL || !an_call_is_mpi(program, n, &mpi) ||
            strcmp(mpi.what->name, "Comm_rank") != 0)
            continue;
        const struct an_node *to = an_mpi_argument(program, &mpi, 1);
        to = to ? an_plain(to) : NULL;
        if (to && to->kind == AN_UNARY && to->child->symbol && term->symbol &&
            strcmp(to->child->symbol, term->symbol) == 0)
            return true;
    }
    return term->storage != AN_LOCAL_VARIABLE && name_is_rank(term->name);
}

/* A send's tag with the rank in place of one term of the receive's. */
static bool sums_match(struct an_program *program, const struct sum *receive,
                       const struct sum *send)
{
    unsigned ranks = 0, others = 0;

    if (receive->constant != send->constant || receive->broken || send->broken ||
        receive->count != send->count)
        return false;
    for (unsigned i = 0; i < send->count; i++) {
        bool there = false;
        for (unsigned k = 0; k < receive->count; k++)
            there |= strcmp(receive->terms[k].text, send->terms[i].text) == 0 &&
                     receive->terms[k].factor == send->terms[i].factor;
        if (there)
            others++;
        else if (is_rank(program, send->terms[i].node) && send->terms[i].factor == 1)
            ranks++;
    }
    return ranks == 1 && ranks + others == send->count;
}

static bool has_own_rank(struct an_program *program, const struct sum *sum)
{
    for (unsigned i = 0; i < sum->count; i++)
        if (is_rank(program, sum->terms[i].node) && sum->terms[i].factor == 1)
            return true;
    return false;
}

bool an_flow_tag_names_source(struct an_program *program, const struct an_node *call,
                              const struct an_node *tag)
{
    struct sum receive = sum_of(program, tag);

    (void)call;
    if (!receive.count || has_own_rank(program, &receive))
        return false;
    bool found = false;
    for (const struct an_node *f = an_program_next(program, NULL); f;
         f = an_program_next(program, f))
        for (const struct an_node *n = an_body(f); n; n = an_next(an_body(f), n, false)) {
            struct an_mpi mpi;
            if (n->kind != AN_CALL || !an_call_is_mpi(program, n, &mpi) || mpi.what->send.tag < 0)
                continue;
            const struct an_node *other =
                an_mpi_argument(program, &mpi, (unsigned)mpi.what->send.tag);
            if (!other)
                continue;
            struct sum send = sum_of(program, other);
            if (sums_match(program, &receive, &send))
                found = true;
            else if (send.constant == receive.constant && send.count == receive.count &&
                     f == an_function_of(tag))
                return false;
        }
    return found;
}

/* The sites with a flag, by their functions. */
struct an_polled {
    unsigned count;
    struct an_poll {
        const struct an_node *function;
        const struct an_site *site;
    } polls[];
};

static int polls_compare(const void *one, const void *other)
{
    uintptr_t a = (uintptr_t)((const struct an_poll *)one)->function;
    uintptr_t b = (uintptr_t)((const struct an_poll *)other)->function;
    return (a > b) - (a < b);
}

static const struct an_polled *polled_of(struct an_judgement *judgement)
{
    const struct an_site *site;
    unsigned count = 0;

    if (judgement->polled)
        return judgement->polled;
    for (site = judgement->sites; site; site = site->next)
        count += site->mpi.what->flag >= 0;
    struct an_polled *polled =
        an_judgement_alloc(judgement, sizeof *polled + count * sizeof *polled->polls);
    for (site = judgement->sites; site; site = site->next)
        if (site->mpi.what->flag >= 0)
            polled->polls[polled->count++] = (struct an_poll){an_function_of(site->node), site};
    qsort(polled->polls, polled->count, sizeof *polled->polls, polls_compare);
    judgement->polled = polled;
    return polled;
}

bool an_flow_is_flag(const struct an_flow *flow, const struct an_node *function, const char *symbol,
                     const struct an_site *site)
{
    const struct an_polled *polled = polled_of(flow->judgement);
    const struct an_poll key = {.function = function}, *end = polled->polls + polled->count;
    const struct an_poll *poll =
        bsearch(&key, polled->polls, polled->count, sizeof key, polls_compare);

    while (poll && poll > polled->polls && poll[-1].function == function)
        poll--;
    for (; poll && poll < end && poll->function == function; poll++) {
        const struct an_mpi *mpi = &poll->site->mpi;
        const struct an_node *flag = an_mpi_argument(flow->program, mpi, (unsigned)mpi->what->flag);
        for (const struct an_node *n = poll->site == site ? NULL : flag; n;
             n = an_next(flag, n, false))
            if (n->symbol && strcmp(n->symbol, symbol) == 0)
                return true;
    }
    return false;
}
