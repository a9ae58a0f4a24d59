/* Idea: a call is reached by itself, by the calls of its function, by the calls of their functions,
 * and so on: its places. Two calls are apart when each two of their places that stand in one
 * function are, and there are such. */
#include "analysis/region/apart.h"
#include "analysis/program/paths.h"
#include "analysis/region/role.h"
#include "analysis/region/walk.h"

#include <string.h>

enum { PLACES = 48 };

struct places {
    const struct an_node *nodes[PLACES];
    unsigned count;
    bool all;
};

static bool place_is_new(const struct places *places, const struct an_node *node)
{
    for (unsigned i = 0; i < places->count; i++)
        if (places->nodes[i] == node)
            return false;
    return true;
}

static struct places places_of(const struct an_program *program, const struct an_node *call)
{
    struct places places = {.nodes = {call}, .count = 1, .all = true};

    for (unsigned at = 0; at < places.count; at++) {
        const struct an_node *function = an_function_of(places.nodes[at]);
        if (!function || function == an_program_main(program))
            continue;
        struct an_callers callers = an_function_callers(program, function);
        places.all &= callers.complete;
        for (unsigned i = 0; i < callers.count; i++) {
            if (!place_is_new(&places, callers.calls[i]))
                continue;
            places.all &= places.count < PLACES;
            if (places.count < PLACES)
                places.nodes[places.count++] = callers.calls[i];
        }
    }
    return places;
}

/* ---- Conditions ---- */

/* Does the variable get its one value outside of all loops? */
static bool is_set_once(const struct an_node *function, const char *symbol)
{
    const struct an_node *node = an_single_definition(function, symbol);

    for (; node && node->kind != AN_FUNCTION; node = node->parent)
        if (an_is_loop(node))
            return false;
    return node != NULL;
}

/* Does the condition, wherever it is asked in its function, always give the same answer? */
static bool is_constant(const struct an_node *condition)
{
    const struct an_node *function = an_function_of(condition);

    for (const struct an_node *n = condition; n; n = an_next(condition, n, false)) {
        if (n->kind == AN_CALL || n->kind == AN_ASSIGN || n->kind == AN_INDEX ||
            n->kind == AN_MEMBER ||
            (n->kind == AN_UNARY && n->op != AN_OP_NOT && n->op != AN_OP_SUB))
            return false;
        if (n->kind != AN_REFERENCE || n->constant)
            continue;
        bool parameter = n->storage == AN_PARAMETER_VARIABLE;
        bool local = n->storage == AN_LOCAL_VARIABLE;
        if (!n->symbol || !(parameter ? !an_is_changed(an_body(function), n->symbol)
                            : local   ? is_set_once(function, n->symbol)
                                      : false))
            return false;
    }
    return true;
}

/* An IF around a place: its condition, and which way it goes there. */
struct branch {
    const struct an_node *condition;
    bool holds;
};

static const struct an_node *branch_next(const struct an_node *node, struct branch *branch)
{
    for (; node->parent && node->kind != AN_FUNCTION; node = node->parent) {
        const struct an_node *parent = node->parent;
        if ((parent->kind == AN_IF || parent->kind == AN_CHOOSE) && node != parent->child) {
            *branch = (struct branch){parent->child, node == parent->child->next};
            return parent;
        }
    }
    return NULL;
}

/* Can the condition not be `holds` where the rank is the role's, or one of the others? */
static bool excludes(const struct an_role_of *role, const struct an_node *from, bool others)
{
    struct branch branch;

    while ((from = branch_next(from, &branch))) {
        unsigned may = an_role_decide(role, branch.condition, others);
        if (!(may & (branch.holds ? AN_MAY_HOLD : AN_MAY_FAIL)))
            return true;
    }
    return false;
}

static bool is_by_rank(struct an_judgement *judgement, const struct an_term *comm,
                       const struct an_node *one, const struct an_node *other)
{
    struct an_role_of role = {judgement, comm, 0};
    if (an_role_find(&role, one))
        return excludes(&role, other, false);
    return false;
}

/* The statement of which the two stand in two branches, by a condition that does not change. */
static const struct an_node *branching(const struct an_node *one, const struct an_node *other)
{
    struct branch a, b;

    for (const struct an_node *at = one; (at = branch_next(at, &a));)
        for (const struct an_node *by = other; (by = branch_next(by, &b));)
            if (a.condition == b.condition && a.holds != b.holds && is_constant(a.condition))
                return at;
    return NULL;
}

const struct an_node *an_branches_around(const struct an_node *one, const struct an_node *other)
{
    const struct an_node *around = branching(one, other);

    for (const struct an_node *loop = around; loop; loop = an_loop_around(loop))
        around = loop;
    return around;
}

bool an_are_apart(struct an_judgement *judgement, const struct an_mpi *mpi,
                  const struct an_node *other)
{
    struct places one = places_of(judgement->program, mpi->call);
    struct places two = places_of(judgement->program, other);
    const struct an_node *argument =
        an_mpi_argument(judgement->program, mpi, (unsigned)mpi->what->comm);
    struct an_term comm = an_term_of(judgement, argument, NULL);
    bool any = false;

    if (!one.all || !two.all)
        return false;
    for (unsigned i = 0; i < one.count; i++)
        for (unsigned k = 0; k < two.count; k++) {
            const struct an_node *a = one.nodes[i], *b = two.nodes[k];
            if (a == b || an_function_of(a) != an_function_of(b))
                continue;
            if (!branching(a, b) && !is_by_rank(judgement, &comm, a, b) &&
                !is_by_rank(judgement, &comm, b, a))
                return false;
            any = true;
        }
    return any;
}

const struct an_node *an_loop_around(const struct an_node *node)
{
    for (node = node->parent; node && node->kind != AN_FUNCTION; node = node->parent)
        if (an_is_loop(node))
            return node;
    return NULL;
}

bool an_are_in_one_loop(const struct an_program *program, const struct an_node *one,
                        const struct an_node *other)
{
    struct places a = places_of(program, one), b = places_of(program, other);
    bool any = false;

    for (unsigned i = 0; i < a.count; i++)
        for (unsigned k = 0; k < b.count; k++) {
            const struct an_node *x = a.nodes[i], *y = b.nodes[k];
            if (x == y || an_function_of(x) != an_function_of(y))
                continue;
            if (an_loop_around(x) != an_loop_around(y))
                return false;
            any = true;
        }
    return any;
}
