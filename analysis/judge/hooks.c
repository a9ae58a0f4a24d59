/* Idea: the calls from main are searched for the outermost loops that communicate, and the best is
 * kept on the way back: sequences compare, branches (master and worker) unite.
 *
 * The rule:
 *   1. a loop whose turns hold a whole exchange (a collective, a combined call, or a send and a
 *      receive) comes before
 *   2. one that only sends or only receives, or that runs over the ranks of a communicator (its
 *      header names a variable that MPI_Comm_size filled), and this before
 *   3. one that only calls code that is not here yet, which may communicate.
 * Within a class a loop that holds further loops comes first, then the one from which more calls of
 * MPI are reached, then the later one. Loops before MPI_Init do not count. A loop whose body cannot
 * be edited is passed over, and the loops inside it are looked at; what threads run in parallel is
 * never chosen.
 *
 * While the program is not whole, other loops may turn out to be the better ones at the link: those
 * that call code that is not here, and in a file without main the best loop of each function that
 * other files can call. They are marked, so that the link step can choose them.
 *
 * The search enters each function once, and so does each count of what a loop reaches. */
#include "analysis/judge/judge.h"
#include "analysis/region/walk.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

enum { CHOSEN = 8 }; /* more alternatives than any program has */

enum class { NONE, MAY_COMMUNICATE, PARTLY, WHOLE };

struct traffic {
    bool sends, receives; /* in a turn */
    bool polls;           /* in the loop itself, not in what it calls */
    bool loops;           /* it holds a loop */
    unsigned calls;       /* of MPI, that send or receive, reached from here */
    unsigned foreign;     /* calls into code that is not here */
    unsigned steps;       /* of those, statements that work on no array element: "advance(grid)" */
};

struct best {
    enum class class;
    struct traffic traffic; /* of the best loop */
    const struct an_node *loops[CHOSEN];
    unsigned count;
};

struct visited {
    const struct an_node *function;
    UT_hash_handle hh;
};

struct name {
    const char *symbol;
    UT_hash_handle hh;
};

/* A loop that the search came by. */
struct candidate {
    const struct an_node *loop;
    enum class class;
    struct traffic traffic;
    struct candidate *next;
};

struct search {
    struct an_judgement *judgement;
    struct visited *entered;
    struct name *sizes;           /* variables that MPI_Comm_size fills */
    struct candidate *candidates; /* in the order of the search */
    unsigned begins;              /* calls of MPI_Init so far */
};

/* ---- Sets ---- */

static bool visit(struct visited **set, const struct an_node *function)
{
    struct visited *one;
    HASH_FIND_PTR(*set, &function, one);
    if (one)
        return false;
    one = calloc(1, sizeof *one);
    if (!one)
        abort();
    one->function = function;
    HASH_ADD_PTR(*set, function, one);
    return true;
}

static void visited_free(struct visited **set)
{
    struct visited *one, *next;
    HASH_ITER (hh, *set, one, next) {
        HASH_DEL(*set, one);
        free(one);
    }
}

/* ---- What a stretch of code does ---- */

static void mpi_count(const struct an_call *what, unsigned depth, struct traffic *traffic)
{
    bool sets_up = what->flags & AN_SETS_UP;
    bool both = what->role == AN_EXCHANGE || what->role == AN_START ||
                (what->role == AN_COLLECTIVE && !sets_up && !(what->flags & AN_PERSISTENT)) ||
                (what->role == AN_ONE_SIDED && strncmp(what->name, "Win_", 4) == 0);
    bool sends = both || what->role == AN_SEND, receives = both || what->role == AN_RECEIVE;
    traffic->sends |= sends;
    traffic->receives |= receives;
    traffic->calls += sends || receives;
    traffic->polls |=
        depth == 0 && (what->role == AN_POLL || what->role == AN_TEST || what->role == AN_CHOICE);
}

static void traffic_add(const struct search *search, const struct an_node *root, unsigned depth,
                        struct visited **seen, struct traffic *traffic);

/* A call for its effect, and not for one element of an array. */
static bool is_step(const struct an_node *call)
{
    const struct an_node *parent = call->parent;
    while (parent->kind == AN_CAST || (parent->kind == AN_ASSIGN && parent->op == AN_OP_NONE))
        parent = parent->parent;
    for (const struct an_node *n = call; n; n = an_next(call, n, false))
        if (n->kind == AN_INDEX)
            return false;
    return !an_is_expression(parent);
}

static void call_count(const struct search *search, const struct an_node *call, unsigned depth,
                       struct visited **seen, struct traffic *traffic)
{
    struct an_mpi mpi;
    if (an_call_is_mpi(search->judgement->program, call, &mpi)) {
        mpi_count(mpi.what, depth, traffic);
        return;
    }
    if (call->system)
        return;
    struct an_targets targets = an_call_targets(search->judgement->program, call);
    bool foreign = !targets.complete && call->name && targets.count == 0;
    traffic->foreign += foreign;
    traffic->steps += foreign && is_step(call);
    for (unsigned i = 0; i < targets.count; i++)
        if (visit(seen, targets.functions[i]))
            traffic_add(search, an_body(targets.functions[i]), depth + 1, seen, traffic);
}

static void traffic_add(const struct search *search, const struct an_node *root, unsigned depth,
                        struct visited **seen, struct traffic *traffic)
{
    for (const struct an_node *n = root; n; n = an_next(root, n, false)) {
        if (n->kind == AN_CALL)
            call_count(search, n, depth, seen, traffic);
        traffic->loops |= an_is_loop(n) && n != root;
    }
}

static struct traffic traffic_of_turn(const struct search *search, const struct an_node *loop)
{
    struct traffic traffic = {.calls = 0};
    struct visited *seen = NULL;
    traffic_add(search, loop, 0, &seen, &traffic);
    visited_free(&seen);
    return traffic;
}

/* ---- Loops over ranks ---- */

static void sizes_fill(struct search *search)
{
    const struct an_program *program = search->judgement->program;
    for (const struct an_node *f = an_program_next(program, NULL); f;
         f = an_program_next(program, f))
        for (const struct an_node *n = f; n; n = an_next(f, n, false)) {
            struct an_mpi mpi;
            if (n->kind != AN_CALL || !an_call_is_mpi(program, n, &mpi) ||
                strcmp(mpi.what->name, "Comm_size") != 0)
                continue;
            const struct an_node *size = an_plain(an_mpi_argument(program, &mpi, 1));
            if (size && size->kind == AN_UNARY && size->op == AN_OP_ADDRESS)
                size = an_plain(size->child);
            struct name *one;
            if (!size || !size->symbol)
                continue;
            HASH_FIND_STR(search->sizes, size->symbol, one);
            if (one)
                continue;
            one = calloc(1, sizeof *one);
            if (!one)
                abort();
            one->symbol = size->symbol;
            HASH_ADD_KEYPTR(hh, search->sizes, one->symbol, strlen(one->symbol), one);
        }
}

static void search_clear(struct search *search)
{
    struct name *one, *next;
    HASH_ITER (hh, search->sizes, one, next) {
        HASH_DEL(search->sizes, one);
        free(one);
    }
    visited_free(&search->entered);
}

static bool runs_over_ranks(const struct search *search, const struct an_node *loop)
{
    const struct an_node *body = an_loop_body(loop);
    for (const struct an_node *part = loop->child; part; part = part->next)
        for (const struct an_node *n = part == body ? NULL : part; n; n = an_next(part, n, false)) {
            struct name *one = NULL;
            if (n->symbol)
                HASH_FIND_STR(search->sizes, n->symbol, one);
            if (one)
                return true;
        }
    return false;
}

/* ---- The best loop ---- */

static bool is_editable(const struct an_node *loop)
{
    return an_loop_body(loop)->editable;
}

/* The idiom of macros: it runs once. */
static bool is_no_loop(const struct an_node *node)
{
    const struct an_node *condition = an_loop_condition(node);
    return node->kind == AN_DO && condition->constant && condition->value == 0;
}

static enum class class_of(const struct search *search, const struct an_node *loop,
                           const struct traffic *traffic) {
    if (traffic->sends && traffic->receives && !runs_over_ranks(search, loop)) return WHOLE;
    if (traffic->sends || traffic->receives) return PARTLY;
    return traffic->foreign ? MAY_COMMUNICATE : NONE;
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
    memcpy(both.loops, a.loops, sizeof both.loops);
    both.count = a.count;
    for (unsigned i = 0; i < b.count && both.count < CHOSEN; i++)
        both.loops[both.count++] = b.loops[i];
    return both;
}

static struct best search_node(struct search *search, const struct an_node *node);

/* Is the child one of several of which at most one runs? */
static bool is_branch(const struct an_node *node, const struct an_node *child)
{
    return (node->kind == AN_IF || node->kind == AN_CHOOSE) && child != node->child;
}

static struct best search_children(struct search *search, const struct an_node *node)
{
    struct best best = {.class = NONE};
    for (const struct an_node *child = node->child; child; child = child->next) {
        unsigned begins = search->begins;
        struct best found = search_node(search, child);
        if (is_branch(node, child) && child != node->child->next)
            best = branches_unite(best, found);
        else if (search->begins != begins || !is_better(&best, &found))
            best = found;
    }
    return best;
}

/* The statements of a switch: each label begins a branch. */
static struct best search_switch(struct search *search, const struct an_node *node)
{
    struct best all = {.class = NONE}, branch = {.class = NONE};
    const struct an_node *body = an_child(node, 1);
    if (body->kind != AN_BLOCK)
        return search_node(search, body);
    for (const struct an_node *child = body->child; child; child = child->next) {
        if (child->kind == AN_CASE || child->kind == AN_DEFAULT) {
            all = branches_unite(all, branch);
            branch = (struct best){.class = NONE};
        }
        struct best found = search_node(search, child);
        if (!is_better(&branch, &found))
            branch = found;
    }
    return branches_unite(all, branch);
}

static struct best search_loop(struct search *search, const struct an_node *loop)
{
    struct best best = {.traffic = traffic_of_turn(search, loop)};
    best.class = class_of(search, loop, &best.traffic);
    if (best.class == NONE || !is_editable(loop))
        return search_children(search, loop);
    best.loops[best.count++] = loop;
    struct candidate *candidate = an_judgement_alloc(search->judgement, sizeof *candidate);
    *candidate = (struct candidate){loop, best.class, best.traffic, NULL};
    LL_APPEND(search->candidates, candidate);
    return best;
}

static struct best search_call(struct search *search, const struct an_node *call)
{
    struct best best = search_children(search, call);
    struct an_mpi mpi;
    if (an_call_is_mpi(search->judgement->program, call, &mpi)) {
        if (mpi.what->role == AN_BEGIN) {
            search->begins++;
            search->candidates = NULL;
        }
        return best;
    }
    struct an_targets targets = an_call_targets(search->judgement->program, call);
    for (unsigned i = 0; i < targets.count; i++) {
        if (!visit(&search->entered, targets.functions[i]))
            continue;
        struct best found = search_node(search, an_body(targets.functions[i]));
        best = i ? branches_unite(best, found) : is_better(&best, &found) ? best : found;
    }
    return best;
}

static struct best search_node(struct search *search, const struct an_node *node)
{
    if (an_is_loop(node) && !is_no_loop(node))
        return search_loop(search, node);
    if (node->kind == AN_CALL)
        return search_call(search, node);
    if (node->kind == AN_SWITCH)
        return search_switch(search, node);
    if (node->kind == AN_PARALLEL)
        return (struct best){.class = NONE};
    return search_children(search, node);
}

/* ---- The list ---- */

static bool is_chosen(const struct best *best, const struct an_node *loop)
{
    for (unsigned i = 0; i < best->count; i++)
        if (best->loops[i] == loop)
            return true;
    return false;
}

static const char *class_text(enum class class)
{
    return class == WHOLE    ? "each turn holds a whole exchange"
           : class == PARTLY ? "its turns only send or receive, or it runs over the ranks"
                             : "its turns may communicate in code that is not here";
}

static const char *reason(struct an_judgement *judgement, const struct candidate *candidate,
                          const struct best *best, bool chosen)
{
    if (chosen)
        return best->count > 1
                   ? an_judgement_printf(judgement, "the outermost loop of its branch: %s",
                                         class_text(candidate->class))
                   : an_judgement_printf(judgement, "the outermost loop from main: %s",
                                         class_text(candidate->class));
    if (candidate->class < best->class)
        return class_text(candidate->class);
    if (candidate->traffic.loops != best->traffic.loops)
        return "another loop has loops inside, this one has none";
    return "another loop reaches more calls of MPI, or comes later";
}

static void hook_add(struct an_judgement *judgement, const struct an_node *loop, bool chosen,
                     bool marked, const char *why)
{
    struct an_hook *hook;
    LL_FOREACH (judgement->hooks, hook)
        if (hook->loop == loop)
            return;
    hook = an_judgement_alloc(judgement, sizeof *hook);
    *hook = (struct an_hook){.loop = loop, .chosen = chosen, .marked = marked, .reason = why};
    hook->id = an_program_identity(judgement->program, loop);
    hook->function = an_function_of(loop);
    LL_APPEND(judgement->hooks, hook);
}

/* May the loop win when more of the program is known? */
static bool may_win(const struct an_judgement *judgement, const struct candidate *candidate)
{
    return !an_program_is_whole(judgement->program) && candidate->traffic.foreign;
}

static void list_fill(struct search *search, const struct best *best)
{
    struct an_judgement *judgement = search->judgement;
    const struct candidate *candidate;
    LL_FOREACH (search->candidates, candidate) {
        bool chosen = is_chosen(best, candidate->loop);
        if (chosen || may_win(judgement, candidate) || candidate->class >= PARTLY)
            hook_add(judgement, candidate->loop, chosen, chosen || may_win(judgement, candidate),
                     reason(judgement, candidate, best, chosen));
    }
}

/* ---- A program without main ---- */

/* Its best loop, when that may be the program's: it does not poll, and its turns hold a whole
 * exchange and a further loop or foreign calls, or nothing but several foreign calls. */
static void library_function(struct search *search, const struct an_node *function)
{
    visited_free(&search->entered);
    visit(&search->entered, function);
    search->candidates = NULL;
    struct best best = search_node(search, an_body(function));
    bool whole = best.class == WHOLE && (best.traffic.loops || best.traffic.foreign);
    bool foreign = best.class == MAY_COMMUNICATE && best.traffic.steps;
    if (best.traffic.polls || (!whole && !foreign))
        return;
    for (unsigned i = 0; i < best.count; i++)
        hook_add(search->judgement, best.loops[i], false, true,
                 "whether it is the main loop is decided when the program is linked");
}

static void library_search(struct search *search)
{
    const struct an_program *program = search->judgement->program;
    for (const struct an_node *f = an_program_next(program, NULL); f;
         f = an_program_next(program, f))
        if (!f->internal && an_function_callers(program, f).count == 0)
            library_function(search, f);
}

static bool is_hooked_by_hand(const struct an_program *program)
{
    for (unsigned i = 0; i < an_program_units(program); i++)
        if (an_program_unit(program, i)->hooked_by_hand)
            return true;
    return false;
}

void an_hooks_find(struct an_judgement *judgement)
{
    const struct an_program *program = judgement->program;
    const struct an_node *start = an_program_main(program);
    struct search search = {.judgement = judgement};
    if (is_hooked_by_hand(program)) {
        judgement->hook_reason = "the program has its own hook";
        return;
    }
    sizes_fill(&search);
    if (start) {
        visit(&search.entered, start);
        struct best best = search_node(&search, an_body(start));
        list_fill(&search, &best);
        if (!best.count)
            judgement->hook_reason = "main reaches no loop that communicates and can be edited: "
                                     "checkpoints are taken inside of calls of MPI";
    } else {
        library_search(&search);
        judgement->hook_reason =
            judgement->hooks ? "no main here: the main loop is chosen when the program is linked"
                             : "no main here, and no loop that may be the main one: checkpoints "
                               "are taken inside of calls of MPI";
    }
    search_clear(&search);
}
