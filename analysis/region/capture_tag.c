/* Idea: a counted variable, or one that a constant is added to, has not been seen before; any other
 * assignment may bring an old value back. */
#include "analysis/region/capture_tag.h"

#include <string.h>

static bool names(const struct an_node *node, const char *symbol)
{
    return node->kind == AN_REFERENCE && node->symbol && strcmp(node->symbol, symbol) == 0;
}

/* Steps of this size: 1 when they bring the old value back late enough, 0 when earlier. */
static int step(const struct an_term *tag, int64_t by, int64_t turns)
{
    if (by == 0)
        return -1;
    if (!tag->modulus)
        return 1;
    int64_t a = tag->modulus, b = by % tag->modulus;
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return tag->modulus / (a < 0 ? -a : a) >= turns ? 1 : 0;
}

int an_tag_change(const struct an_node *node, const struct an_term *tag, int64_t turns)
{
    bool counts = node->kind == AN_UNARY && node->op >= AN_OP_PRE_INC && node->op <= AN_OP_POST_DEC;
    if (!tag->symbol || (!counts && node->kind != AN_ASSIGN) ||
        !names(an_plain(node->child), tag->symbol))
        return 0;
    if (counts)
        return step(tag, 1, turns);
    const struct an_node *value = an_plain(an_child(node, 1));
    enum an_operator op = node->op;
    if (op == AN_OP_NONE && value->kind == AN_BINARY &&
        names(an_plain(value->child), tag->symbol)) {
        op = value->op;
        value = an_plain(an_child(value, 1));
    }
    bool steps = op == AN_OP_ADD || op == AN_OP_SUB;
    return steps && value->constant ? step(tag, value->value, turns) : -1;
}
