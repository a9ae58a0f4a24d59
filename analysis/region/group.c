/* Idea: every change of a variable that holds a communicator says where it comes from. Upwards from
 * the part each step loses no rank; downwards from the whole only those steps count that keep all
 * ranks.
 *
 * Invariant: of several changes the least favourable decides. */
#include "analysis/region/group.h"
#include "analysis/judgement/memo.h"
#include "analysis/region/same.h"
#include "analysis/region/walk.h"

#include <string.h>

enum { STEPS = 6, SELF = 0x44000001, NULL_COMM = 0x04000000 };

/* The fact that one change of a variable gives. */
struct origin {
    const struct an_node *from; /* the communicator that the ranks come from, or NULL: not known */
    enum an_match all;          /* all its ranks? */
};

struct history {
    struct an_judgement *judgement;
    const struct an_term *other; /* that the variable's communicator is compared with */
    bool upwards;                /* the variable is the part */
    unsigned steps;              /* that may still be made */
    enum an_match found;         /* so far: the least favourable */
    unsigned changes;
};

static enum an_match covers(struct an_judgement *judgement, const struct an_term *whole,
                            const struct an_term *part, unsigned steps);

static enum an_match least(enum an_match a, enum an_match b)
{
    return a < b ? a : b;
}

/* ---- How a communicator was made ---- */

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

/* Does the call make a communicator of all ranks of its own? A split does where all say the same
 * colour, and surely does not where the colour is made of the rank. */
static enum an_match keeps_all(struct an_judgement *judgement, const struct an_mpi *mpi)
{
    static const char *const keeping[] = {
        "Comm_dup",          "Comm_dup_with_info",         "Comm_idup", "Comm_idup_with_info",
        "Dist_graph_create", "Dist_graph_create_adjacent", NULL};
    static const char *const parting[] = {"Comm_split_type", "Cart_sub", NULL};
    if (is_one_of(mpi->what->name, keeping))
        return AN_MUST_MATCH;
    if (is_one_of(mpi->what->name, parting))
        return AN_NO_MATCH;
    if (strcmp(mpi->what->name, "Comm_split") != 0)
        return AN_MAY_MATCH;
    const struct an_node *colour = an_mpi_argument(judgement->program, mpi, 1);
    struct an_term comm = an_term_of(
        judgement, an_mpi_argument(judgement->program, mpi, (unsigned)mpi->what->comm), NULL);
    enum an_sameness same = an_sameness_of(judgement, colour, &comm);
    return same == AN_SAME ? AN_MUST_MATCH : same == AN_RANKED ? AN_NO_MATCH : AN_MAY_MATCH;
}

static bool frees(const struct an_mpi *mpi)
{
    return strcmp(mpi->what->name, "Comm_free") == 0 ||
           strcmp(mpi->what->name, "Comm_disconnect") == 0;
}

/* The call as one of MPI; one that stands in a forwarder, too. */
static bool is_mpi(struct an_judgement *judgement, const struct an_node *call, struct an_mpi *mpi)
{
    if (an_call_is_mpi(judgement->program, call, mpi))
        return true;
    *mpi = (struct an_mpi){call->name ? an_call_find(call->name) : NULL, call, call, false};
    return mpi->what != NULL;
}

/* The origin by a call that gets the variable's address; false when it changes no ranks. */
static bool origin_of_call(struct an_judgement *judgement, const struct an_node *address,
                           struct origin *origin)
{
    const struct an_node *call = address->parent;
    struct an_mpi mpi;
    while (call && call->kind == AN_CAST)
        call = call->parent;
    *origin = (struct origin){NULL, AN_MAY_MATCH};
    if (!call || call->kind != AN_CALL || !is_mpi(judgement, call, &mpi))
        return true;
    if (frees(&mpi))
        return false;
    if (mpi.what->role == AN_COLLECTIVE && (mpi.what->flags & AN_SETS_UP) && mpi.what->comm >= 0 &&
        strncmp(mpi.what->name, "Inter", 5) != 0)
        *origin =
            (struct origin){an_mpi_argument(judgement->program, &mpi, (unsigned)mpi.what->comm),
                            keeps_all(judgement, &mpi)};
    return true;
}

/* The origin by the node; false when it does not change the variable. */
static bool origin_of(struct an_judgement *judgement, const struct an_node *node,
                      const char *symbol, struct origin *origin)
{
    const struct an_node *value = NULL;
    if (node->kind == AN_UNARY && node->op == AN_OP_ADDRESS && an_is_name(node->child, symbol))
        return origin_of_call(judgement, node, origin);
    if (node->kind == AN_VARIABLE && node->symbol && strcmp(node->symbol, symbol) == 0)
        value = an_plain(node->child);
    else if (node->kind == AN_ASSIGN && an_is_name(node->child, symbol))
        value = an_plain(an_child(node, 1));
    if (!value || value->kind == AN_EMPTY || (value->constant && value->value == NULL_COMM))
        return false;
    *origin = (struct origin){value, AN_MUST_MATCH};
    return true;
}

/* ---- The steps ---- */

static enum an_match look_from(const struct history *history, const struct origin *origin)
{
    if (!origin->from)
        return AN_MAY_MATCH;
    struct an_term from = an_term_of(history->judgement, origin->from, NULL);
    if (history->upwards) {
        enum an_match up = covers(history->judgement, history->other, &from, history->steps);
        return up == AN_NO_MATCH && origin->all != AN_MUST_MATCH ? AN_MAY_MATCH : up;
    }
    return least(origin->all, covers(history->judgement, &from, history->other, history->steps));
}

/* `function`: where the variable lives, or NULL. */
static void changes_look(struct history *history, const struct an_node *function,
                         const char *symbol)
{
    struct an_nodes nodes = an_program_changes(history->judgement->program, symbol);

    for (unsigned i = 0; i < nodes.count; i++) {
        struct origin origin;
        if ((function && an_function_of(nodes.items[i]) != function) ||
            !origin_of(history->judgement, nodes.items[i], symbol, &origin))
            continue;
        history->found = least(history->found, look_from(history, &origin));
        history->changes++;
    }
}

/* The arguments that callers give to a parameter that its function does not change. */
static void arguments_look(struct history *history, const struct an_node *name)
{
    const struct an_node *function = an_function_of(name);
    struct an_callers callers = an_function_callers(history->judgement->program, function);
    int number = an_parameter_number(function, name->symbol);
    if (!callers.complete || number < 0 || an_is_changed(an_body(function), name->symbol))
        return;
    for (unsigned i = 0; i < callers.count && history->found != AN_NO_MATCH; i++) {
        struct origin origin = {an_argument(callers.calls[i], (unsigned)number), AN_MUST_MATCH};
        history->found = least(history->found, look_from(history, &origin));
        history->changes++;
    }
}

static void variables_look(struct history *history, const struct an_node *name)
{
    struct an_program *program = history->judgement->program;
    if (name->storage == AN_LOCAL_VARIABLE || name->storage == AN_STATIC_LOCAL) {
        changes_look(history, an_function_of(name), name->symbol);
        return;
    }
    if (!name->internal && !an_program_is_whole(program))
        return;
    changes_look(history, NULL, name->symbol);
}

/* The match by the changes of the variable that the term names. */
static enum an_match look_at(struct an_judgement *judgement, const struct an_term *term,
                             const struct an_term *other, bool upwards, unsigned steps)
{
    struct history history = {.judgement = judgement, .other = other, .upwards = upwards};
    const struct an_node *name = term->name;
    history.found = AN_MUST_MATCH;
    history.steps = steps;
    if (!name || !name->symbol || term->offset || term->factor != 1)
        return AN_MAY_MATCH;
    if (name->storage == AN_PARAMETER_VARIABLE)
        arguments_look(&history, name);
    else
        variables_look(&history, name);
    return history.changes ? history.found : AN_MAY_MATCH;
}

/* Is the variable that the term names set in several places, so that equal names prove nothing? */
static bool is_reused(struct an_judgement *judgement, const struct an_term *term)
{
    const struct an_node *name = term->name;
    unsigned changes = 0;
    if (!name || !name->symbol || name->storage == AN_GLOBAL)
        return false;
    const struct an_node *function = an_function_of(name);
    struct an_nodes nodes = an_program_changes(judgement->program, name->symbol);
    struct origin origin;
    for (unsigned i = 0; i < nodes.count; i++)
        changes += an_function_of(nodes.items[i]) == function &&
                   origin_of(judgement, nodes.items[i], name->symbol, &origin);
    return changes > (name->storage != AN_PARAMETER_VARIABLE);
}

static enum an_match covers_find(struct an_judgement *judgement, const struct an_term *whole,
                                 const struct an_term *part, unsigned steps)
{
    enum an_match equal = an_comm_match(whole, part);
    if (an_comm_is_world(whole))
        return AN_MUST_MATCH;
    if (equal == AN_MUST_MATCH)
        return is_reused(judgement, whole) ? AN_MAY_MATCH : AN_MUST_MATCH;
    if (an_term_is_constant(whole) && an_term_is_constant(part))
        return AN_NO_MATCH;
    if (steps == 0)
        return AN_MAY_MATCH;
    enum an_match up = look_at(judgement, part, whole, true, steps - 1);
    if (up == AN_MUST_MATCH)
        return up;
    enum an_match down = look_at(judgement, whole, part, false, steps - 1);
    if (down == AN_MUST_MATCH)
        return down;
    bool less = down == AN_NO_MATCH || (an_term_is_constant(whole) && whole->offset == SELF);
    bool known = an_term_is_constant(part) || up == AN_NO_MATCH;
    return less && known ? AN_NO_MATCH : AN_MAY_MATCH;
}

/* The answer depends on how deep the questions of region/same.c are, too. */
static enum an_match covers(struct an_judgement *judgement, const struct an_term *whole,
                            const struct an_term *part, unsigned steps)
{
    struct an_question_words question = {.words = {steps, judgement->asking}, .count = 2};
    enum an_match *covers;
    bool known;

    an_term_ask(&question, whole);
    an_term_ask(&question, part);
    covers = an_memo(judgement, AN_MEMO_COVERS, &question, sizeof *covers, &known);
    if (!known)
        *covers = covers_find(judgement, whole, part, steps);
    return *covers;
}

enum an_match an_group_covers(struct an_judgement *judgement, const struct an_term *whole,
                              const struct an_term *part)
{
    return covers(judgement, whole, part, STEPS);
}
