/* Idea: the arithmetic of C on values of at most 64 bits, kept sign- or zero-extended in an
 * int64_t. The usual conversions are done here from the operands' own types, because implicit
 * conversions are not in the tree. Operations that C leaves undefined are not folded. */
#include "analysis/source/walk.h"

struct integer {
    unsigned bits;
    bool is_unsigned;
};

static int64_t clip(struct integer to, int64_t value)
{
    if (to.bits == 0 || to.bits >= 64)
        return value;
    if (to.bits == 1)
        return value != 0;
    uint64_t mask = (UINT64_C(1) << to.bits) - 1, low = (uint64_t)value & mask;
    bool negative = !to.is_unsigned && (low >> (to.bits - 1));
    return (int64_t)(negative ? low | ~mask : low);
}

int64_t an_fold_convert(const struct an_typing *typing, int64_t value)
{
    return clip((struct integer){typing->bits, typing->is_unsigned}, value);
}

static struct integer promoted(const struct an_typing *typing)
{
    if (typing->bits < 32)
        return (struct integer){32, false};
    return (struct integer){typing->bits, typing->is_unsigned};
}

static struct integer common(const struct an_typing *left, const struct an_typing *right)
{
    struct integer a = promoted(left), b = promoted(right);
    if (a.bits != b.bits)
        return a.bits > b.bits ? a : b;
    return a.is_unsigned ? a : b;
}

static bool compare(enum an_operator op, struct integer type, int64_t a, int64_t b)
{
    bool less = type.is_unsigned ? (uint64_t)a < (uint64_t)b : a < b;
    switch (op) {
    case AN_OP_LT:
        return less;
    case AN_OP_GT:
        return !less && a != b;
    case AN_OP_LE:
        return less || a == b;
    case AN_OP_GE:
        return !less;
    case AN_OP_EQ:
        return a == b;
    default:
        return a != b;
    }
}

static bool divide(enum an_operator op, struct integer type, int64_t a, int64_t b, int64_t *out)
{
    if (b == 0 || (!type.is_unsigned && b == -1))
        return false;
    if (type.is_unsigned)
        *out = (int64_t)(op == AN_OP_DIV ? (uint64_t)a / (uint64_t)b : (uint64_t)a % (uint64_t)b);
    else
        *out = op == AN_OP_DIV ? a / b : a % b;
    return true;
}

static bool shift(enum an_operator op, struct integer type, int64_t a, int64_t by, int64_t *out)
{
    if (by < 0 || by >= (int64_t)type.bits)
        return false;
    if (op == AN_OP_SHL)
        *out = (int64_t)((uint64_t)a << by);
    else
        *out = type.is_unsigned ? (int64_t)((uint64_t)a >> by) : a >> by;
    return true;
}

static bool arithmetic(enum an_operator op, struct integer type, int64_t a, int64_t b, int64_t *out)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (op) {
    case AN_OP_ADD:
        *out = (int64_t)(x + y);
        return true;
    case AN_OP_SUB:
        *out = (int64_t)(x - y);
        return true;
    case AN_OP_MUL:
        *out = (int64_t)(x * y);
        return true;
    case AN_OP_DIV:
    case AN_OP_REM:
        return divide(op, type, a, b, out);
    case AN_OP_AND:
        *out = a & b;
        return true;
    case AN_OP_OR:
        *out = a | b;
        return true;
    case AN_OP_XOR:
        *out = a ^ b;
        return true;
    default:
        return false;
    }
}

static bool fold_binary(enum an_operator op, const struct an_typing *left,
                        const struct an_typing *right, int64_t a, int64_t b, int64_t *out)
{
    if (op == AN_OP_LOGICAL_AND || op == AN_OP_LOGICAL_OR) {
        *out = op == AN_OP_LOGICAL_AND ? a && b : a || b;
        return true;
    }
    if (op == AN_OP_SHL || op == AN_OP_SHR)
        return shift(op, promoted(left), clip(promoted(left), a), b, out);
    struct integer type = common(left, right);
    a = clip(type, a);
    b = clip(type, b);
    if (op >= AN_OP_LT && op <= AN_OP_NE) {
        *out = compare(op, type, a, b);
        return true;
    }
    return arithmetic(op, type, a, b, out);
}

static bool fold_unary(enum an_operator op, int64_t a, int64_t *out)
{
    switch (op) {
    case AN_OP_PLUS:
        *out = a;
        return true;
    case AN_OP_MINUS:
        *out = (int64_t)(0 - (uint64_t)a);
        return true;
    case AN_OP_NOT:
        *out = !a;
        return true;
    case AN_OP_INVERT:
        *out = ~a;
        return true;
    default:
        return false;
    }
}

static bool is_integer(const struct an_typing *typing)
{
    return typing && typing->bits;
}

void an_fold(const struct an_typing *typing, struct an_node *node,
             const struct an_typing *const *operands)
{
    const struct an_node *a = node->child, *b = a ? a->next : NULL;
    int64_t value;
    if (!is_integer(typing) || !a || !is_integer(operands[0]) || !a->constant)
        return;
    if (node->kind == AN_CAST)
        value = a->value;
    else if (node->kind == AN_UNARY) {
        if (!fold_unary(node->op, a->value, &value))
            return;
    } else if (!b || !is_integer(operands[1]) || !b->constant ||
               !fold_binary(node->op, operands[0], operands[1], a->value, b->value, &value))
        return;
    node->constant = true;
    node->value = an_fold_convert(typing, value);
}
