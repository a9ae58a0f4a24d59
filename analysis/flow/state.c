/* Idea: a state is a plain array of values by number of cell, copied at branches: programs touch
 * few cells between a site and its sends. */
#include "analysis/flow/flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *memory_check(void *memory)
{
    if (!memory) {
        fprintf(stderr, "ftcc: out of memory\n");
        exit(1);
    }
    return memory;
}

struct an_flow_state an_flow_state_copy(const struct an_flow_state *state)
{
    struct an_flow_state copy = {NULL, state->count};
    size_t bytes = state->count * sizeof *state->values;

    copy.values = memory_check(malloc(bytes ? bytes : 1));
    if (bytes)
        memcpy(copy.values, state->values, bytes);
    return copy;
}

void an_flow_state_free(struct an_flow_state *state)
{
    free(state->values);
    *state = (struct an_flow_state){NULL, 0};
}

struct an_flow_value *an_flow_at(struct an_flow_state *state, unsigned cell)
{
    if (cell >= state->count) {
        unsigned count = cell + cell / 2 + 16;
        state->values = memory_check(realloc(state->values, count * sizeof *state->values));
        memset(state->values + state->count, 0, (count - state->count) * sizeof *state->values);
        state->count = count;
    }
    return state->values + cell;
}

/* Of what is only ever set to one number. */
static unsigned short set_of(int64_t number)
{
    return (unsigned short)(AN_OPERATORS + 71 + (number & 0x7fff));
}

/* One side set a constant, the other left what earlier turns had: setting it again does not change
 * it, so that the order does not matter once all is done. */
static bool sets_constant(struct an_flow_value one, struct an_flow_value other,
                          const struct an_flow_value *before, unsigned loop)
{
    return one.flags & AN_FLOW_CONSTANT && one.stamp != before->stamp &&
           other.stamp == before->stamp && an_flow_same(&other, before) &&
           ((before->kind == AN_FLOW_COUNTED && before->loop == loop) ||
            (before->kind == AN_FLOW_FREE && before->iter >> loop & 1));
}

/* One side gave up what had been accumulated, or set before, for something else. What another poll
 * brings while this one has found something, or nothing, is up to that one. */
static bool replaces(struct an_flow_value one, struct an_flow_value why,
                     const struct an_flow_value *before)
{
    bool elsewhere = why.kind == AN_FLOW_FLAG ||
                     (why.kind == AN_FLOW_COUNTED && !(before->flags & AN_FLOW_SUMMED));

    if (before->kind != AN_FLOW_COUNTED || before->op == AN_OP_NONE ||
        one.kind == AN_FLOW_COUNTED || (elsewhere && one.flags & AN_FLOW_BROUGHT))
        return false;
    return !(one.flags & AN_FLOW_CONSTANT) || before->op != set_of(one.number);
}

static bool is_latch(struct an_flow_value value)
{
    return value.kind == AN_FLOW_COUNTED && value.op > AN_OPERATORS + 1;
}

/* Whether a condition may ask whether all have come: it counts them. */
static bool is_count(struct an_flow_value why)
{
    return why.kind == AN_FLOW_COUNTED && !(why.flags & AN_FLOW_VALUED) && why.op == AN_OP_ADD;
}

static struct an_flow_value branches_join(struct an_flow *flow, struct an_flow_value a,
                                          struct an_flow_value b, struct an_flow_value why,
                                          const struct an_flow_value *before)
{
    struct an_flow_value made = an_flow_either(flow, a, b);

    if ((a.flags | b.flags) & AN_FLOW_FRESH)
        return made;
    bool whole = is_count(why);
    if (before && !whole && (replaces(a, why, before) || replaces(b, why, before))) {
        made.kind = AN_FLOW_ORDER;
        made.why = why.why;
        return made;
    }
    if ((made.kind == AN_FLOW_COUNTED || made.kind == AN_FLOW_INDEXED) &&
        why.kind <= AN_FLOW_COUNTED && why.kind != AN_FLOW_INDEXED)
        return made;
    bool latch = (why.kind >= AN_FLOW_FLAG && why.kind <= AN_FLOW_MESSAGE) ||
                 (why.kind == AN_FLOW_COUNTED && !(why.flags & AN_FLOW_VALUED));
    if (latch && before && !why.index &&
        (sets_constant(a, b, before, why.loop) || sets_constant(b, a, before, why.loop))) {
        struct an_flow_value set = sets_constant(a, b, before, why.loop) ? a : b;
        made.kind = AN_FLOW_COUNTED;
        made.op = set_of(set.number);
        made.loop = why.loop;
        made.why = why.why;
        return made;
    }
    struct an_flow_value mixed = an_flow_combine(made, why);
    if (made.kind == AN_FLOW_FREE && is_latch(why))
        mixed.op = AN_OP_NONE; /* it is no latch itself */
    mixed.targets = made.targets;
    mixed.flags |= made.flags & AN_FLOW_WRITTEN;
    return mixed;
}

void an_flow_state_join(struct an_flow *flow, struct an_flow_state *into,
                        const struct an_flow_state *other, struct an_flow_value why,
                        const struct an_flow_state *before)
{
    static const struct an_flow_value free_value;
    unsigned count = into->count > other->count ? into->count : other->count;

    if (count)
        an_flow_at(into, count - 1);
    for (unsigned i = 0; i < count; i++) {
        struct an_flow_value *value = into->values + i;
        const struct an_flow_value *more = i < other->count ? other->values + i : &free_value;
        if (memcmp(value, more, sizeof *value) == 0)
            continue;
        if (an_flow_depends(why) && (!an_flow_same(value, more) || value->stamp != more->stamp))
            *value = branches_join(flow, *value, *more, why,
                                   !before             ? NULL
                                   : i < before->count ? before->values + i
                                                       : &free_value);
        else
            *value = an_flow_either(flow, *value, *more);
    }
}

bool an_flow_state_same(const struct an_flow_state *a, const struct an_flow_state *b)
{
    static const struct an_flow_value free_value;
    unsigned count = a->count > b->count ? a->count : b->count;

    for (unsigned i = 0; i < count; i++)
        if (!an_flow_same(i < a->count ? a->values + i : &free_value,
                          i < b->count ? b->values + i : &free_value))
            return false;
    return true;
}

void an_flow_marks_add(struct an_flow_marks *marks, unsigned cell)
{
    if (cell / 64 >= marks->count) {
        unsigned count = cell / 64 + 8;
        marks->words = memory_check(realloc(marks->words, count * sizeof *marks->words));
        memset(marks->words + marks->count, 0, (count - marks->count) * sizeof *marks->words);
        marks->count = count;
    }
    marks->words[cell / 64] |= (uint64_t)1 << cell % 64;
}

bool an_flow_marks_have(const struct an_flow_marks *marks, unsigned cell)
{
    return cell / 64 < marks->count && marks->words[cell / 64] >> cell % 64 & 1;
}
