/* Idea: a variable is the rank when MPI_Comm_rank of this very communicator is all that sets it;
 * then a comparison with a constant tells the one rank from the others. */
#include "analysis/region/role.h"
#include "analysis/judgement/memo.h"
#include "analysis/program/paths.h"
#include "analysis/region/walk.h"

#include <string.h>

enum { CALLERS_UP = 6 };

/* ---- Variables that a call fills ---- */

/* Does the call only read what is at the address? */
static bool is_read(const struct an_role_of *role, const struct an_mpi *mpi,
                    const struct an_node *address)
{
    const struct an_call *what = mpi->what;
    bool reads = what->role == AN_EXCHANGE || what->role == AN_COLLECTIVE;

    if (what->role == AN_SEND)
        return true;
    return reads && what->send.buffer >= 0 && what->send.buffer != what->receive.buffer &&
           an_plain(an_mpi_argument(role->judgement->program, mpi, (unsigned)what->send.buffer)) ==
               address;
}

/* The use of the address: 1: MPI_Comm_rank or MPI_Comm_size of the communicator, which fills the
 * variable, 0: a call that sends from it, -1: anything else. */
static int given_to(const struct an_role_of *role, const struct an_node *address, const char *call)
{
    struct an_judgement *judgement = role->judgement;
    struct an_mpi mpi;
    const struct an_node *parent = address->parent;
    while (parent->kind == AN_CAST)
        parent = parent->parent;
    if (parent->kind != AN_CALL || !an_call_is_mpi(judgement->program, parent, &mpi))
        return -1;
    if (is_read(role, &mpi, address))
        return 0;
    if (strcmp(mpi.what->name, call) != 0)
        return -1;
    if (!role->comm)
        return 1;
    struct an_term comm = an_term_of(judgement, an_mpi_argument(judgement->program, &mpi, 0), NULL);
    return an_comm_match(&comm, role->comm) == AN_MUST_MATCH ? 1 : -1;
}

/* -1: another value comes into the variable here; 1: the call fills it. */
static int change_at(const struct an_role_of *role, const struct an_node *node, const char *symbol,
                     const char *call)
{
    bool counts = node->kind == AN_UNARY && node->op >= AN_OP_PRE_INC && node->op <= AN_OP_POST_DEC;
    if ((node->kind == AN_ASSIGN || counts) && an_is_name(node->child, symbol))
        return -1;
    if (node->kind == AN_UNARY && node->op == AN_OP_ADDRESS && an_is_name(node->child, symbol))
        return given_to(role, node, call);
    return 0;
}

static int changes_in(const struct an_role_of *role, const struct an_node *root, const char *symbol,
                      const char *call)
{
    int filled = 0;
    for (const struct an_node *n = root; n; n = an_next(root, n, false)) {
        int change = change_at(role, n, symbol, call);
        if (change < 0)
            return -1;
        filled |= change;
    }
    return filled;
}

static bool is_filled(const struct an_role_of *role, const struct an_node *name, const char *call,
                      unsigned levels);

static bool is_argument_filled(const struct an_role_of *role, const struct an_node *name,
                               const char *call, unsigned levels)
{
    const struct an_node *function = an_function_of(name);
    struct an_callers callers = an_function_callers(role->judgement->program, function);
    int number = an_parameter_number(function, name->symbol);
    bool all = callers.complete && callers.count && number >= 0 && levels &&
               !an_is_changed(an_body(function), name->symbol);
    for (unsigned i = 0; i < callers.count && all; i++)
        all = is_filled(role, an_argument(callers.calls[i], (unsigned)number), call, levels - 1);
    return all;
}

static bool is_filled(const struct an_role_of *role, const struct an_node *name, const char *call,
                      unsigned levels)
{
    const struct an_program *program = role->judgement->program;
    name = an_plain(name);
    if (!name || name->kind != AN_REFERENCE || !name->symbol)
        return false;
    if (name->storage == AN_PARAMETER_VARIABLE)
        return is_argument_filled(role, name, call, levels);
    if (name->storage == AN_LOCAL_VARIABLE || name->storage == AN_STATIC_LOCAL)
        return changes_in(role, an_function_of(name), name->symbol, call) > 0;
    if (!name->internal && !an_program_is_whole(program))
        return false;
    int filled = 0;
    for (const struct an_node *f = an_program_next(program, NULL); f && filled >= 0;
         f = an_program_next(program, f)) {
        int change = changes_in(role, f, name->symbol, call);
        filled = change < 0 ? -1 : filled | change;
    }
    return filled > 0;
}

/* Remembers is_filled(). */
static bool is_filled_from(const struct an_role_of *role, const struct an_node *name,
                           const char *call)
{
    struct an_question_words question = {.words = {(uintptr_t)name, (uintptr_t)call}, .count = 2};
    bool *filled, known;

    if (role->comm)
        an_term_ask(&question, role->comm);
    filled = an_memo(role->judgement, AN_MEMO_ROLE, &question, sizeof *filled, &known);
    if (!known)
        *filled = is_filled(role, name, call, CALLERS_UP);
    return *filled;
}

bool an_role_is_rank(const struct an_role_of *role, const struct an_node *name)
{
    return is_filled_from(role, name, "Comm_rank");
}

bool an_role_is_size(const struct an_role_of *role, const struct an_node *name)
{
    return is_filled_from(role, name, "Comm_size");
}

/* ---- Conditions ---- */

/* `left op right`, with the constant on the right. */
struct comparison {
    const struct an_node *left;
    enum an_operator op;
    int64_t right;
};

static bool comparison_read(const struct an_node *condition, struct comparison *c)
{
    if (condition->kind == AN_REFERENCE) {
        *c = (struct comparison){condition, AN_OP_NE, 0};
        return true;
    }
    const struct an_node *right = an_plain(an_child(condition, 1));
    if (condition->kind != AN_BINARY || !right || !right->constant)
        return false;
    *c = (struct comparison){an_plain(condition->child), condition->op, right->value};
    return true;
}

/* The comparison's answer for the numbers from `least` to `most` (-1: no end). */
static unsigned compare(const struct comparison *c, int64_t least, int64_t most)
{
    bool below = most >= 0 && most < c->right;
    bool above = least > c->right;
    bool equal = least == most && least == c->right, apart = below || above;
    unsigned yes = AN_MAY_HOLD, no = AN_MAY_FAIL;
    switch (c->op) {
    case AN_OP_EQ:
        return equal ? yes : apart ? no : yes | no;
    case AN_OP_NE:
        return equal ? no : apart ? yes : yes | no;
    case AN_OP_GT:
        return above ? yes : below || equal ? no : yes | no;
    case AN_OP_LT:
        return below ? yes : above || equal ? no : yes | no;
    case AN_OP_GE:
        return above || equal ? yes : below ? no : yes | no;
    case AN_OP_LE:
        return below || equal ? yes : above ? no : yes | no;
    default:
        return yes | no;
    }
}

static unsigned decide_comparison(const struct an_role_of *role, const struct comparison *c,
                                  bool others)
{
    if (an_role_is_size(role, c->left))
        return compare(c, 2, -1);
    if (!an_role_is_rank(role, c->left))
        return AN_MAY_HOLD | AN_MAY_FAIL;
    if (!others)
        return compare(c, role->rank, role->rank);
    if (role->rank == 0)
        return compare(c, 1, -1);
    if (c->right == role->rank && (c->op == AN_OP_EQ || c->op == AN_OP_NE))
        return c->op == AN_OP_EQ ? AN_MAY_FAIL : AN_MAY_HOLD;
    return AN_MAY_HOLD | AN_MAY_FAIL;
}

unsigned an_role_decide(const struct an_role_of *role, const struct an_node *condition, bool others)
{
    const unsigned both = AN_MAY_HOLD | AN_MAY_FAIL;
    condition = an_plain(condition);
    if (condition->constant)
        return condition->value ? AN_MAY_HOLD : AN_MAY_FAIL;
    if (condition->kind == AN_UNARY && condition->op == AN_OP_NOT) {
        unsigned inner = an_role_decide(role, condition->child, others);
        return (inner & AN_MAY_HOLD ? AN_MAY_FAIL : 0) | (inner & AN_MAY_FAIL ? AN_MAY_HOLD : 0);
    }
    if (condition->kind == AN_BINARY &&
        (condition->op == AN_OP_LOGICAL_AND || condition->op == AN_OP_LOGICAL_OR)) {
        unsigned a = an_role_decide(role, condition->child, others);
        unsigned b = an_role_decide(role, an_child(condition, 1), others);
        unsigned any = condition->op == AN_OP_LOGICAL_AND ? AN_MAY_FAIL : AN_MAY_HOLD;
        return ((a | b) & any) | (a & b & (both & ~any));
    }
    struct comparison c;
    return comparison_read(condition, &c) ? decide_comparison(role, &c, others) : both;
}

/* ---- The one rank ---- */

/* Does the condition hold (or not hold, for !`outcome`) on one rank only, and on which? */
static bool names_one(struct an_role_of *role, const struct an_node *condition, bool outcome)
{
    struct comparison c;
    condition = an_plain(condition);
    if (condition->kind == AN_UNARY && condition->op == AN_OP_NOT)
        return names_one(role, condition->child, !outcome);
    if (condition->kind == AN_BINARY && condition->op == AN_OP_LOGICAL_AND && outcome)
        return names_one(role, condition->child, true) ||
               names_one(role, an_child(condition, 1), true);
    if (!comparison_read(condition, &c) || c.op != (outcome ? AN_OP_EQ : AN_OP_NE) || c.right < 0 ||
        !an_role_is_rank(role, c.left))
        return false;
    role->rank = c.right;
    return true;
}

bool an_role_find(struct an_role_of *role, const struct an_node *node)
{
    for (; node->parent; node = node->parent)
        if (node->parent->kind == AN_IF && node != node->parent->child &&
            names_one(role, node->parent->child, node == node->parent->child->next))
            return true;
    return false;
}
