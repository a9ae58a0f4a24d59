/* Idea: an expression's value is what its operands make together; an lvalue has an address whose
 * value says what chose the place. */
#include "analysis/flow/extent.h"
#include "analysis/flow/latch.h"

#include <string.h>

static struct an_flow_value constant_make(int64_t number)
{
    struct an_flow_value value = {.flags = AN_FLOW_CONSTANT, .number = number};
    value.stamp = (unsigned)number * 2654435761u + 7;
    return value;
}

/* The values of an initialiser list, and all pointers in it. */
static struct an_flow_value list_run(struct an_flow *flow, const struct an_node *node)
{
    struct an_flow_value made = {0};

    for (const struct an_node *child = node->child; child; child = child->next) {
        struct an_flow_value value = an_flow_value_of(flow, child);
        unsigned targets = an_flow_either(flow, made, value).targets;
        made = an_flow_combine(made, value);
        made.targets = targets;
    }
    return made;
}

static struct an_flow_value children_combine(struct an_flow *flow, const struct an_node *node)
{
    struct an_flow_value made = {0};

    for (const struct an_node *child = node->child; child; child = child->next) {
        if (!an_is_expression(child)) {
            an_flow_statement(flow, child);
            continue;
        }
        struct an_flow_value value = an_flow_value_of(flow, child);
        unsigned targets = made.targets ? made.targets : value.targets;
        made = an_flow_combine(made, value);
        made.targets = targets;
    }
    return made;
}

static bool is_array(const struct an_node *node)
{
    return node->type && node->type->class == AN_ARRAY;
}

static bool is_status_type(const struct an_type *type)
{
    return type && type->class == AN_STATUS;
}

/* A member of an MPI_Status, which is one cell. */
static bool is_status(const struct an_node *member)
{
    const struct an_type *type = member->child->type;
    if (member->arrow)
        type = type ? type->below : NULL;
    return is_status_type(type);
}

static bool is_record(const struct an_node *node)
{
    return node->type && node->type->class == AN_RECORD;
}

/* A record that an expression makes, so that it has no place. */
static bool is_made(const struct an_node *node)
{
    node = an_plain(node);
    return is_record(node) &&
           (node->kind == AN_CALL || node->kind == AN_CHOOSE || node->kind == AN_ASSIGN ||
            node->kind == AN_STATEMENTS || node->kind == AN_LIST || node->kind == AN_OTHER);
}

/* The address of a compound literal. */
static struct an_flow_value literal_run(struct an_flow *flow, const struct an_node *node,
                                        const struct an_type *pointer)
{
    struct an_flow_value value = an_flow_value_of(flow, node);
    struct an_flow_value address = an_flow_block(flow, node, pointer);

    an_flow_store(flow, address, value, true);
    return address;
}

struct an_flow_value an_flow_address_of(struct an_flow *flow, const struct an_node *node)
{
    struct an_flow_value base, nothing = {0};

    switch (node->kind) {
    case AN_REFERENCE:
    case AN_VARIABLE:
    case AN_PARAMETER:
        return node->storage == AN_FUNCTION_NAME ? nothing : an_flow_variable(flow, node);
    case AN_MEMBER:
        if (!node->arrow && is_made(node->child)) {
            base = an_flow_value_of(flow, node->child);
            base.targets = 0;
            return base;
        }
        if (is_status(node))
            return node->arrow ? an_flow_value_of(flow, node->child)
                               : an_flow_address_of(flow, node->child);
        base = node->arrow ? an_flow_value_of(flow, node->child)
                           : an_flow_address_of(flow, node->child);
        if (node->arrow && !base.targets)
            base = an_flow_pointee(flow, base, nothing, node, node->child->type);
        return an_flow_field(flow, base, node);
    case AN_INDEX:
        base = an_flow_value_of(flow, node->child);
        if (!base.targets)
            base = an_flow_pointee(flow, base, nothing, node, node->child->type);
        base = an_flow_element(flow, base, an_flow_value_of(flow, node->child->next));
        if (base.iter && an_flow_leaves_out(node))
            base.flags |= AN_FLOW_SOME;
        return base;
    case AN_UNARY:
        if (node->op != AN_OP_DEREF)
            return an_flow_value_of(flow, node);
        base = an_flow_value_of(flow, node->child);
        if (!base.targets)
            base = an_flow_pointee(flow, base, nothing, node, node->child->type);
        return base;
    case AN_CAST:
        return an_flow_address_of(flow, node->child);
    default:
        return an_flow_value_of(flow, node);
    }
}

static struct an_flow_value lvalue_load(struct an_flow *flow, const struct an_node *node)
{
    if (node->kind == AN_MEMBER && !node->arrow && is_made(node->child)) {
        struct an_flow_value made = an_flow_value_of(flow, node->child);
        if (node->type->class != AN_POINTER)
            made.targets = 0;
        return made;
    }
    struct an_flow_value address = an_flow_address_of(flow, node);
    if (is_record(node) && address.targets)
        return an_flow_content(flow, address, 1);

    if (is_array(node))
        return address;
    struct an_flow_value value = an_flow_load(flow, address, node->type);
    if (node->kind == AN_MEMBER && is_status(node) && value.kind == AN_FLOW_MESSAGE &&
        !(value.flags & AN_FLOW_LOSSY) && node->name) {
        unsigned open = flow->site ? flow->site->wildcard : 0;
        if (strcmp(node->name, "MPI_SOURCE") == 0 && open & (AN_WILD_SOURCE | AN_WILD_INDEX))
            value.kind = AN_FLOW_SOURCE;
        else if (strcmp(node->name, "MPI_TAG") == 0 && !(open & (AN_WILD_TAG | AN_WILD_INDEX)))
            value.kind = AN_FLOW_FREE;
    }
    return value;
}

static bool is_floating(const struct an_node *node)
{
    return node->type && node->type->class == AN_FLOATING;
}

/* Whether an accumulation that is not complete is made anew from what it is, each turn. */
static bool feeds_itself(const struct an_flow *flow, const struct an_node *assign,
                         struct an_flow_value address, struct an_flow_value value)
{
    const struct an_flow_set *set = an_flow_targets(flow, address.targets);
    const char *symbol = an_plain(assign->child)->symbol;

    if (value.kind != AN_FLOW_COUNTED || set->count != 1 || set->cells[0] >= flow->state.count ||
        an_flow_held(&flow->state, set->cells[0])->kind != AN_FLOW_COUNTED)
        return false;
    for (const struct an_node *n = assign->child->next; n;
         n = an_next(assign->child->next, n, false))
        if (symbol && n->symbol && strcmp(n->symbol, symbol) == 0)
            return true;
    return false;
}

static struct an_flow_value assign_run(struct an_flow *flow, const struct an_node *node)
{
    const struct an_node *operand = node->child->next;
    int operation = node->op == AN_OP_NONE ? an_flow_accumulation(flow->program, node, &operand)
                                           : (int)node->op;
    if ((operation == AN_OP_ADD || operation == AN_OP_SUB) &&
        an_plain(operand)->kind == AN_BINARY &&
        (an_plain(operand)->op == AN_OP_ADD || an_plain(operand)->op == AN_OP_SUB) &&
        !is_floating(node->child) && !is_floating(operand)) { /* x += a + b is x += a, x += b */
        const struct an_node *left = an_plain(operand)->child;
        struct an_flow_value to = an_flow_address_of(flow, node->child);
        an_flow_assign(flow, node, to, an_flow_value_of(flow, left), operation, false);
        an_flow_assign(flow, node, to, an_flow_value_of(flow, left->next), operation, false);
        return an_flow_load(flow, to, NULL);
    }
    struct an_flow_value value = an_flow_value_of(flow, operand);
    struct an_flow_value address = an_flow_address_of(flow, node->child);

    if (operation != AN_OP_NONE && operation < AN_OPERATORS && node->child->type &&
        node->child->type->class == AN_POINTER)
        operand = node->child;
    if (operation == AN_OP_NONE && (is_record(node->child) || is_status_type(node->child->type))) {
        an_flow_store(flow, address, value, true);
        return value;
    }
    bool floating = is_floating(node->child) || (operation != AN_OP_NONE && is_floating(operand));
    if (operation == AN_OP_NONE && feeds_itself(flow, node, address, value)) {
        value.kind = AN_FLOW_ORDER;
        value.why = an_flow_because(flow, node, "changes with each message", value.why);
    }
    an_flow_assign(flow, node, address, value, operation, floating);
    return operation == AN_OP_NONE ? value : an_flow_load(flow, address, NULL);
}

static struct an_flow_value step_run(struct an_flow *flow, const struct an_node *node)
{
    struct an_flow_value address = an_flow_address_of(flow, node->child);
    struct an_flow_value before = an_flow_load(flow, address, node->child->type);
    bool minus = node->op == AN_OP_PRE_DEC || node->op == AN_OP_POST_DEC;

    an_flow_assign(flow, node, address, constant_make(1), minus ? AN_OP_SUB : AN_OP_ADD,
                   is_floating(node->child));
    if (node->op == AN_OP_POST_INC || node->op == AN_OP_POST_DEC)
        return before;
    return an_flow_load(flow, address, node->child->type);
}

static struct an_flow_value unary_run(struct an_flow *flow, const struct an_node *node)
{
    struct an_flow_value value;

    switch (node->op) {
    case AN_OP_ADDRESS:
        if (an_plain(node->child)->kind == AN_LIST)
            return literal_run(flow, an_plain(node->child), node->type);
        return an_flow_address_of(flow, node->child);
    case AN_OP_DEREF:
        return lvalue_load(flow, node);
    case AN_OP_PRE_INC:
    case AN_OP_PRE_DEC:
    case AN_OP_POST_INC:
    case AN_OP_POST_DEC:
        return step_run(flow, node);
    default:
        value = an_flow_value_of(flow, node->child);
        value.flags &= ~AN_FLOW_CONSTANT;
        value.stamp = value.stamp * 31 + 5;
        return value;
    }
}

static bool is_comparison(int op)
{
    return op >= AN_OP_LT && op <= AN_OP_LOGICAL_OR;
}

static bool keeps_apart(int op)
{
    return op == AN_OP_ADD || op == AN_OP_SUB || op == AN_OP_MUL || op == AN_OP_XOR;
}

/* A side of &&, || or ?: did not come back (it called exit, say): the run goes on with `state`, in
 * which the other side was evaluated, and under its condition. Takes `state` over. */
static void other_side_take(struct an_flow *flow, const struct an_node *node,
                            struct an_flow_state state, struct an_flow_value test, bool taken)
{
    an_flow_state_free(&flow->state);
    flow->state = state;
    flow->dead = false;
    if (an_flow_depends(test))
        an_flow_control_push(flow, node, test, false, taken);
}

/* The right side of && and || runs under the condition of the left one. */
static struct an_flow_value logical_run(struct an_flow *flow, const struct an_node *node)
{
    struct an_flow_value left = an_flow_value_of(flow, node->child);
    if (flow->dead)
        return left;
    struct an_flow_state before = an_flow_state_copy(&flow->state);
    unsigned controls = flow->control_count;

    an_flow_control_push(flow, node, left, false, node->op == AN_OP_LOGICAL_AND);
    struct an_flow_value right = an_flow_value_of(flow, node->child->next);
    flow->control_count = controls;
    if (flow->dead) {
        other_side_take(flow, node, before, left, node->op == AN_OP_LOGICAL_OR);
        return left;
    }
    an_flow_state_join(flow, &flow->state, &before, left, &before);
    an_flow_state_free(&before);
    return an_flow_combine(left, right);
}

static struct an_flow_value binary_run(struct an_flow *flow, const struct an_node *node)
{
    if (node->op == AN_OP_LOGICAL_AND || node->op == AN_OP_LOGICAL_OR)
        return logical_run(flow, node);
    struct an_flow_value left = an_flow_value_of(flow, node->child);
    struct an_flow_value right = an_flow_value_of(flow, node->child->next);
    if (node->op == AN_OP_COMMA)
        return right;
    struct an_flow_value made = an_flow_combine(left, right);
    bool ordered = node->op >= AN_OP_LT && node->op <= AN_OP_GE;
    if (made.kind == AN_FLOW_COUNTED && made.flags & AN_FLOW_VALUED && ordered)
        made.kind = AN_FLOW_OPAQUE;
    bool constant = left.flags & right.flags & AN_FLOW_CONSTANT;
    if (node->type && node->type->class == AN_POINTER)
        made.targets = left.targets ? left.targets : right.targets;
    if (made.targets && (node->op == AN_OP_ADD || node->op == AN_OP_SUB))
        made.flags |= AN_FLOW_OFFSET;
    if (node->constant)
        return constant_make(node->value);
    if (constant && (node->op == AN_OP_ADD || node->op == AN_OP_SUB)) {
        struct an_flow_value sum = constant_make(
            node->op == AN_OP_ADD ? left.number + right.number : left.number - right.number);
        sum.iter = made.iter;
        return made.kind == AN_FLOW_FREE && !made.targets ? sum : made;
    }
    if (made.kind == AN_FLOW_SOURCE && node->op == AN_OP_EQ)
        made.flags &= ~AN_FLOW_LOSSY;
    else if (is_comparison(node->op) || !keeps_apart(node->op)) {
        made.flags |= AN_FLOW_LOSSY;
        if (made.kind == AN_FLOW_SOURCE)
            made.kind = AN_FLOW_MESSAGE;
    }
    made.stamp = made.stamp * 31 + (unsigned)node->op;
    return made;
}

static struct an_flow_value choose_run(struct an_flow *flow, const struct an_node *node)
{
    struct an_flow_value test = an_flow_value_of(flow, node->child);
    if (flow->dead)
        return test;
    struct an_flow_state before = an_flow_state_copy(&flow->state);
    unsigned controls = flow->control_count;

    an_flow_control_push(flow, node, test, false, true);
    struct an_flow_value one = an_flow_value_of(flow, node->child->next);
    flow->control_count = controls;
    bool first_dead = flow->dead;
    struct an_flow_state first = flow->state;
    flow->state = an_flow_state_copy(&before);
    flow->dead = false;
    an_flow_control_push(flow, node, test, false, false);
    struct an_flow_value two = an_flow_value_of(flow, node->child->next->next);
    flow->control_count = controls;
    if (!first_dead && flow->dead) {
        an_flow_state_free(&before);
        other_side_take(flow, node, first, test, true);
        return an_flow_depends(test) ? an_flow_combine(one, test) : one;
    }
    if (!first_dead)
        an_flow_state_join(flow, &flow->state, &first, test, &before);
    an_flow_state_free(&first);
    an_flow_state_free(&before);
    if (first_dead) {
        if (!flow->dead && an_flow_depends(test))
            an_flow_control_push(flow, node, test, false, false);
        return an_flow_depends(test) ? an_flow_combine(two, test) : two;
    }
    struct an_flow_value made = an_flow_either(flow, one, two);
    unsigned targets = made.targets;
    made = an_flow_combine(made, test);
    made.targets = targets;
    if (an_flow_depends(test))
        made.flags |= AN_FLOW_LOSSY;
    return made;
}

/* va_arg, or something else that the tree has no kind for: an atomic operation may store what it
 * gets where it gets a pointer to. */
static struct an_flow_value other_run(struct an_flow *flow, const struct an_node *node)
{
    const struct an_node *list = node->child;
    bool takes = list && !list->next && list->type && strstr(list->type->name, "va_list");

    for (const struct an_flow_frame *frame = flow->frame; takes && frame; frame = frame->caller)
        if (frame->function->variadic)
            return node->type->class == AN_POINTER ? frame->pointers : frame->numbers;
    struct an_flow_value made = children_combine(flow, node), places = {0};
    bool names = false;
    for (const struct an_node *child = node->child; child; child = child->next) {
        if (!child->type || child->type->class != AN_POINTER)
            continue;
        names |= an_plain(child)->kind == AN_UNARY && an_plain(child)->op == AN_OP_ADDRESS;
        struct an_flow_value place = an_flow_value_of(flow, child);
        made = an_flow_combine(made, an_flow_content(flow, place, 1));
        places = an_flow_either(flow, places, place);
    }
    if (names || an_flow_depends(made)) {
        made.iter |= ((uint64_t)2 << flow->depth) - 2;
        an_flow_store(flow, places, made, false);
    }
    return made;
}

/* A statement expression has the value of its last statement. */
static struct an_flow_value statements_run(struct an_flow *flow, const struct an_node *node)
{
    const struct an_node *last = node->child->child;
    struct an_flow_value nothing = {0};

    for (; last && (last->next || !an_is_expression(last)); last = last->next)
        an_flow_statement(flow, last);
    return last ? an_flow_value_of(flow, last) : nothing;
}

struct an_flow_value an_flow_value_of(struct an_flow *flow, const struct an_node *node)
{
    struct an_flow_value value = {0};

    if (!node || flow->dead || !an_flow_step(flow))
        return value;
    if (node->constant)
        return constant_make(node->value);
    switch (node->kind) {
    case AN_REFERENCE:
    case AN_MEMBER:
    case AN_INDEX:
        return lvalue_load(flow, node);
    case AN_CALL:
        return an_flow_call(flow, node);
    case AN_UNARY:
        return unary_run(flow, node);
    case AN_BINARY:
        return binary_run(flow, node);
    case AN_ASSIGN:
        return assign_run(flow, node);
    case AN_CHOOSE:
        return choose_run(flow, node);
    case AN_CAST:
        value = an_flow_value_of(flow, node->child);
        if (!flow->site && node->type && node->type->class == AN_INTEGER && node->child->type &&
            (node->child->type->class == AN_POINTER || node->child->type->class == AN_ARRAY) &&
            value.targets) {
            value.kind = AN_FLOW_ORDER;
            value.flags |= AN_FLOW_CLOCKED;
            value.why = an_flow_because(flow, node, "an address becomes a number", value.why);
        }
        return value;
    case AN_OTHER:
        return other_run(flow, node);
    case AN_LIST:
        return list_run(flow, node);
    case AN_STATEMENTS:
        return statements_run(flow, node);
    case AN_EMPTY:
    case AN_STRING:
    case AN_SIZEOF:
        return value;
    default:
        return children_combine(flow, node);
    }
}
