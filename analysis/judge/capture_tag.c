/* Idea: a counted variable, or one that a constant is added to, has not been seen before; any other
 * assignment may bring an old value back. */
#include "analysis/judge/capture_tag.h"

#include <string.h>

int an_tag_change(const struct an_node *node, const struct an_term *tag)
{
    bool counts = node->kind == AN_UNARY && node->op >= AN_OP_PRE_INC && node->op <= AN_OP_POST_DEC;
    if (!tag->symbol || (!counts && node->kind != AN_ASSIGN))
        return 0;
    const struct an_node *target = an_plain(node->child);
    if (target->kind != AN_REFERENCE || !target->symbol || strcmp(target->symbol, tag->symbol) != 0)
        return 0;
    if (counts)
        return 1;
    const struct an_node *value = an_plain(an_child(node, 1));
    if (node->op == AN_OP_NONE && value->kind == AN_BINARY &&
        (value->op == AN_OP_ADD || value->op == AN_OP_SUB)) {
        const struct an_node *left = an_plain(value->child);
        bool same =
            left->kind == AN_REFERENCE && left->symbol && strcmp(left->symbol, tag->symbol) == 0;
        value = an_plain(an_child(value, 1));
        return same && value->constant && value->value ? 1 : -1;
    }
    bool steps = node->op == AN_OP_ADD || node->op == AN_OP_SUB;
    return steps && value->constant && value->value ? 1 : -1;
}
