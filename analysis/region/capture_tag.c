/* Idea: a counted variable, or one that a constant is added to, has not been seen before; any other
 * assignment, and its declaration, may bring an old value back. */
#include "analysis/region/capture_tag.h"

#include <string.h>

static bool names(const struct an_node *node, const char *symbol)
{
    return node->kind == AN_REFERENCE && node->symbol && strcmp(node->symbol, symbol) == 0;
}

/* After how many steps of one the tag is as it was, at the earliest; 0: never. */
static int64_t period_of(const struct an_term *tag, const struct an_node *variable)
{
    int64_t values = an_values_of(variable->type);

    if (!values || !tag->modulus)
        return values ? values : tag->modulus;
    int64_t rest = values % tag->modulus;
    return rest ? rest : tag->modulus < values ? tag->modulus : values;
}

/* Steps of this size: 1 when they bring the old value back late enough, 0 when earlier. */
static int step(int64_t period, int64_t by, int64_t turns)
{
    if (by == 0)
        return -1;
    if (!period)
        return 1;
    int64_t a = period, b = by % period;
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return period / (a < 0 ? -a : a) >= turns ? 1 : 0;
}

/* Whether all that changes the variable of a tag, in all of the program, are steps one way. */
bool an_tag_only_counts(const struct an_program *program, const struct an_term *tag)
{
    bool up = false, down = false;

    for (const struct an_node *f = an_program_next(program, NULL); f;
         f = an_program_next(program, f))
        for (const struct an_node *n = f; n; n = an_next(f, n, false)) {
            if ((n->kind != AN_UNARY && n->kind != AN_ASSIGN) ||
                !names(an_plain(n->child), tag->symbol))
                continue;
            if (n->kind == AN_UNARY && n->op == AN_OP_ADDRESS)
                return false;
            bool compound = n->kind == AN_ASSIGN && n->op != AN_OP_NONE;
            const struct an_node *by = compound ? an_plain(an_child(n, 1)) : NULL;
            bool less = by && by->constant && by->value < 0;
            bool minus = n->op == AN_OP_PRE_DEC || n->op == AN_OP_POST_DEC || n->op == AN_OP_SUB;
            bool steps = compound || n->op == AN_OP_PRE_INC || n->op == AN_OP_POST_INC || minus;
            up |= steps && minus == less;
            down |= steps && minus != less;
        }
    return !(up && down);
}

int an_tag_change(const struct an_node *node, const struct an_term *tag, int64_t turns)
{
    bool starts = node->kind == AN_VARIABLE && node->storage == AN_LOCAL_VARIABLE &&
                  node->child->kind != AN_EMPTY;
    if (starts && tag->symbol && node->symbol && strcmp(node->symbol, tag->symbol) == 0)
        return -1;
    bool counts = node->kind == AN_UNARY && node->op >= AN_OP_PRE_INC && node->op <= AN_OP_POST_DEC;
    if (!tag->symbol || (!counts && node->kind != AN_ASSIGN) ||
        !names(an_plain(node->child), tag->symbol))
        return 0;
    int64_t period = period_of(tag, node->child);
    if (counts)
        return step(period, 1, turns);
    const struct an_node *value = an_plain(an_child(node, 1));
    enum an_operator op = node->op;
    if (op == AN_OP_NONE && value->kind == AN_BINARY &&
        names(an_plain(value->child), tag->symbol)) {
        op = value->op;
        value = an_plain(an_child(value, 1));
    }
    bool steps = op == AN_OP_ADD || op == AN_OP_SUB;
    return steps && value->constant ? step(period, value->value, turns) : -1;
}
