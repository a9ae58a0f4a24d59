/* Idea: the calls of the function are walked in order; a call into the same unit is walked in its
 * place, with a frame that turns its parameters into the arguments.
 *
 * Only functions of the same unit are entered, so that the answer does not change when more of the
 * program becomes known: annotations are made before the link. */
#include "analysis/region/match.h"
#include "analysis/judgement/memo.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { CALLS_DEEP = 6, MESSAGES = 4000 };

/* An earlier answer about a function. */
struct known {
    bool has_messages, has_callers;
    struct an_message *messages;
    struct an_callers callers; /* in its unit */
};

static struct known *known_about(struct an_judgement *judgement, const struct an_node *function)
{
    void **kept = an_judgement_kept(judgement, function);
    if (!*kept)
        *kept = an_judgement_alloc(judgement, sizeof(struct known));
    return *kept;
}

struct gather {
    struct an_judgement *judgement;
    struct an_unit *unit;
    struct an_message *list;
    unsigned count;
};

const struct an_frame *an_frame_create(struct an_judgement *judgement, const struct an_node *call,
                                       const struct an_frame *up)
{
    struct an_question_words question = {.words = {(uintptr_t)call, (uintptr_t)up}, .count = 2};
    bool known;
    struct an_frame *frame = an_memo(judgement, AN_MEMO_FRAME, &question, sizeof *frame, &known);

    if (!known)
        *frame = (struct an_frame){call, up};
    return frame;
}

const struct an_frame *an_frames_join(struct an_judgement *judgement, const struct an_frame *inner,
                                      const struct an_frame *outer)
{
    if (!inner)
        return outer;
    return an_frame_create(judgement, inner->call, an_frames_join(judgement, inner->up, outer));
}

static bool is_source_of_status(const struct an_node *node)
{
    node = an_plain(node);
    return node && node->kind == AN_MEMBER && node->name && strcmp(node->name, "MPI_SOURCE") == 0;
}

/* Is the destination the source of something received? */
static bool is_reply(const struct an_node *destination)
{
    destination = an_plain(destination);
    if (is_source_of_status(destination))
        return true;
    if (!destination || destination->kind != AN_REFERENCE || !destination->symbol)
        return false;
    const struct an_node *function = an_function_of(destination);
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        const struct an_node *target = n->kind == AN_ASSIGN ? an_plain(n->child) : NULL;
        if (target && target->kind == AN_REFERENCE && target->symbol &&
            strcmp(target->symbol, destination->symbol) == 0 && is_source_of_status(an_child(n, 1)))
            return true;
    }
    return false;
}

static const struct an_node *argument(struct gather *gather, const struct an_mpi *mpi, int number)
{
    return number < 0 ? NULL : an_mpi_argument(gather->judgement->program, mpi, (unsigned)number);
}

static void message_add(struct gather *gather, const struct an_mpi *mpi, bool sends,
                        const struct an_node *anchor, const struct an_frame *frame)
{
    const struct an_message_arguments *part = sends ? &mpi->what->send : &mpi->what->receive;
    const struct an_node *tag = argument(gather, mpi, part->tag);
    const struct an_node *peer = argument(gather, mpi, part->peer);
    if (!tag || gather->count++ >= MESSAGES)
        return;
    struct an_message *message = an_judgement_alloc(gather->judgement, sizeof *message);
    *message = (struct an_message){.anchor = anchor, .frame = frame, .call = mpi->call};
    message->sends = sends;
    message->reply = sends && is_reply(peer);
    const struct an_node *count = argument(gather, mpi, part->count);
    message->empty = count && count->constant && count->value == 0;
    const struct an_node *partner = an_plain(peer); /* of child[i], all children */
    if (partner && partner->kind == AN_INDEX)
        partner = partner->child;
    message->peer = an_term_of(gather->judgement, partner, frame);
    message->tag = an_term_of(gather->judgement, tag, frame);
    message->comm = an_term_of(gather->judgement, argument(gather, mpi, mpi->what->comm), frame);
    LL_PREPEND(gather->list, message);
}

static void mpi_add(struct gather *gather, const struct an_mpi *mpi, const struct an_node *anchor,
                    const struct an_frame *frame)
{
    enum an_role role = mpi->what->role;
    if (role == AN_SEND || role == AN_EXCHANGE)
        message_add(gather, mpi, true, anchor, frame);
    if (role == AN_RECEIVE || role == AN_EXCHANGE || role == AN_PROBE || role == AN_POLL)
        message_add(gather, mpi, false, anchor, frame);
}

static bool is_entered(const struct an_frame *frame, const struct an_node *function)
{
    for (; frame; frame = frame->up)
        if (an_function_of(frame->call) == function)
            return true;
    return false;
}

/* A function that does not communicate is not entered: it would add nothing. */
static bool talks(const struct gather *gather, const struct an_node *function)
{
    const struct an_effects *effects = an_function_effects(gather->judgement->program, function);
    return !effects || effects->sends || effects->receives || effects->polls || effects->anonymous;
}

static void function_add(struct gather *gather, const struct an_node *function,
                         const struct an_node *anchor, const struct an_frame *frame, unsigned depth)
{
    const struct an_node *body = an_body(function);
    for (const struct an_node *n = body; n; n = an_next(body, n, false)) {
        struct an_mpi mpi;
        if (n->kind != AN_CALL || gather->count >= MESSAGES)
            continue;
        if (an_call_is_mpi(gather->judgement->program, n, &mpi)) {
            mpi_add(gather, &mpi, anchor ? anchor : n, frame);
            continue;
        }
        const struct an_node *callee = an_local_callee(gather->unit, n);
        if (callee && callee != function && depth < CALLS_DEEP && talks(gather, callee) &&
            !is_entered(frame, callee))
            function_add(gather, callee, anchor ? anchor : n,
                         an_frame_create(gather->judgement, n, frame), depth + 1);
    }
}

static struct an_message *messages_gather(struct an_judgement *judgement,
                                          const struct an_node *function,
                                          const struct an_frame *frame)
{
    struct gather gather = {.judgement = judgement};
    gather.unit = an_program_unit_of(judgement->program, function);
    function_add(&gather, function, NULL, frame, 0);
    struct an_message *list = NULL, *message, *next;
    LL_FOREACH_SAFE (gather.list, message, next)
        LL_PREPEND(list, message);
    return list;
}

const struct an_message *an_messages_of(struct an_judgement *judgement,
                                        const struct an_node *function,
                                        const struct an_frame *frame)
{
    if (frame)
        return messages_gather(judgement, function, frame);
    struct known *known = known_about(judgement, function);
    if (!known->has_messages)
        known->messages = messages_gather(judgement, function, NULL);
    known->has_messages = true;
    return known->messages;
}

enum an_match an_message_match(const struct an_message *send, const struct an_message *receive)
{
    enum an_match comm = an_comm_match(&send->comm, &receive->comm);
    enum an_match tag = an_tag_match(&send->tag, &receive->tag);
    return comm < tag ? comm : tag;
}

static struct an_callers callers_gather(struct an_judgement *judgement,
                                        const struct an_node *function)
{
    struct an_unit *unit = an_program_unit_of(judgement->program, function);
    struct an_node **calls = NULL;
    struct an_callers callers = {.count = 0};
    for (unsigned pass = 0; pass < 2; pass++) {
        callers.count = 0;
        for (const struct an_node *f = unit->functions; f; f = f->next)
            for (struct an_node *n = an_body(f); n; n = an_next(an_body(f), n, false)) {
                if (n->kind != AN_CALL || n->system || n->symbol != function->symbol)
                    continue;
                if (pass)
                    calls[callers.count] = n;
                callers.count++;
            }
        if (!pass)
            calls = an_judgement_alloc(judgement, (callers.count + 1) * sizeof *calls);
    }
    callers.calls = calls;
    return callers;
}

struct an_callers an_local_callers(struct an_judgement *judgement, const struct an_node *function)
{
    struct known *known = known_about(judgement, function);
    if (!known->has_callers)
        known->callers = callers_gather(judgement, function);
    known->has_callers = true;
    return known->callers;
}
