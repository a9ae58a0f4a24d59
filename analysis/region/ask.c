/* Idea: a call that asks is repeated until something else has happened, so the loop that repeats it
 * is part of the exchange. A loop that only drains what has come (`while (flag)`) is repeated in
 * its turn, and the next loop around it counts. */
#include "analysis/region/ask.h"
#include "analysis/region/walk.h"

#include <string.h>

/* ---- The flag ---- */

/* Where an answer is found: in a variable, or in what a call returns. */
struct answer {
    const char *symbol;
    const struct an_node *call;
};

static bool is_answer(const struct an_node *node, const struct answer *answer)
{
    if (node == answer->call)
        return true;
    if (node->kind == AN_UNARY && node->op == AN_OP_DEREF)
        node = an_plain(node->child);
    return node->kind == AN_REFERENCE && node->symbol && answer->symbol &&
           strcmp(node->symbol, answer->symbol) == 0;
}

/* Does the condition hold only while the answer is yes (1), until it is (-1), or neither (0)? */
static int sense_in(const struct an_node *condition, const struct answer *answer, int sign)
{
    condition = an_plain(condition);
    if (!condition)
        return 0;
    if (is_answer(condition, answer))
        return sign;
    if (condition->kind == AN_UNARY && condition->op == AN_OP_NOT)
        return sense_in(condition->child, answer, -sign);
    const struct an_node *right = an_child(condition, 1);
    if (condition->kind == AN_BINARY && condition->op == AN_OP_EQ && right->constant)
        return sense_in(condition->child, answer, right->value ? sign : -sign);
    if (condition->kind == AN_BINARY && condition->op == AN_OP_NE && right->constant)
        return sense_in(condition->child, answer, right->value ? -sign : sign);
    for (const struct an_node *child = condition->child; child; child = child->next) {
        int found = condition->kind == AN_BINARY ? sense_in(child, answer, sign) : 0;
        if (found)
            return found;
    }
    return 0;
}

static const char *flag_symbol(struct an_judgement *judgement, const struct an_mpi *mpi)
{
    if (mpi->what->flag < 0)
        return NULL;
    const struct an_node *flag =
        an_plain(an_mpi_argument(judgement->program, mpi, (unsigned)mpi->what->flag));
    if (flag && flag->kind == AN_UNARY && flag->op == AN_OP_ADDRESS)
        flag = an_plain(flag->child);
    return flag && flag->kind == AN_REFERENCE ? flag->symbol : NULL;
}

static bool mentions(const struct an_node *root, const char *symbol)
{
    for (const struct an_node *n = root; n; n = an_next(root, n, false))
        if (n->kind == AN_REFERENCE && n->symbol && strcmp(n->symbol, symbol) == 0)
            return true;
    return false;
}

/* ---- The loop ---- */

static const struct an_node *loop_around(const struct an_node *node)
{
    for (node = node->parent; node; node = node->parent)
        if (an_is_loop(node))
            return node;
    return NULL;
}

/* The loop around the call that does not only drain what the answer says is there. */
static const struct an_node *loop_that_asks(const struct an_node *call, const struct answer *answer)
{
    const struct an_node *loop = loop_around(call);
    while (loop && sense_in(an_loop_condition(loop), answer, 1) > 0)
        loop = loop_around(loop);
    return loop;
}

const struct an_node *an_asking_loop(struct an_judgement *judgement, const struct an_mpi *mpi)
{
    const struct answer answer = {.symbol = flag_symbol(judgement, mpi)};
    return loop_that_asks(mpi->call, &answer);
}

bool an_asks(const struct an_mpi *mpi)
{
    return mpi->what->role == AN_POLL || mpi->what->role == AN_TEST ||
           (mpi->what->role == AN_CHOICE && mpi->what->flag >= 0) ||
           (mpi->what->role == AN_CHOICE && strncmp(mpi->what->name, "Test", 4) == 0);
}

/* ---- The question before a receive ---- */

static bool holds_jump(const struct an_node *root)
{
    for (const struct an_node *n = root; n; n = an_next(root, n, false))
        if (n->kind == AN_RETURN || n->kind == AN_BREAK || n->kind == AN_CONTINUE ||
            n->kind == AN_GOTO)
            return true;
    return false;
}

/* Does an `if` on the answer decide whether the receive is come to? */
static bool decides(struct an_judgement *judgement, const struct an_mpi *question,
                    const struct an_node *receive)
{
    const struct an_node *body = an_body(an_function_of(receive));
    const char *flag = flag_symbol(judgement, question);
    for (const struct an_node *n = flag ? body : NULL; n; n = an_next(body, n, false)) {
        if (n->kind != AN_IF || n->place.offset > receive->place.offset ||
            n->end.offset < question->call->place.offset || !mentions(n->child, flag))
            continue;
        if (an_is_inside(n, receive) || holds_jump(n))
            return true;
    }
    return false;
}

static bool same_messages(struct an_judgement *judgement, const struct an_mpi *a,
                          const struct an_mpi *b)
{
    const struct an_program *program = judgement->program;
    const struct an_node *comms[2] = {an_mpi_argument(program, a, (unsigned)a->what->comm),
                                      an_mpi_argument(program, b, (unsigned)b->what->comm)};
    const struct an_node *tags[2] = {an_mpi_argument(program, a, (unsigned)a->what->receive.tag),
                                     an_mpi_argument(program, b, (unsigned)b->what->receive.tag)};
    struct an_term comm[2], tag[2];
    for (unsigned i = 0; i < 2; i++) {
        comm[i] = an_term_of(judgement, comms[i], NULL);
        tag[i] = an_term_of(judgement, tags[i], NULL);
    }
    return an_comm_match(&comm[0], &comm[1]) == AN_MUST_MATCH &&
           an_tag_match(&tag[0], &tag[1]) == AN_MUST_MATCH;
}

/* The call that asks for what the site receives, the site's own perhaps; false when none does. */
static bool question_of(struct an_judgement *judgement, const struct an_site *site,
                        struct an_mpi *question)
{
    *question = site->mpi;
    if (an_asks(&site->mpi))
        return true;
    const struct an_call *what = site->mpi.what;
    if (what->role != AN_RECEIVE || (what->flags & (AN_NONBLOCKING | AN_PERSISTENT)))
        return false;
    const struct an_node *body = an_body(an_function_of(site->node));
    for (const struct an_node *n = body; n && n != site->node; n = an_next(body, n, false))
        if (n->kind == AN_CALL && an_call_is_mpi(judgement->program, n, question) &&
            question->what->role == AN_POLL && same_messages(judgement, question, &site->mpi) &&
            decides(judgement, question, site->node))
            return true;
    return false;
}

/* Does the function of the question return its answer, on all ways? */
static bool is_returned(struct an_judgement *judgement, const struct an_mpi *question)
{
    const struct answer answer = {.symbol = flag_symbol(judgement, question)};
    const struct an_node *function = an_function_of(question->call);
    bool returned = false;
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        if (n->kind != AN_RETURN)
            continue;
        if (sense_in(n->child, &answer, 1) <= 0)
            return false;
        returned = true;
    }
    return returned;
}

/* Is the mention of a flag one that nothing follows from: a sum of answers, or a condition under
 * which nothing is received and nothing left? */
static bool is_idle(struct an_judgement *judgement, const struct an_node *mention)
{
    const struct an_node *n = mention;
    while (an_is_expression(n->parent) && n->parent->kind != AN_CALL &&
           n->parent->kind != AN_ASSIGN)
        n = n->parent;
    const struct an_node *parent = n->parent;
    if (parent->kind == AN_ASSIGN)
        return parent->op == AN_OP_ADD && n != parent->child;
    if (parent->kind != AN_IF || n != parent->child)
        return false;
    struct an_effects effects = an_node_effects(judgement->program, parent);
    return !effects.receives && !effects.hidden && !holds_jump(parent);
}

/* Does the poll only look, so that nothing in its function depends on what it has found? */
static bool only_looks(struct an_judgement *judgement, const struct an_mpi *question)
{
    const char *flag = flag_symbol(judgement, question);
    const struct an_node *function = an_function_of(question->call);
    bool local = false;
    if (question->what->role != AN_POLL || !flag)
        return false;
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        local |= n->kind == AN_VARIABLE && n->symbol && strcmp(n->symbol, flag) == 0;
        if (n->kind == AN_REFERENCE && n->symbol && strcmp(n->symbol, flag) == 0 &&
            !an_is_inside(question->call, n) && !is_idle(judgement, n))
            return false;
    }
    return local;
}

bool an_is_asked_again(struct an_judgement *judgement, const struct an_site *site,
                       const struct an_frame *frame, const struct an_node **here)
{
    struct an_mpi question;
    *here = NULL;
    if (!question_of(judgement, site, &question))
        return true;
    if (only_looks(judgement, &question))
        return false;
    const struct an_node *loop = an_asking_loop(judgement, &question);
    if (!frame)
        *here = loop;
    bool returned = frame && is_returned(judgement, &question);
    for (; frame && !loop; frame = frame->up) {
        const struct answer answer = {.call = returned ? frame->call : NULL};
        returned = false;
        loop = loop_that_asks(frame->call, &answer);
        if (!frame->up)
            *here = loop;
    }
    return loop != NULL;
}
