/* Idea: every child stands in a slot, and a slot says what may stand there. The slots of a kind are
 * a string with one letter per child; the last one counts for all that follow. */
#include "analysis/tree/valid.h"

#include <limits.h>
#include <string.h>

/* e expression, ? expression or EMPTY, s statement or expression, i DECLARE, expression or EMPTY,
 * b BLOCK, v VARIABLE, p PARAMETER or, as the last child, BLOCK. */
static const struct {
    unsigned least, most;
    const char *slots;
} kinds[AN_KINDS] = {
    [AN_FUNCTION] = {1, UINT_MAX, "p"},
    [AN_PARAMETER] = {0, 0, ""},
    [AN_VARIABLE] = {1, 1, "?"},
    [AN_EMPTY] = {0, 0, ""},
    [AN_BLOCK] = {0, UINT_MAX, "s"},
    [AN_DECLARE] = {0, UINT_MAX, "v"},
    [AN_IF] = {3, 3, "ess"},
    [AN_FOR] = {4, 4, "i??s"},
    [AN_WHILE] = {2, 2, "es"},
    [AN_DO] = {2, 2, "se"},
    [AN_SWITCH] = {2, 2, "es"},
    [AN_CASE] = {1, 1, "s"},
    [AN_DEFAULT] = {1, 1, "s"},
    [AN_LABEL] = {1, 1, "s"},
    [AN_GOTO] = {0, 0, ""},
    [AN_BREAK] = {0, 0, ""},
    [AN_CONTINUE] = {0, 0, ""},
    [AN_RETURN] = {1, 1, "?"},
    [AN_PARALLEL] = {0, UINT_MAX, "s"},
    [AN_ASM] = {0, UINT_MAX, "e"},
    [AN_NUMBER] = {0, 0, ""},
    [AN_STRING] = {0, 0, ""},
    [AN_REFERENCE] = {0, 0, ""},
    [AN_MEMBER] = {1, 1, "e"},
    [AN_INDEX] = {2, 2, "e"},
    [AN_CALL] = {1, UINT_MAX, "e"},
    [AN_UNARY] = {1, 1, "e"},
    [AN_BINARY] = {2, 2, "e"},
    [AN_ASSIGN] = {2, 2, "e"},
    [AN_CHOOSE] = {3, 3, "e"},
    [AN_CAST] = {1, 1, "e"},
    [AN_SIZEOF] = {0, 0, ""},
    [AN_LIST] = {0, UINT_MAX, "e"},
    [AN_STATEMENTS] = {1, 1, "b"},
    [AN_OTHER] = {0, UINT_MAX, "e"},
};

struct an_arity an_kind_arity(enum an_kind kind)
{
    return (struct an_arity){kinds[kind].least, kinds[kind].most};
}

bool an_node_has_value(const struct an_node *node)
{
    return node->constant || node->kind == AN_SIZEOF;
}

const char *an_layout_flaw(uint64_t size, const struct an_field *fields, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct an_field *field = &fields[i];
        if (field->offset > size || field->size > size - field->offset)
            return "a field outside of its record";
        if (field->record && (!field->record->layout || field->record->layout->size > field->size))
            return "a record outside of its field";
    }
    return NULL;
}

static bool is_statement(const struct an_node *node)
{
    return node->kind >= AN_EMPTY && node->kind <= AN_OTHER;
}

static bool slot_takes(char slot, const struct an_node *node)
{
    switch (slot) {
    case 'e':
        return an_is_expression(node);
    case '?':
        return an_is_expression(node) || node->kind == AN_EMPTY;
    case 's':
        return is_statement(node);
    case 'i':
        return an_is_expression(node) || node->kind == AN_EMPTY || node->kind == AN_DECLARE;
    case 'b':
        return node->kind == AN_BLOCK;
    case 'v':
        return node->kind == AN_VARIABLE;
    case 'p':
        return node->kind == (node->next ? AN_PARAMETER : AN_BLOCK);
    default:
        return false;
    }
}

static const char *children_flaw(const struct an_node *node)
{
    const char *slot = kinds[node->kind].slots;
    unsigned count = 0;
    for (const struct an_node *child = node->child; child; child = child->next, count++) {
        if (child->parent != node)
            return "a child has another parent";
        if (!slot_takes(*slot, child))
            return "a child of the wrong kind";
        slot += slot[0] && slot[1];
    }
    if (count < kinds[node->kind].least || count > kinds[node->kind].most)
        return "a wrong number of children";
    return NULL;
}

static const char *operator_flaw(const struct an_node *node)
{
    enum an_operator op = node->op;
    bool good;
    if (node->kind == AN_UNARY)
        good = op >= AN_OP_PLUS && op < AN_OPERATORS;
    else if (node->kind == AN_BINARY)
        good = op >= AN_OP_ADD && op <= AN_OP_COMMA;
    else if (node->kind == AN_ASSIGN)
        good = op >= AN_OP_NONE && op <= AN_OP_XOR;
    else
        good = op == AN_OP_NONE;
    return good ? NULL : "an operator where none belongs";
}

static bool is_declared(enum an_kind kind)
{
    return kind == AN_FUNCTION || kind == AN_VARIABLE || kind == AN_PARAMETER;
}

static const char *names_flaw(const struct an_node *node)
{
    bool named = is_declared(node->kind) || node->kind == AN_REFERENCE || node->kind == AN_MEMBER;
    if (named && (!node->name || !node->symbol))
        return "a reference without a name";
    if (node->kind == AN_LABEL && !node->name)
        return "a label without a name";
    if ((is_declared(node->kind) || an_is_expression(node)) && !node->type)
        return "a value without a type";
    if ((unsigned)node->storage > AN_FUNCTION_NAME)
        return "an unknown storage";
    return node->place.file && node->end.file ? NULL : "a node without a place";
}

static const char *node_flaw(const struct an_node *node)
{
    if ((unsigned)node->kind >= AN_KINDS)
        return "an unknown kind";
    const char *flaw = operator_flaw(node);
    if (!flaw)
        flaw = names_flaw(node);
    return flaw ? flaw : children_flaw(node);
}

static const char *tree_flaw(const struct an_node *root)
{
    const char *flaw = NULL;
    for (const struct an_node *node = root; node && !flaw; node = an_next(root, node, false))
        flaw = node_flaw(node);
    return flaw;
}

static const char *list_flaw(const struct an_node *first, enum an_kind kind)
{
    const char *flaw = NULL;
    for (const struct an_node *node = first; node && !flaw; node = node->next)
        flaw = node->kind != kind || node->parent ? "a node at the wrong place" : tree_flaw(node);
    return flaw;
}

const char *an_unit_flaw(const struct an_unit *unit)
{
    const char *flaw = list_flaw(unit->variables, AN_VARIABLE);
    return flaw ? flaw : list_flaw(unit->functions, AN_FUNCTION);
}
