/* Idea: the usual pretty-printer with precedences. An operand is put in parentheses when it binds
 * less strongly than its place demands: on the right of a left-associative operator (and on the
 * left of an assignment) one level more than the operator itself. */
#include "analysis/tree/tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* How strongly an expression binds; C's table of operators from weak to strong. */
enum {
    COMMA = 1,
    ASSIGNING,
    CHOOSING,
    LOGICAL_OR,
    LOGICAL_AND,
    OR,
    XOR,
    AND,
    EQUALITY,
    RELATION,
    SHIFT,
    SUM,
    PRODUCT,
    PREFIX,
    POSTFIX,
    PRIMARY,
};

static const struct {
    const char *text;
    int strength;
} operators[AN_OPERATORS] = {
    [AN_OP_ADD] = {" + ", SUM},
    [AN_OP_SUB] = {" - ", SUM},
    [AN_OP_MUL] = {" * ", PRODUCT},
    [AN_OP_DIV] = {" / ", PRODUCT},
    [AN_OP_REM] = {" % ", PRODUCT},
    [AN_OP_SHL] = {" << ", SHIFT},
    [AN_OP_SHR] = {" >> ", SHIFT},
    [AN_OP_AND] = {" & ", AND},
    [AN_OP_OR] = {" | ", OR},
    [AN_OP_XOR] = {" ^ ", XOR},
    [AN_OP_LT] = {" < ", RELATION},
    [AN_OP_GT] = {" > ", RELATION},
    [AN_OP_LE] = {" <= ", RELATION},
    [AN_OP_GE] = {" >= ", RELATION},
    [AN_OP_EQ] = {" == ", EQUALITY},
    [AN_OP_NE] = {" != ", EQUALITY},
    [AN_OP_LOGICAL_AND] = {" && ", LOGICAL_AND},
    [AN_OP_LOGICAL_OR] = {" || ", LOGICAL_OR},
    [AN_OP_COMMA] = {", ", COMMA},
    [AN_OP_PLUS] = {"+", PREFIX},
    [AN_OP_MINUS] = {"-", PREFIX},
    [AN_OP_NOT] = {"!", PREFIX},
    [AN_OP_INVERT] = {"~", PREFIX},
    [AN_OP_ADDRESS] = {"&", PREFIX},
    [AN_OP_DEREF] = {"*", PREFIX},
    [AN_OP_PRE_INC] = {"++", PREFIX},
    [AN_OP_PRE_DEC] = {"--", PREFIX},
    [AN_OP_POST_INC] = {"++", POSTFIX},
    [AN_OP_POST_DEC] = {"--", POSTFIX},
};

static bool named_by_macro(const struct an_node *node)
{
    return node->name && node->kind != AN_MEMBER && node->kind != AN_CALL;
}

static int strength(const struct an_node *node)
{
    if (named_by_macro(node))
        return PRIMARY;
    switch (node->kind) {
    case AN_UNARY:
    case AN_BINARY:
        return operators[node->op].strength;
    case AN_ASSIGN:
        return ASSIGNING;
    case AN_CHOOSE:
        return CHOOSING;
    case AN_CAST:
        return PREFIX;
    case AN_NUMBER:
        return node->constant && node->value < 0 ? PREFIX : PRIMARY;
    case AN_MEMBER:
    case AN_INDEX:
    case AN_CALL:
        return POSTFIX;
    default:
        return PRIMARY;
    }
}

static void print(FILE *out, const struct an_node *node);

static void print_operand(FILE *out, const struct an_node *node, int needed)
{
    bool enclosed = node && strength(node) < needed;
    fputs(enclosed ? "(" : "", out);
    print(out, node);
    fputs(enclosed ? ")" : "", out);
}

static void print_list(FILE *out, const struct an_node *first)
{
    for (const struct an_node *node = first; node; node = node->next) {
        print_operand(out, node, ASSIGNING);
        fputs(node->next ? ", " : "", out);
    }
}

/* `- -a` and `& &a` need their blank. */
static bool begins_alike(const struct an_node *node)
{
    const struct an_node *below = node->child;
    if (!below || named_by_macro(below))
        return false;
    if (below->kind == AN_NUMBER)
        return below->constant && below->value < 0 && node->op == AN_OP_MINUS;
    return below->kind == AN_UNARY && operators[below->op].strength == PREFIX &&
           operators[below->op].text[0] == operators[node->op].text[0];
}

static void print_unary(FILE *out, const struct an_node *node)
{
    const char *text = operators[node->op].text ? operators[node->op].text : "?";
    bool behind = operators[node->op].strength == POSTFIX;
    fputs(behind ? "" : text, out);
    fputs(!behind && begins_alike(node) ? " " : "", out);
    print_operand(out, node->child, behind ? POSTFIX : PREFIX);
    fputs(behind ? text : "", out);
}

static void print_binary(FILE *out, const struct an_node *node)
{
    int level = operators[node->op].strength;
    print_operand(out, node->child, level);
    fputs(operators[node->op].text ? operators[node->op].text : " ? ", out);
    print_operand(out, an_child(node, 1), level + 1);
}

static void print_assign(FILE *out, const struct an_node *node)
{
    print_operand(out, node->child, PREFIX);
    const char *text = operators[node->op].text;
    if (text) /* " << " without its blank at the end */
        for (; text[1]; text++)
            fputc(text[0], out);
    fputs(text ? "= " : " = ", out);
    print_operand(out, an_child(node, 1), ASSIGNING);
}

static void print_choose(FILE *out, const struct an_node *node)
{
    print_operand(out, node->child, LOGICAL_OR);
    fputs(" ? ", out);
    print(out, an_child(node, 1));
    fputs(" : ", out);
    print_operand(out, an_child(node, 2), CHOOSING);
}

static void print_number(FILE *out, const struct an_node *node)
{
    if (node->constant)
        fprintf(out, "%" PRId64, node->value);
    else
        fputs("...", out);
}

static void print_call(FILE *out, const struct an_node *node)
{
    print_operand(out, node->child, POSTFIX);
    fputs("(", out);
    print_list(out, node->child ? node->child->next : NULL);
    fputs(")", out);
}

static void print(FILE *out, const struct an_node *node)
{
    if (!node)
        return;
    if (named_by_macro(node)) {
        fputs(node->name, out);
        return;
    }
    switch (node->kind) {
    case AN_NUMBER:
        print_number(out, node);
        break;
    case AN_STRING:
        fputs("\"...\"", out);
        break;
    case AN_MEMBER:
        print_operand(out, node->child, POSTFIX);
        fprintf(out, "%s%s", node->arrow ? "->" : ".", node->name ? node->name : "?");
        break;
    case AN_INDEX:
        print_operand(out, node->child, POSTFIX);
        fputs("[", out);
        print(out, an_child(node, 1));
        fputs("]", out);
        break;
    case AN_CALL:
        print_call(out, node);
        break;
    case AN_UNARY:
        print_unary(out, node);
        break;
    case AN_BINARY:
        print_binary(out, node);
        break;
    case AN_ASSIGN:
        print_assign(out, node);
        break;
    case AN_CHOOSE:
        print_choose(out, node);
        break;
    case AN_CAST:
        fprintf(out, "(%s)", node->type ? node->type->name : "?");
        print_operand(out, node->child, PREFIX);
        break;
    case AN_SIZEOF:
        fputs("sizeof(...)", out);
        break;
    case AN_LIST:
        fputs("{", out);
        print_list(out, node->child);
        fputs("}", out);
        break;
    case AN_STATEMENTS:
        fputs("({...})", out);
        break;
    default:
        fputs("...", out);
        break;
    }
}

const char *an_text(struct an_unit *unit, const struct an_node *expression)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return "";
    print(out, expression);
    fclose(out);
    const char *copy = an_unit_string(unit, text ? text : "");
    free(text);
    return copy;
}
