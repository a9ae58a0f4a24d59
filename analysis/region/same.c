/* Idea: a value is the same everywhere when all that it is made of is: constants, the arguments of
 * main, the size of a communicator, what a collective gives to all, and variables that only ever
 * get such values. A variable that is being asked about already adds nothing (the greatest
 * solution).
 *
 * The conditions under which a variable is assigned are not looked at when they only choose between
 * turns of one loop; an `if` around an assignment counts as part of the value. */
#include "analysis/region/same.h"
#include "analysis/region/group.h"
#include "analysis/region/walk.h"

#include <string.h>

enum { DEEP = 16, CALLERS = 64, NODES = 300000 };

struct question {
    struct an_judgement *judgement;
    struct an_program *program;
    const struct an_term *comm; /* on whose ranks; NULL: on those of any communicator */
    unsigned nodes;             /* that may still be looked at */
};

struct asked {
    const char *symbol;
    const struct asked *before;
    unsigned depth;
};

static enum an_sameness worse(enum an_sameness a, enum an_sameness b)
{
    return a > b ? a : b;
}

static enum an_sameness same(struct question *question, const struct an_node *node,
                             const struct asked *asked);

/* Does it give the same to all ranks that are asked about? */
static bool gives_to_all(const struct question *question, const struct an_mpi *mpi)
{
    static const char *const names[] = {"Allgather", "Allgatherv", "Allreduce", "Bcast",
                                        "Comm_size"};
    bool all = false;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        all |= strcmp(mpi->what->name, names[i]) == 0;
    if (!all || !question->comm)
        return all;
    unsigned number = mpi->what->comm < 0 ? 0 : (unsigned)mpi->what->comm; /* of Comm_size */
    const struct an_node *on = an_mpi_argument(question->program, mpi, number);
    struct an_term comm = an_term_of(question->judgement, on, NULL);
    return an_group_covers(question->judgement, &comm, question->comm) == AN_MUST_MATCH;
}

/* What a call gives to the variable whose address is its `argument`. */
static enum an_sameness given_by(struct question *question, const struct an_node *call,
                                 const struct an_node *argument)
{
    struct an_mpi mpi;
    if (!an_call_is_mpi(question->program, call, &mpi))
        return AN_UNSHOWN;
    if (mpi.what->role == AN_BEGIN)
        return AN_SAME;
    if (strcmp(mpi.what->name, "Comm_rank") == 0)
        return AN_RANKED;
    if (mpi.what->role == AN_SEND)
        return AN_SAME; /* only read */
    if (!gives_to_all(question, &mpi))
        return AN_UNSHOWN;
    if (mpi.what->role != AN_COLLECTIVE)
        return AN_SAME;
    bool given =
        argument == an_mpi_argument(question->program, &mpi, (unsigned)mpi.what->receive.buffer);
    bool read =
        argument == an_mpi_argument(question->program, &mpi, (unsigned)mpi.what->send.buffer);
    return given || read ? AN_SAME : AN_UNSHOWN;
}

/* The conditions between the assignment and the top of its function. */
static enum an_sameness guards(struct question *question, const struct an_node *node,
                               const struct asked *asked)
{
    enum an_sameness all = AN_SAME;
    for (const struct an_node *n = node; all == AN_SAME && n->parent && n->kind != AN_FUNCTION;
         n = n->parent) {
        const struct an_node *parent = n->parent;
        bool chosen =
            (parent->kind == AN_IF || parent->kind == AN_CHOOSE || parent->kind == AN_SWITCH) &&
            n != parent->child;
        if (chosen)
            all = worse(all, same(question, parent->child, asked));
        else if (an_is_loop(parent) && n == an_loop_body(parent))
            all = worse(all, same(question, an_loop_condition(parent), asked));
    }
    return all;
}

/* What this node does to the variable; AN_SAME when nothing. */
static enum an_sameness change_by(struct question *question, const struct an_node *node,
                                  const char *symbol, const struct asked *asked)
{
    enum an_sameness value = AN_SAME;
    bool counts = node->kind == AN_UNARY && node->op >= AN_OP_PRE_INC && node->op <= AN_OP_POST_DEC;
    if (node->kind == AN_VARIABLE && node->symbol && strcmp(node->symbol, symbol) == 0)
        return node->child && node->child->kind != AN_EMPTY ? same(question, node->child, asked)
                                                            : AN_SAME;
    if (node->kind == AN_ASSIGN && an_is_name(node->child, symbol))
        value = same(question, an_child(node, 1), asked);
    else if (node->kind == AN_UNARY && node->op == AN_OP_ADDRESS &&
             an_is_name(node->child, symbol)) {
        const struct an_node *argument = node;
        while (argument->parent && argument->parent->kind == AN_CAST)
            argument = argument->parent;
        const struct an_node *call = argument->parent;
        if (!call || call->kind != AN_CALL)
            return AN_UNSHOWN;
        value = given_by(question, call, argument);
    } else if (!(counts && an_is_name(node->child, symbol)))
        return AN_SAME;
    return worse(value, guards(question, node, asked));
}

static enum an_sameness changes_in(struct question *question, const struct an_node *root,
                                   const char *symbol, const struct asked *asked)
{
    enum an_sameness all = AN_SAME;
    for (const struct an_node *n = root; n && all == AN_SAME; n = an_next(root, n, false)) {
        if (question->nodes == 0)
            return AN_UNSHOWN;
        question->nodes--;
        all = change_by(question, n, symbol, asked);
    }
    return all;
}

static enum an_sameness same_parameter(struct question *question, const struct an_node *name,
                                       const struct asked *asked)
{
    const struct an_node *function = an_function_of(name);
    int number = an_parameter_number(function, name->symbol);
    enum an_sameness all = changes_in(question, an_body(function), name->symbol, asked);
    if (function == an_program_main(question->program) || number < 0)
        return all;
    struct an_callers callers = an_function_callers(question->program, function);
    if (!callers.complete || callers.count == 0 || callers.count > CALLERS)
        all = worse(all, AN_UNSHOWN);
    for (unsigned i = 0; i < callers.count && i < CALLERS && all == AN_SAME; i++)
        all = worse(all, same(question, an_argument(callers.calls[i], (unsigned)number), asked));
    return all;
}

static enum an_sameness same_global(struct question *question, const char *symbol,
                                    const struct asked *asked)
{
    enum an_sameness all = AN_SAME;
    for (const struct an_node *f = an_program_next(question->program, NULL); f && all == AN_SAME;
         f = an_program_next(question->program, f))
        all = worse(all, changes_in(question, f, symbol, asked));
    return an_program_is_whole(question->program) ? all : worse(all, AN_UNSHOWN);
}

static enum an_sameness same_variable(struct question *question, const struct an_node *name,
                                      const struct asked *before)
{
    if (name->storage == AN_FUNCTION_NAME)
        return AN_SAME;
    unsigned depth = before ? before->depth + 1 : 0;
    const struct an_node *function = an_function_of(name);
    if (!name->symbol || depth > DEEP || !function)
        return AN_UNSHOWN;
    for (const struct asked *a = before; a; a = a->before)
        if (strcmp(a->symbol, name->symbol) == 0)
            return AN_SAME;
    struct asked asked = {name->symbol, before, depth};
    if (name->storage == AN_PARAMETER_VARIABLE)
        return same_parameter(question, name, &asked);
    if (name->storage == AN_LOCAL_VARIABLE || name->storage == AN_STATIC_LOCAL)
        return changes_in(question, function, name->symbol, &asked);
    return same_global(question, name->symbol, &asked);
}

/* Is it argv or argc, as they were given? */
static bool is_of_main(struct question *question, const struct an_node *node)
{
    node = an_plain(node);
    return node && node->kind == AN_REFERENCE && node->storage == AN_PARAMETER_VARIABLE &&
           an_function_of(node) == an_program_main(question->program);
}

static enum an_sameness same_call(struct question *question, const struct an_node *call,
                                  const struct asked *asked)
{
    static const char *const pure[] = {"atoi",    "atol", "atof", "strcmp", "strlen", "abs",
                                       "fabs",    "sqrt", "pow",  "floor",  "ceil",   "log2",
                                       "strncmp", "max",  "min",  NULL};
    bool known = false;
    for (unsigned i = 0; call->system && call->name && pure[i]; i++)
        known |= strcmp(call->name, pure[i]) == 0;
    enum an_sameness all = known ? AN_SAME : AN_UNSHOWN;
    for (const struct an_node *a = call->child ? call->child->next : NULL; a && all == AN_SAME;
         a = a->next)
        all = worse(all, same(question, a, asked));
    return all;
}

static enum an_sameness same(struct question *question, const struct an_node *node,
                             const struct asked *asked)
{
    node = an_plain(node);
    if (!node || node->constant || node->kind == AN_EMPTY || node->kind == AN_NUMBER ||
        node->kind == AN_STRING || node->kind == AN_SIZEOF)
        return AN_SAME;
    if (node->kind == AN_REFERENCE)
        return same_variable(question, node, asked);
    if (node->kind == AN_CALL)
        return same_call(question, node, asked);
    if (node->kind == AN_ASSIGN && node->op == AN_OP_NONE)
        return same(question, an_child(node, 1), asked);
    enum an_sameness all = AN_SAME;
    bool reads = node->kind == AN_MEMBER || node->kind == AN_INDEX || node->kind > AN_CHOOSE ||
                 (node->kind == AN_UNARY && node->op == AN_OP_DEREF);
    if (reads && !is_of_main(question, node->child))
        all = AN_UNSHOWN;
    for (const struct an_node *child = node->child; child && all == AN_SAME; child = child->next)
        all = worse(all, same(question, child, asked));
    return all;
}

enum an_sameness an_sameness_of(struct an_judgement *judgement, const struct an_node *expression,
                                const struct an_term *comm)
{
    struct question question = {judgement, judgement->program, comm, NODES};
    return same(&question, expression, NULL);
}
