/* Idea: bytes that no field owns keep what the memory held. Where a record is sent as bytes, the
 * variable or block that it lies in is looked for, and everything that is done with that on a
 * way to the send: if it begins with unknown contents, and nothing but fields of it are touched,
 * or records copied into it that are as dirty, its padding is sent as it was found. Any other
 * use of it (memset, a receive, a function that is not here, a second pointer) ends the search:
 * there is a finding only where there can be no doubt. */
#include "analysis/flow/extent.h"
#include "analysis/judge/verdict_findings.h"

#include <string.h>

enum { DEEPEST = 4, NESTED = 8, VISITS = 100 };

struct search {
    struct an_judgement *judgement;
    const struct an_mpi *mpi;     /* the send */
    const struct an_node *origin; /* where the dirty memory comes from, once it is known */
    unsigned visits;              /* of functions so far */
};

/* A use of the memory at one place. */
enum deed {
    TOUCHED,  /* at most fields were written */
    COPIED,   /* a record was assigned to it */
    BORN,     /* a pointer to it was set to a new block */
    DOUBTFUL, /* it may have been cleared */
};

static bool is_dirty(struct search *search, const struct an_node *place, const struct an_node *use,
                     unsigned depth);

static bool is_record(const struct an_type *type)
{
    return type && type->class == AN_RECORD;
}

/* Below arrays. */
static const struct an_type *element_of(const struct an_type *type)
{
    while (type && type->class == AN_ARRAY)
        type = type->below;
    return type;
}

/* The variable that holds, or points to, what `place` names, by whatever path; or NULL. */
static const struct an_node *root_find(const struct an_node *place)
{
    while (place) {
        place = an_plain(place);
        bool sum = place->kind == AN_BINARY && (place->op == AN_OP_ADD || place->op == AN_OP_SUB);
        bool step =
            place->kind == AN_UNARY && (place->op == AN_OP_ADDRESS || place->op == AN_OP_DEREF);
        if (place->kind == AN_REFERENCE)
            break;
        if (place->kind != AN_INDEX && place->kind != AN_MEMBER && !sum && !step)
            return NULL;
        place = place->child;
    }
    const struct an_type *type = place ? element_of(place->type) : NULL;
    bool points = type && type->class == AN_POINTER && type == place->type;
    if (points)
        type = element_of(type->below);
    return is_record(type) && place->symbol ? place : NULL;
}

static bool is_pointer(const struct an_node *root)
{
    return root->type->class == AN_POINTER;
}

/* The VARIABLE or PARAMETER of `function` that a reference names, or NULL. */
static const struct an_node *declaration_find(const struct an_node *function, const char *symbol)
{
    for (const struct an_node *n = function; n; n = an_next(function, n, false))
        if ((n->kind == AN_VARIABLE || n->kind == AN_PARAMETER) && n->symbol &&
            strcmp(n->symbol, symbol) == 0)
            return n;
    return NULL;
}

static bool is_new_block(const struct an_node *value)
{
    value = an_plain(value);
    return value->kind == AN_CALL && value->name && value->system &&
           (strcmp(value->name, "malloc") == 0 || strcmp(value->name, "aligned_alloc") == 0);
}

/* ---- What is done with it ---- */

static enum deed deed_find(struct search *search, const struct an_node *mention,
                           const struct an_node **value, unsigned depth);

/* Whether a function that is here only touches what its parameter points to. */
static bool is_touched_in(struct search *search, const struct an_node *function, unsigned number,
                          unsigned depth)
{
    const struct an_node *parameter = an_child(function, number), *value;

    if (!parameter || parameter->kind != AN_PARAMETER || depth >= DEEPEST ||
        search->visits++ >= VISITS)
        return false;
    for (const struct an_node *n = an_body(function); n; n = an_next(an_body(function), n, false))
        if (n->kind == AN_REFERENCE && n->symbol && strcmp(n->symbol, parameter->symbol) == 0 &&
            deed_find(search, n, &value, depth + 1) != TOUCHED)
            return false;
    return true;
}

static bool is_sent_only(struct search *search, const struct an_mpi *mpi,
                         const struct an_node *argument)
{
    int buffer = mpi->what->send.buffer;

    if (strcmp(mpi->what->name, "Get_address") == 0)
        return true;
    return buffer >= 0 && buffer != mpi->what->receive.buffer && mpi->what->receive.buffer < 0 &&
           an_mpi_argument(search->judgement->program, mpi, (unsigned)buffer) == argument;
}

/* An address of it goes into a call. */
static bool is_touched_by(struct search *search, const struct an_node *call,
                          const struct an_node *argument, unsigned depth)
{
    static const char *const readers[] = {"free", "printf", "fprintf", "fwrite", "write"};
    struct an_program *program = search->judgement->program;
    unsigned number = 0;
    struct an_mpi mpi;

    if (an_call_is_mpi(program, call, &mpi))
        return is_sent_only(search, &mpi, argument);
    for (size_t i = 0; call->name && call->system && i < sizeof readers / sizeof *readers; i++)
        if (strcmp(call->name, readers[i]) == 0)
            return true;
    while (number < an_arguments(call) && an_argument(call, number) != argument)
        number++;
    if (number == an_arguments(call))
        return false; /* it is what is called */
    struct an_targets targets = an_call_targets(program, call);
    bool touched = targets.complete && targets.count > 0;
    for (unsigned i = 0; i < targets.count && touched; i++)
        touched = is_touched_in(search, targets.functions[i], number, depth);
    return touched;
}

/* A field, or what is in it. Its address in a call of the library may be that of all. */
static enum deed field_deed(const struct an_node *field)
{
    const struct an_node *parent = field->parent;

    if (parent->kind != AN_UNARY || parent->op != AN_OP_ADDRESS)
        return TOUCHED;
    while (parent->kind == AN_UNARY || parent->kind == AN_CAST)
        parent = parent->parent;
    bool whole = parent->kind == AN_CALL && parent->name && strncmp(parent->name, "mem", 3) == 0;
    return whole || parent->kind == AN_VARIABLE || parent->kind == AN_ASSIGN ? DOUBTFUL : TOUCHED;
}

static enum deed assign_deed(const struct an_node *assign, const struct an_node *node,
                             const struct an_node *mention, const struct an_node **value)
{
    *value = node->next;
    if (node != assign->child)
        return is_record(node->type) ? TOUCHED : DOUBTFUL;
    if (is_record(node->type))
        return COPIED;
    if (node != mention || assign->op != AN_OP_NONE)
        return DOUBTFUL;
    if (an_plain(*value)->constant)
        return TOUCHED; /* it points nowhere */
    return is_new_block(*value) ? BORN : DOUBTFUL;
}

/* An expression of which the mention is a part, once it is no path into the memory any more. */
static enum deed last_deed(struct search *search, const struct an_node *node,
                           const struct an_node *parent, unsigned depth)
{
    bool copy = is_record(node->type);

    switch (parent->kind) {
    case AN_CALL:
        return copy || is_touched_by(search, parent, node, depth) ? TOUCHED : DOUBTFUL;
    case AN_UNARY:
        return parent->op == AN_OP_NOT ? TOUCHED : DOUBTFUL;
    case AN_BINARY:
        return parent->op == AN_OP_COMMA ? DOUBTFUL : TOUCHED;
    case AN_VARIABLE:
    case AN_CHOOSE:
    case AN_LIST:
    case AN_OTHER:
    case AN_ASM:
        return copy ? TOUCHED : DOUBTFUL;
    default:
        return TOUCHED;
    }
}

static enum deed deed_find(struct search *search, const struct an_node *mention,
                           const struct an_node **value, unsigned depth)
{
    const struct an_node *node = mention, *parent = node->parent;

    for (; parent; node = parent, parent = node->parent) {
        bool way =
            parent->kind == AN_UNARY && (parent->op == AN_OP_ADDRESS || parent->op == AN_OP_DEREF);
        bool sum = parent->kind == AN_BINARY && parent->type->class == AN_POINTER &&
                   (parent->op == AN_OP_ADD || parent->op == AN_OP_SUB);
        if (parent->kind == AN_ASSIGN)
            return assign_deed(parent, node, mention, value);
        if (parent->kind == AN_MEMBER && !is_record(element_of(parent->type)))
            return field_deed(parent);
        if (parent->kind == AN_INDEX && parent->child != node)
            return TOUCHED;
        if (parent->kind != AN_MEMBER && parent->kind != AN_INDEX && parent->kind != AN_CAST &&
            !way && !sum)
            return last_deed(search, node, parent, depth);
    }
    return DOUBTFUL;
}

/* ---- Where it comes from ---- */

static bool is_dirty_at_callers(struct search *search, const struct an_node *function,
                                const struct an_node *parameter, unsigned depth)
{
    struct an_callers callers = an_function_callers(search->judgement->program, function);
    unsigned number = 0;

    while (an_child(function, number) != parameter)
        number++;
    for (unsigned i = 0; i < callers.count; i++) {
        const struct an_node *argument = an_argument(callers.calls[i], number);
        if (argument && is_dirty(search, argument, callers.calls[i], depth + 1))
            return true;
    }
    return false;
}

/* Whether it is dirty where it begins to be. */
static bool is_born_dirty(struct search *search, const struct an_node *root,
                          const struct an_node *declaration, bool born, bool copied, unsigned depth)
{
    if (!declaration || declaration->storage == AN_STATIC_LOCAL)
        return copied && !is_pointer(root);
    if (declaration->kind == AN_PARAMETER)
        return is_dirty_at_callers(search, an_function_of(declaration), declaration, depth);
    const struct an_node *first = declaration->child;
    bool bare = first->kind == AN_EMPTY;
    if (is_pointer(root) && !bare && !is_new_block(first))
        return an_plain(first)->constant && born;
    if (is_pointer(root) ? bare && !born : !bare && first->kind == AN_LIST)
        return false;
    if (!is_pointer(root) && !bare)
        return is_dirty(search, first, declaration, depth + 1);
    search->origin = search->origin ? search->origin : declaration;
    return true;
}

static bool is_dirty(struct search *search, const struct an_node *place, const struct an_node *use,
                     unsigned depth)
{
    const struct an_node *root = root_find(place), *function = an_function_of(use), *value = NULL;
    bool born = false, copied = false, later = search->mpi->what->flags & AN_PERSISTENT;

    if (!root || !function || depth >= DEEPEST || search->visits++ >= VISITS)
        return false;
    const struct an_node *declaration = declaration_find(function, root->symbol);
    for (const struct an_node *n = an_body(function); n; n = an_next(an_body(function), n, false)) {
        if (n->kind != AN_REFERENCE || !n->symbol || strcmp(n->symbol, root->symbol) != 0 ||
            an_flow_holds(use, n) || (!later && !an_flow_may_precede(n, use, declaration)))
            continue;
        switch (deed_find(search, n, &value, depth)) {
        case DOUBTFUL:
            return false;
        case COPIED:
            if (!is_dirty(search, value, n->parent, depth + 1))
                return false;
            copied = true;
            break;
        case BORN:
            born = true;
            break;
        default:
            break;
        }
    }
    return is_born_dirty(search, root, declaration, born, copied, depth);
}

/* ---- The send ---- */

/* How many bytes are sent at least, if anything is; 0 when nobody knows. */
static uint64_t bytes_least(const struct an_node *count)
{
    count = an_plain(count);
    if (count->constant || count->kind == AN_SIZEOF)
        return count->value > 0 && count->value < INT32_MAX ? (uint64_t)count->value : 0;
    if (count->kind == AN_BINARY && count->op == AN_OP_MUL) {
        uint64_t left = bytes_least(count->child), right = bytes_least(count->child->next);
        return left && right ? left * right : left + right;
    }
    if (count->kind == AN_REFERENCE && count->storage == AN_LOCAL_VARIABLE) {
        const struct an_node *function = an_function_of(count);
        const struct an_node *variable = declaration_find(function, count->symbol);
        for (const struct an_node *n = function; n; n = an_next(function, n, false))
            if ((n->kind == AN_ASSIGN || (n->kind == AN_UNARY && n->op >= AN_OP_ADDRESS)) &&
                n->child->symbol && strcmp(n->child->symbol, count->symbol) == 0)
                return 0;
        return variable && variable->child->kind != AN_EMPTY ? bytes_least(variable->child) : 0;
    }
    return 0;
}

static bool is_named_among(const struct an_node *datatype, const char *const *names, size_t count)
{
    for (const struct an_node *n = datatype; n; n = an_next(datatype, n, false))
        for (size_t i = 0; i < count && n->name; i++)
            if (strcmp(n->name, names[i]) == 0)
                return true;
    return false;
}

/* Whether elements of the datatype are bytes. */
static bool is_bytes(const struct an_node *datatype)
{
    static const char *const names[] = {"MPI_BYTE",          "MPI_CHAR",   "MPI_SIGNED_CHAR",
                                        "MPI_UNSIGNED_CHAR", "MPI_INT8_T", "MPI_UINT8_T"};
    return is_named_among(datatype, names, sizeof names / sizeof *names);
}

/* "outer.inner": the field that the hole follows. */
static const char *field_spell(struct an_judgement *judgement, const struct an_layout *layout)
{
    const struct an_field *field = layout->before;
    const char *name = field->name;

    for (unsigned i = 0; i < NESTED && layout->hole < field->offset + field->size; i++) {
        layout = field->record->layout;
        field = layout->before;
        name = an_judgement_printf(judgement, "%s%s%s", name, *name && *field->name ? "." : "",
                                   field->name);
        if (layout->hole >= field->offset + field->size)
            break;
    }
    return name;
}

static const char *record_spell(const struct an_type *record)
{
    bool constant = strncmp(record->name, "const ", 6) == 0;
    return strchr(record->name, '(') ? "a structure" : record->name + (constant ? 6 : 0);
}

static struct an_step *path_make(struct search *search, const char *text)
{
    struct an_step *last = an_judgement_alloc(search->judgement, sizeof *last);
    struct an_step *first = an_judgement_alloc(search->judgement, sizeof *first);

    *last = (struct an_step){.node = search->mpi->call, .text = text};
    *first = (struct an_step){
        .node = search->origin, .text = "its padding is whatever the memory held", .next = last};
    return search->origin ? first : last;
}

/* The pointer that was last stored in a field of the record, as far as the text tells; or NULL. */
static const struct an_node *address_find(struct search *search, const struct an_node *buffer)
{
    const struct an_node *root = root_find(buffer), *call = search->mpi->call, *found = NULL,
                         *value;
    const struct an_node *function = an_function_of(call);

    for (const struct an_node *n = root ? function : NULL; n; n = an_next(function, n, false)) {
        if (n->kind != AN_REFERENCE || !n->symbol || strcmp(n->symbol, root->symbol) != 0 ||
            an_flow_holds(call, n) ||
            !an_flow_may_precede(n, call, declaration_find(function, root->symbol)))
            continue;
        const struct an_node *field = n->parent, *assign = field->parent;
        bool stored = field->kind == AN_MEMBER && assign->kind == AN_ASSIGN &&
                      assign->child == field && field->type->class == AN_POINTER;
        if (stored)
            found = an_plain(field->next)->constant ? NULL : field;
        else if (deed_find(search, n, &value, 0) != TOUCHED)
            found = NULL;
    }
    return found;
}

static void address_judge(struct search *search, const struct an_node *buffer,
                          const struct an_type *record, uint64_t bytes)
{
    const struct an_node *address = address_find(search, buffer);
    const char *text;

    for (unsigned i = 0; address && i < record->layout->count; i++) {
        const struct an_field *field = &record->layout->fields[i];
        if (strcmp(field->name, address->name) != 0 || field->offset >= bytes * 8)
            continue;
        text = an_judgement_printf(search->judgement,
                                   "the bytes of %s are sent with the address in its field %s",
                                   record_spell(record), field->name);
        an_finding_add(search->judgement, NULL, "payload-noise", search->mpi->call, text,
                       "send what it points to", NULL);
    }
}

static void padding_judge(struct search *search, const struct an_node *buffer,
                          const struct an_type *record)
{
    const struct an_node *call = search->mpi->call;
    const char *text;

    if (!is_dirty(search, buffer, call, 0))
        return;
    text =
        an_judgement_printf(search->judgement,
                            "the bytes of %s are sent with the padding behind its field %s, "
                            "which nobody has cleared",
                            record_spell(record), field_spell(search->judgement, record->layout));
    an_finding_add(search->judgement, NULL, "payload-noise", call, text,
                   "clear it by memset first, or send its fields with a datatype of their own",
                   path_make(search, text));
}

void an_padding_find(struct an_judgement *judgement, const struct an_mpi *mpi)
{
    struct search search = {.judgement = judgement, .mpi = mpi};
    const struct an_message_arguments *sent = &mpi->what->send;
    const struct an_node *parts[3];
    const signed char numbers[] = {sent->buffer, sent->count, sent->datatype};

    for (unsigned i = 0; i < 3; i++) {
        unsigned number = (unsigned)numbers[i];
        if (numbers[i] < 0)
            return;
        parts[i] = an_mpi_argument(judgement->program, mpi, number);
        if (!parts[i] && !(parts[i] = an_argument(mpi->inner, number)))
            return;
    }
    const struct an_type *type = an_plain(parts[0])->type;
    const struct an_type *record = type ? element_of(type->below) : NULL;
    uint64_t bytes = bytes_least(parts[1]);
    if (!record || !is_bytes(parts[2]) || !bytes)
        return;
    if (record->class == AN_POINTER)
        an_finding_add(judgement, NULL, "payload-noise", mpi->call,
                       "the bytes of an address are sent", "send what it points to", NULL);
    if (!is_record(record) || !record->layout)
        return;
    address_judge(&search, parts[0], record, bytes);
    if (record->layout->before && bytes * 8 > record->layout->hole)
        padding_judge(&search, parts[0], record);
}
