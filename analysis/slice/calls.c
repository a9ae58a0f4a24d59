/* Idea: what a call is, by its name and by what it may enter. An allocation gives a place of its
 * own at each call; a function that hands on nothing but what an allocation gave counts as one,
 * too. */
#include "analysis/slice/inside.h"

enum { DEEPEST = 5 };

bool sl_is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names) != 0)
        names++;
    return *names != NULL;
}

static bool is_among(const struct an_node *call, const char *const *names)
{
    return call->name && sl_is_one_of(call->name, names);
}

bool sl_gives_away(const struct an_node *call)
{
    static const char *const names[] = {"fwrite",    "fputc",    "putc",    "putw",     "fputs",
                                        "fprintf",   "vfprintf", "dprintf", "vdprintf", "write",
                                        "pwrite",    "writev",   "pwritev", "setenv",   "putenv",
                                        "ftruncate", "truncate", "msgsnd",  "mq_send",  NULL};
    return is_among(call, names);
}

bool sl_gets_back(const struct an_node *call)
{
    static const char *const names[] = {
        "fread",         "fgetc",      "getc",   "getw",  "fgets", "fscanf", "vfscanf",
        "getline",       "getdelim",   "read",   "pread", "readv", "preadv", "getenv",
        "secure_getenv", "ftell",      "ftello", "lseek", "fstat", "stat",   "mmap",
        "msgrcv",        "mq_receive", "feof",   NULL};
    return is_among(call, names);
}

bool sl_fails(const struct an_node *call)
{
    static const char *const names[] = {"abort", "__assert_fail", "__assert", "raise", NULL};
    static const char *const ends[] = {"exit", "_exit", "_Exit", NULL};
    const struct an_node *code = an_argument(call, 0);

    if (is_among(call, ends))
        return code && an_plain(code)->constant && an_plain(code)->value != 0;
    return is_among(call, names);
}

static bool allocates(struct an_slice *slice, const struct an_node *call, unsigned depth);

/* A use of the variable that hands on neither it nor its address. */
static bool is_plain_use(const struct an_node *use)
{
    const struct an_node *up = use->parent;

    while (up->kind == AN_CAST)
        use = up, up = up->parent;
    switch (up->kind) {
    case AN_RETURN:
    case AN_IF:
    case AN_WHILE:
    case AN_INDEX:
    case AN_BLOCK:
        return true;
    case AN_CHOOSE:
        return up->child == use;
    case AN_MEMBER:
        return up->arrow;
    case AN_UNARY:
        return up->op == AN_OP_NOT || up->op == AN_OP_DEREF;
    case AN_BINARY:
        return up->op >= AN_OP_LT && up->op <= AN_OP_LOGICAL_OR;
    case AN_ASSIGN:
        return up->child == use && up->op == AN_OP_NONE;
    case AN_CALL:
        return up->system;
    default:
        return false;
    }
}

static bool is_new(struct an_slice *slice, const struct an_node *value, unsigned depth)
{
    value = an_plain(value);
    return value->kind == AN_EMPTY || value->constant ||
           (value->kind == AN_CALL && allocates(slice, value, depth + 1));
}

/* Does a local variable of the function hold nothing but new blocks, and no other place them? */
static bool holds_new(struct an_slice *slice, const struct an_node *function,
                      const struct an_node *variable, unsigned depth)
{
    if (variable->storage != AN_LOCAL_VARIABLE || !variable->symbol)
        return false;
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        if (!n->symbol || strcmp(n->symbol, variable->symbol) != 0)
            continue;
        if (n->kind == AN_VARIABLE && n->child && !is_new(slice, n->child, depth))
            return false;
        if (n->kind != AN_REFERENCE)
            continue;
        if (!is_plain_use(n))
            return false;
        const struct an_node *up = n->parent;
        if (up->kind == AN_ASSIGN && up->child == n && !is_new(slice, up->child->next, depth))
            return false;
    }
    return true;
}

static bool gives_new(struct an_slice *slice, const struct an_node *function, unsigned depth)
{
    bool any = false;

    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        if (n->kind != AN_RETURN || !n->child || n->child->kind == AN_EMPTY)
            continue;
        const struct an_node *value = an_plain(n->child);
        if (!is_new(slice, value, depth) &&
            !(value->kind == AN_REFERENCE && holds_new(slice, function, value, depth)))
            return false;
        any |= !value->constant;
    }
    return any;
}

static bool allocates(struct an_slice *slice, const struct an_node *call, unsigned depth)
{
    static const char *const names[] = {"malloc", "calloc", "aligned_alloc", "memalign",
                                        "valloc", "strdup", "strndup",       NULL};

    if (!call->type || call->type->class != AN_POINTER || depth > DEEPEST)
        return false;
    if (call->system)
        return is_among(call, names);
    struct an_targets targets = an_call_targets(slice->program, call);
    for (unsigned i = 0; i < targets.count; i++)
        if (!gives_new(slice, targets.functions[i], depth))
            return false;
    return targets.complete && targets.count && call->symbol;
}

enum sl_what sl_call_is(struct an_slice *slice, const struct an_node *call, struct an_mpi *mpi)
{
    static const char *const frees[] = {"free", "cfree", NULL};

    if (an_call_is_mpi(slice->program, call, mpi))
        return SL_MPI;
    if (call->system && is_among(call, frees))
        return SL_FREES;
    if (allocates(slice, call, 0))
        return SL_ALLOCATES;
    struct an_targets targets = an_call_targets(slice->program, call);
    bool computes = targets.complete && !targets.count && call->name;
    return computes || (call->system && targets.complete) ? SL_SYSTEM : SL_ENTERS;
}

const struct an_node *sl_mpi_argument(struct an_slice *slice, const struct an_mpi *mpi, int number)
{
    const struct an_node *argument =
        number < 0 ? NULL : an_mpi_argument(slice->program, mpi, (unsigned)number);
    return argument || number < 0 ? argument : an_argument(mpi->inner, (unsigned)number);
}

bool sl_is_by_address(struct an_slice *slice, const struct an_mpi *mpi,
                      const struct an_message_arguments *arguments)
{
    const struct an_node *buffer = sl_mpi_argument(slice, mpi, arguments->buffer);
    const struct an_node *count = sl_mpi_argument(slice, mpi, arguments->count);
    const struct an_node *type = sl_mpi_argument(slice, mpi, arguments->datatype);

    if (!buffer || !type || an_plain(type)->constant ||
        (count && count->constant && !count->value) || an_plain(buffer)->kind == AN_UNARY)
        return false;
    if (!slice->addresses && an_plain(buffer)->constant)
        slice->nowhere = mpi->call;
    return slice->addresses;
}

struct sl_record *sl_around(struct an_slice *slice, const struct an_node *expression)
{
    const struct an_node *node = an_plain(expression);

    if (node->kind != AN_UNARY || node->op != AN_OP_ADDRESS)
        return NULL;
    for (node = an_plain(node->child); node->kind == AN_INDEX;)
        node = an_plain(node->child);
    if (node->kind != AN_MEMBER || !node->child)
        return NULL;
    const struct an_type *type = node->child->type;
    type = node->arrow ? sl_record_behind(type) : sl_record_of(type);
    return type ? sl_record(slice, type) : NULL;
}
