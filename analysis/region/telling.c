/* Idea: a send to all is one whose destination is the counter of a loop over all ranks, in each of
 * its turns but the sender's own. */
#include "analysis/region/telling.h"
#include "analysis/region/walk.h"

#include <string.h>

/* ---- A loop over the ranks ---- */

/* The node that sets the loop's counter to a constant, and the counter's name; or NULL. */
static const struct an_node *counter_of(const struct an_node *loop, const char **symbol,
                                        int64_t *start)
{
    const struct an_node *begin = loop->child, *value = NULL;
    *symbol = NULL;
    if (begin->kind == AN_DECLARE && begin->child && !begin->child->next)
        begin = begin->child;
    if (begin->kind == AN_VARIABLE) {
        *symbol = begin->symbol;
        value = an_plain(begin->child);
    } else if (begin->kind == AN_ASSIGN && begin->op == AN_OP_NONE) {
        *symbol = an_plain(begin->child)->symbol;
        value = an_plain(an_child(begin, 1));
    }
    if (!*symbol || !value || !value->constant)
        return NULL;
    *start = value->value;
    return begin;
}

/* Does the counter run up to the last rank? */
static bool ends_at_size(const struct an_role_of *role, const struct an_node *loop,
                         const char *symbol)
{
    const struct an_node *condition = an_plain(an_loop_condition(loop));
    const struct an_node *next = an_plain(an_child(loop, 2));
    bool counts = next && next->kind == AN_UNARY && an_is_name(next->child, symbol) &&
                  (next->op == AN_OP_PRE_INC || next->op == AN_OP_POST_INC);
    if (!counts || condition->kind != AN_BINARY || !an_is_name(condition->child, symbol) ||
        (condition->op != AN_OP_LT && condition->op != AN_OP_LE))
        return false;
    struct an_term bound = an_term_of(role->judgement, an_child(condition, 1), NULL);
    return bound.name && bound.factor == 1 && bound.offset == -(condition->op == AN_OP_LE) &&
           an_role_is_size(role, bound.name);
}

/* `counter == rank`, or with `op` NE: is that the one rank's own turn, or not? */
static bool is_own(const struct an_role_of *role, const struct an_node *condition,
                   enum an_operator op, const char *symbol)
{
    condition = an_plain(condition);
    if (condition->kind != AN_BINARY || condition->op != op)
        return false;
    const struct an_node *a = an_plain(condition->child), *b = an_plain(an_child(condition, 1));
    const struct an_node *other = an_is_name(a, symbol) ? b : an_is_name(b, symbol) ? a : NULL;
    if (!other)
        return false;
    return other->constant ? other->value == role->rank : an_role_is_rank(role, other);
}

/* Is the node run whenever `root` is? `symbol`: the counter of a loop over the ranks whose body
 * `root` is, and the one rank's own turn does not count; or NULL. */
static bool is_run(const struct an_role_of *role, const struct an_node *root,
                   const struct an_node *node, const char *symbol)
{
    for (; node != root; node = node->parent) {
        const struct an_node *parent = node->parent;
        bool plain = parent->kind == AN_BLOCK || parent->kind == AN_CAST ||
                     parent->kind == AN_RETURN ||
                     (parent->kind == AN_ASSIGN && node != parent->child);
        bool guarded = symbol && parent->kind == AN_IF && node == parent->child->next &&
                       is_own(role, parent->child, AN_OP_NE, symbol);
        if (!plain && !guarded)
            return false;
    }
    return true;
}

/* Does nothing jump, but over the one rank's own turn? */
static bool is_straight(const struct an_role_of *role, const struct an_node *root,
                        const char *symbol)
{
    for (const struct an_node *n = root; n; n = an_next(root, n, false)) {
        const struct an_node *parent = n->parent;
        if (n->kind == AN_BREAK || n->kind == AN_GOTO || n->kind == AN_SWITCH ||
            (n->kind == AN_RETURN && (symbol || parent != root)))
            return false;
        if (n->kind == AN_CONTINUE &&
            !(symbol && parent->kind == AN_IF && n == parent->child->next &&
              is_own(role, parent->child, AN_OP_EQ, symbol)))
            return false;
    }
    return true;
}

/* The loop that the message is sent in, in its function or in a caller of it; and the call there.
 */
static const struct an_node *loop_of(const struct an_role_of *role,
                                     const struct an_message *message, const struct an_node **call)
{
    const struct an_frame *frame = message->frame;
    *call = message->call;
    for (;;) {
        const struct an_node *loop = (*call)->parent;
        while (loop && !an_is_loop(loop))
            loop = loop->parent;
        if (loop || !frame)
            return loop;
        const struct an_node *body = an_body(an_function_of(*call));
        if (!is_run(role, body, *call, NULL) || !is_straight(role, body, NULL))
            return NULL;
        *call = frame->call;
        frame = frame->up;
    }
}

/* Is it sent for this caller only? A function that gets the tag as an argument is looked at with
 * all others that send; one that knows it must have no other caller. */
static bool is_for_one_caller(const struct an_role_of *role, const struct an_message *message,
                              const struct an_node *tag)
{
    const struct an_frame *frame = message->frame;
    for (const struct an_node *at = message->call; frame; at = frame->call, frame = frame->up) {
        const struct an_node *function = an_function_of(at);
        struct an_callers callers = an_function_callers(role->judgement->program, function);
        struct an_term term = an_term_of(role->judgement, tag, NULL);
        int number = term.symbol ? an_parameter_number(function, term.symbol) : -1;
        if (number < 0 && (!callers.complete || callers.count != 1))
            return false;
        if (number >= 0)
            tag = an_argument(frame->call, (unsigned)number);
    }
    return true;
}

/* Does the loop, over all ranks, send to each but the one rank? */
static bool is_to_all(const struct an_role_of *role, const struct an_node *loop,
                      const struct an_node *call, const struct an_term *peer)
{
    const char *symbol;
    int64_t start;
    const struct an_node *body = an_loop_body(loop);
    return counter_of(loop, &symbol, &start) && start <= (role->rank == 0) &&
           ends_at_size(role, loop, symbol) && !an_is_changed(body, symbol) && peer->symbol &&
           strcmp(peer->symbol, symbol) == 0 && peer->factor == 1 && peer->offset == 0 &&
           is_run(role, body, call, symbol) && is_straight(role, body, symbol);
}

bool an_telling_by_send(struct an_telling *telling, const struct an_role_of *role,
                        const struct an_message *message)
{
    const struct an_program *program = role->judgement->program;
    const struct an_node *call, *loop;
    struct an_mpi mpi;
    if (!message->sends || message->reply || !an_call_is_mpi(program, message->call, &mpi) ||
        mpi.what->role != AN_SEND || (mpi.what->flags & AN_PERSISTENT) ||
        !an_term_is_constant(&message->tag) || message->tag.offset < 0 ||
        an_comm_match(&message->comm, role->comm) != AN_MUST_MATCH)
        return false;
    loop = loop_of(role, message, &call);
    struct an_term peer =
        an_term_of(role->judgement, an_mpi_argument(program, &mpi, (unsigned)mpi.what->send.peer),
                   message->frame);
    if (!loop || loop->kind != AN_FOR || !is_to_all(role, loop, call, &peer) ||
        !is_for_one_caller(role, message,
                           an_mpi_argument(program, &mpi, (unsigned)mpi.what->send.tag)))
        return false;
    const char *symbol;
    int64_t start;
    *telling = (struct an_telling){role->judgement, counter_of(loop, &symbol, &start), role->rank,
                                   message->comm, message->tag};
    return true;
}

/* ---- The others ---- */

static struct an_term term(const struct an_telling *telling, const struct an_mpi *mpi, int number,
                           const struct an_frame *frame)
{
    struct an_judgement *judgement = telling->judgement;
    const struct an_node *argument =
        number < 0 ? NULL : an_mpi_argument(judgement->program, mpi, (unsigned)number);
    return an_term_of(judgement, argument, frame);
}

static bool is_on(const struct an_telling *telling, const struct an_mpi *mpi,
                  const struct an_frame *frame)
{
    struct an_term comm = term(telling, mpi, mpi->what->comm, frame);
    return an_comm_match(&comm, &telling->comm) == AN_MUST_MATCH;
}

bool an_telling_is_broadcast(const struct an_telling *telling, const struct an_mpi *mpi,
                             const struct an_frame *frame)
{
    if (telling->begin || strcmp(mpi->what->name, "Bcast") != 0)
        return false;
    struct an_term count = term(telling, mpi, mpi->what->send.count, frame);
    struct an_term root = term(telling, mpi, mpi->what->send.peer, frame);
    bool empty = an_term_is_constant(&count) && count.offset == 0;
    return !empty && an_term_is_constant(&root) && root.offset == telling->rank &&
           is_on(telling, mpi, frame);
}

bool an_telling_is_heard(const struct an_telling *telling, const struct an_mpi *mpi,
                         const struct an_frame *frame)
{
    if (!telling->begin)
        return an_telling_is_broadcast(telling, mpi, frame);
    bool receives = mpi->what->role == AN_RECEIVE || mpi->what->role == AN_EXCHANGE;
    if (!receives || (mpi->what->flags & (AN_NONBLOCKING | AN_PERSISTENT)) ||
        mpi->what->receive.tag < 0)
        return false;
    struct an_term tag = term(telling, mpi, mpi->what->receive.tag, frame);
    struct an_term peer = term(telling, mpi, mpi->what->receive.peer, frame);
    return an_term_is_constant(&tag) && tag.offset == telling->tag.offset &&
           an_term_is_constant(&peer) && peer.offset == telling->rank && is_on(telling, mpi, frame);
}

bool an_telling_by_broadcast(struct an_telling *telling, const struct an_role_of *role,
                             const struct an_node *node)
{
    struct an_mpi mpi;
    if (node->kind != AN_CALL || !an_call_is_mpi(role->judgement->program, node, &mpi))
        return false;
    *telling =
        (struct an_telling){.judgement = role->judgement, .rank = role->rank, .comm = *role->comm};
    return an_telling_is_broadcast(telling, &mpi, NULL);
}
