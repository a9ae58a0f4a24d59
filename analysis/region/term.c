/* Idea: an expression is printed with each variable replaced by its only definition and each
 * parameter by its argument; what is left are symbols. Sums and products with constants are kept
 * apart, so that `1000 * n` and `1002 * n` are known to differ. */
#include "analysis/region/term.h"
#include "analysis/judgement/memo.h"
#include "analysis/region/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 12, NONE = 0x04000000, CHOICES = 8, CHOICES_DEEP = 4 };

bool an_term_is_constant(const struct an_term *term)
{
    return !term->vague && !*term->base;
}

static bool is_counted(const struct an_node *node)
{
    return node->kind == AN_UNARY && node->op >= AN_OP_PRE_INC && node->op <= AN_OP_POST_DEC;
}

static bool takes_address(const struct an_node *node)
{
    return node->kind == AN_UNARY && node->op == AN_OP_ADDRESS;
}

static bool changes(const struct an_node *node, const char *symbol)
{
    return (node->kind == AN_ASSIGN || is_counted(node) || takes_address(node)) &&
           an_is_name(node->child, symbol);
}

bool an_is_changed(const struct an_node *root, const char *symbol)
{
    for (const struct an_node *n = root; n; n = an_next(root, n, false))
        if (changes(n, symbol))
            return true;
    return false;
}

const struct an_node *an_single_definition(const struct an_node *function, const char *symbol)
{
    const struct an_node *found = NULL;
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        const struct an_node *value = NULL;
        if (n->kind == AN_VARIABLE && n->symbol && strcmp(n->symbol, symbol) == 0)
            value = n->child && n->child->kind != AN_EMPTY ? n->child : NULL;
        else if (n->kind == AN_ASSIGN && an_is_name(n->child, symbol))
            value = n->op == AN_OP_NONE ? an_child(n, 1) : n;
        else if ((is_counted(n) || takes_address(n)) && an_is_name(n->child, symbol))
            return NULL;
        if (value && (found || value == n))
            return NULL;
        found = value ? value : found;
    }
    return found;
}

int an_parameter_number(const struct an_node *function, const char *symbol)
{
    int number = 0;
    for (const struct an_node *n = function->child; n && n->kind == AN_PARAMETER; n = n->next) {
        if (n->symbol && strcmp(n->symbol, symbol) == 0)
            return number;
        number++;
    }
    return -1;
}

const struct an_node *an_local_callee(const struct an_unit *unit, const struct an_node *call)
{
    if (!call->symbol || call->system)
        return NULL;
    for (const struct an_node *function = unit->functions; function; function = function->next)
        if (function->symbol == call->symbol) /* one unit: strings are interned */
            return function;
    return NULL;
}

struct spell {
    struct an_judgement *judgement;
    FILE *out;
    unsigned depth;
    bool vague;
};

/* The expression that defines a local variable, or the position of a parameter. */
struct definition {
    const struct an_node *value; /* or NULL */
    int number;                  /* -1: none, or it is changed */
};

/* Is something assigned to the variable behind `value`, in its statement or in its block? */
static bool is_changed_behind(const struct an_node *value, const char *symbol)
{
    const struct an_node *statement = value;
    while (statement->parent && statement->parent->kind != AN_BLOCK)
        statement = statement->parent;
    for (const struct an_node *n = statement; n; n = an_next(statement, n, false))
        if (changes(n, symbol) && !an_is_inside(value, n))
            return true;
    for (const struct an_node *n = statement->parent ? statement->next : NULL; n; n = n->next)
        if (an_is_changed(n, symbol))
            return true;
    return false;
}

/* May the variable change where nothing names it: by a pointer to it, or in another function? */
static bool is_changed_elsewhere(const struct an_program *program, const struct an_node *function,
                                 const struct an_node *name)
{
    bool local = name->storage == AN_LOCAL_VARIABLE || name->storage == AN_PARAMETER_VARIABLE;
    for (const struct an_node *n = function; n; n = an_next(function, n, false))
        if (takes_address(n) && an_is_name(n->child, name->symbol) && n->parent->kind != AN_CALL)
            return true;
    for (const struct an_node *f = local ? NULL : an_program_next(program, NULL); f;
         f = an_program_next(program, f))
        if (f != function && an_is_changed(f, name->symbol))
            return true;
    return false;
}

/* Is the value of an expression that defines a variable another one later: because a function is
 * called in it, or a variable in it changes? */
static bool is_stale(const struct an_program *program, const struct an_node *function,
                     const struct an_node *value)
{
    for (const struct an_node *n = value; n; n = an_next(value, n, false)) {
        bool variable =
            n->kind == AN_REFERENCE && n->symbol && !n->constant && n->storage != AN_FUNCTION_NAME;
        if (n->kind == AN_CALL && !n->constant)
            return true;
        if (variable && n->storage == AN_LOCAL_VARIABLE &&
            an_single_definition(function, n->symbol))
            continue;
        if (variable &&
            (is_changed_behind(value, n->symbol) || is_changed_elsewhere(program, function, n)))
            return true;
    }
    return false;
}

static const struct definition *definition_of(struct an_judgement *judgement,
                                              const struct an_node *function,
                                              const struct an_node *name)
{
    struct an_question_words question = {.words = {(uintptr_t)function, (uintptr_t)name->symbol},
                                         .count = 2};
    bool known, parameter = name->storage == AN_PARAMETER_VARIABLE;
    struct definition *definition =
        an_memo(judgement, AN_MEMO_MEANING, &question, sizeof *definition, &known);

    if (known)
        return definition;
    definition->value = parameter ? NULL : an_single_definition(function, name->symbol);
    if (definition->value && is_stale(judgement->program, function, definition->value))
        definition->value = NULL;
    definition->number = parameter && !an_is_changed(an_body(function), name->symbol)
                             ? an_parameter_number(function, name->symbol)
                             : -1;
    return definition;
}

/* The meaning of a name, and its frame; NULL: the name itself. */
static const struct an_node *meaning(struct an_judgement *judgement, const struct an_node *name,
                                     const struct an_frame *frame, const struct an_frame **in)
{
    *in = frame;
    const struct an_node *function = an_function_of(name);
    if (!function || !name->symbol)
        return NULL;
    if (name->storage == AN_LOCAL_VARIABLE)
        return definition_of(judgement, function, name)->value;
    if (name->storage != AN_PARAMETER_VARIABLE || !frame ||
        (frame->call->symbol && function->symbol &&
         strcmp(frame->call->symbol, function->symbol) != 0))
        return NULL;
    int number = definition_of(judgement, function, name)->number;
    if (number < 0)
        return NULL;
    *in = frame->up;
    return an_argument(frame->call, (unsigned)number);
}

static void spell(struct spell *s, const struct an_node *node, const struct an_frame *frame);

static void spell_name(struct spell *s, const struct an_node *node, const struct an_frame *frame)
{
    const struct an_frame *in;
    const struct an_node *value = meaning(s->judgement, node, frame, &in);
    if (value) {
        spell(s, value, in);
        return;
    }
    s->vague |= frame && node->storage != AN_GLOBAL && node->storage != AN_STATIC_LOCAL;
    fprintf(s->out, "%s", node->symbol ? node->symbol : node->name ? node->name : "?");
}

static void spell_member(struct spell *s, const struct an_node *node, const struct an_frame *frame)
{
    const struct an_node *base = an_plain(node->child);
    bool address = base && base->kind == AN_UNARY && base->op == AN_OP_ADDRESS;
    bool pointer = node->arrow && !address;
    spell(s, address && node->arrow ? base->child : base, frame);
    fprintf(s->out, "%s%s", pointer ? "->" : ".", node->name ? node->name : "?");
}

static void spell_children(struct spell *s, const struct an_node *node,
                           const struct an_frame *frame)
{
    fprintf(s->out, "%s%d(", an_kind_name(node->kind), node->op);
    for (const struct an_node *child = node->child; child; child = child->next) {
        spell(s, child, frame);
        fputc(',', s->out);
    }
    fputc(')', s->out);
}

static void spell(struct spell *s, const struct an_node *node, const struct an_frame *frame)
{
    node = an_plain(node);
    if (!node || s->depth >= DEPTH) {
        s->vague = true;
        return;
    }
    s->depth++;
    if (node->constant)
        fprintf(s->out, "%lld", (long long)node->value);
    else if (node->kind == AN_REFERENCE)
        spell_name(s, node, frame);
    else if (node->kind == AN_MEMBER)
        spell_member(s, node, frame);
    else if (is_counted(node))
        spell(s, node->child, frame);
    else {
        s->vague |= node->kind > AN_CHOOSE || node->kind == AN_ASSIGN;
        spell_children(s, node, frame);
    }
    s->depth--;
}

/* ---- Fields of local records ---- */

/* The local record that the MEMBER is of, also through parameters that point to it; *frame becomes
 * that of its function. */
static const struct an_node *record_of(struct an_judgement *judgement, const struct an_node *member,
                                       const struct an_frame **frame)
{
    bool pointer = member->arrow;
    const struct an_node *base = an_plain(member->child);
    for (unsigned i = 0; base && i < DEPTH; i++) {
        if (pointer && takes_address(base)) {
            pointer = false;
            base = an_plain(base->child);
        } else if (base->kind != AN_REFERENCE)
            return NULL;
        else if (!pointer)
            return base->storage == AN_LOCAL_VARIABLE ? base : NULL;
        else
            base = an_plain(meaning(judgement, base, *frame, frame));
    }
    return NULL;
}

static bool is_field(const struct an_node *node, const char *field)
{
    node = an_plain(node);
    return node && node->kind == AN_MEMBER && node->symbol && strcmp(node->symbol, field) == 0;
}

static unsigned writes_in(const struct an_node *function, const char *field)
{
    unsigned count = 0;
    for (const struct an_node *n = function; n; n = an_next(function, n, false))
        if ((n->kind == AN_ASSIGN || is_counted(n) || takes_address(n)) &&
            is_field(n->child, field))
            count++;
    return count;
}

bool an_field_is_written_once(const struct an_program *program, const char *field)
{
    unsigned count = 0;
    for (const struct an_node *f = an_program_next(program, NULL); f;
         f = an_program_next(program, f))
        count += writes_in(f, field);
    return count == 1;
}

/* The number of the argument that `node` is of a call, or -1: it is none. */
static int argument_number(const struct an_node *node)
{
    int number = 0;
    for (const struct an_node *a = an_argument(node->parent, 0); a; a = a->next, number++)
        if (a == node)
            return number;
    return -1;
}

/* May the call write the record to which argument `argument` points, but by `->field`? Functions of
 * other units may. */
static bool callee_overwrites(const struct an_unit *unit, const struct an_node *argument,
                              unsigned depth)
{
    int number = argument->parent->kind == AN_CALL ? argument_number(argument) : -1;
    const struct an_node *callee = number < 0 ? NULL : an_local_callee(unit, argument->parent);
    const struct an_node *parameter = callee ? callee->child : NULL;
    while (parameter && parameter->kind == AN_PARAMETER && number-- > 0)
        parameter = parameter->next;
    if (!parameter || parameter->kind != AN_PARAMETER || !parameter->symbol || depth > CHOICES_DEEP)
        return true;
    for (const struct an_node *n = an_body(callee); n; n = an_next(an_body(callee), n, false)) {
        bool field = n->parent->kind == AN_MEMBER && n->parent->arrow;
        if (an_is_name(n, parameter->symbol) && !field && callee_overwrites(unit, n, depth + 1))
            return true;
    }
    return false;
}

/* May the record be written as a whole where `name` stands? */
static bool is_overwritten(const struct an_unit *unit, const struct an_node *name)
{
    const struct an_node *parent = name->parent;
    if (parent->kind == AN_MEMBER)
        return parent->arrow;
    if (takes_address(parent))
        return callee_overwrites(unit, parent, 0);
    return parent->kind == AN_ASSIGN && parent->child == name;
}

/* The value to which the record's field is set, once in each run of the function and before any
 * other use of the record as a whole or of the field; NULL when that is not so, or when the record
 * may be written as a whole. */
static const struct an_node *field_value(const struct an_program *program,
                                         const struct an_unit *unit, const struct an_node *record,
                                         const char *field)
{
    const struct an_node *function = an_function_of(record), *value = NULL;
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        if (!an_is_name(n, record->symbol))
            continue;
        const struct an_node *member = n->parent;
        bool whole = member->kind != AN_MEMBER || member->arrow;
        if (whole && (!value || is_overwritten(unit, n)))
            return NULL;
        if (value || whole || !is_field(member, field))
            continue;
        const struct an_node *assign = member->parent;
        bool sets =
            assign->kind == AN_ASSIGN && assign->op == AN_OP_NONE && assign->child == member;
        value = sets && assign->parent == an_body(function) ? an_child(assign, 1) : NULL;
        if (!value || is_stale(program, function, value))
            return NULL;
    }
    return value;
}

/* The single value of a field of a local record, as far as the unit tells; NULL when there is none.
 * Functions of other units are not asked, so that the answer is the same for a file alone. */
static const struct an_node *member_meaning(struct an_judgement *judgement,
                                            const struct an_node *member,
                                            const struct an_frame **frame)
{
    if (!member->symbol || !member->type || member->type->class != AN_INTEGER)
        return NULL;
    const struct an_node *record = record_of(judgement, member, frame);
    const struct an_unit *unit =
        record && record->symbol ? an_program_unit_of(judgement->program, record) : NULL;
    const struct an_node *value =
        unit ? field_value(judgement->program, unit, record, member->symbol) : NULL;
    unsigned writes = 0;
    for (const struct an_node *f = value ? unit->functions : NULL; f; f = f->next)
        writes += writes_in(f, member->symbol);
    return writes == 1 ? value : NULL;
}

/* ---- factor * base + offset ---- */

static struct an_term constant_term(int64_t value)
{
    return (struct an_term){.base = "", .offset = value};
}

static bool makes_communicator(struct an_judgement *judgement, const struct an_node *address)
{
    const struct an_node *call = address->parent;
    while (call && call->kind == AN_CAST)
        call = call->parent;
    struct an_mpi mpi;
    return call && call->kind == AN_CALL && an_call_is_mpi(judgement->program, call, &mpi) &&
           mpi.what->role == AN_COLLECTIVE && (mpi.what->flags & AN_SETS_UP) &&
           an_plain(an_argument(call, 0)) != an_plain(address);
}

/* Has the variable no value at its declaration, or MPI_COMM_NULL? */
static bool begins_as_none(const struct an_node *variable)
{
    const struct an_node *value = an_plain(variable->child);
    return !value || value->kind == AN_EMPTY || (value->constant && value->value == NONE);
}

/* A local variable that only ever gets new communicators. */
static bool is_fresh(struct an_judgement *judgement, const struct an_node *name)
{
    const struct an_node *function = an_function_of(name);
    bool made = false;
    if (name->storage != AN_LOCAL_VARIABLE || !name->symbol)
        return false;
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        if (n->kind == AN_ASSIGN && an_is_name(n->child, name->symbol))
            return false;
        if (n->kind == AN_VARIABLE && n->symbol && strcmp(n->symbol, name->symbol) == 0 &&
            !begins_as_none(n))
            return false;
        if (!takes_address(n) || !an_is_name(n->child, name->symbol))
            continue;
        struct an_mpi mpi;
        bool freed = n->parent->kind == AN_CALL &&
                     an_call_is_mpi(judgement->program, n->parent, &mpi) &&
                     (strcmp(mpi.what->name, "Comm_free") == 0 ||
                      strcmp(mpi.what->name, "Comm_disconnect") == 0);
        if (!freed && !makes_communicator(judgement, n))
            return false;
        made |= !freed;
    }
    return made;
}

/* If x counts up, x % n takes the values 0 to n - 1 in turn: notes x and n. */
static void remainder_read(struct an_judgement *judgement, struct an_term *term,
                           const struct an_node *node, const struct an_frame *frame)
{
    const struct an_node *by = an_child(node, 1), *left = an_plain(node->child), *value;
    if (!by->constant || by->value <= 0)
        return;
    for (unsigned i = 0; i < DEPTH; i++) {
        if (is_counted(left))
            left = an_plain(left->child);
        value = left->kind == AN_REFERENCE ? meaning(judgement, left, frame, &frame) : NULL;
        if (!value)
            break;
        left = an_plain(value);
    }
    if (left->kind != AN_REFERENCE)
        return;
    term->symbol = left->symbol;
    term->modulus = by->value;
}

/* ---- Variables that only ever get constants ---- */

struct choices {
    int64_t values[CHOICES];
    unsigned count;
};

static bool choice_add(struct choices *choices, int64_t value)
{
    for (unsigned i = 0; i < choices->count; i++)
        if (choices->values[i] == value)
            return true;
    if (choices->count == CHOICES)
        return false;
    choices->values[choices->count++] = value;
    return true;
}

/* Effect: adds all values that a local variable ever gets; false when one is no constant. */
static bool choices_find(const struct an_node *name, struct choices *choices, unsigned depth)
{
    const struct an_node *function = an_function_of(name);
    if (!function || !name->symbol || name->storage != AN_LOCAL_VARIABLE || depth > CHOICES_DEEP)
        return false;
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        const struct an_node *value = NULL;
        if (n->kind == AN_VARIABLE && n->symbol && strcmp(n->symbol, name->symbol) == 0)
            value = n->child && n->child->kind != AN_EMPTY ? an_plain(n->child) : NULL;
        else if (n->kind == AN_ASSIGN && an_is_name(n->child, name->symbol))
            value = n->op == AN_OP_NONE ? an_plain(an_child(n, 1)) : n;
        else if ((is_counted(n) || takes_address(n)) && an_is_name(n->child, name->symbol))
            return false;
        if (!value)
            continue;
        bool known = value->constant
                         ? choice_add(choices, value->value)
                         : value->kind == AN_REFERENCE && choices_find(value, choices, depth + 1);
        if (!known)
            return false;
    }
    return choices->count > 0;
}

static struct an_term plain_term(struct an_judgement *judgement, const struct an_node *node,
                                 const struct an_frame *frame)
{
    char *text = NULL;
    size_t length = 0;
    struct spell s = {.judgement = judgement, .out = open_memstream(&text, &length)};
    spell(&s, node, frame);
    fclose(s.out);
    struct an_term term = {.factor = 1, .vague = s.vague};
    term.base = an_memo_text(judgement, text);
    free(text);
    if (is_counted(node))
        node = an_plain(node->child);
    if (node->kind == AN_REFERENCE) {
        term.symbol = node->symbol;
        term.name = node;
    }
    if (node->kind == AN_BINARY && node->op == AN_OP_REM)
        remainder_read(judgement, &term, node, frame);
    term.fresh = node->kind == AN_REFERENCE && node->type && node->type->class == AN_COMM &&
                 is_fresh(judgement, node);
    return term;
}

static bool combine(enum an_operator op, const struct an_term *a, const struct an_term *b,
                    struct an_term *out)
{
    bool left = an_term_is_constant(a), right = an_term_is_constant(b);
    if (op == AN_OP_MUL && (left || right)) {
        int64_t by = left ? a->offset : b->offset;
        *out = left ? *b : *a;
        if (by == 0)
            *out = constant_term(0);
        return !__builtin_mul_overflow(out->factor, by, &out->factor) &&
               !__builtin_mul_overflow(out->offset, by, &out->offset);
    }
    if ((op == AN_OP_ADD && (left || right)) || (op == AN_OP_SUB && right)) {
        bool swapped = op == AN_OP_ADD && left;
        int64_t by = swapped ? a->offset : b->offset;
        *out = swapped ? *b : *a;
        return op == AN_OP_ADD ? !__builtin_add_overflow(out->offset, by, &out->offset)
                               : !__builtin_sub_overflow(out->offset, by, &out->offset);
    }
    return false;
}

int64_t an_values_of(const struct an_type *type)
{
    static const struct {
        const char *name;
        int64_t values;
    } narrow[] = {{"_Bool", 2},           {"char", 256},    {"signed char", 256},
                  {"unsigned char", 256}, {"short", 65536}, {"unsigned short", 65536}};

    for (size_t i = 0; type && i < sizeof narrow / sizeof *narrow; i++)
        if (strcmp(type->name, narrow[i].name) == 0)
            return narrow[i].values;
    return 0;
}

static struct an_term plain_at(struct an_judgement *judgement, const struct an_node *node,
                               const struct an_frame *frame, unsigned depth);

/* A value of a small type is a remainder. */
static void narrow(struct an_term *term, const struct an_type *type)
{
    int64_t values = an_values_of(type);

    if (!values || term->vague)
        return;
    if (an_term_is_constant(term))
        term->vague = term->offset < 0 || term->offset >= values / 2;
    else if (!term->symbol || term->factor != 1 || term->offset != 0)
        term->vague = true;
    else if (!term->modulus || values < term->modulus)
        term->modulus = values;
}

static struct an_term term_at(struct an_judgement *judgement, const struct an_node *node,
                              const struct an_frame *frame, unsigned depth)
{
    struct an_term term = plain_at(judgement, node, frame, depth);

    for (; node && node->kind == AN_CAST; node = node->child)
        narrow(&term, node->type);
    return term;
}

static struct an_term plain_at(struct an_judgement *judgement, const struct an_node *node,
                               const struct an_frame *frame, unsigned depth)
{
    node = an_plain(node);
    if (!node || depth > DEPTH)
        return (struct an_term){.base = "?", .factor = 1, .vague = true};
    if (node->constant)
        return constant_term(node->value);
    const struct an_frame *in = frame;
    const struct an_node *value =
        node->kind == AN_REFERENCE ? meaning(judgement, node, frame, &in) : NULL;
    if (value) {
        struct an_term term = term_at(judgement, value, in, depth + 1);
        narrow(&term, node->type);
        return term;
    }
    value = node->kind == AN_MEMBER ? member_meaning(judgement, node, &in) : NULL;
    if (value) {
        struct an_term term = term_at(judgement, value, in, depth + 1);
        term.field = node->symbol;
        return term;
    }
    if (node->kind == AN_BINARY) {
        struct an_term a = term_at(judgement, node->child, frame, depth + 1);
        struct an_term b = term_at(judgement, an_child(node, 1), frame, depth + 1);
        struct an_term both;
        if (combine(node->op, &a, &b, &both))
            return both;
    }
    struct choices choices = {.count = 0};
    if (node->kind != AN_REFERENCE || an_values_of(node->type) || !choices_find(node, &choices, 0))
        return plain_term(judgement, node, frame);
    if (choices.count == 1)
        return constant_term(choices.values[0]);
    struct an_term term = plain_term(judgement, node, frame);
    int64_t *values = an_judgement_alloc(judgement, choices.count * sizeof *values);
    memcpy(values, choices.values, choices.count * sizeof *values);
    term.choices = values;
    term.choice_count = choices.count;
    return term;
}

struct an_term an_term_of(struct an_judgement *judgement, const struct an_node *expression,
                          const struct an_frame *frame)
{
    struct an_question_words question = {.words = {(uintptr_t)expression, (uintptr_t)frame},
                                         .count = 2};
    bool known;
    struct an_term *term = an_memo(judgement, AN_MEMO_TERM, &question, sizeof *term, &known);

    if (!known)
        *term = term_at(judgement, expression, frame, 0);
    return *term;
}

void an_term_ask(struct an_question_words *question, const struct an_term *term)
{
    const uintptr_t words[] = {(uintptr_t)term->base, (uintptr_t)term->factor,
                               (uintptr_t)term->offset, term->vague + 2 * term->fresh,
                               (uintptr_t)term->name};

    memcpy(question->words + question->count, words, sizeof words);
    question->count += sizeof words / sizeof *words;
}
