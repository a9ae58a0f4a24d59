/* Idea: the call tree from main is searched for its outermost loops, and the best is kept on the
 * way back: sequences compare, branches unite.
 *
 * The search enters each function once, and so does each count of what a loop reaches: recursion
 * ends, and the time stays linear. */
#include "analysis/loops.h"

#include <stdlib.h>
#include <utlist.h>

/* ---- What a stretch of code does ---- */

struct traffic {
    bool sends, receives; /* in a turn */
    bool polls;           /* in the loop itself, not in what it calls */
    bool loops;           /* it holds a loop */
    unsigned calls;       /* of MPI, that send or receive, reached from here */
    unsigned foreign;     /* calls into other files */
};

static void role_count(enum an_role role, unsigned depth, struct traffic *traffic)
{
    traffic->sends |= role == AN_SEND || role == AN_EXCHANGE;
    traffic->receives |= role == AN_RECEIVE || role == AN_EXCHANGE;
    traffic->calls += role == AN_SEND || role == AN_RECEIVE || role == AN_EXCHANGE;
    traffic->polls |= depth == 0 && (role == AN_POLL || role == AN_TEST || role == AN_CHOICE);
}

static void traffic_add(const struct an_node *node, unsigned depth, unsigned pass,
                        struct traffic *traffic)
{
    traffic->loops |= node->kind == AN_LOOP;
    if (node->kind == AN_CALL) {
        role_count(node->role, depth, traffic);
        traffic->foreign += node->foreign;
        if (node->callee && node->callee->pass != pass) {
            node->callee->pass = pass;
            traffic_add(node->callee->body, depth + 1, pass, traffic);
        }
    }
    const struct an_node *child;
    LL_FOREACH (node->children, child)
        traffic_add(child, depth, pass, traffic);
}

static struct traffic traffic_of_turn(struct an_facts *facts, const struct an_node *loop)
{
    struct traffic traffic = {0};
    facts->passes++;
    const struct an_node *child;
    LL_FOREACH (loop->children, child)
        traffic_add(child, 0, facts->passes, &traffic);
    return traffic;
}

/* ---- The best loop ---- */

enum class { NONE, MAY_COMMUNICATE, PARTLY, WHOLE };

struct best {
    enum class class;
    struct traffic traffic; /* of the best loop */
    struct an_choice choice;
};

struct search {
    struct an_facts *facts;
    bool foreign;    /* do calls into other files count? */
    unsigned begins; /* calls of MPI_Init seen so far */
};

static bool runs_over_ranks(const struct search *search, const struct an_node *loop)
{
    const struct an_word *variable;
    LL_FOREACH (loop->variables, variable)
        if (an_words_contain(search->facts->sizes, variable->text))
            return true;
    return false;
}

static enum class loop_class(const struct search *search, const struct an_node *loop,
                             const struct traffic *traffic) {
    if (traffic->sends && traffic->receives && !runs_over_ranks(search, loop)) return WHOLE;
    if (traffic->sends || traffic->receives) return PARTLY;
    return search->foreign && traffic->foreign ? MAY_COMMUNICATE : NONE;
}

static bool is_better(const struct best *a, const struct best *b)
{
    if (a->class != b->class)
        return a->class > b->class;
    if (a->traffic.loops != b->traffic.loops)
        return a->traffic.loops;
    return a->traffic.calls + a->traffic.foreign > b->traffic.calls + b->traffic.foreign;
}

/* Both branches keep their loops, when both communicate or neither does for certain. */
static struct best branches_unite(struct best a, struct best b)
{
    if (a.class == NONE || (a.class == MAY_COMMUNICATE && b.class > a.class))
        return b;
    if (b.class == NONE || (b.class == MAY_COMMUNICATE && a.class > b.class))
        return a;
    struct best both = is_better(&a, &b) ? a : b;
    both.choice = a.choice;
    for (unsigned i = 0; i < b.choice.count && both.choice.count < AN_LOOPS_CHOSEN; i++)
        both.choice.loops[both.choice.count++] = b.choice.loops[i];
    return both;
}

static struct best search_node(struct search *search, const struct an_node *node);

static struct best search_children(struct search *search, const struct an_node *node)
{
    struct best best = {0};
    const struct an_node *child;
    LL_FOREACH (node->children, child) {
        unsigned begins = search->begins;
        struct best found = search_node(search, child);
        if (node->kind == AN_BRANCHES)
            best = branches_unite(best, found);
        else if (search->begins != begins || !is_better(&best, &found))
            best = found;
    }
    return best;
}

static struct best search_loop(struct search *search, const struct an_node *loop)
{
    struct best best = {.traffic = traffic_of_turn(search->facts, loop)};
    best.class = loop_class(search, loop, &best.traffic);
    if (best.class == NONE || !loop->top.editable)
        return search_children(search, loop);
    best.choice.loops[0] = loop;
    best.choice.count = 1;
    return best;
}

static struct best search_call(struct search *search, const struct an_node *call)
{
    struct best best = {0};
    search->begins += call->role == AN_BEGIN;
    struct an_function *callee = call->callee;
    if (callee && !callee->searched) {
        callee->searched = true;
        best = search_node(search, callee->body);
    }
    return best;
}

static struct best search_node(struct search *search, const struct an_node *node)
{
    switch (node->kind) {
    case AN_LOOP:
        return search_loop(search, node);
    case AN_CALL:
        return search_call(search, node);
    case AN_PARALLEL:
        return (struct best){0};
    default:
        return search_children(search, node);
    }
}

static struct best search_function(struct an_facts *facts, struct an_function *function,
                                   bool foreign)
{
    struct search search = {.facts = facts, .foreign = foreign};
    struct an_function *other;
    LL_FOREACH (facts->functions, other)
        other->searched = other == function;
    return search_node(&search, function->body);
}

/* The one clear loop of a file without main. */
static struct an_choice library_choose(struct an_facts *facts)
{
    struct an_choice choice = {.count = 0};
    unsigned found = 0;
    struct an_function *function;
    LL_FOREACH (facts->functions, function) {
        if (function->internal || function->called)
            continue;
        struct best best = search_function(facts, function, false);
        if (best.class != WHOLE || !best.traffic.loops || best.traffic.polls)
            continue;
        choice = best.choice;
        found++;
    }
    if (found != 1)
        choice.count = 0;
    if (!choice.count)
        choice.reason = "no main here, and no single loop that is clearly the main one";
    return choice;
}

static int by_offset(const void *a, const void *b)
{
    const struct an_node *const *first = a, *const *second = b;
    return ((*first)->top.offset > (*second)->top.offset) -
           ((*first)->top.offset < (*second)->top.offset);
}

/* In order, each once: two branches may call one function. */
static void choice_sort(struct an_choice *choice)
{
    qsort(choice->loops, choice->count, sizeof *choice->loops, by_offset);
    unsigned kept = 0;
    for (unsigned i = 0; i < choice->count; i++)
        if (kept == 0 || choice->loops[kept - 1] != choice->loops[i])
            choice->loops[kept++] = choice->loops[i];
    choice->count = kept;
}

struct an_choice an_loops_choose(struct an_facts *facts)
{
    struct an_function *start = an_facts_function(facts, "main");
    struct an_choice choice;
    if (facts->hooked_by_hand)
        return (struct an_choice){.reason = "the file has its own hook"};
    if (!start)
        return library_choose(facts);
    choice = search_function(facts, start, true).choice;
    choice_sort(&choice);
    if (!choice.count)
        choice.reason = "main reaches no loop that communicates and can be edited";
    return choice;
}

static bool holds(const struct an_node *node, const struct an_node *loop)
{
    if (node == loop)
        return true;
    const struct an_node *child;
    LL_FOREACH (node->children, child)
        if (holds(child, loop))
            return true;
    return false;
}

const struct an_function *an_loops_function(const struct an_facts *facts,
                                            const struct an_node *loop)
{
    const struct an_function *function;
    LL_FOREACH (facts->functions, function)
        if (holds(function->body, loop))
            return function;
    return NULL;
}
