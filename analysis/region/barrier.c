/* Idea: paths are followed into called functions with the communicator in the caller's words, so
 * that a barrier counts only where it is known to hold all ranks of the exchange. */
#include "analysis/region/barrier.h"
#include "analysis/judgement/memo.h"
#include "analysis/program/paths.h"
#include "analysis/region/group.h"
#include "analysis/region/match.h"
#include "analysis/region/start.h"

#include <string.h>

enum { CALLS_DEEP = 6 };
enum { NOT_YET = 1, PASSED = 2 };

/* Calls that make a communicator agree with all ranks on its number, as MPICH does it: see
 * docs/decisions/0017-what-synchronises.md. */
static bool makes_communicator(const struct an_call *what)
{
    static const char *const names[] = {"Comm_dup",
                                        "Comm_dup_with_info",
                                        "Comm_create",
                                        "Cart_create",
                                        "Graph_create",
                                        "Dist_graph_create",
                                        "Dist_graph_create_adjacent",
                                        NULL};
    for (unsigned i = 0; names[i]; i++)
        if (strcmp(what->name, names[i]) == 0)
            return true;
    return false;
}

/* With nothing to reduce or to gather, nobody needs anybody. */
static enum an_match is_empty(struct an_judgement *judgement, const struct an_mpi *mpi,
                              const struct an_frame *frame, const struct an_term *comm)
{
    int number = mpi->what->send.count;
    const struct an_node *count =
        number < 0 ? NULL : an_mpi_argument(judgement->program, mpi, (unsigned)number);

    if (!count)
        return AN_NO_MATCH;
    struct an_term term = an_term_of(judgement, count, frame);
    if (an_term_is_constant(&term))
        return term.offset == 0 ? AN_MUST_MATCH : AN_NO_MATCH;
    struct an_role_of role = {.judgement = judgement, .comm = comm};
    bool sized =
        term.name && term.factor > 0 && term.offset >= 0 && an_role_is_size(&role, term.name);
    return sized ? AN_NO_MATCH : AN_MAY_MATCH;
}

bool an_barrier_may_be_empty(struct an_judgement *judgement, const struct an_mpi *mpi,
                             const struct an_frame *frame, const struct an_term *comm)
{
    return is_empty(judgement, mpi, frame, comm) != AN_NO_MATCH;
}

enum an_match an_barrier_match(struct an_judgement *judgement, const struct an_mpi *mpi,
                               const struct an_frame *frame, const struct an_term *comm)
{
    const struct an_call *what = mpi->what;
    enum an_match empty = is_empty(judgement, mpi, frame, comm);
    if (what->role != AN_COLLECTIVE || what->comm < 0 ||
        (what->flags & (AN_NONBLOCKING | AN_PERSISTENT)) ||
        !((what->flags & AN_SYNCHRONISES) || makes_communicator(what)) || empty == AN_MUST_MATCH)
        return AN_NO_MATCH;
    const struct an_node *argument = an_mpi_argument(judgement->program, mpi, (unsigned)what->comm);
    struct an_term whole = an_term_of(judgement, argument, frame);
    enum an_match covers = an_group_covers(judgement, &whole, comm);
    return covers == AN_MUST_MATCH && empty != AN_NO_MATCH ? AN_MAY_MATCH : covers;
}

bool an_barrier_is_word(struct an_judgement *judgement, const struct an_mpi *mpi,
                        const struct an_frame *frame, const struct an_term *comm,
                        const struct an_role_of *role)
{
    struct an_program *program = judgement->program;
    const struct an_call *what = mpi->what;

    if (strcmp(what->name, "Bcast") != 0 || is_empty(judgement, mpi, frame, comm) != AN_NO_MATCH)
        return false;
    struct an_term root =
        an_term_of(judgement, an_mpi_argument(program, mpi, (unsigned)what->send.peer), frame);
    struct an_term on =
        an_term_of(judgement, an_mpi_argument(program, mpi, (unsigned)what->comm), frame);
    return an_term_is_constant(&root) && root.offset == role->rank &&
           an_comm_match(&on, comm) == AN_MUST_MATCH;
}

/* ---- Paths ---- */

struct walk {
    struct an_judgement *judgement;
    const struct an_frame *frame;
    const struct an_term *comm;
    const struct an_role_of *role; /* or NULL */
    unsigned depth;                /* calls that may still be entered */
};

static bool always(const struct walk *walk, const struct an_node *node);

static bool call_passes(const struct walk *walk, const struct an_node *call)
{
    struct an_judgement *judgement = walk->judgement;
    struct an_mpi mpi;
    if (an_call_is_mpi(judgement->program, call, &mpi))
        return an_barrier_match(judgement, &mpi, walk->frame, walk->comm) == AN_MUST_MATCH ||
               (walk->role &&
                an_barrier_is_word(judgement, &mpi, walk->frame, walk->comm, walk->role));
    struct an_targets targets = an_call_targets(judgement->program, call);
    bool all = !call->system && targets.complete && targets.count && walk->depth;
    for (unsigned i = 0; i < targets.count && all; i++) {
        const struct an_node *function = targets.functions[i];
        struct walk inner = *walk;
        inner.frame = an_frame_create(judgement, call, walk->frame);
        inner.depth--;
        all = an_function_effects(judgement->program, function)->collective &&
              !an_function_jumps(judgement->program, function) && always(&inner, an_body(function));
    }
    return all;
}

static unsigned path_step(struct an_paths *paths, const struct an_node *node, unsigned state)
{
    bool passes = node->kind == AN_CALL && state != PASSED && call_passes(paths->context, node);
    return passes ? PASSED : state;
}

static bool always(const struct walk *walk, const struct an_node *node)
{
    struct an_paths paths = {.step = path_step, .context = (void *)(uintptr_t)walk};
    unsigned end = an_paths_walk(&paths, node, NOT_YET);
    return (end | paths.leaves) == PASSED;
}

bool an_barrier_always(struct an_judgement *judgement, const struct an_node *node,
                       const struct an_frame *frame, const struct an_term *comm,
                       const struct an_role_of *role)
{
    struct an_question_words question = {.words = {(uintptr_t)node, (uintptr_t)frame,
                                                   role ? (uintptr_t)role->rank + 1 : 0,
                                                   judgement->asking},
                                         .count = 4};
    struct walk walk = {judgement, frame, comm, role, CALLS_DEEP};
    bool *holds, known;

    an_term_ask(&question, comm);
    holds = an_memo(judgement, AN_MEMO_BARRIER, &question, sizeof *holds, &known);
    if (!known)
        *holds = an_node_effects(judgement->program, node).collective && always(&walk, node);
    return *holds;
}

/* ---- Non-blocking barriers ---- */

/* The variable or field of the request of a non-blocking barrier that the call begins, or NULL. */
static const char *begun_by(struct an_judgement *judgement, const struct an_node *call,
                            const struct an_term *comm)
{
    struct an_mpi mpi;
    if (call->kind != AN_CALL || !an_call_is_mpi(judgement->program, call, &mpi) ||
        strcmp(mpi.what->name, "Ibarrier") != 0)
        return NULL;
    struct an_term on = an_term_of(
        judgement, an_mpi_argument(judgement->program, &mpi, (unsigned)mpi.what->comm), NULL);
    bool all = an_group_covers(judgement, &on, comm) == AN_MUST_MATCH;
    return all ? an_request_name(judgement->program, &mpi) : NULL;
}

static bool completes(const struct an_program *program, const struct an_node *call,
                      const char *request)
{
    struct an_mpi mpi;
    if (call->kind != AN_CALL || !an_call_is_mpi(program, call, &mpi) ||
        (mpi.what->role != AN_WAIT && mpi.what->role != AN_TEST && mpi.what->role != AN_CHOICE))
        return false;
    const char *name = an_request_name(program, &mpi);
    return name && strcmp(name, request) == 0;
}

bool an_barrier_is_begun(struct an_judgement *judgement, const struct an_node *first,
                         const struct an_node *last, const struct an_term *comm)
{
    const char *request = NULL;
    for (const struct an_node *s = first; s && !request; s = s == last ? NULL : s->next)
        for (const struct an_node *n = s; n && !request; n = an_next(s, n, false))
            request = begun_by(judgement, n, comm);
    for (const struct an_node *s = first; s && request; s = s == last ? NULL : s->next)
        for (const struct an_node *n = s; n; n = an_next(s, n, false))
            if (completes(judgement->program, n, request))
                return true;
    return false;
}
