/* Idea: a state is a table of values by number of cell, copied at branches. Programs touch few
 * cells between one branch and the next, of thousands, so copies share pages of them until one is
 * written, and a join passes over the pages that both sides share. A page remembers which loops its
 * values speak of, so that the end of a loop passes over the pages that it does not change. */
#include "analysis/flow/flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 32 }; /* values */

struct an_flow_page {
    unsigned states; /* that share it */
    bool summed;     /* the next two are up to date */
    bool depends;    /* some value depends on the site */
    uint64_t loops;  /* bit n: some value speaks of loop n */
    struct an_flow_value values[PAGE];
};

static void *memory_check(void *memory)
{
    if (!memory) {
        fprintf(stderr, "ftcc: out of memory\n");
        exit(1);
    }
    return memory;
}

static unsigned pages_of(unsigned cells)
{
    return (cells + PAGE - 1) / PAGE;
}

struct an_flow_state an_flow_state_copy(const struct an_flow_state *state)
{
    struct an_flow_state copy = {NULL, state->count};
    unsigned pages = pages_of(state->count);

    copy.pages = memory_check(malloc((pages ? pages : 1) * sizeof *copy.pages));
    for (unsigned i = 0; i < pages; i++) {
        copy.pages[i] = state->pages[i];
        if (copy.pages[i])
            copy.pages[i]->states++;
    }
    return copy;
}

static void page_leave(struct an_flow_page *page)
{
    if (page && --page->states == 0)
        free(page);
}

void an_flow_state_free(struct an_flow_state *state)
{
    for (unsigned i = 0; i < pages_of(state->count); i++)
        page_leave(state->pages[i]);
    free(state->pages);
    *state = (struct an_flow_state){NULL, 0};
}

/* Effect: the state has at least `count` cells. */
static void extend(struct an_flow_state *state, unsigned count)
{
    unsigned had = pages_of(state->count), pages = pages_of(count);

    if (count <= state->count)
        return;
    state->pages = memory_check(realloc(state->pages, pages * sizeof *state->pages));
    for (unsigned i = had; i < pages; i++)
        state->pages[i] = NULL;
    state->count = count;
}

static void reach(struct an_flow_state *state, unsigned cell)
{
    if (cell >= state->count)
        extend(state, cell + cell / 2 + 16);
}

/* The page with a cell, of nobody else. */
static struct an_flow_page *own(struct an_flow_state *state, unsigned cell)
{
    struct an_flow_page *old = state->pages[cell / PAGE], *page;

    if (old && old->states == 1) {
        old->summed = false;
        return old;
    }
    page = memory_check(calloc(1, sizeof *page));
    if (old)
        memcpy(page->values, old->values, sizeof page->values);
    page->states = 1;
    page_leave(old);
    return state->pages[cell / PAGE] = page;
}

const struct an_flow_value *an_flow_held(const struct an_flow_state *state, unsigned cell)
{
    static const struct an_flow_value free_value;
    const struct an_flow_page *page = cell < state->count ? state->pages[cell / PAGE] : NULL;

    return page ? page->values + cell % PAGE : &free_value;
}

const struct an_flow_value *an_flow_get(struct an_flow_state *state, unsigned cell)
{
    reach(state, cell);
    return an_flow_held(state, cell);
}

struct an_flow_value *an_flow_at(struct an_flow_state *state, unsigned cell)
{
    reach(state, cell);
    return own(state, cell)->values + cell % PAGE;
}

void an_flow_put(struct an_flow_state *state, unsigned cell, struct an_flow_value value)
{
    if (memcmp(an_flow_get(state, cell), &value, sizeof value) != 0)
        *an_flow_at(state, cell) = value;
}

/* Effect: brings up to date what the page says about its values. */
static void page_sum(struct an_flow_page *page)
{
    page->loops = 0;
    page->depends = false;
    for (unsigned i = 0; i < PAGE; i++) {
        const struct an_flow_value *value = &page->values[i];
        page->loops |= value->iter | value->carried;
        page->depends |= an_flow_depends(*value);
        if (value->kind >= AN_FLOW_FLAG && value->kind <= AN_FLOW_COUNTED)
            page->loops |= (uint64_t)1 << value->loop;
    }
    page->summed = true;
}

static struct an_flow_page *page_summed(const struct an_flow_state *state, unsigned number)
{
    struct an_flow_page *page = state->pages[number];

    if (page && !page->summed)
        page_sum(page);
    return page;
}

static bool marks_have_any(const struct an_flow_marks *marks, unsigned first)
{
    uint64_t bits = first / 64 < marks->count ? marks->words[first / 64] : 0;
    return bits >> first % 64 << (64 - PAGE);
}

unsigned an_flow_next(const struct an_flow_state *state, unsigned cell, unsigned loop,
                      const struct an_flow_marks *marks)
{
    while (cell < state->count && cell % PAGE == 0) {
        const struct an_flow_page *page = page_summed(state, cell / PAGE);
        if ((page && page->loops >> loop & 1) || (marks && marks_have_any(marks, cell)))
            break;
        cell += PAGE;
    }
    return cell < state->count ? cell : state->count;
}

unsigned an_flow_next_depending(const struct an_flow_state *state, unsigned cell)
{
    for (; cell < state->count; cell++) {
        const struct an_flow_page *page = page_summed(state, cell / PAGE);
        if (!page || !page->depends)
            cell |= PAGE - 1;
        else if (an_flow_depends(page->values[cell % PAGE]))
            return cell;
    }
    return state->count;
}

unsigned an_flow_next_apart(const struct an_flow_state *a, const struct an_flow_state *b,
                            unsigned cell)
{
    while (cell < a->count && cell % PAGE == 0 && cell < b->count &&
           a->pages[cell / PAGE] == b->pages[cell / PAGE])
        cell += PAGE;
    return cell < a->count ? cell : a->count;
}

/* The mark of a cell that is only ever set to one number. */
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

/* One side gave up what had been accumulated, or set before, for something else. The answer of
 * another poll, while this one has found something or nothing, is its own. */
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

static const struct an_flow_page *page_of(const struct an_flow_state *state, unsigned number)
{
    return number < pages_of(state->count) ? state->pages[number] : NULL;
}

/* Whether two ways have left the same in a cell: neither has stored to it, or both have stored one
 * number. */
static bool is_left(struct an_flow_value a, struct an_flow_value b)
{
    bool number = a.flags & b.flags & AN_FLOW_CONSTANT && a.number == b.number;
    return an_flow_same(&a, &b) && a.stamp == b.stamp && (a.store == b.store || number);
}

static void value_join(struct an_flow *flow, struct an_flow_state *into,
                       const struct an_flow_state *other, unsigned cell, struct an_flow_value why,
                       const struct an_flow_state *before)
{
    struct an_flow_value value = *an_flow_held(into, cell), more = *an_flow_held(other, cell);

    if (memcmp(an_flow_held(into, cell), an_flow_held(other, cell), sizeof value) == 0)
        return;
    if (an_flow_depends(why) && !is_left(value, more))
        value = branches_join(flow, value, more, why, before ? an_flow_held(before, cell) : NULL);
    else
        value = an_flow_either(flow, value, more);
    value.store = ++flow->stores;
    an_flow_put(into, cell, value);
}

void an_flow_state_join(struct an_flow *flow, struct an_flow_state *into,
                        const struct an_flow_state *other, struct an_flow_value why,
                        const struct an_flow_state *before)
{
    unsigned count = into->count > other->count ? into->count : other->count;

    extend(into, count); /* no further: the next join would go beyond this one, and so on */
    for (unsigned first = 0; first < count; first += PAGE) {
        if (page_of(into, first / PAGE) == page_of(other, first / PAGE))
            continue;
        for (unsigned i = first; i < first + PAGE && i < count; i++)
            value_join(flow, into, other, i, why, before);
    }
}

bool an_flow_state_same(const struct an_flow_state *a, const struct an_flow_state *b)
{
    unsigned count = a->count > b->count ? a->count : b->count;

    for (unsigned first = 0; first < count; first += PAGE) {
        if (page_of(a, first / PAGE) == page_of(b, first / PAGE))
            continue;
        for (unsigned i = first; i < first + PAGE && i < count; i++)
            if (!an_flow_same(an_flow_held(a, i), an_flow_held(b, i)))
                return false;
    }
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

unsigned an_flow_marks_next(const struct an_flow_marks *marks, unsigned cell)
{
    for (unsigned word = cell / 64; word < marks->count; word++) {
        uint64_t bits = marks->words[word];
        if (word == cell / 64)
            bits = bits >> cell % 64 << cell % 64;
        if (bits)
            return 64 * word + (unsigned)__builtin_ctzll(bits);
    }
    return 64 * marks->count;
}
