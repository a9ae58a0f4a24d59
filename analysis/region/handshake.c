/* Idea: a turn is one run of a block that holds the pattern. All its paths are followed twice: as
 * the one rank that receives, and as any other. In each turn the one tells all others once, and
 * each other hears it once. Either both come behind the messages of the turn, or both before them:
 *
 *     last:   others: send message, hear        the one: receive all, tell
 *     first:  others: hear, send message        the one: tell, receive all
 *
 * The n-th word heard is the n-th told, because nothing else is sent with its tag. So a message of
 * the next turn is sent behind a word that was told when all of this turn's had been received. */
#include "analysis/region/handshake.h"
#include "analysis/program/paths.h"
#include "analysis/region/outside.h"
#include "analysis/region/role.h"
#include "analysis/region/telling.h"
#include "analysis/region/walk.h"

#include <string.h>
#include <utlist.h>

enum { BLOCKS = 8, CALLS_DEEP = 6 };

/* The state of a turn: nothing yet; messages; the go-on told. BROKEN: not in this order. */
enum { NOTHING = 1, MESSAGES = 2, TOLD = 4, BROKEN = 8 };

/* A turn, and what is known of it. */
struct turn {
    struct an_judgement *judgement;
    const struct an_node *node; /* the block */
    struct an_role_of role;     /* the one rank */
    struct an_term comm, tag;   /* of the region, in the words of the block's function */
    struct an_telling telling;  /* the word */
    bool others, first;         /* as which ranks it is walked; the word comes first */
};

struct walk {
    const struct turn *turn;
    const struct an_frame *frame;
    unsigned depth; /* calls that may still be entered */
};

/* ---- Steps ---- */

static unsigned after_message(const struct turn *turn, unsigned state)
{
    unsigned next = state & BROKEN;
    if (turn->first)
        return next | (state & TOLD) | (state & (NOTHING | MESSAGES) ? BROKEN : 0);
    return next | (state & (NOTHING | MESSAGES) ? MESSAGES : 0) | (state & TOLD ? BROKEN : 0);
}

static unsigned after_word(unsigned state)
{
    return (state & BROKEN) | (state & (NOTHING | MESSAGES) ? TOLD : 0) |
           (state & TOLD ? BROKEN : 0);
}

/* May the call send (or receive) what the region exchanges? */
static bool is_message(const struct walk *walk, const struct an_mpi *mpi, bool sends)
{
    const struct turn *turn = walk->turn;
    const struct an_program *program = turn->judgement->program;
    enum an_role role = mpi->what->role;
    bool kind = sends ? role == AN_SEND : role == AN_RECEIVE || role == AN_PROBE || role == AN_POLL;
    int number = sends ? mpi->what->send.tag : mpi->what->receive.tag;
    if ((!kind && role != AN_EXCHANGE) || number < 0 || mpi->what->comm < 0)
        return false;
    const struct an_node *comm_argument = an_mpi_argument(program, mpi, (unsigned)mpi->what->comm);
    struct an_term tag =
        an_term_of(turn->judgement, an_mpi_argument(program, mpi, (unsigned)number), walk->frame);
    struct an_term comm = an_term_of(turn->judgement, comm_argument, walk->frame);
    return an_tag_match(&tag, &turn->tag) != AN_NO_MATCH &&
           an_comm_match(&comm, &turn->comm) != AN_NO_MATCH;
}

static unsigned after_mpi(const struct walk *walk, const struct an_mpi *mpi, unsigned state)
{
    const struct turn *turn = walk->turn;
    bool later = mpi->what->flags & (AN_PERSISTENT | (turn->others ? 0 : AN_NONBLOCKING));
    if (mpi->what->role == AN_START || mpi->what->role == AN_ONE_SIDED)
        return BROKEN;
    if (is_message(walk, mpi, turn->others))
        state = later ? BROKEN : after_message(turn, state);
    if (turn->others ? an_telling_is_heard(&turn->telling, mpi, walk->frame)
                     : an_telling_is_broadcast(&turn->telling, mpi, walk->frame))
        state = after_word(state);
    return state;
}

static unsigned walk_node(const struct walk *walk, const struct an_node *node, unsigned state,
                          unsigned *leaves);

static unsigned after_call(const struct walk *walk, const struct an_node *call, unsigned state)
{
    struct an_judgement *judgement = walk->turn->judgement;
    struct an_mpi mpi;
    if (an_call_is_mpi(judgement->program, call, &mpi))
        return after_mpi(walk, &mpi, state);
    if (call->system)
        return state;
    struct an_targets targets = an_call_targets(judgement->program, call);
    unsigned end = targets.complete ? (targets.count ? 0 : state) : BROKEN;
    for (unsigned i = 0; i < targets.count; i++) {
        const struct an_node *function = targets.functions[i];
        const struct an_effects *effects = an_function_effects(judgement->program, function);
        struct walk inner = {walk->turn, an_frame_create(judgement, call, walk->frame),
                             walk->depth - 1};
        unsigned leaves = 0;
        bool quiet = !effects->sends && !effects->receives && !effects->collective &&
                     !effects->polls && !effects->anonymous && !effects->hidden;
        if (!quiet && (!walk->depth || an_function_jumps(judgement->program, function)))
            return BROKEN;
        end |= quiet ? state : walk_node(&inner, an_body(function), state, &leaves) | leaves;
    }
    return end;
}

static unsigned step(struct an_paths *paths, const struct an_node *node, unsigned state)
{
    const struct walk *walk = paths->context;
    const struct turn *turn = walk->turn;
    if (!turn->others && turn->telling.begin == node)
        state = after_word(state);
    return node->kind == AN_CALL ? after_call(walk, node, state) : state;
}

static unsigned decide(struct an_paths *paths, const struct an_node *condition)
{
    const struct walk *walk = paths->context;
    return an_role_decide(&walk->turn->role, condition, walk->turn->others);
}

static unsigned walk_node(const struct walk *walk, const struct an_node *node, unsigned state,
                          unsigned *leaves)
{
    struct an_paths paths = {.step = step, .decide = decide, .context = (void *)(uintptr_t)walk};
    unsigned end = an_paths_walk(&paths, node, state);
    *leaves = paths.leaves;
    return end;
}

/* ---- A turn ---- */

static bool is_kept(struct turn *turn)
{
    bool kept = true;
    for (unsigned others = 0; others < 2 && kept; others++) {
        struct walk walk = {turn, NULL, CALLS_DEEP};
        unsigned leaves;
        turn->others = others;
        kept = walk_node(&walk, turn->node, NOTHING, &leaves) == TOLD && (leaves & ~TOLD) == 0;
    }
    return kept;
}

static bool is_kept_by(struct turn *turn)
{
    turn->first = false;
    if (is_kept(turn))
        return true;
    turn->first = true;
    return is_kept(turn);
}

static bool holds_goto(const struct an_node *node)
{
    for (const struct an_node *n = node; n; n = an_next(node, n, false))
        if (n->kind == AN_GOTO)
            return true;
    return false;
}

/* The call that tells, when the turn is kept by one. A goto might repeat a part of it. */
static const struct an_node *look_in(struct turn *turn)
{
    if (holds_goto(turn->node))
        return NULL;
    const struct an_message *messages =
        an_messages_of(turn->judgement, an_function_of(turn->node), NULL);
    const struct an_message *message;
    LL_FOREACH (messages, message)
        if (an_is_inside(turn->node, message->anchor) &&
            an_telling_by_send(&turn->telling, &turn->role, message) && is_kept_by(turn) &&
            an_outside_is_single(turn->judgement, &message->comm, &message->tag))
            return message->anchor;
    for (const struct an_node *n = turn->node; n; n = an_next(turn->node, n, false))
        if (an_telling_by_broadcast(&turn->telling, &turn->role, n) && is_kept_by(turn))
            return n;
    return NULL;
}

/* The only call of the function, or NULL. */
static const struct an_node *single_caller(const struct an_judgement *judgement,
                                           const struct an_node *function)
{
    if (function == an_program_main(judgement->program))
        return NULL;
    struct an_callers callers = an_function_callers(judgement->program, function);
    return callers.complete && callers.count == 1 ? callers.calls[0] : NULL;
}

/* Looks in the blocks around the node that run it at most once in each of their runs; *out when all
 * of the function is such a block. */
static const struct an_node *climb(struct turn *turn, const struct an_node *node, bool *out)
{
    const struct an_node *found = NULL;
    *out = false;
    for (unsigned i = 0; node->kind != AN_FUNCTION && !found; node = node->parent) {
        bool turns = an_is_loop(node->parent);
        turn->node = node;
        if ((node->kind == AN_BLOCK || turns) && i++ < BLOCKS)
            found = look_in(turn);
        if (turns)
            return found;
    }
    *out = true;
    return found;
}

const struct an_node *an_handshake_find(struct an_judgement *judgement,
                                        const struct an_region *region,
                                        const struct an_pattern *pattern)
{
    const struct an_mpi *mpi = &region->site->mpi;
    const struct an_node *comm =
        an_mpi_argument(judgement->program, mpi, (unsigned)mpi->what->comm);
    const struct an_node *tag =
        an_mpi_argument(judgement->program, mpi, (unsigned)mpi->what->receive.tag);
    struct turn turn = {.judgement = judgement, .comm = region->comm, .tag = region->tag};
    turn.role = (struct an_role_of){judgement, &turn.comm, 0};
    if (!an_role_find(&turn.role, region->anchor) || an_outside_find(judgement, region, pattern))
        return NULL;
    bool out;
    const struct an_node *found = climb(&turn, pattern->first, &out);
    const struct an_node *call = out ? single_caller(judgement, pattern->function) : NULL;
    if (found || !call || !an_term_is_constant(&region->comm))
        return found;
    const struct an_frame *frame =
        an_frames_join(judgement, region->frame, an_frame_create(judgement, call, NULL));
    turn.comm = an_term_of(judgement, comm, frame);
    turn.tag = an_term_of(judgement, tag, frame);
    return climb(&turn, call, &out);
}
