/* Idea: places are united by a union-find forest. Uniting two also unites what they lead to, which
 * goes through a queue, since chains of pointers may be long. */
#include "analysis/slice/inside.h"

struct sl_vertex *sl_vertex_create(struct an_slice *slice, enum sl_kind kind,
                                   const struct an_node *node)
{
    struct sl_vertex *vertex = an_judgement_alloc(slice->judgement, sizeof *vertex);

    vertex->kind = kind;
    vertex->node = node;
    vertex->number = slice->vertices++;
    vertex->older = slice->newest;
    slice->newest = vertex;
    slice->changes++;
    return vertex;
}

struct sl_vertex *sl_find(struct sl_vertex *place)
{
    while (place && place->up) {
        if (place->up->up)
            place->up = place->up->up;
        place = place->up;
    }
    return place;
}

static void queue_add(struct an_slice *slice, struct sl_vertex *one, struct sl_vertex *other)
{
    if (slice->queued + 2 > slice->room) {
        slice->room = slice->room ? 2 * slice->room : 64;
        slice->queue = realloc(slice->queue, slice->room * sizeof *slice->queue);
        if (!slice->queue)
            abort();
    }
    slice->queue[slice->queued++] = one;
    slice->queue[slice->queued++] = other;
}

static bool has_part(const struct sl_part *parts, const struct sl_record *record)
{
    while (parts && parts->record != record)
        parts = parts->next;
    return parts != NULL;
}

static void parts_move(struct sl_vertex *to, struct sl_part *parts)
{
    struct sl_part *next;

    for (; parts; parts = next) {
        next = parts->next;
        if (has_part(to->parts, parts->record))
            continue;
        parts->next = to->parts;
        to->parts = parts;
    }
}

void sl_unite(struct an_slice *slice, struct sl_vertex *one, struct sl_vertex *other)
{
    if (!one || !other)
        return;
    queue_add(slice, one, other);
    while (slice->queued) {
        struct sl_vertex *a = sl_find(slice->queue[--slice->queued]);
        struct sl_vertex *b = sl_find(slice->queue[--slice->queued]);
        if (a == b)
            continue;
        b->up = a;
        slice->changes++;
        a->bytes |= b->bytes;
        parts_move(a, b->parts);
        if (a->leads && b->leads)
            queue_add(slice, a->leads, b->leads);
        else if (b->leads)
            a->leads = b->leads;
    }
}

struct sl_vertex *sl_leads(struct an_slice *slice, struct sl_vertex *place)
{
    place = sl_find(place);
    if (!place)
        return NULL;
    if (!place->leads)
        place->leads = sl_vertex_create(slice, SL_PLACE, NULL);
    return sl_find(place->leads);
}

void sl_edge_add(struct an_slice *slice, struct sl_vertex *from, struct sl_vertex *to,
                 const struct an_node *node)
{
    from = sl_find(from);
    to = sl_find(to);
    if (!from || !to || from == to || (from->edges && from->edges->to == to))
        return;
    struct sl_edge *edge = an_judgement_alloc(slice->judgement, sizeof *edge);
    *edge = (struct sl_edge){to, node, from->edges};
    from->edges = edge;
    slice->changes++;
}

struct sl_vertex *sl_both(struct an_slice *slice, struct sl_vertex *one, struct sl_vertex *other)
{
    one = sl_find(one);
    other = sl_find(other);
    if (!one || !other || one == other)
        return one ? one : other;
    struct sl_vertex *both = sl_vertex_create(slice, SL_VALUE, NULL);
    sl_edge_add(slice, one, both, NULL);
    sl_edge_add(slice, other, both, NULL);
    return both;
}
