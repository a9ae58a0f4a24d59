/* Idea: what may differ is a mark that flows along all edges of the whole program: of assignments,
 * and of the conditions that they stand under. Two runs of one program that agree on all that has
 * no mark do the same there (Volpano, Smith and Irvine, "A sound type system for secure flow
 * analysis"; the ranks are the runs, and what differs between them is the secret). */
#include "analysis/invariance/inside.h"

#include <stdlib.h>

static void variables_declare(struct an_invariance *i)
{
    for (unsigned n = 0; n < an_program_units(i->program); n++)
        for (const struct an_node *v = an_program_unit(i->program, n)->variables; v; v = v->next)
            if (v->symbol)
                an_named(i, 'V', v->symbol)->defined = true;
}

static void variables_flow(struct an_invariance *i)
{
    struct an_flow w = {.i = i, .body = an_cell_make(i)};
    for (unsigned n = 0; n < an_program_units(i->program); n++)
        for (const struct an_node *v = an_program_unit(i->program, n)->variables; v; v = v->next)
            an_initialise(&w, v, NULL);
}

static struct an_place_cell *special(struct an_invariance *i)
{
    struct an_place_cell *cell = an_cell_make(i);
    cell->pointee = cell;
    an_cell_mark(i, cell, AN_DIFFERS);
    return cell;
}

/* Connecting records unites cells, which may then hold more records. */
static void settle(struct an_invariance *i)
{
    unsigned unions;
    do {
        unions = i->unions;
        an_raws_settle(i);
    } while (unions != i->unions);
    an_cells_settle(i);
}

struct an_invariance *an_invariance_create(struct an_program *program)
{
    struct an_invariance *i = calloc(1, sizeof *i);
    if (!i)
        abort();
    i->program = program;
    i->foreign = special(i);
    i->wild = special(i);
    i->codes = an_cell_make(i);
    an_cell_raw(i, i->foreign, true);
    variables_declare(i);
    an_clean_find(i);
    variables_flow(i);
    for (const struct an_node *f = an_program_next(program, NULL); f;
         f = an_program_next(program, f))
        an_function_flow(i, f);
    settle(i);
    i->complete = true;
    return i;
}

void an_invariance_destroy(struct an_invariance *i)
{
    if (!i)
        return;
    HASH_CLEAR(hh, i->names);
    HASH_CLEAR(hh, i->records);
    HASH_CLEAR(hh, i->dirty);
    an_blocks_free(i);
    free(i);
}

static const struct an_place_cell *cell_of(struct an_invariance *i,
                                           const struct an_node *expression)
{
    struct an_flow w = an_flow_of(i, an_function_of(expression));
    struct an_place_cell *value = an_value_of(&w, expression, NULL);
    an_cells_settle(i);
    return an_cell_root(value);
}

const struct an_node *an_invariance_cause(struct an_invariance *i, const struct an_node *expression)
{
    const struct an_place_cell *value = cell_of(i, expression);
    return value && value->marks ? value->cause : NULL;
}

uint64_t an_invariance_of(struct an_invariance *i, const struct an_node *expression)
{
    const struct an_place_cell *value = cell_of(i, expression);
    return value ? value->marks | (i->wild_written ? AN_DIFFERS : 0) : 0;
}

const struct an_node *an_invariance_group(const struct an_invariance *i, unsigned number,
                                          unsigned which)
{
    if (number >= i->group_count || which >= i->groups[number].count)
        return NULL;
    return i->groups[number].nodes[which];
}
