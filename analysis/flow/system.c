/* Idea: a function of the system that nothing else is known of is read by its type: what it gets a
 * pointer to, and not to something constant, it may have written, out of all that it was given. A
 * few have a memory of their own, so that they give something else each time. */
#include "analysis/flow/flow.h"

#include <ctype.h>
#include <string.h>

enum { PARAMETERS = 8 }; /* of a function that is called back */

static bool is_among(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names) != 0)
        names++;
    return *names != NULL;
}

/* Whether the first argument gets the rest, all of it. */
static bool writes_first(const char *name)
{
    static const char *const names[] = {"strcat", "strncat", "memset", NULL};
    return strstr(name, "sprintf") || strstr(name, "snprintf") || is_among(name, names);
}

/* Whether what it returns leads to a place in its arguments that they choose. */
static bool finds_place(const char *name)
{
    static const char *const names[] = {"strchr",  "strrchr",   "strchrnul", "strstr", "strcasestr",
                                        "strpbrk", "strtok",    "strtok_r",  "strsep", "memchr",
                                        "memrchr", "rawmemchr", "memmem",    "index",  "rindex",
                                        "bsearch", "lfind",     "lsearch",   NULL};
    return is_among(name, names);
}

/* A builtin whose type says nothing: it changes what its first argument points to. */
static bool is_atomic(const char *name)
{
    return strncmp(name, "__sync_", 7) == 0 || strncmp(name, "__atomic_", 9) == 0;
}

/* Whether it gives something else each time, whatever it gets. */
static bool goes_on(const char *name)
{
    static const char *const names[] = {
        "rand",  "random", "drand48", "lrand48", "mrand48", "erand48", "nrand48", "jrand48",
        "fgetc", "getc",   "getchar", "fgets",   "fread",   "read",    "getline", "getdelim",
        "scanf", "fscanf", "readdir", "ftell",   "lseek",   NULL};
    return is_among(name, names) || is_atomic(name);
}

/* The text of parameter number `n` from 0 in a type like "int (const char *, int)"; `...` for those
 * behind the last one. */
static const char *parameter_find(const char *type, unsigned n, size_t *length)
{
    const char *from = strchr(type, '('), *to;
    unsigned depth = 0;

    for (to = from = from ? from + 1 : type; *to; to++) {
        bool ends = depth == 0 && (*to == ',' || *to == ')');
        depth += *to == '(';
        depth -= *to == ')' && depth;
        if (!ends)
            continue;
        while (isspace((unsigned char)*from))
            from++;
        *length = (size_t)(to - from);
        if (n == 0 || *to == ')' || strncmp(from, "...", 3) == 0)
            return from;
        n--;
        from = to + 1;
    }
    *length = 0;
    return type;
}

static bool has_word(const char *text, size_t length, const char *word)
{
    const char *found = strstr(text, word);
    return found && (size_t)(found - text) + strlen(word) <= length;
}

static const char *parameter_of(const struct an_node *call, unsigned n, size_t *length)
{
    const struct an_type *type = call->child->type;

    if (type->class == AN_POINTER && type->below)
        type = type->below;
    return parameter_find(type->name, n, length);
}

bool an_flow_takes_anything(const struct an_node *call, unsigned n)
{
    size_t length;
    const char *text = parameter_of(call, n, &length);
    return has_word(text, length, "void *");
}

bool an_flow_may_write(const struct an_node *call, unsigned n)
{
    size_t length;

    if (is_atomic(call->name))
        return true;
    const char *text = parameter_of(call, n, &length);
    if (has_word(text, length, "..."))
        return strstr(call->name, "scanf") != NULL;
    return has_word(text, length, "*") && strncmp(text, "const ", 6) != 0 &&
           !has_word(text, length, "_IO_FILE") && !has_word(text, length, "(");
}

/* The combined value of all arguments. */
/* The arguments behind a va_list that the call gets: those of the variadic function around. */
static struct an_flow_value listed(struct an_flow *flow, const struct an_node *call)
{
    struct an_flow_value made = {0};
    bool list = false;

    for (unsigned i = 0; i < an_arguments(call); i++) {
        const struct an_type *type = an_argument(call, i)->type;
        list |= type && strstr(type->name, "va_list");
    }
    for (const struct an_flow_frame *frame = flow->frame; list && frame; frame = frame->caller)
        if (frame->function->variadic)
            return an_flow_combine(frame->numbers, an_flow_content(flow, frame->pointers, -1));
    return made;
}

static struct an_flow_value made_of(struct an_flow *flow, const struct an_node *call,
                                    const struct an_flow_value *values, unsigned count)
{
    struct an_flow_value made = listed(flow, call);

    for (unsigned i = 0; i < count; i++) {
        struct an_flow_value content = an_flow_content(flow, values[i], -1);
        made = an_flow_combine(an_flow_combine(made, values[i]), content);
    }
    made.flags |= AN_FLOW_LOSSY;
    if (made.kind == AN_FLOW_SOURCE)
        made.kind = AN_FLOW_MESSAGE;
    if (made.kind >= AN_FLOW_MESSAGE || made.flags & AN_FLOW_PERMUTED)
        flow->used = call;
    an_flow_kept_pass(flow, call, &made);
    if (goes_on(call->name)) {
        made.iter |= ((uint64_t)2 << flow->depth) - 2;
        made.stamp = 0;
    }
    return made;
}

/* Two ways under a condition may get something else, even if nothing of it depends on the site. */
static void arguments_write(struct an_flow *flow, const struct an_node *call,
                            const struct an_flow_value *values, unsigned count,
                            struct an_flow_value made)
{
    bool other = an_flow_depends(made) || made.iter;
    bool perhaps = an_flow_depends(an_flow_control_of(flow, 0));

    made.flags &= ~AN_FLOW_CONSTANT;
    for (unsigned i = 0; i < count; i++) {
        if (other && values[i].targets && an_flow_may_write(call, i))
            an_flow_store(flow, values[i], made, false);
        else if (perhaps && values[i].targets && an_flow_may_write(call, i))
            an_flow_mix(flow, values[i], made);
        an_flow_leak(flow, values[i]);
    }
}

/* Whether what it calls only compares, so that nothing of it is seen but by the result. */
static bool compares(const char *name)
{
    static const char *const names[] = {"bsearch", "lfind",   "lsearch", "tsearch",
                                        "tfind",   "tdelete", NULL};
    return is_among(name, names);
}

/* The functions that it was given are called with something of all that it was given: twalk. */
static void callbacks_run(struct an_flow *flow, const struct an_node *call,
                          struct an_flow_value made)
{
    struct an_targets targets = an_call_targets(flow->program, call);
    struct an_flow_value values[PARAMETERS], nothing = {0};

    if (!targets.count || compares(call->name) || !an_flow_depends(made))
        return;
    made.targets = 0;
    for (unsigned i = 0; i < PARAMETERS; i++)
        values[i] = made;
    an_flow_targets_run(flow, call, targets, values, PARAMETERS, nothing);
}

void an_flow_system(struct an_flow *flow, const struct an_node *call,
                    const struct an_flow_value *values, unsigned count,
                    struct an_flow_value *result)
{
    bool pointer = call->type && call->type->class == AN_POINTER;
    struct an_flow_value made = made_of(flow, call, values, count);

    if (count && writes_first(call->name))
        an_flow_store(flow, values[0], made, true);
    else
        arguments_write(flow, call, values, count, made);
    callbacks_run(flow, call, made);
    *result = pointer && count ? values[0] : made;
    if (pointer && !count && call->symbol) /* errno and such: one place, whoever asks for it */
        result->targets = an_flow_variable(flow, an_plain(call->child)).targets;
    if (pointer && made.kind == AN_FLOW_OPAQUE) {
        result->kind = made.kind;
        result->why = made.why;
    }
    if (pointer && finds_place(call->name)) {
        struct an_flow_value all = {0};
        for (unsigned i = 0; i < count; i++)
            all = an_flow_either(flow, all, values[i]);
        *result = made;
        result->targets = all.targets;
        result->flags |= AN_FLOW_OFFSET;
    }
    result->flags &= ~(AN_FLOW_PERMUTED | AN_FLOW_CONSTANT);
    result->flags |= AN_FLOW_BROUGHT;
}
