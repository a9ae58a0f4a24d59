/* Idea: from the region outwards, statement by statement, into the callers. A collective beside
 * the region ends the proof, because MPI wants all members to call it equally often, and the
 * region runs as often as it. Code that may skip the region on some ranks only (a condition, the
 * turns of a loop, a jump out of the block before it) must be the same on all. */
#include "analysis/region/equal.h"
#include "analysis/region/barrier.h"
#include "analysis/region/group.h"
#include "analysis/region/same.h"
#include "analysis/region/tree.h"
#include "analysis/region/walk.h"

#include <string.h>

enum { CALLERS_UP = 24 };

struct climb {
    struct an_judgement *judgement;
    const struct an_node *comm;   /* the site's argument */
    const struct an_frame *frame; /* from the function climbed in to the site */
    struct an_term term;          /* the communicator in that function's words */
};

bool an_region_synchronises(struct an_judgement *judgement, const struct an_region *region,
                            const struct an_pattern *pattern)
{
    for (const struct an_node *s = pattern->first; s; s = s == pattern->last ? NULL : s->next)
        if (an_barrier_always(judgement, s, NULL, &region->comm, NULL))
            return true;
    if (an_barrier_is_begun(judgement, pattern->first, pattern->last, &region->comm))
        return true;
    const struct an_message *tree =
        an_tree_find(judgement, pattern->function, pattern->first, pattern->last);
    return tree && an_group_covers(judgement, &tree->comm, &region->comm) == AN_MUST_MATCH;
}

/* ---- Conditions ---- */

static const char *differs(const struct climb *climb, const struct an_node *condition)
{
    enum an_sameness sameness = an_sameness_of(climb->judgement, condition, &climb->term);
    if (sameness == AN_SAME)
        return NULL;
    return an_judgement_printf(climb->judgement,
                               sameness == AN_RANKED
                                   ? "%s:%u: the condition depends on the rank, so ranks may run "
                                     "the region a different number of times"
                                   : "%s:%u: it cannot be shown that this condition is the same "
                                     "on all ranks, so they may run the region a different "
                                     "number of times",
                               condition->place.file, condition->place.line);
}

static bool is_jump(const struct an_node *node)
{
    return node->kind == AN_RETURN || node->kind == AN_BREAK || node->kind == AN_CONTINUE ||
           node->kind == AN_GOTO;
}

/* Whether the jump leaves `root`. */
static bool leaves(const struct an_node *root, const struct an_node *jump)
{
    return jump->kind == AN_RETURN || !an_is_inside(root, an_jump_target(jump));
}

/* The conditions between a jump and the statement `root` that holds it. */
static const char *guards_differ(const struct climb *climb, const struct an_node *root,
                                 const struct an_node *jump)
{
    for (const struct an_node *n = jump; n != root; n = n->parent) {
        const struct an_node *parent = n->parent;
        const struct an_node *condition = NULL;
        if ((parent->kind == AN_IF || parent->kind == AN_SWITCH) && n != parent->child)
            condition = parent->child;
        else if (an_is_loop(parent) && n == an_loop_body(parent))
            condition = an_loop_condition(parent);
        const char *why = condition ? differs(climb, condition) : NULL;
        if (why)
            return why;
    }
    return NULL;
}

/* Jumps in `root` that leave it, on some ranks only. */
static const char *jumps_differ(const struct climb *climb, const struct an_node *root)
{
    for (const struct an_node *n = root; n; n = an_next(root, n, false)) {
        const char *why = is_jump(n) && leaves(root, n) ? guards_differ(climb, root, n) : NULL;
        if (why)
            return why;
    }
    return NULL;
}

/* ---- The way out ---- */

/* Is there a collective of the same block that runs as often as the child `node`? */
static bool is_beside_collective(const struct climb *climb, const struct an_node *block,
                                 const struct an_node *node)
{
    bool seen = false, clear = true; /* behind the earlier of the two; no jump since then */
    for (const struct an_node *n = block->child; n; n = n->next) {
        bool collective =
            n != node && an_barrier_always(climb->judgement, n, NULL, &climb->term, NULL);
        if (n == node && seen && clear)
            return true;
        if (collective && seen && clear && n->place.offset > node->place.offset)
            return true;
        if (collective || n == node)
            seen = clear = true;
        clear &= !seen || !jumps_differ(climb, n);
    }
    return false;
}

/* Statements of the block before `node` that may jump over it. */
static const char *skips_differ(const struct climb *climb, const struct an_node *block,
                                const struct an_node *node)
{
    const char *why = NULL;
    for (const struct an_node *n = block->child; n != node && !why; n = n->next)
        why = jumps_differ(climb, n);
    return why;
}

/* The parent's demands on its child; *shown when the proof is complete. */
static const char *parent_look(const struct climb *climb, const struct an_node *node, bool *shown)
{
    const struct an_node *parent = node->parent;
    bool logical = parent->kind == AN_BINARY &&
                   (parent->op == AN_OP_LOGICAL_AND || parent->op == AN_OP_LOGICAL_OR);
    bool chooses =
        parent->kind == AN_IF || parent->kind == AN_CHOOSE || parent->kind == AN_SWITCH || logical;
    if (parent->kind == AN_BLOCK) {
        *shown = is_beside_collective(climb, parent, node);
        return *shown ? NULL : skips_differ(climb, parent, node);
    }
    if (chooses && node != parent->child)
        return differs(climb, parent->child);
    if (an_is_loop(parent)) {
        const char *why = jumps_differ(climb, parent);
        return why ? why : differs(climb, an_loop_condition(parent));
    }
    return NULL;
}

static const char *climb_from(const struct climb *below, const struct an_node *node,
                              unsigned depth);

static const char *climb_callers(const struct climb *climb, const struct an_node *function,
                                 unsigned depth)
{
    struct an_judgement *judgement = climb->judgement;
    if (function == an_program_main(judgement->program))
        return NULL;
    struct an_callers callers = an_function_callers(judgement->program, function);
    if (!callers.complete || callers.count == 0 || depth > CALLERS_UP)
        return an_judgement_printf(judgement,
                                   "how often the ranks run the region is decided by callers of "
                                   "%s that are not visible",
                                   function->name);
    const char *why = NULL;
    for (unsigned i = 0; i < callers.count && !why; i++) {
        const struct an_frame *frame = an_frame_create(judgement, callers.calls[i], NULL);
        struct climb above = {.judgement = judgement, .comm = climb->comm};
        above.frame = an_frames_join(judgement, climb->frame, frame);
        above.term = an_term_of(judgement, above.comm, above.frame);
        why = climb_from(&above, callers.calls[i], depth + 1);
    }
    return why;
}

static const char *climb_from(const struct climb *climb, const struct an_node *node, unsigned depth)
{
    for (; node->parent && node->kind != AN_FUNCTION; node = node->parent) {
        bool shown = false;
        const char *why = parent_look(climb, node, &shown);
        if (why || shown)
            return why;
    }
    return climb_callers(climb, node, depth);
}

const char *an_equal_look(struct an_judgement *judgement, const struct an_region *region,
                          const struct an_pattern *pattern)
{
    if (an_region_synchronises(judgement, region, pattern))
        return NULL;
    const struct an_mpi *mpi = &region->site->mpi;
    struct climb climb = {.judgement = judgement, .frame = region->frame, .term = region->comm};
    climb.comm = an_mpi_argument(judgement->program, mpi, (unsigned)mpi->what->comm);
    return climb_from(&climb, pattern->first, 0);
}
