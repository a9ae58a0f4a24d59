/* Idea: of MPI's calls, the site itself is where dependence begins: a status, a buffer, an index, a
 * flag. A receive that names its source by such a value takes the message that was probed. All
 * other receives give what their names say, which does not depend on the site. */
#include "analysis/flow/flow.h"

#include <string.h>

enum { ARGUMENTS = 16 };

static const struct an_node *argument_node(struct an_flow *flow, const struct an_mpi *mpi,
                                           int number)
{
    return number < 0 ? NULL : an_mpi_argument(flow->program, mpi, (unsigned)number);
}

static struct an_flow_value argument_value(struct an_flow *flow, const struct an_mpi *mpi,
                                           int number)
{
    const struct an_node *node = argument_node(flow, mpi, number);
    struct an_flow_value nothing = {0};
    return node ? an_flow_value_of(flow, node) : nothing;
}

/* The memory to which a pointer argument points; unknown memory gets an object. */
static struct an_flow_value pointer_argument(struct an_flow *flow, const struct an_mpi *mpi,
                                             int number)
{
    const struct an_node *node = argument_node(flow, mpi, number);
    struct an_flow_value nothing = {0};
    if (!node || node->constant || an_plain(node)->constant)
        return nothing;
    struct an_flow_value value = an_flow_value_of(flow, node);
    return value.targets ? value : an_flow_pointee(flow, value, nothing, node, node->type);
}

/* Where a message goes. */
static struct an_flow_value receive_buffer(struct an_flow *flow, const struct an_mpi *mpi)
{
    const struct an_message_arguments *receive = &mpi->what->receive;
    struct an_flow_value bottom;

    if (an_flow_bottom_find(flow, mpi, receive, &bottom))
        return bottom;
    return an_flow_around(flow, pointer_argument(flow, mpi, receive->buffer),
                          argument_node(flow, mpi, receive->buffer),
                          argument_node(flow, mpi, receive->count));
}

static void memory_set(struct an_flow *flow, struct an_flow_value address,
                       struct an_flow_value value)
{
    if (address.targets)
        an_flow_store(flow, address, value,
                      !address.iter && !an_flow_depends(address) &&
                          !(address.flags & AN_FLOW_OFFSET));
}

static struct an_flow_value outcome_make(struct an_flow *flow, enum an_flow_kind kind,
                                         const struct an_node *node, const char *text)
{
    struct an_flow_value value = {.kind = (unsigned char)kind};
    unsigned depth;

    an_flow_taking_loop(flow, &depth);
    value.loop = (unsigned char)depth;
    value.why = an_flow_because(flow, node, text, NULL);
    if ((kind == AN_FLOW_MESSAGE || kind == AN_FLOW_SOURCE) && an_flow_is_robbed(flow)) {
        value.kind = AN_FLOW_ORDER;
        value.why =
            an_flow_because(flow, node, "another receive may take some of the messages", value.why);
    }
    value.stamp = (unsigned)((uintptr_t)node >> 4) * 2654435761u + 3;
    return value;
}

/* The next message: values that speak of the one before are history now. */
static void message_begin(struct an_flow *flow)
{
    flow->seen = true;
    flow->left = false;
    flow->around = an_flow_taking_loop(flow, &flow->site_loop);
    flow->dependent++;
    an_flow_turns_mix(flow, an_flow_taking_turns(flow));
    for (unsigned i = 1; i < flow->state.count; i++) {
        struct an_flow_value value = *an_flow_held(&flow->state, i);
        unsigned born = an_flow_object(flow, an_flow_cell(flow, i)->object)->born;
        if (value.flags & AN_FLOW_PLACED)
            value.stamp = 0;
        value.place = 0;
        an_flow_put(&flow->state, i,
                    an_flow_age(value, born && born >= flow->depth && flow->depth));
    }
}

static bool site_is_open(const struct an_flow *flow)
{
    return flow->site->wildcard & (AN_WILD_SOURCE | AN_WILD_TAG);
}

static void status_set(struct an_flow *flow, const struct an_mpi *mpi, struct an_flow_value value)
{
    struct an_flow_value status = pointer_argument(flow, mpi, mpi->what->status);
    struct an_flow_value one = value;
    bool many = mpi->what->requests >= 0 && mpi->what->index < 0;

    if (many && (one.kind == AN_FLOW_MESSAGE || one.kind == AN_FLOW_SOURCE)) {
        one.flags |= AN_FLOW_PERMUTED;
        one.loop = AN_FLOW_NO_LOOP;
    }
    memory_set(flow, status, one);
}

bool an_flow_targets_meet(struct an_flow *flow, unsigned a, unsigned b)
{
    const struct an_flow_set *one = an_flow_targets(flow, a), *two = an_flow_targets(flow, b);
    for (unsigned i = 0; i < one->count; i++)
        for (unsigned k = 0; k < two->count; k++) {
            const struct an_flow_cell *x = an_flow_cell(flow, one->cells[i]);
            const struct an_flow_cell *y = an_flow_cell(flow, two->cells[k]);
            if (x->object == y->object &&
                ((!x->field && !y->field) ||
                 (x->field && y->field && strcmp(x->field, y->field) == 0)) &&
                (x->element == y->element || x->element < 0 || y->element < 0))
                return true;
        }
    return false;
}

static void posted_add(struct an_flow *flow, struct an_flow_posted **list, const struct an_mpi *mpi,
                       struct an_flow_value buffer)
{
    struct an_flow_posted *posted;
    struct an_flow_value request = pointer_argument(flow, mpi, mpi->what->request);

    for (posted = *list; posted; posted = posted->next)
        if (posted->request.targets == request.targets &&
            posted->buffer.targets == buffer.targets) {
            posted->many |= request.iter || buffer.iter;
            return;
        }
    posted = an_flow_alloc(flow, sizeof *posted);
    posted->request = request;
    posted->buffer = buffer;
    posted->many = request.iter || buffer.iter;
    posted->next = *list;
    *list = posted;
}

/* A completion of receives that the site posted is where their messages come in. */
static bool posted_complete(struct an_flow *flow, const struct an_mpi *mpi)
{
    struct an_flow_value request = pointer_argument(flow, mpi, mpi->what->request);
    bool chooses = mpi->what->role == AN_CHOICE, any = false;

    for (struct an_flow_posted *posted = flow->posted; posted; posted = posted->next) {
        if (!an_flow_targets_meet(flow, posted->request.targets, request.targets))
            continue;
        if (!any)
            message_begin(flow);
        struct an_flow_value value =
            outcome_make(flow, AN_FLOW_MESSAGE, mpi->call, "the message is complete here");
        struct an_flow_value buffer = posted->buffer;
        bool all = mpi->what->requests >= 0 && !chooses;
        if (posted->many && (all || request.iter)) {
            value.flags |= AN_FLOW_PERMUTED;
            value.loop = AN_FLOW_NO_LOOP;
            flow->batch = true;
        }
        buffer.iter = 0;
        buffer.kind = AN_FLOW_FREE;
        memory_set(flow, buffer, value);
        any = true;
    }
    flow->completed |= any;
    if (any)
        status_set(flow, mpi,
                   outcome_make(flow, AN_FLOW_MESSAGE, mpi->call, "the status names the message"));
    return any;
}

/* The index says which request is complete, and so which message it is, only as long as each
 * request stays in its place. */
static struct an_flow_value index_make(struct an_flow *flow, const struct an_mpi *mpi)
{
    flow->requests = pointer_argument(flow, mpi, mpi->what->request).targets;
    if (flow->moved && !flow->request_sends)
        return outcome_make(flow, AN_FLOW_ORDER, mpi->call,
                            "earlier completions decide which request stands where");
    return outcome_make(flow, flow->request_sends ? AN_FLOW_SLOT : AN_FLOW_SOURCE, mpi->call,
                        "which request is complete, is open here");
}

/* Which request is complete; of a batch, which are, and how many. */
static void index_set(struct an_flow *flow, const struct an_mpi *mpi)
{
    const struct an_call *what = mpi->what;
    struct an_flow_value index = index_make(flow, mpi);
    struct an_flow_value place = pointer_argument(flow, mpi, what->index);

    if (what->indices >= 0) {
        struct an_flow_value number =
            outcome_make(flow, AN_FLOW_FLAG, mpi->call, "how many are complete depends on time");
        memory_set(flow, pointer_argument(flow, mpi, what->indices), number);
        if (!flow->request_sends) {
            index.flags |= AN_FLOW_PERMUTED;
            index.loop = AN_FLOW_NO_LOOP;
        }
    }
    memory_set(flow, place, index);
}

/* The site itself. */
static void site_run(struct an_flow *flow, const struct an_mpi *mpi)
{
    const struct an_call *what = mpi->what;
    const struct an_node *call = mpi->call;
    flow->asked = flow->pushed;
    flow->seen = true;
    bool open = site_is_open(flow), posts = what->flags & (AN_NONBLOCKING | AN_PERSISTENT);
    struct an_flow_value nothing = {0}, message = nothing;

    if (what->role == AN_TEST || what->role == AN_CHOICE || what->role == AN_WAIT)
        posted_complete(flow, mpi);
    if (!posts || what->role == AN_PROBE)
        message_begin(flow);
    else
        flow->seen = true, an_flow_taking_loop(flow, &flow->site_loop), flow->dependent++;
    if (open || what->role == AN_CHOICE)
        message = outcome_make(flow, AN_FLOW_MESSAGE, call, "which message arrives here is open");
    if (what->receive.buffer >= 0) {
        struct an_flow_value buffer = receive_buffer(flow, mpi);
        memory_set(flow, buffer, message);
        if (posts)
            posted_add(flow, &flow->posted, mpi, buffer);
    }
    if (flow->posting) {
        struct an_flow_value buffer = receive_buffer(flow, &flow->posting->mpi);
        buffer.iter = 0;
        buffer.kind = AN_FLOW_FREE;
        memory_set(flow, buffer, message);
    }
    if (what->message >= 0)
        memory_set(flow, pointer_argument(flow, mpi, what->message), message);
    if (what->status >= 0)
        status_set(flow, mpi, flow->request_sends ? nothing : message);
    if (what->index >= 0)
        index_set(flow, mpi);
    if (what->role == AN_TEST && what->request >= 0)
        memory_set(
            flow, pointer_argument(flow, mpi, what->request),
            outcome_make(flow, AN_FLOW_FLAG, call, "the request is MPI_REQUEST_NULL, or not"));
    if (what->flag >= 0)
        memory_set(flow, pointer_argument(flow, mpi, what->flag),
                   outcome_make(flow, AN_FLOW_FLAG, call, "the flag depends on time"));
}

/* Another site that takes any message: what it gets changes with each turn. */
static bool is_open_elsewhere(struct an_flow *flow, const struct an_mpi *mpi)
{
    const struct an_site *site = an_site_at(flow->judgement, mpi->call);
    return site && site->wildcard & AN_WILD_SOURCE;
}

/* Another receive or probe gets the messages that it names. */
static struct an_flow_value received_content(struct an_flow *flow, const struct an_mpi *mpi)
{
    const struct an_call *what = mpi->what;
    struct an_flow_value named = argument_value(flow, mpi, what->receive.peer), content = {0};
    struct an_flow_value tag = argument_value(flow, mpi, what->receive.tag);

    if (what->message >= 0) {
        struct an_flow_value handle = pointer_argument(flow, mpi, what->message);
        struct an_flow_value held = an_flow_content(flow, handle, 1);
        if (held.kind > named.kind)
            named = held;
    }
    if (tag.kind > named.kind)
        named = tag;
    if (an_flow_depends(named)) {
        content = named;
        if (content.kind == AN_FLOW_SOURCE)
            content.kind = AN_FLOW_MESSAGE;
        content.flags = 0;
        content.targets = 0;
    }
    content.stamp = (unsigned)((uintptr_t)mpi->call >> 4) * 2654435761u + 3;
    content.flags |= AN_FLOW_BROUGHT;
    bool perhaps = an_flow_depends(an_flow_control_of(flow, flow->depth));
    if (is_open_elsewhere(flow, mpi) || (!perhaps && !an_flow_depends(content)))
        content.iter |= (uint64_t)1 << flow->depth; /* the next message in each turn */
    return content;
}

static void receive_run(struct an_flow *flow, const struct an_mpi *mpi)
{
    const struct an_call *what = mpi->what;
    struct an_flow_value content = an_flow_left_over(flow, mpi->call, received_content(flow, mpi));

    if (what->receive.buffer >= 0)
        memory_set(flow, receive_buffer(flow, mpi), content);
    if (what->status >= 0)
        memory_set(flow, pointer_argument(flow, mpi, what->status), content);
    if (what->message >= 0 && what->role != AN_RECEIVE)
        memory_set(flow, pointer_argument(flow, mpi, what->message), content);
    if (what->flag >= 0)
        memory_set(flow, pointer_argument(flow, mpi, what->flag), content);
}

static void completion_run(struct an_flow *flow, const struct an_mpi *mpi)
{
    struct an_flow_value nothing = {.flags = AN_FLOW_BROUGHT,
                                    .stamp = (unsigned)((uintptr_t)mpi->call >> 4) + 1};

    if (posted_complete(flow, mpi))
        return;
    if (mpi->what->status >= 0)
        memory_set(flow, pointer_argument(flow, mpi, mpi->what->status), nothing);
    if (mpi->what->flag >= 0)
        memory_set(flow, pointer_argument(flow, mpi, mpi->what->flag), nothing);
    if (mpi->what->index >= 0)
        memory_set(flow, pointer_argument(flow, mpi, mpi->what->index), nothing);
    if (mpi->what->indices >= 0)
        memory_set(flow, pointer_argument(flow, mpi, mpi->what->indices), nothing);
}

static bool is_address(const struct an_node *argument)
{
    argument = argument ? an_plain(argument) : NULL;
    return argument && argument->kind == AN_UNARY && argument->op == AN_OP_ADDRESS;
}

/* Whether a call gives something in an argument. */
static bool is_given(struct an_flow *flow, const struct an_mpi *mpi, int number)
{
    const struct an_node *argument = argument_node(flow, mpi, number);

    if (mpi->provisional)
        return is_address(argument);
    return argument && an_flow_may_write(mpi->inner, (unsigned)number);
}

static bool is_among(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names) != 0)
        names++;
    return *names != NULL;
}

/* The value of a call's answer: everything that goes in, without arguments that are only
 * written. */
static struct an_flow_value answer_make(struct an_flow *flow, const struct an_mpi *mpi,
                                        const struct an_flow_value *values)
{
    static const char *const changes[] = {"Dims_create",          "Info_get_string",
                                          "Status_set_elements",  "Status_set_elements_x",
                                          "Status_set_cancelled", NULL};
    static const char *const addresses[] = {"Get_address", "Address", NULL};
    bool asks = is_among(mpi->what->name, addresses);
    bool keeps = is_among(mpi->what->name, changes);
    struct an_flow_value made = {0};

    for (int i = 0; i < mpi->what->arguments; i++) {
        struct an_flow_value value = values[i];
        if (!keeps && is_address(argument_node(flow, mpi, i)) && is_given(flow, mpi, i))
            continue;
        if (value.targets && !asks)
            value = an_flow_combine(value, an_flow_content(flow, value, -1));
        made = an_flow_combine(made, value);
    }
    if (an_flow_depends(made))
        made.flags |= AN_FLOW_LOSSY;
    if (made.kind == AN_FLOW_SOURCE)
        made.kind = AN_FLOW_MESSAGE;
    made.stamp = made.stamp * 31 + (unsigned)((uintptr_t)mpi->call >> 4) * 2654435761u + 9;
    return made;
}

struct an_flow_value an_flow_given(struct an_flow *flow, const struct an_mpi *mpi)
{
    struct an_flow_value values[ARGUMENTS] = {{0}};

    for (int i = 0; i < mpi->what->arguments; i++)
        values[i] = argument_value(flow, mpi, i);
    return answer_make(flow, mpi, values);
}

/* A handle, or a number, that is made of what goes in: Type_contiguous, Comm_split, Comm_size. */
static void handle_run(struct an_flow *flow, const struct an_mpi *mpi)
{
    static const char *const nothing[] = {"Type_commit", "Cancel", NULL};
    struct an_flow_value values[ARGUMENTS] = {{0}};
    bool perhaps = mpi->provisional || strstr(mpi->what->name, "_free");

    for (int i = 0; i < mpi->what->arguments; i++)
        values[i] = argument_value(flow, mpi, i);
    struct an_flow_value made = answer_make(flow, mpi, values);
    for (int i = 0; i < mpi->what->arguments && !is_among(mpi->what->name, nothing); i++) {
        if (!is_given(flow, mpi, i))
            continue;
        if (perhaps || an_flow_takes_anything(mpi->inner, (unsigned)i))
            an_flow_mix(flow, values[i], made);
        else
            memory_set(flow, values[i], made);
    }
}

/* A call that puts an attribute on a handle, or asks for it. */
static bool attribute_run(struct an_flow *flow, const struct an_mpi *mpi)
{
    const char *name = mpi->what->name;
    const struct an_node *key = argument_node(flow, mpi, 1);

    if (strstr(name, "_set_attr") || strcmp(name, "Attr_put") == 0) {
        an_flow_attribute_put(flow, mpi->call, argument_value(flow, mpi, 2));
        return true;
    }
    if (!strstr(name, "_get_attr") && strcmp(name, "Attr_get") != 0)
        return false;
    struct an_flow_value value = {0}; /* the library's own are as they are */
    if (!key || !key->constant)
        value = an_flow_attribute_get(flow);
    memory_set(flow, pointer_argument(flow, mpi, 2), value);
    value.targets = 0;
    memory_set(flow, pointer_argument(flow, mpi, 3), value);
    return true;
}

static bool has_part(const char *name, const char *const *parts)
{
    while (*parts && !strstr(name, *parts))
        parts++;
    return *parts != NULL;
}

/* An info object, a name or an error's text keeps what it is given, and its handle, a value, does
 * not tell: what is asked of any of them afterwards may be that. */
static void book_run(struct an_flow *flow, const struct an_mpi *mpi)
{
    static const char *const puts[] = {"Info_set",  "Info_delete", "_set_name",
                                       "_set_info", "Add_error",   NULL};
    static const char *const gets[] = {"Info_get", "_get_name", "_get_info", "Error_string", NULL};
    struct an_flow_value said = an_flow_control_of(flow, 0);

    for (int i = 0; i < mpi->what->arguments && has_part(mpi->what->name, puts); i++) {
        struct an_flow_value value = argument_value(flow, mpi, i);
        said = an_flow_combine(said, an_flow_combine(value, an_flow_content(flow, value, -1)));
    }
    if (has_part(mpi->what->name, puts) && an_flow_depends(said) && !an_flow_depends(flow->given)) {
        flow->given.kind = AN_FLOW_OPAQUE;
        flow->given.why = an_flow_because(flow, mpi->call, "is kept by MPI from here on", said.why);
    }
    if (!has_part(mpi->what->name, gets) || !an_flow_depends(flow->given))
        return;
    for (int i = 0; i < mpi->what->arguments; i++)
        if (is_given(flow, mpi, i))
            memory_set(flow, argument_value(flow, mpi, i), flow->given);
}

/* Get_count, Pack, Unpack and such: what they give is made of what they get. */
static void local_run(struct an_flow *flow, const struct an_mpi *mpi)
{
    static const struct {
        const char *name;
        signed char from, to, also;
    } flows[] = {{"Get_count", 0, 2, -1},      {"Get_elements", 0, 2, -1},
                 {"Get_elements_x", 0, 2, -1}, {"Pack", 0, 3, 5},
                 {"Unpack", 0, 3, 2},          {"Reduce_local", 0, 1, -1},
                 {"Pack_external", 1, 4, 6},   {"Unpack_external", 1, 4, 3}};
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
        if (strcmp(flows[i].name, mpi->what->name) != 0)
            continue;
        struct an_flow_value from = pointer_argument(flow, mpi, flows[i].from);
        struct an_flow_value content = an_flow_content(flow, from, 1);
        struct an_flow_value to = pointer_argument(flow, mpi, flows[i].to);
        content.stamp = (unsigned)((uintptr_t)mpi->call >> 4) * 2654435761u + 9;
        content.targets = 0;
        if (flows[i].also >= 0 || mpi->what->name[0] == 'R') {
            struct an_flow_value old = an_flow_content(flow, to, -1);
            if (mpi->what->name[0] != 'U')
                content = an_flow_either(flow, content, old);
        }
        memory_set(flow, to, content);
        return;
    }
    an_flow_bottom_note(flow, mpi);
    if (!attribute_run(flow, mpi))
        handle_run(flow, mpi);
    book_run(flow, mpi);
}

static void sender_run(struct an_flow *flow, const struct an_mpi *mpi)
{
    struct an_flow_value brought = {.flags = AN_FLOW_BROUGHT};
    const char *name = mpi->what->name;

    if (flow->seen || !flow->site)
        an_flow_send(flow, mpi);
    if (mpi->what->receive.buffer < 0 || mpi->what->role == AN_EXCHANGE)
        return;
    struct an_flow_value to = pointer_argument(flow, mpi, mpi->what->receive.buffer);
    if (strcmp(name, "Bcast") == 0 || strcmp(name, "Ibcast") == 0) {
        brought = an_flow_content(flow, to, -1); /* the root keeps what it has */
        brought.flags |= AN_FLOW_BROUGHT;
    }
    brought.stamp = (unsigned)((uintptr_t)mpi->call >> 4) * 2654435761u + 3;
    memory_set(flow, to, brought);
}

/* A persistent request says where a message is or will be, each time it is started. A request
 * that the site itself posts is complete elsewhere. */
static void bind_run(struct an_flow *flow, const struct an_mpi *mpi)
{
    const struct an_call *what = mpi->what;
    struct an_flow_value request = pointer_argument(flow, mpi, what->request), from = {0}, to = {0};
    struct an_flow_value content = received_content(flow, mpi), handle;
    bool own = flow->site && (mpi->call == flow->site->node ||
                              (flow->posting && mpi->call == flow->posting->node));
    bool moved = flow->moved;

    if (what->send.buffer >= 0 && !an_flow_bottom_find(flow, mpi, &what->send, &from))
        from = pointer_argument(flow, mpi, what->send.buffer);
    if (what->receive.buffer >= 0)
        to = receive_buffer(flow, mpi);
    handle = an_flow_lasting_make(flow, mpi->call, from, to, own ? NULL : &content);
    if (!handle.targets) /* an empty message: itself, that is nothing */
        handle.targets = request.targets;
    memory_set(flow, request, handle);
    flow->moved = moved; /* a new request, and no other's */
}

/* A collective that makes a handle: its arguments go to the others, too. */
static void set_up_run(struct an_flow *flow, const struct an_mpi *mpi)
{
    if (flow->seen &&
        (an_flow_depends(an_flow_given(flow, mpi)) || an_flow_depends(an_flow_control_of(flow, 0))))
        an_flow_send(flow, mpi);
    handle_run(flow, mpi);
}

/* Where no persistent request of the program sends, none that is started does. */
static bool may_send(struct an_flow *flow, const struct an_mpi *mpi)
{
    switch (mpi->what->role) {
    case AN_SEND:
    case AN_EXCHANGE:
    case AN_COLLECTIVE:
    case AN_ONE_SIDED:
        return true;
    case AN_START: {
        struct an_effects effects = an_node_effects(flow->program, mpi->call);
        return effects.sends || effects.collective;
    }
    default:
        return false;
    }
}

bool an_flow_mpi(struct an_flow *flow, const struct an_node *call)
{
    struct an_mpi mpi;

    if (!an_call_is_mpi(flow->program, call, &mpi))
        return false;
    if (mpi.what->flags & AN_PERSISTENT)
        bind_run(flow, &mpi);
    bool sends = may_send(flow, &mpi);
    if (mpi.what->role == AN_ONE_SIDED || strncmp(mpi.what->name, "File_", 5) == 0)
        an_flow_one_sided(flow, &mpi);
    if (sends && !(mpi.what->flags & AN_SETS_UP))
        sender_run(flow, &mpi);
    else if (sends)
        set_up_run(flow, &mpi);
    const struct an_rival *rival = an_flow_rival(flow, call);
    if (flow->site && (call == flow->site->node || (rival && rival->together && !flow->posting))) {
        site_run(flow, &mpi);
        return true;
    }
    switch (mpi.what->role) {
    case AN_RECEIVE:
    case AN_EXCHANGE:
    case AN_PROBE:
    case AN_POLL:
        receive_run(flow, &mpi);
        return true;
    case AN_TEST:
    case AN_CHOICE:
    case AN_WAIT:
        completion_run(flow, &mpi);
        return true;
    case AN_START:
        an_flow_lasting_start(flow, &mpi);
        return true;
    case AN_LOCAL:
        local_run(flow, &mpi);
        return true;
    default:
        return true;
    }
}
