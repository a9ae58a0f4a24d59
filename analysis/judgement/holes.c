/* Idea: what could not be seen, each thing once, in one list: files without a tree, lines that the
 * preprocessor left out though they call MPI, callees without code, pointers that may hold
 * anything, functions whose paths cannot be followed, facts that could not be read. */
#include "analysis/judgement/holes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

#include "calls/calls.h"

struct seen {
    const char *text;
    struct an_hole *hole; /* the first of its name */
    const char *name;
    unsigned times;
    UT_hash_handle hh;
};

struct search {
    struct an_judgement *judgement;
    struct seen *seen;
    struct an_hole *last;
};

static struct seen *see(struct search *search, const char *text)
{
    struct seen *seen;

    HASH_FIND_STR(search->seen, text, seen);
    if (!seen) {
        seen = an_judgement_alloc(search->judgement, sizeof *seen);
        seen->text = text;
        HASH_ADD_KEYPTR(hh, search->seen, text, strlen(text), seen);
    }
    seen->times++;
    return seen;
}

void an_hole_add(struct an_judgement *judgement, struct an_hole hole)
{
    struct an_hole *kept = an_judgement_alloc(judgement, sizeof *kept);

    *kept = hole;
    LL_APPEND(judgement->holes, kept);
}

static struct an_hole *hole_add(struct search *search, struct an_hole hole)
{
    struct an_hole *kept = an_judgement_alloc(search->judgement, sizeof *kept);

    *kept = hole;
    if (search->last)
        search->last->next = kept;
    else
        LL_APPEND(search->judgement->holes, kept);
    search->last = kept;
    return kept;
}

/* ---- Files and lines ---- */

/* The line in "file:line:column: text", or 0. */
static unsigned line_of(const char *path, const char *problem)
{
    size_t length = strlen(path);

    if (strncmp(problem, path, length) != 0 || problem[length] != ':')
        return 0;
    return (unsigned)strtoul(problem + length + 1, NULL, 10);
}

static void file_look(struct search *search, const struct an_unit *unit)
{
    if (unit->problem)
        hole_add(search, (struct an_hole){.kind = AN_HOLE_FILE,
                                          .unit = unit,
                                          .file = unit->path,
                                          .line = line_of(unit->path, unit->problem),
                                          .text = unit->problem});
}

static void strange_look(struct search *search, const struct an_unit *unit)
{
    const char *text = unit->strange ? strstr(unit->strange, ": ") : NULL;

    if (text)
        hole_add(search, (struct an_hole){.kind = AN_HOLE_FUNCTION,
                                          .unit = unit,
                                          .file = unit->path,
                                          .line = line_of(unit->path, unit->strange),
                                          .text = text + 2});
}

static void gap_look(struct search *search, const struct an_unit *unit, const struct an_gap *gap)
{
    struct an_judgement *judgement = search->judgement;
    const char *key = an_judgement_printf(judgement, "%s:%u", gap->file, gap->first);

    if (!*gap->calls || see(search, key)->times > 1)
        return;
    hole_add(search,
             (struct an_hole){.kind = AN_HOLE_PREPROCESSOR,
                              .unit = unit,
                              .file = gap->file,
                              .line = gap->first,
                              .name = gap->calls,
                              .text = an_judgement_printf(
                                  judgement, "lines %u to %u are not compiled, and %s stands there",
                                  gap->first, gap->last, gap->calls)});
}

/* ---- Functions ---- */

static const char *why_not_followed(const struct an_program *program,
                                    const struct an_node *function)
{
    bool threads = false;

    if (an_function_jumps(program, function))
        return "it calls setjmp: a later longjmp returns into it on paths that are not followed";
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        if (n->kind == AN_GOTO && !n->name)
            return "it has a computed goto, whose targets are not known";
        if (n->kind == AN_PARALLEL && !threads) {
            struct an_effects effects = an_node_effects(program, n);
            threads = effects.sends || effects.receives || effects.collective;
        }
    }
    return threads ? "several threads communicate in it, and their order is not followed" : NULL;
}

static void function_look(struct search *search, const struct an_node *function)
{
    const struct an_effects *effects = an_function_effects(search->judgement->program, function);

    if (!effects->sends && !effects->receives && !effects->collective && !effects->polls)
        return;
    const char *why = why_not_followed(search->judgement->program, function);
    if (why)
        hole_add(search,
                 (struct an_hole){.kind = AN_HOLE_FUNCTION,
                                  .unit = an_program_unit_of(search->judgement->program, function),
                                  .file = function->place.file,
                                  .line = function->place.line,
                                  .name = function->name,
                                  .text = why});
}

/* ---- Callees ---- */

static bool is_named(const struct an_node *call)
{
    return call->child && call->child->kind == AN_REFERENCE &&
           call->child->storage == AN_FUNCTION_NAME;
}

static const char *callee_text(struct search *search, const struct an_node *call, bool named)
{
    struct an_mpi mpi;

    if (an_call_is_mpi(search->judgement->program, call, &mpi) && mpi.provisional)
        return an_judgement_printf(search->judgement,
                                   "its code is not here; its name says that it forwards to MPI_%s",
                                   mpi.what->name);
    return named ? "its code is not here, so it may do anything"
                 : "the pointer may hold functions that are not here";
}

static void call_look(struct search *search, const struct an_node *call)
{
    struct an_program *program = search->judgement->program;
    struct an_targets targets = an_call_targets(program, call);
    bool named = is_named(call);

    if (targets.complete || !call->child)
        return;
    const char *name = named ? call->name : an_text(an_program_unit_of(program, call), call->child);
    struct seen *seen = see(search, an_judgement_printf(search->judgement, "%d %s", named, name));
    if (seen->times > 1)
        return;
    seen->name = name;
    seen->hole = hole_add(search, (struct an_hole){.kind = AN_HOLE_CALLEE,
                                                   .unit = an_program_unit_of(program, call),
                                                   .file = call->place.file,
                                                   .line = call->place.line,
                                                   .name = name,
                                                   .text = callee_text(search, call, named)});
}

/* ---- Calls that are not judged ---- */

/* The reason why a call is not judged: others may change its result at any time, or hand it out
 * to the first that asks. */
static const char *why_not_judged(const struct an_mpi *mpi)
{
    const char *name = mpi->what->name;
    bool file = strncmp(name, "File_", 5) == 0;

    if (mpi->what->role == AN_ONE_SIDED || strncmp(name, "Win_create", 10) == 0 ||
        strncmp(name, "Win_allocate", 12) == 0 || strcmp(name, "Win_shared_query") == 0)
        return "one-sided communication is not judged: what it gives, and what is in the window, "
               "depends on time";
    if (file && (strstr(name, "_shared") || strstr(name, "_ordered")))
        return "a shared file pointer is not judged: what it gives depends on who is first";
    if (file && (strncmp(name, "File_iread", 10) == 0 || strncmp(name, "File_iwrite", 11) == 0))
        return "a file operation that goes on by itself is not judged: when it is done depends on "
               "time";
    return NULL;
}

static void unjudged_look(struct search *search, const struct an_node *call)
{
    struct an_program *program = search->judgement->program;
    struct an_mpi mpi;
    const char *why = an_call_is_mpi(program, call, &mpi) ? why_not_judged(&mpi) : NULL;

    if (!why)
        return;
    const char *name = an_judgement_printf(search->judgement, "MPI_%s", mpi.what->name);
    struct seen *seen = see(search, an_judgement_printf(search->judgement, "unjudged %s", name));
    if (seen->times > 1)
        return;
    seen->name = name;
    seen->hole = hole_add(search, (struct an_hole){.kind = AN_HOLE_UNJUDGED,
                                                   .unit = an_program_unit_of(program, call),
                                                   .file = call->place.file,
                                                   .line = call->place.line,
                                                   .name = name,
                                                   .text = why});
}

/* ---- Calls that ftrun ends a run at ---- */

static void refused_look(struct search *search, const struct an_node *call)
{
    const char *why = call->system && call->name ? ft_call_refusal(ft_call_find(call->name)) : NULL;

    if (!why)
        return;
    struct seen *seen =
        see(search, an_judgement_printf(search->judgement, "carried %s", call->name));
    if (seen->times > 1)
        return;
    seen->name = call->name;
    seen->hole = hole_add(
        search, (struct an_hole){.kind = AN_HOLE_CARRIED,
                                 .unit = an_program_unit_of(search->judgement->program, call),
                                 .file = call->place.file,
                                 .line = call->place.line,
                                 .name = call->name,
                                 .text = why});
}

static void calls_count(struct search *search)
{
    for (struct seen *seen = search->seen; seen; seen = seen->hh.next)
        if (seen->hole && seen->times > 1)
            seen->hole->text = an_judgement_printf(search->judgement, "%s (%u calls)",
                                                   seen->hole->text, seen->times);
}

void an_holes_find(struct an_judgement *judgement)
{
    struct an_program *program = judgement->program;
    struct search search = {judgement, NULL, NULL};

    for (struct an_hole *hole = judgement->holes; hole; hole = hole->next)
        search.last = hole;
    for (unsigned i = 0; i < an_program_units(program); i++) {
        const struct an_unit *unit = an_program_unit(program, i);
        file_look(&search, unit);
        strange_look(&search, unit);
        for (const struct an_gap *gap = unit->gaps; gap; gap = gap->next)
            gap_look(&search, unit, gap);
    }
    for (const struct an_node *f = an_program_next(program, NULL); f;
         f = an_program_next(program, f)) {
        function_look(&search, f);
        for (const struct an_node *n = f; n; n = an_next(f, n, false))
            if (n->kind == AN_CALL) {
                call_look(&search, n);
                unjudged_look(&search, n);
                refused_look(&search, n);
            }
    }
    calls_count(&search);
    HASH_CLEAR(hh, search.seen);
}
