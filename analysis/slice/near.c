/* Idea: one search for all sites. From the sends it goes back along the edges, breadth first, and
 * leaves at each vertex how far the nearest send is. A site is then answered by the nearest vertex
 * among those that it gives, and the way there is one edge nearer at each step: no site searches
 * the graph, and none looks at all receives of the program. */
#include "analysis/slice/inside.h"

enum { ANY_TAG = -1 };

/* Vertices to which a call may give a value. The first one counts where two are equally near. */
struct outs {
    struct sl_vertex *places[8];
    unsigned count;
};

static void out_add(struct outs *outs, struct sl_vertex *place)
{
    if (place)
        outs->places[outs->count++] = place;
}

static struct outs outs_of(struct an_slice *slice, const struct an_mpi *mpi)
{
    const struct an_call *what = mpi->what;
    bool posts = what->flags & (AN_NONBLOCKING | AN_PERSISTENT);
    const int numbers[] = {what->receive.buffer,
                           what->status,
                           what->index,
                           what->indices,
                           what->flag,
                           what->message,
                           posts || what->role == AN_TEST ? what->request : -1};
    struct outs outs = {.count = 0};

    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const struct an_node *argument = sl_mpi_argument(slice, mpi, numbers[i]);
        if (argument)
            out_add(&outs, sl_pointed_in(slice, argument));
    }
    if (sl_is_by_address(slice, mpi, &what->receive))
        out_add(&outs, sl_in(slice, slice->addressed));
    return outs;
}

static bool is_nearer(const struct sl_vertex *one, const struct sl_vertex *other)
{
    return one && one->distance && (!other || one->distance < other->distance);
}

static struct sl_start start_of(struct an_slice *slice, const struct an_mpi *mpi)
{
    struct outs outs = outs_of(slice, mpi);
    struct sl_start start = {NULL, mpi->call, 0};

    for (unsigned i = 0; i < outs.count; i++) {
        struct sl_vertex *vertex = sl_find(outs.places[i]);
        if (is_nearer(vertex, start.vertex))
            start.vertex = vertex;
    }
    return start;
}

/* ---- Distances ---- */

/* The edges of all vertices, sorted by where they lead to: `from` of vertex n's edges are those
 * from first[n] to first[n + 1]. */
struct back {
    struct sl_vertex **vertices, **from;
    unsigned *first;
};

static void *memory_get(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);

    if (!memory)
        abort();
    return memory;
}

static struct back back_make(struct an_slice *slice)
{
    struct back back = {memory_get(slice->vertices, sizeof *back.vertices), NULL,
                        memory_get(slice->vertices + 2, sizeof *back.first)};
    unsigned count = 0;

    for (struct sl_vertex *v = slice->newest; v; v = v->older) {
        back.vertices[v->number] = v;
        v->distance = 0;
        for (const struct sl_edge *edge = v->up ? NULL : v->edges; edge; edge = edge->next)
            back.first[sl_find(edge->to)->number + 2]++;
    }
    for (unsigned i = 0; i < slice->vertices; i++)
        back.first[i + 2] += back.first[i + 1];
    count = back.first[slice->vertices + 1];
    back.from = memory_get(count, sizeof *back.from);
    for (struct sl_vertex *v = slice->newest; v; v = v->older)
        for (const struct sl_edge *edge = v->up ? NULL : v->edges; edge; edge = edge->next)
            back.from[back.first[sl_find(edge->to)->number + 1]++] = v;
    return back;
}

static void distances_find(struct an_slice *slice)
{
    struct back back = back_make(slice);
    struct sl_vertex **queue = memory_get(slice->vertices, sizeof *queue);
    unsigned head = 0, tail = 0;

    for (unsigned i = 0; i < slice->vertices; i++) {
        struct sl_vertex *v = back.vertices[i];
        if (v->kind == SL_SEND || v->kind == SL_HIDDEN) {
            v->distance = 1;
            queue[tail++] = v;
        }
    }
    while (head < tail) {
        const struct sl_vertex *v = queue[head++];
        for (unsigned i = back.first[v->number]; i < back.first[v->number + 1]; i++)
            if (!back.from[i]->distance) {
                back.from[i]->distance = v->distance + 1;
                queue[tail++] = back.from[i];
            }
    }
    free(queue);
    free(back.vertices);
    free(back.from);
    free(back.first);
}

/* ---- Receives by their tag ---- */

/* Answers whether a receive has a tag that is a number; then *number is it. */
static bool has_tag(struct an_slice *slice, const struct an_mpi *mpi, int64_t *number)
{
    const struct an_node *tag = sl_mpi_argument(slice, mpi, mpi->what->receive.tag);

    tag = tag ? an_plain(tag) : NULL;
    if (!tag || !tag->constant || tag->value == ANY_TAG)
        return false;
    *number = tag->value;
    return true;
}

static void start_improve(struct sl_start *start, struct sl_start other)
{
    if (is_nearer(other.vertex, start->vertex))
        *start = other;
}

static void receives_look(struct an_slice *slice)
{
    struct sl_tag *known;

    slice->any = slice->tagless = (struct sl_start){NULL, NULL, 0};
    HASH_CLEAR(hh, slice->tags);
    for (unsigned i = 0; i < slice->receives_count; i++) {
        struct an_mpi mpi;
        int64_t number;
        if (!an_call_is_mpi(slice->program, slice->receives[i], &mpi))
            continue;
        struct sl_start start = start_of(slice, &mpi);
        start.order = i;
        start_improve(&slice->any, start);
        if (!has_tag(slice, &mpi, &number)) {
            start_improve(&slice->tagless, start);
            continue;
        }
        HASH_FIND(hh, slice->tags, &number, sizeof number, known);
        if (!known) {
            known = an_judgement_alloc(slice->judgement, sizeof *known);
            known->number = number;
            HASH_ADD(hh, slice->tags, number, sizeof known->number, known);
        }
        start_improve(&known->start, start);
    }
}

/* The nearest of the other receives that may take the site's messages: one receive does not get
 * what another one takes. */
static struct sl_start rival_of(struct an_slice *slice, const struct an_mpi *mpi)
{
    struct sl_start start = slice->tagless;
    struct sl_tag *known;
    int64_t number;

    if (!has_tag(slice, mpi, &number))
        return slice->any;
    HASH_FIND(hh, slice->tags, &number, sizeof number, known);
    if (known && known->start.vertex &&
        (is_nearer(known->start.vertex, start.vertex) ||
         (!is_nearer(start.vertex, known->start.vertex) && known->start.order < start.order)))
        start = known->start;
    return start;
}

struct sl_start sl_nearest(struct an_slice *slice, const struct an_site *site)
{
    outs_of(slice, &site->mpi); /* before the distances: it may make vertices */
    while (slice->settled != slice->changes) {
        for (unsigned i = 0; i < slice->receives_count; i++) {
            struct an_mpi mpi;
            if (an_call_is_mpi(slice->program, slice->receives[i], &mpi))
                outs_of(slice, &mpi);
        }
        slice->settled = slice->changes;
        distances_find(slice);
        receives_look(slice);
    }
    struct sl_start start = start_of(slice, &site->mpi);
    if (site->wildcard & (AN_WILD_SOURCE | AN_WILD_TAG))
        start_improve(&start, rival_of(slice, &site->mpi));
    return start;
}

struct sl_vertex *sl_way(struct sl_start start)
{
    struct sl_vertex *v = start.vertex;

    v->from = NULL;
    v->by = start.call;
    while (v->distance > 1) {
        const struct sl_edge *edge = v->edges;
        while (sl_find(edge->to)->distance != v->distance - 1)
            edge = edge->next;
        struct sl_vertex *next = sl_find(edge->to);
        next->from = v;
        next->by = edge->node;
        v = next;
    }
    return v;
}
