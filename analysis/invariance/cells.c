/* Idea: a disjoint-set forest of cells with edges between them; marks flow along the edges by a
 * queue. Uniting two cells unites what they point to, so that everything stays nearly linear. */
#include "analysis/invariance/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 256 * 1024, ALIGNMENT = 16 };

struct an_block {
    struct an_block *older;
    size_t used, size;
    _Alignas(ALIGNMENT) char bytes[];
};

void *an_invariance_alloc(struct an_invariance *i, size_t bytes)
{
    struct an_block *block = i->blocks;
    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (!block || block->size - block->used < bytes) {
        size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        block = calloc(1, sizeof *block + size);
        if (!block) {
            fprintf(stderr, "ftcc: out of memory\n");
            exit(1);
        }
        block->size = size;
        block->older = i->blocks;
        i->blocks = block;
    }
    void *result = block->bytes + block->used;
    block->used += bytes;
    return result;
}

void an_blocks_free(struct an_invariance *i)
{
    while (i->blocks) {
        struct an_block *older = i->blocks->older;
        free(i->blocks);
        i->blocks = older;
    }
}

struct an_place_cell *an_cell_make(struct an_invariance *i)
{
    return an_invariance_alloc(i, sizeof(struct an_place_cell));
}

struct an_place_cell *an_cell_root(struct an_place_cell *cell)
{
    while (cell && cell->up) {
        if (cell->up->up)
            cell->up = cell->up->up;
        cell = cell->up;
    }
    return cell;
}

static void queue(struct an_invariance *i, struct an_place_cell *cell)
{
    if (cell->queued)
        return;
    cell->queued = true;
    cell->next = i->queue;
    i->queue = cell;
}

void an_cell_mark(struct an_invariance *i, struct an_place_cell *cell, uint64_t marks)
{
    cell = an_cell_root(cell);
    if (!cell || !(marks & ~cell->marks))
        return;
    cell->marks |= marks;
    cell->cause = cell->cause ? cell->cause : i->at;
    queue(i, cell);
}

static void mark_on(struct an_invariance *i, const struct an_place_cell *from,
                    struct an_place_cell *to)
{
    to = an_cell_root(to);
    if (from->marks && !to->cause)
        to->cause = from->cause;
    an_cell_mark(i, to, from->marks);
}

void an_cell_flow(struct an_invariance *i, struct an_place_cell *from, struct an_place_cell *to)
{
    from = an_cell_root(from);
    to = an_cell_root(to);
    if (!from || !to || from == to || (from->edges && from->edges->to == to))
        return;
    struct an_edge *edge = an_invariance_alloc(i, sizeof *edge);
    *edge = (struct an_edge){to, from->edges};
    from->edges = edge;
    from->last = from->last ? from->last : edge;
    mark_on(i, from, to);
}

void an_cell_unite(struct an_invariance *i, struct an_place_cell *a, struct an_place_cell *b)
{
    a = an_cell_root(a);
    b = an_cell_root(b);
    if (!a || !b || a == b)
        return;
    const uint64_t more = b->marks & ~a->marks; /* that a's edges have not carried yet */
    b->up = a;
    i->unions++;
    a->marks |= b->marks;
    a->cause = a->cause ? a->cause : b->cause;
    for (const struct an_edge *edge = a->marks ? b->edges : NULL; edge; edge = edge->next)
        mark_on(i, a, edge->to);
    if (more)
        queue(i, a);
    if (b->edges) {
        b->last->next = a->edges;
        a->last = a->last ? a->last : b->last;
        a->edges = b->edges;
    }
    if (b->held) {
        *(a->held ? &a->held_last->next : &a->held) = b->held;
        a->held_last = b->held_last;
    }
    struct an_place_cell *one = a->pointee, *other = b->pointee;
    a->pointee = one ? one : other;
    if (one && other)
        an_cell_unite(i, one, other);
}

struct an_place_cell *an_cell_pointee(struct an_invariance *i, struct an_place_cell *cell)
{
    cell = an_cell_root(cell);
    if (!cell)
        return NULL;
    if (!cell->pointee)
        cell->pointee = an_cell_make(i);
    return an_cell_root(cell->pointee);
}

void an_cell_alias(struct an_invariance *i, struct an_place_cell *a, struct an_place_cell *b)
{
    a = an_cell_root(a);
    b = an_cell_root(b);
    if (!a || !b || a == b)
        return;
    if (!a->pointee && !b->pointee)
        a->pointee = b->pointee = an_cell_make(i);
    else if (!a->pointee)
        a->pointee = b->pointee;
    else if (!b->pointee)
        b->pointee = a->pointee;
    else
        an_cell_unite(i, a->pointee, b->pointee);
}

struct an_place_cell *an_cell_join(struct an_invariance *i, struct an_place_cell *a,
                                   struct an_place_cell *b)
{
    if (!a || !b || a == b)
        return a ? a : b;
    struct an_place_cell *both = an_cell_make(i);
    an_cell_flow(i, a, both);
    an_cell_flow(i, b, both);
    return both;
}

void an_cells_settle(struct an_invariance *i)
{
    while (i->queue) {
        struct an_place_cell *cell = i->queue;
        i->queue = cell->next;
        cell->queued = false;
        if (cell->up) /* an_cell_unite has carried its marks on */
            continue;
        for (const struct an_edge *edge = cell->edges; edge; edge = edge->next)
            mark_on(i, cell, edge->to);
    }
}

struct an_named *an_named(struct an_invariance *i, char kind, const char *text)
{
    char buffer[400], *key = buffer;
    size_t length = strlen(text) + 1;
    struct an_named *found;
    if (length + 1 > sizeof buffer)
        key = an_invariance_alloc(i, length + 1);
    key[0] = kind;
    memcpy(key + 1, text, length);
    HASH_FIND_STR(i->names, key, found);
    if (found)
        return found;
    char *kept = an_invariance_alloc(i, length + 1);
    memcpy(kept, key, length + 1);
    found = an_invariance_alloc(i, sizeof *found);
    found->text = kept;
    found->cell = an_cell_make(i);
    HASH_ADD_KEYPTR(hh, i->names, kept, length, found);
    return found;
}
