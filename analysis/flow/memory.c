/* Idea: memory is objects made of cells: one per field, one per element that is only ever named
 * by a constant, one for the rest. The value that chooses a place (a subscript, pointer
 * arithmetic) is kept in the pointer's own value, and decides at the load and at the store what
 * the content says about order. */
#include "analysis/flow/gate.h"
#include "analysis/flow/latch.h"
#include "analysis/flow/memory.h"

/* A message of an array in the order of arrival, read at a place that `address` chooses. */
static struct an_flow_value permuted_read(struct an_flow_value value, struct an_flow_value address)
{
    bool plain = address.kind == AN_FLOW_FREE, batch = value.loop == AN_FLOW_NO_LOOP;

    value.flags &= ~AN_FLOW_PERMUTED;
    if (plain && address.iter && batch) {
        value.loop = (unsigned char)__builtin_ctzll(address.iter);
        value.index = address.stamp ? address.stamp : 1;
        value.iter &= ~address.iter;
        return value;
    }
    if (address.kind == AN_FLOW_RANKING) {
        value.kind = AN_FLOW_FREE;
        value.loop = 0;
    } else if (!(plain && value.stamp && value.stamp == address.stamp && !batch)) {
        /* It is not the element that this very message was put into. */
        value.kind = an_flow_depends(address) && batch ? AN_FLOW_OPAQUE : AN_FLOW_ORDER;
    }
    value.iter |= address.iter;
    return value;
}

/* The value of one cell, read at a place that `address` chooses. */
static struct an_flow_value cell_read(struct an_flow_value value, struct an_flow_value address)
{
    unsigned targets = value.targets;
    bool message = value.kind == AN_FLOW_SOURCE || value.kind == AN_FLOW_MESSAGE;

    value.flags &= ~AN_FLOW_WRITTEN;
    address.flags &= ~AN_FLOW_SOME;
    if (message && value.flags & AN_FLOW_PERMUTED)
        return permuted_read(value, address);
    if (value.kind == AN_FLOW_INDEXED) {
        bool same = address.kind >= AN_FLOW_SOURCE && address.kind <= AN_FLOW_MESSAGE &&
                    address.loop == value.loop;
        value.kind = same ? AN_FLOW_MESSAGE : AN_FLOW_ORDER;
        value.index = same ? address.index : 0;
        return value;
    }
    if (value.flags & AN_FLOW_PLACED && value.stamp && value.stamp == address.stamp)
        return value; /* what was just put there */
    if (address.kind == AN_FLOW_SLOT || address.kind == AN_FLOW_RANKING) {
        value.iter |= address.iter;
        return value;
    }
    if (address.kind == AN_FLOW_ORDER && value.kind == AN_FLOW_COUNTED)
        address.kind = AN_FLOW_COUNTED;
    struct an_flow_value made = an_flow_combine(value, address);
    if (address.kind == AN_FLOW_SOURCE && value.kind == AN_FLOW_MESSAGE &&
        made.kind == AN_FLOW_MESSAGE)
        made.flags |= value.flags & AN_FLOW_LOSSY;
    if (address.kind == AN_FLOW_SOURCE && made.kind == AN_FLOW_SOURCE &&
        value.flags & AN_FLOW_BROUGHT)
        made.kind = AN_FLOW_MESSAGE; /* what that message says, which another may say, too */
    made.targets = targets;
    made.carried = value.carried;
    if (!address.iter && !an_flow_depends(address)) {
        made.stamp = value.stamp;
        made.number = value.number;
        made.flags |= value.flags & (AN_FLOW_CONSTANT | AN_FLOW_FRESH);
    }
    return made;
}

/* The value of a cell; of an element of constant number that nobody wrote by itself, that of the
 * cell for all other elements, whose number is then in *number. */
static struct an_flow_value element_value(struct an_flow *flow, unsigned *number)
{
    struct an_flow_value value = *an_flow_get(&flow->state, *number);
    struct an_flow_cell cell = flow->memory->cells[*number];

    if (cell.element < 0 || value.flags & AN_FLOW_WRITTEN)
        return value;
    *number = an_flow_cell_find(flow, cell.object, cell.field, -1);
    struct an_flow_value more = *an_flow_get(&flow->state, *number);
    if (more.flags & AN_FLOW_PERMUTED)
        more.kind = AN_FLOW_ORDER;
    more.flags &= ~AN_FLOW_PERMUTED;
    return an_flow_either(flow, value, more);
}

/* The value of a cell; of a field that nobody wrote by itself, that of the record around it. */
static struct an_flow_value cell_value(struct an_flow *flow, unsigned number)
{
    bool foreign = flow->memory->objects[flow->memory->cells[number].object].foreign;
    struct an_flow_value value = element_value(flow, &number);

    for (unsigned depth = 0; depth < 8 && !(value.flags & AN_FLOW_WRITTEN); depth++) {
        number = flow->memory->cells[number].whole;
        if (!number)
            break;
        struct an_flow_value around = element_value(flow, &number);
        unsigned targets = value.targets;
        if (!(around.flags & AN_FLOW_WRITTEN))
            continue;
        value = around;
        value.targets = targets;
        value.flags &= ~(AN_FLOW_CONSTANT | AN_FLOW_FRESH);
    }
    if (foreign && an_flow_depends(flow->handed) && !an_flow_depends(value)) {
        value.kind = AN_FLOW_OPAQUE; /* it may be the place where that lies */
        value.why = flow->handed.why;
        value.flags &= ~(AN_FLOW_CONSTANT | AN_FLOW_FRESH);
    }
    return value;
}

/* Elements of constant number are read by a subscript that varies, too. */
static struct an_flow_value elements_join(struct an_flow *flow, unsigned number,
                                          struct an_flow_value value)
{
    struct an_flow_cell base = flow->memory->cells[number];

    if (base.element >= 0 || !flow->memory->objects[base.object].elements)
        return value;
    for (unsigned i = flow->memory->objects[base.object].cells; i;
         i = flow->memory->cells[i].sibling) {
        const struct an_flow_cell *cell = &flow->memory->cells[i];
        if (cell->element < 0 || cell->field != base.field || i >= flow->state.count)
            continue;
        struct an_flow_value more = *an_flow_held(&flow->state, i);
        if (more.flags & AN_FLOW_WRITTEN)
            value = an_flow_either(flow, value, more);
    }
    return value;
}

/* Where a pointer in an object leads to that got it with all of the object: an initialiser, a copy.
 */
static unsigned whole_targets(struct an_flow *flow, unsigned number)
{
    unsigned object = flow->memory->cells[number].object;
    unsigned whole = an_flow_cell_look(flow, object, NULL, -1);
    unsigned targets = whole && whole != number ? an_flow_get(&flow->state, whole)->targets : 0;
    return targets ? targets : an_flow_initial(flow, object);
}

/* The loops whose turns are behind each other between two messages, or all. */
static uint64_t loops_within(const struct an_flow *flow)
{
    return flow->seen && !flow->left ? ~(uint64_t)0 << (flow->site_loop + 1) : ~(uint64_t)0;
}

static bool is_open(const struct an_flow *flow, const struct an_node *node)
{
    for (const struct an_flow_loop *loop = flow->loop; loop; loop = loop->outer)
        if (loop->node == node)
            return true;
    return false;
}

/* Whether a pointer leads to one of the blocks that a loop allocates, which are one object, and not
 * surely to that of this turn. One that another loop moves on leads to all of them. */
static bool is_of_several(const struct an_flow *flow, struct an_flow_value pointer,
                          struct an_flow_value address)
{
    const struct an_flow_set *set = an_flow_targets(flow, pointer.targets);
    bool placed = pointer.flags & AN_FLOW_PLACED && pointer.stamp &&
                  pointer.stamp == address.stamp; /* what was just put there */

    for (unsigned i = 0; i < set->count && !placed && !(address.iter | pointer.iter); i++) {
        unsigned number = flow->memory->cells[set->cells[i]].object;
        const struct an_flow_object *object = an_flow_object(flow, number);
        bool open = is_open(flow, object->around);
        bool moves = (pointer.carried & loops_within(flow)) >> (object->born + open);
        if (object->born && !moves && (!open || pointer.carried))
            return true;
    }
    return false;
}

struct an_flow_value an_flow_load(struct an_flow *flow, struct an_flow_value address,
                                  const struct an_type *type)
{
    const struct an_flow_set *set = an_flow_targets(flow, address.targets);
    struct an_flow_value made = {0};

    if (!set->count) {
        made = address;
        made.flags &= ~(AN_FLOW_CONSTANT | AN_FLOW_FRESH);
        return made;
    }
    for (unsigned i = 0; i < set->count; i++) {
        struct an_flow_value value = cell_value(flow, set->cells[i]);
        value = elements_join(flow, set->cells[i], value);
        if (type && type->class == AN_POINTER && !value.targets)
            value.targets = whole_targets(flow, set->cells[i]);
        bool several = is_of_several(flow, value, address);
        value = cell_read(value, address);
        if (several)
            value.flags |= AN_FLOW_SOME;
        made = i ? an_flow_either(flow, made, value) : value;
    }
    if (type && type->class == AN_POINTER)
        made = an_flow_pointee(flow, made, address, NULL, type);
    flow->touched += an_flow_depends(made);
    return made;
}

/* Whether a cell is a field of a record that is itself the field of cell `number`, or deeper. */
static bool is_inside(const struct an_flow *flow, struct an_flow_cell cell, unsigned number)
{
    for (unsigned depth = 0; depth < 8 && cell.whole; depth++) {
        if (cell.whole == number)
            return true;
        cell = flow->memory->cells[cell.whole];
    }
    return false;
}

struct an_flow_value an_flow_content(struct an_flow *flow, struct an_flow_value address,
                                     int64_t elements)
{
    const struct an_flow_set *set = an_flow_targets(flow, address.targets);
    struct an_flow_value made = {0};

    address.flags &= AN_FLOW_CLOCKED;
    for (unsigned i = 0; i < set->count; i++) {
        struct an_flow_cell base = flow->memory->cells[set->cells[i]];
        int64_t known = 0;
        if (base.element < 0 || base.element == 0)
            for (int k = 0; k < AN_FLOW_ELEMENTS && k < elements; k++) {
                unsigned element = an_flow_cell_look(flow, base.object, base.field, k);
                if (element && an_flow_get(&flow->state, element)->flags & AN_FLOW_WRITTEN)
                    known++;
            }
        bool covered = elements > 0 && known == elements && !address.iter;
        for (unsigned k = flow->memory->objects[base.object].cells; k;
             k = flow->memory->cells[k].sibling) {
            struct an_flow_cell cell = flow->memory->cells[k];
            if (base.field && cell.field != base.field && !is_inside(flow, cell, set->cells[i]))
                continue;
            if (covered && cell.field == base.field &&
                (cell.element < 0 || cell.element >= elements))
                continue;
            if (base.element >= 0 && elements == 1 && cell.element != base.element &&
                !(cell.element < 0 &&
                  !(an_flow_get(&flow->state, set->cells[i])->flags & AN_FLOW_WRITTEN)))
                continue;
            made = an_flow_either(flow, made, cell_read(cell_value(flow, k), address));
        }
    }
    made.flags &= ~(AN_FLOW_CONSTANT | AN_FLOW_FRESH);
    flow->touched += an_flow_depends(made);
    return made;
}

static void cell_written(struct an_flow *flow, unsigned cell, struct an_flow_value value)
{
    for (struct an_flow_loop *loop = flow->loop; loop; loop = loop->outer)
        an_flow_marks_add(loop->written, cell);
    an_flow_write_note(flow, cell, value);
    value.flags |= AN_FLOW_WRITTEN;
    value.store = ++flow->stores;
    an_flow_put(&flow->state, cell, value);
    if (!an_flow_depends(value))
        return;
    flow->dependent++;
    an_flow_astray_write(flow, cell, value);
    if (flow->memory->objects[flow->memory->cells[cell].object].foreign &&
        !an_flow_depends(flow->handed)) {
        flow->handed.kind = AN_FLOW_OPAQUE;
        flow->handed.why = value.why;
    }
}

/* Loops that `address` sweeps over: inside of the one that brings messages, or of none. */
static bool sweeps(const struct an_flow *flow, struct an_flow_value address)
{
    return address.iter && !(address.iter & ~loops_within(flow));
}

/* A buffer is filled in a turn, from its beginning, as far as the message says. */
static bool packs(const struct an_flow *flow, struct an_flow_value address)
{
    return flow->seen && !flow->left && address.flags & AN_FLOW_COUNTUP &&
           (address.kind == AN_FLOW_FREE || address.kind == AN_FLOW_MESSAGE) && !address.index &&
           !(address.iter >> flow->site_loop & 1);
}

static struct an_flow_value pack(struct an_flow *flow, struct an_flow_value old,
                                 struct an_flow_value address, struct an_flow_value value)
{
    unsigned targets = value.targets;
    struct an_flow_value made = an_flow_combine(value, address);

    made.targets = targets;
    made.iter &= ~address.iter | (uint64_t)1 << flow->site_loop;
    made.flags &= ~(AN_FLOW_COUNTUP | AN_FLOW_OFFSET);
    if (old.carried >> flow->site_loop & 1)
        return made;
    return an_flow_either(flow, old, made);
}

static bool is_carried(struct an_flow_value old, unsigned loop)
{
    return old.iter >> loop & 1 || old.carried >> loop & 1 || old.kind >= AN_FLOW_INDEXED ||
           old.flags & AN_FLOW_PERMUTED || !(old.flags & AN_FLOW_WRITTEN);
}

/* An element that a message chose, of an array that lives longer than the message's loop. */
static struct an_flow_value element_index(struct an_flow *flow, struct an_flow_value old,
                                          struct an_flow_value address, struct an_flow_value value)
{
    bool message = value.kind == AN_FLOW_SOURCE || value.kind == AN_FLOW_MESSAGE;
    bool lossy = address.flags & AN_FLOW_LOSSY && address.kind != AN_FLOW_SOURCE;
    struct an_flow_value made = value;

    bool some = an_flow_picks_turns(flow, address.loop);
    made.kind = some || (lossy && message) ? AN_FLOW_ORDER : AN_FLOW_INDEXED;
    made.loop = address.loop;
    made.flags = (value.flags | address.flags) & AN_FLOW_LOSSY;
    if (message && address.kind != AN_FLOW_SOURCE)
        made.flags |= AN_FLOW_KEYED;
    made.why = value.why ? value.why : address.why;
    if (old.kind == AN_FLOW_FREE || old.kind == AN_FLOW_INDEXED)
        return made;
    return an_flow_either(flow, made, old);
}

/* The value of an array's cell after an element that `address` chooses became `value`. */
static struct an_flow_value element_store(struct an_flow *flow, struct an_flow_value old,
                                          struct an_flow_value address, struct an_flow_value value)
{
    bool message = value.kind == AN_FLOW_SOURCE || value.kind == AN_FLOW_MESSAGE;
    bool chosen = address.kind == AN_FLOW_SOURCE || address.kind == AN_FLOW_MESSAGE;

    value.iter &= ~address.iter | (flow->seen && !flow->left ? (uint64_t)1 << flow->site_loop : 0);
    if (value.flags & AN_FLOW_FRESH && (address.kind >= AN_FLOW_FLAG || address.iter)) {
        value = an_flow_either(flow, old, value); /* which place holds which buffer is no matter */
        value.flags |= AN_FLOW_PLACED;
        value.stamp = address.stamp;
        return value;
    }
    if (message && !an_flow_depends(address) && address.iter >> value.loop & 1) {
        if (value.index && value.index != address.stamp)
            value.kind = AN_FLOW_ORDER; /* at another place than it had */
        value.index = 0;
        value.iter &= ~((uint64_t)1 << value.loop);
        value.flags |= AN_FLOW_PERMUTED;
        value.stamp = address.stamp;
        return old.kind == AN_FLOW_FREE ? value : an_flow_either(flow, old, value);
    }
    if (message && address.kind == AN_FLOW_COUNTED && address.loop == value.loop) {
        value.flags |= AN_FLOW_PERMUTED;
        value.stamp = address.stamp;
        return old.kind == AN_FLOW_FREE ? value : an_flow_either(flow, old, value);
    }
    if (chosen && value.iter >> address.loop & 1) {
        value.kind = AN_FLOW_ORDER;
        value.why = value.why ? value.why : address.why;
        return an_flow_either(flow, old, value);
    }
    if (chosen && (message || !an_flow_depends(value)) && is_carried(old, address.loop))
        return element_index(flow, old, address, value);
    if (address.kind == AN_FLOW_ORDER || address.kind == AN_FLOW_OPAQUE ||
        address.kind == AN_FLOW_COUNTED || chosen) {
        unsigned targets = value.targets;
        value = an_flow_combine(value, address);
        value.targets = targets;
    }
    return an_flow_either(flow, old, value);
}

static unsigned short place_of(struct an_flow_value address)
{
    return ((address.stamp * 40503u >> 16) | 1) & 0x7fff;
}

/* Whether what a message says is put into another element than the rest of it, or nobody knows. */
static bool is_apart(struct an_flow *flow, unsigned number, struct an_flow_value address,
                     struct an_flow_value value)
{
    struct an_flow_cell base = flow->memory->cells[number];
    bool fresh = value.flags & AN_FLOW_FRESH, along = false;
    bool message = value.kind == AN_FLOW_SOURCE || value.kind == AN_FLOW_MESSAGE;

    if (!base.field)
        return false;
    if (!message && !fresh) /* the number of a turn, and such */
        return flow->seen && !flow->left && value.iter >> flow->site_loop & 1;
    for (unsigned k = flow->memory->objects[base.object].cells; k;
         k = flow->memory->cells[k].sibling) {
        struct an_flow_value held = *an_flow_get(&flow->state, k);
        if (k == number || !held.place || !(held.flags & (AN_FLOW_PERMUTED | AN_FLOW_PLACED)))
            continue;
        if (held.place != place_of(address))
            return true;
        along |= (held.flags & AN_FLOW_PERMUTED) != 0;
    }
    return !address.stamp || (fresh && !along);
}

/* A store to all of something, or to an element that varies, reaches its parts; perhaps, unless it
 * is `over` them. Elements of constant number that nobody wrote are read from the rest. */
static void parts_write(struct an_flow *flow, unsigned number, struct an_flow_value value,
                        bool whole, bool over)
{
    struct an_flow_cell base = flow->memory->cells[number];

    for (unsigned k = flow->memory->objects[base.object].cells; k;
         k = flow->memory->cells[k].sibling) {
        struct an_flow_cell cell = flow->memory->cells[k];
        bool same = cell.field == base.field;
        if (k == number || (base.field && !same && cell.whole != number) || (!same && !whole))
            continue;
        if (!(an_flow_get(&flow->state, k)->flags & AN_FLOW_WRITTEN) &&
            (same || !an_flow_depends(value)))
            continue;
        cell_written(flow, k, over ? value : an_flow_either(flow, cell_value(flow, k), value));
    }
}

/* A request that is not given up but another one gets into the places that the site chooses among.
 */
static void request_note(struct an_flow *flow, struct an_flow_value address,
                         struct an_flow_value value)
{
    if (flow->requests && !flow->left && flow->depth >= flow->site_loop &&
        !(value.flags & AN_FLOW_CONSTANT))
        flow->moved |= an_flow_targets_meet(flow, address.targets, flow->requests);
}

static void swept_note(struct an_flow *flow, unsigned cell)
{
    for (struct an_flow_loop *loop = flow->loop; loop; loop = loop->outer)
        an_flow_marks_add(&loop->swept, cell);
}

/* The value of a cell after a store to some element that it stands for. */
static struct an_flow_value some_store(struct an_flow *flow, unsigned number,
                                       struct an_flow_value address, struct an_flow_value value)
{
    struct an_flow_value old = *an_flow_get(&flow->state, number);
    struct an_flow_value made = element_store(flow, old, address, value);
    struct an_flow_value held = cell_value(flow, number);

    if (!(old.flags & AN_FLOW_WRITTEN) && an_flow_depends(held))
        made = an_flow_either(flow, made, held); /* other elements got it with all of the record */
    return made;
}

/* The same after a store at `address`, and whether nothing is left of what was there: exactly one
 * place is meant, and all of it. */
static struct an_flow_value place_store(struct an_flow *flow, unsigned number,
                                        struct an_flow_value address, struct an_flow_value value,
                                        bool whole, bool *over)
{
    struct an_flow_value made = value;
    bool sweep = sweeps(flow, address) && !an_flow_depends(address);
    bool part = address.flags & AN_FLOW_OFFSET && !address.iter && !whole &&
                flow->memory->cells[number].element < 0;
    bool one =
        an_flow_targets(flow, address.targets)->count == 1 && !(address.flags & AN_FLOW_SOME);

    *over = one && !part;
    if (packs(flow, address)) {
        swept_note(flow, number);
        made = pack(flow, *an_flow_get(&flow->state, number), address, value);
        return one ? made : an_flow_either(flow, cell_value(flow, number), made);
    }
    if (an_flow_depends(address) || (address.iter && !sweep)) {
        *over = false;
        made = some_store(flow, number, address, value);
        if (is_apart(flow, number, address, value))
            made.flags |= AN_FLOW_APART;
        made.place = place_of(address);
        return made;
    }
    if (sweep) {
        made.iter &= ~address.iter;
        swept_note(flow, number);
    }
    if (sweep && an_flow_depends(value) && value.loop < AN_FLOW_NO_LOOP &&
        address.iter >> value.loop & 1) {
        *over = false;
        return some_store(flow, number, address, value);
    }
    return *over ? made : an_flow_either(flow, cell_value(flow, number), made);
}

/* Whether something else may have got into one of the places that an accumulation stands for, which
 * goes on from there. */
static bool begins_anew(struct an_flow_value held, struct an_flow_value value)
{
    return held.kind == AN_FLOW_COUNTED && held.flags & AN_FLOW_SUMMED &&
           value.kind != AN_FLOW_COUNTED;
}

void an_flow_store(struct an_flow *flow, struct an_flow_value address, struct an_flow_value value,
                   bool whole)
{
    const struct an_flow_set *set = an_flow_targets(flow, address.targets);

    request_note(flow, address, value);
    value.place = 0;
    value.carried = 0;
    for (unsigned i = 0; i < set->count; i++) {
        bool over;
        struct an_flow_value held = *an_flow_get(&flow->state, set->cells[i]);
        struct an_flow_value made = place_store(flow, set->cells[i], address, value, whole, &over);
        if (!over && begins_anew(held, value)) {
            made.kind = AN_FLOW_ORDER;
            made.why = held.why;
        }
        bool some = address.iter || address.flags & AN_FLOW_OFFSET;
        if (flow->memory->cells[set->cells[i]].element < 0 && (whole || some))
            parts_write(flow, set->cells[i], made, whole, over);
        cell_written(flow, set->cells[i], made);
    }
}

static void cell_mix(struct an_flow *flow, unsigned number, struct an_flow_value value)
{
    struct an_flow_value old = *an_flow_get(&flow->state, number);
    struct an_flow_value made = an_flow_either(flow, old, value);
    bool perhaps = an_flow_depends(an_flow_control_of(flow, flow->depth));

    if (perhaps && an_flow_depends(old) && old.kind < AN_FLOW_OPAQUE)
        made.kind = AN_FLOW_OPAQUE; /* a sum, say, that ends here and begins again */
    made.stamp = value.stamp;
    cell_written(flow, number, made);
}

void an_flow_mix(struct an_flow *flow, struct an_flow_value address, struct an_flow_value value)
{
    const struct an_flow_set *set = an_flow_targets(flow, address.targets);

    for (unsigned i = 0; i < set->count; i++) {
        unsigned number = set->cells[i];
        struct an_flow_cell base = flow->memory->cells[number];
        cell_mix(flow, number, value);
        if (base.element >= 0)
            continue;
        for (unsigned k = flow->memory->objects[base.object].cells; k;
             k = flow->memory->cells[k].sibling) {
            struct an_flow_cell cell = flow->memory->cells[k];
            bool part = !base.field || cell.field == base.field || is_inside(flow, cell, number);
            if (k != number && part && an_flow_get(&flow->state, k)->flags & AN_FLOW_WRITTEN)
                cell_mix(flow, k, value);
        }
    }
}

void an_flow_record_copy(struct an_flow *flow, struct an_flow_value to, struct an_flow_value from)
{
    const struct an_flow_set *source = an_flow_targets(flow, from.targets);
    const struct an_flow_set *target = an_flow_targets(flow, to.targets);

    if (source->count != 1 || target->count != 1) {
        an_flow_store(flow, to, an_flow_content(flow, from, -1), true);
        return;
    }
    unsigned object = flow->memory->cells[target->cells[0]].object;
    unsigned other = flow->memory->cells[source->cells[0]].object;
    for (unsigned i = flow->memory->objects[other].cells; i && object != other;
         i = flow->memory->cells[i].sibling) {
        struct an_flow_cell cell = flow->memory->cells[i];
        struct an_flow_value value = cell_read(*an_flow_get(&flow->state, i), from);
        cell_written(flow, an_flow_cell_find(flow, object, cell.field, cell.element), value);
    }
}
