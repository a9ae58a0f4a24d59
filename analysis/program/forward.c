/* Idea: a forwarder makes one call of MPI on every path, hands its own parameters through, and does
 * nothing else that a caller could notice, so that each of its callers may be read as that call:
 *
 *     int my_irecv(void *b, int n, int src, MPI_Request *r)
 *     {
 *         count++;
 *         return MPI_Irecv(b, n, MPI_INT, src, TAG, comm, r);
 *     }
 *
 * A parameter may pass through a local copy on its way in or out (`int f; MPI_Test(r, &f, s);
 * *flag = f;`). A function that does more is an ordinary one. */
#include "analysis/program/inside.h"

#include <string.h>

enum { OWN = -1, UNFIT = -2 };

static bool is_minor(const struct an_call *what)
{
    return what->role == AN_LOCAL || what->role == AN_CLOCK;
}

/* Whether the call enters one function that is here, and passes all that it takes. */
static bool is_plain(const struct an_bond *bond)
{
    return bond && bond->direct && bond->count == 1 && bond->complete &&
           an_arguments(bond->node) == bond->direct->parameters;
}

const struct an_forward *an_bond_forward(const struct an_bond *bond)
{
    return is_plain(bond) ? bond->direct->forward : NULL;
}

static const struct an_call *what_of(const struct an_bond *bond)
{
    const struct an_forward *forward = an_bond_forward(bond);
    return bond->mpi ? bond->mpi : forward ? forward->what : NULL;
}

/* The one call of MPI that matters, or NULL when there is none or more. */
static struct an_bond *only_call(const struct an_function *function)
{
    struct an_bond *major = NULL, *minor = NULL;
    unsigned majors = 0, minors = 0;

    for (unsigned i = 0; i < function->bonds_count; i++) {
        struct an_bond *bond = &function->bonds[i];
        const struct an_call *what = what_of(bond);
        if (!what)
            continue;
        if (is_minor(what))
            minor = bond, minors++;
        else
            major = bond, majors++;
    }
    return majors == 1 ? major : majors == 0 && minors == 1 ? minor : NULL;
}

static bool is_inside(const struct an_node *node, const struct an_node *outer)
{
    while (node && node != outer)
        node = node->parent;
    return node != NULL;
}

/* Is `node` evaluated exactly once, by structure alone, whenever the function's body is? */
static bool is_unconditional(const struct an_node *node)
{
    for (const struct an_node *up = node->parent; up->kind != AN_FUNCTION;
         node = up, up = up->parent) {
        switch (up->kind) {
        case AN_IF:
        case AN_SWITCH:
        case AN_CHOOSE:
            if (up->child != node)
                return false;
            break;
        case AN_BINARY:
            if ((up->op == AN_OP_LOGICAL_AND || up->op == AN_OP_LOGICAL_OR) && up->child != node)
                return false;
            break;
        case AN_DO: {
            const struct an_node *condition = an_child(up, 1);
            if (!condition || !condition->constant || condition->value != 0)
                return false;
            break;
        }
        case AN_FOR:
        case AN_WHILE:
        case AN_CASE:
        case AN_DEFAULT:
        case AN_PARALLEL:
            return false;
        default:
            break;
        }
    }
    return true;
}

/* Nothing jumps, and nothing returns before the call. */
static bool is_straight(const struct an_node *function, const struct an_node *call)
{
    bool before = true;

    for (const struct an_node *node = function; node; node = an_next(function, node, false)) {
        if (node == call)
            before = false;
        if (node->kind == AN_GOTO || node->kind == AN_LABEL || node->kind == AN_ASM)
            return false;
        if (node->kind == AN_RETURN && before && !is_inside(call, node))
            return false;
    }
    return true;
}

static int parameter_number(const struct an_node *function, const struct an_node *reference)
{
    int number = 0;

    if (reference->kind != AN_REFERENCE || reference->storage != AN_PARAMETER_VARIABLE)
        return OWN;
    for (const struct an_node *p = function->child; p && p->kind == AN_PARAMETER;
         p = p->next, number++)
        if (p->symbol && reference->symbol && strcmp(p->symbol, reference->symbol) == 0)
            return number;
    return OWN;
}

/* The variable of which an lvalue or value is made, below elements and dereferences. */
static const struct an_node *root_of(const struct an_node *node)
{
    node = an_plain(node);
    while (node->child &&
           (node->kind == AN_INDEX ||
            (node->kind == AN_UNARY && (node->op == AN_OP_DEREF || node->op == AN_OP_ADDRESS))))
        node = an_plain(node->child);
    return node;
}

static bool mentions_parameter(const struct an_node *node)
{
    for (const struct an_node *n = node; n; n = an_next(node, n, false))
        if (n->kind == AN_REFERENCE && n->storage == AN_PARAMETER_VARIABLE)
            return true;
    return false;
}

static bool is_same(const struct an_node *one, const struct an_node *other)
{
    return one->symbol && other->symbol && strcmp(one->symbol, other->symbol) == 0;
}

static bool is_change(const struct an_node *node)
{
    return node->kind == AN_ASSIGN || (node->kind == AN_UNARY && node->op >= AN_OP_PRE_INC);
}

/* Is the parameter itself ever changed, or its address taken? */
static bool is_changed(const struct an_node *function, const struct an_node *parameter)
{
    for (const struct an_node *n = function; n; n = an_next(function, n, false))
        if ((is_change(n) || (n->kind == AN_UNARY && n->op == AN_OP_ADDRESS)) && n->child &&
            an_plain(n->child)->kind == AN_REFERENCE && is_same(an_plain(n->child), parameter))
            return true;
    return false;
}

/* The parameter that a copy's other side is, or OWN when it mentions none, or UNFIT. */
static int side_number(const struct an_node *function, const struct an_node *side)
{
    int number = parameter_number(function, root_of(side));

    if (number >= 0)
        return number;
    return mentions_parameter(side) ? UNFIT : OWN;
}

static int join(int one, int other)
{
    if (one == OWN || one == other)
        return other;
    return other == OWN ? one : UNFIT;
}

/* The parameter whose value a local variable always has, or OWN when it never holds one. If it
 * holds it on some ways only, or holds what the parameter points to, the wrapper does that
 * itself: UNFIT. */
static int value_number(const struct an_node *function, const struct an_node *local)
{
    int number = OWN;
    bool own = false;

    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        const struct an_node *value = NULL;
        if (n->kind == AN_VARIABLE && is_same(n, local) && n->child && n->child->kind != AN_EMPTY)
            value = n->child;
        else if (is_change(n) && n->child && is_same(root_of(n->child), local))
            value = an_child(n, 1) ? an_child(n, 1) : n;
        if (!value)
            continue;
        int side = parameter_number(function, an_plain(value));
        if (side < 0 && mentions_parameter(value))
            return UNFIT;
        own |= side < 0;
        number = join(number, side);
    }
    return own && number >= 0 ? UNFIT : number;
}

/* The parameter that a local variable stands for. */
static int local_number(const struct an_node *function, const struct an_node *local)
{
    int number = OWN;

    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        if (n->kind == AN_VARIABLE && is_same(n, local) && n->child && n->child->kind != AN_EMPTY)
            number = join(number, side_number(function, n->child));
        if (!is_change(n))
            continue;
        const struct an_node *target = root_of(n->child);
        const struct an_node *value = an_child(n, 1);
        if (target->kind == AN_REFERENCE && is_same(target, local))
            number = join(number, value ? side_number(function, value) : UNFIT);
        else if (value && root_of(value)->kind == AN_REFERENCE && is_same(root_of(value), local) &&
                 parameter_number(function, target) >= 0)
            number = join(number, parameter_number(function, target));
    }
    return number;
}

static bool is_local(const struct an_node *node)
{
    return node->kind == AN_REFERENCE && node->storage == AN_LOCAL_VARIABLE;
}

static int argument_number(const struct an_node *function, const struct an_node *argument)
{
    const struct an_node *plain = an_plain(argument);
    int number = parameter_number(function, plain);

    if (number >= 0)
        return is_changed(function, plain) ? UNFIT : number;
    if (is_local(plain) && plain->symbol && plain->type && plain->type->class == AN_INTEGER)
        return value_number(function, plain);
    if (is_local(root_of(plain)) && root_of(plain)->symbol)
        return local_number(function, root_of(plain));
    return mentions_parameter(plain) ? UNFIT : OWN;
}

/* Counts and datatypes may be computed; everything else is handed through or the wrapper's own. */
static bool may_be_computed(const struct an_call *what, int number)
{
    return number == what->send.count || number == what->send.datatype ||
           number == what->receive.count || number == what->receive.datatype;
}

static unsigned uses(const struct an_node *function, const struct an_node *variable)
{
    unsigned count = 0;
    for (const struct an_node *n = function; n; n = an_next(function, n, false))
        count += n->kind == AN_REFERENCE && is_same(n, variable);
    return count;
}

/* A status, index, flag or request that the wrapper keeps must not be read by it. */
static bool is_dropped(const struct an_node *function, const struct an_call *what, int number,
                       const struct an_node *argument)
{
    const struct an_node *root = root_of(argument);

    if (number != what->status && number != what->index && number != what->indices &&
        number != what->flag && number != what->request && number != what->message)
        return true;
    if (root->kind == AN_NUMBER || (root->kind == AN_CAST && root->constant) || root->constant)
        return true;
    return is_local(root) && uses(function, root) == 1;
}

static const struct an_node *inner_argument(const struct an_bond *bond, int number)
{
    const struct an_forward *forward = an_bond_forward(bond);

    if (forward)
        number = forward->map[number];
    return number < 0 ? NULL : an_argument(bond->node, (unsigned)number);
}

static bool map_argument(const struct an_function *function, const struct an_bond *bond,
                         struct an_forward *forward, int number)
{
    const struct an_node *argument = inner_argument(bond, number);

    forward->map[number] = OWN;
    if (!argument)
        return true;
    int result = argument_number(function->node, argument);
    if (result == UNFIT && !may_be_computed(forward->what, number))
        return false;
    if (result < 0 && !is_dropped(function->node, forward->what, number, argument))
        return false;
    forward->map[number] = (signed char)(result < 0 ? OWN : result);
    return true;
}

static bool is_mapped(const struct an_forward *forward, int parameter)
{
    for (int i = 0; i < forward->what->arguments; i++)
        if (forward->map[i] == parameter)
            return true;
    return false;
}

/* Besides the call, what parameters point to is only written where a copy goes out. */
static bool writes_only_copies(const struct an_function *function, const struct an_forward *forward)
{
    const struct an_node *root = function->node;

    for (const struct an_node *n = root; n; n = an_next(root, n, false)) {
        if (!is_change(n) || !n->child)
            continue;
        int number = parameter_number(root, root_of(n->child));
        if (number < 0 && mentions_parameter(n->child) && an_plain(n->child)->kind == AN_MEMBER)
            return false;
        if (number < 0)
            continue;
        const struct an_node *value = an_child(n, 1);
        if (!value || !is_local(root_of(value)) || !is_mapped(forward, number))
            return false;
    }
    return true;
}

/* Other calls must not touch MPI, nor be given what the parameters point to. */
static bool is_harmless(const struct an_function *function, const struct an_bond *bond,
                        const struct an_bond *call)
{
    const struct an_node *value = bond->node->child ? bond->node->child->next : NULL;

    if (what_of(bond))
        return is_minor(what_of(bond));
    if (!bond->complete || bond->count > 1 ||
        (bond->count && (!bond->direct || bond->direct->touches)))
        return false;
    if (is_inside(call->node, bond->node))
        return true;
    for (; value; value = value->next) {
        int number = parameter_number(function->node, root_of(value));
        if (number >= 0 && value->type && value->type->class == AN_POINTER &&
            !(bond->quiet && strstr(bond->node->name ? bond->node->name : "", "printf")))
            return false;
    }
    return true;
}

static bool others_are_harmless(const struct an_function *function, const struct an_bond *call)
{
    for (unsigned i = 0; i < function->bonds_count; i++)
        if (&function->bonds[i] != call && !is_harmless(function, &function->bonds[i], call))
            return false;
    return true;
}

/* The argument without which the wrapper would be more than a name for the call: what it works on
 * must be the caller's. -1: there is none. */
static int principal(const struct an_call *what)
{
    if (what->send.buffer >= 0)
        return what->send.buffer;
    if (what->receive.buffer >= 0)
        return what->receive.buffer;
    if (what->request >= 0)
        return what->request;
    if (what->receive.peer >= 0)
        return what->receive.peer;
    return what->comm >= 0 ? what->comm : what->arguments - 1;
}

static bool is_handed_through(const struct an_forward *forward)
{
    int number = principal(forward->what);
    return number < 0 || forward->map[number] >= 0;
}

/* A call that cannot be read as the call of MPI is none of the sites: where one of two definitions
 * is entered, old C passes an argument too many, or the call is not here. */
static bool is_called_plainly(const struct an_program *program, const struct an_function *function)
{
    if (program->whole && !function->callers_complete)
        return false;
    for (unsigned i = 0; i < function->callers_count; i++)
        if (!is_plain(an_program_bond(program, function->callers[i])))
            return false;
    return true;
}

/* The address of a function may be called from anywhere, so its own call stays the site. */
static struct an_forward *forward_of(struct an_program *program, const struct an_function *function)
{
    const struct an_bond *call = function->taken || function->jumps ? NULL : only_call(function);
    struct an_forward forward = {0};

    if (!call || function->node->variadic || !is_unconditional(call->node) ||
        !is_straight(function->node, call->node) || !is_called_plainly(program, function))
        return NULL;
    forward.what = what_of(call);
    forward.inner = call->mpi ? call->node : an_bond_forward(call)->inner;
    if (forward.what->arguments > AN_MAPPED || !others_are_harmless(function, call))
        return NULL;
    if (call->mpi && (int)an_arguments(call->node) != forward.what->arguments)
        return NULL;
    for (int i = 0; i < forward.what->arguments; i++)
        if (!map_argument(function, call, &forward, i))
            return NULL;
    if (!is_handed_through(&forward) || !writes_only_copies(function, &forward))
        return NULL;
    struct an_forward *result = an_unit_alloc(program->memory, sizeof *result);
    *result = forward;
    return result;
}

static bool touches_now(const struct an_program *program, const struct an_function *function)
{
    for (unsigned i = 0; i < function->bonds_count; i++) {
        const struct an_bond *bond = &function->bonds[i];
        if (bond->mpi || !bond->complete)
            return true;
        for (unsigned t = 0; t < bond->count; t++)
            if (an_program_function(program, bond->targets[t])->touches)
                return true;
    }
    return false;
}

/* Which functions reach a call of MPI, or what cannot be seen? */
static void touch(struct an_program *program)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (unsigned i = 0; i < program->functions.count; i++) {
            struct an_function *function = program->functions.items[i];
            if (function->touches || !touches_now(program, function))
                continue;
            function->touches = changed = true;
        }
    }
}

void an_program_forward(struct an_program *program)
{
    bool changed = true;

    touch(program);
    while (changed) {
        changed = false;
        for (unsigned i = 0; i < program->functions.count; i++) {
            struct an_function *function = program->functions.items[i];
            if (function->forward || !function->touches)
                continue;
            function->forward = forward_of(program, function);
            changed |= function->forward != NULL;
        }
    }
}

/* ---- Calls of MPI, as the rest of the analysis sees them ---- */

/* In a part of a program a foreign function that is called like one of MPI may forward to it. */
static const struct an_call *provisional(const struct an_program *program,
                                         const struct an_bond *bond)
{
    const struct an_call *what;

    if (program->whole || !bond->foreign || !bond->node->name)
        return NULL;
    what = an_call_find_suffix(bond->node->name);
    return what && (int)an_arguments(bond->node) == what->arguments ? what : NULL;
}

bool an_call_is_mpi(const struct an_program *program, const struct an_node *call,
                    struct an_mpi *mpi)
{
    const struct an_bond *bond = an_program_bond(program, call);

    if (!bond || bond->from->forward)
        return false;
    const struct an_forward *forward = an_bond_forward(bond);
    if (bond->mpi) {
        *mpi = (struct an_mpi){bond->mpi, call, call, false};
        return true;
    }
    if (forward) {
        *mpi = (struct an_mpi){forward->what, call, forward->inner, false};
        return true;
    }
    *mpi = (struct an_mpi){provisional(program, bond), call, call, true};
    return mpi->what != NULL;
}

const struct an_node *an_mpi_argument(const struct an_program *program, const struct an_mpi *mpi,
                                      unsigned number)
{
    if (mpi->call == mpi->inner)
        return an_argument(mpi->call, number);
    const struct an_forward *forward = an_bond_forward(an_program_bond(program, mpi->call));
    int mapped = forward && number < AN_MAPPED ? forward->map[number] : OWN;
    return mapped < 0 ? NULL : an_argument(mpi->call, (unsigned)mapped);
}
