/* Invariant: owed == 0, or each order's `at` is at or before its next entry to give again. Entries
 * of receives stand between the others where they completed; they are found by number, and the
 * readers of the others pass over them. So they may be written at the end while others are still
 * owed; all others are written only when nothing is, but in an iteration of a trusted pattern. */
#include "determinant/entries.h"
#include "determinant/trail.h"

#define uthash_malloc(size) ft_image_alloc(size)
#define uthash_free(block, size) ft_image_free(block)
#include <uthash.h>

#define FT_ASKS 64  /* in one turn of the ring */
#define FT_PROBES 8 /* entries that one site may lie in */

_Static_assert(sizeof(struct ft_determinant) == FT_RECORDER_ENTRY, "recorder.h");

struct ft_determinant_known { /* in the image, because the table is */
    uint32_t number;
    struct ft_determinant outcome;
    UT_hash_handle hh;
};

void ft_determinants_start(struct ft_rank *self, struct ft_determinant *ring, uint64_t capacity)
{
    struct ft_determinants *all = ft_image_alloc(sizeof *all);

    all->ring = ring;
    all->capacity = capacity;
    self->spbc->determinants = all;
    ft_determinants_restore(self);
}

static int is_receive(const struct ft_determinant *outcome)
{
    return outcome->kind == FT_DETERMINANT_RECEIVE || outcome->kind == FT_DETERMINANT_CANCELLED;
}

int ft_entry_is_of(const struct ft_determinant *entry, unsigned clock)
{
    if (entry->kind == FT_DETERMINANT_READINGS || entry->kind == FT_DETERMINANT_MOMENT)
        return entry->clock == clock;
    return clock == FT_CLOCKS && !is_receive(entry);
}

int ft_order_next(const struct ft_determinants *all, struct ft_determinant_order *order,
                  unsigned clock)
{
    while (order->at != all->end && !ft_entry_is_of(ft_entry(all, order->at), clock))
        order->at++;
    return order->at != all->end;
}

static void orders_begin(struct ft_determinants *all, uint64_t at)
{
    all->order = (struct ft_determinant_order){.at = at};
    for (int i = 0; i < FT_CLOCKS; i++)
        all->clocks[i].order = all->order;
}

uint64_t ft_determinants_position(const struct ft_rank *self)
{
    struct ft_determinants *all;
    uint64_t oldest;

    if (!self->spbc)
        return 0;
    all = ft_entries_of(self);
    oldest = all->end;
    if (!all->owed)
        return oldest;
    if (ft_order_next(all, &all->order, FT_CLOCKS))
        oldest = all->order.at;
    for (unsigned i = 0; i < FT_CLOCKS; i++)
        if (ft_order_next(all, &all->clocks[i].order, i) && all->clocks[i].order.at < oldest)
            oldest = all->clocks[i].order.at;
    return oldest;
}

static void known_add(struct ft_determinants *all, const struct ft_determinant *outcome)
{
    struct ft_determinant_known *known = ft_image_alloc(sizeof *known);

    known->number = outcome->number;
    known->outcome = *outcome;
    HASH_ADD(hh, all->known, number, sizeof known->number, known);
}

void ft_entries_take(struct ft_determinants *all, uint64_t end)
{
    for (uint64_t at = all->end; at != end; at++)
        if (is_receive(ft_entry(all, at)))
            known_add(all, ft_entry(all, at));
        else
            all->owed++;
    all->end = end;
}

void ft_determinants_restore(struct ft_rank *self)
{
    struct ft_determinants *all = ft_entries_of(self);
    int follows = ft_follow_wanted(); /* first: what the other copy publishes before it leads no
                                         more is seen */
    uint64_t end = __atomic_load_n(ft_entries_published(self), __ATOMIC_ACQUIRE);

    if (end < all->end || end - ft_determinants_position(self) > all->capacity)
        ft_panic("the recorder counts %llu determinants, the image %llu", (unsigned long long)end,
                 (unsigned long long)all->end);
    if (!all->owed)
        orders_begin(all, all->end);
    if (all->end != end)
        ft_log_debug("determinant", "outcomes %llu to %llu are given again",
                     (unsigned long long)all->end, (unsigned long long)end);
    ft_entries_take(all, end);
    ft_logged_start(self);
    ft_follow_begin(all, follows);
    self->recorder->call = all->call;
}

/* The next outcome begins an entry of its own. */
static void entries_close(struct ft_determinants *all)
{
    all->open = 0;
    for (int i = 0; i < FT_CLOCKS; i++)
        all->clocks[i].open = 0;
}

void ft_determinants_close(struct ft_rank *self)
{
    entries_close(ft_entries_of(self));
    ft_entries_of(self)->call = self->recorder->call;
    ft_entries_of(self)->passed = 0;
    self->spbc->trail->closed = self->spbc->trail->at;
}

/* May outcomes come in another order than before? */
static int is_loose(const struct ft_rank *self)
{
    return self->spbc->trail->flags & FT_TRAIL_LOOSE;
}

static void must_be_loose(const struct ft_rank *self)
{
    if (!is_loose(self))
        ft_differs(self, "this poll, choice, clock or random number is read at another place");
}

struct ft_determinant *ft_entries_expected(struct ft_rank *self, struct ft_determinant_order *order,
                                           unsigned clock)
{
    struct ft_determinants *all = ft_entries_of(self);
    struct ft_determinant *next;

    if (ft_likely(!all->owed))
        return NULL;
    if (!ft_order_next(all, order, clock)) {
        must_be_loose(self);
        return NULL;
    }
    next = ft_entry(all, order->at);
    if (next->kind != FT_DETERMINANT_NOTHING && next->call != self->recorder->call &&
        next->call != FT_CALL_ANY)
        ft_differs(self, "the next poll, choice, clock or random number was read in another call");
    return next;
}

void ft_entries_given(struct ft_determinants *all, struct ft_determinant_order *order)
{
    order->at++;
    order->used = 0;
    all->owed--;
}

void ft_determinants_ask(void)
{
    struct ft_wire_number asked = {FT_REQUEST_ROOM};

    if (ft_wire_send(ft_life.control, FT_WIRE_REQUEST, &asked, sizeof asked, NULL, 0, -1) != 0)
        ft_panic("ftrun is gone");
}

/* Counts a determinant of the call at `address`. */
static void site_count(struct ft_recorder *recorder, uint64_t address)
{
    uint64_t hash = address * 0x9e3779b97f4a7c15u >> 32;

    for (uint64_t i = hash; i < hash + FT_PROBES; i++) {
        struct ft_recorder_site *site = &recorder->sites[i & (FT_RECORDER_SITES - 1)];

        if (site->address == 0)
            site->address = address;
        if (site->address == address) {
            site->count++;
            return;
        }
    }
    recorder->sites_beyond++;
}

void ft_determinants_announce(void)
{
    static int announced; /* by this process */

    if (!announced++)
        ft_ask(FT_WIRE_RECORDS);
}

/* With --protocol optimistic, after the loss of a node: the first outcome that is decided anew. */
static void decide_anew(void)
{
    ft_ask(FT_WIRE_FRESH);
    ft_life.boot.uncertain = 0;
}

/* The ring is nearly full: asks for room again and again. With --ulfm nobody needs the old ones. */
static void make_room(struct ft_rank *self, const struct ft_determinants *all)
{
    if (self->spbc->ulfm)
        self->recorder->determinants_kept = all->end;
    if (ft_entries_used(self) >= all->capacity)
        ft_panic("%llu outcomes of non-deterministic calls since the oldest checkpoint that is "
                 "kept: take checkpoints more often (--checkpoint-interval)",
                 (unsigned long long)all->capacity);
    if (!self->spbc->ulfm && (all->end + 1) % (all->capacity / FT_ASKS) == 0)
        ft_determinants_ask();
}

/* Writes an outcome at the end. */
static void append(struct ft_rank *self, uint64_t site, struct ft_determinant outcome)
{
    struct ft_determinants *all = ft_entries_of(self);

    if (ft_unlikely(ft_entries_used(self) >= all->capacity / 5 * 4))
        make_room(self, all);
    if (ft_unlikely(ft_life.boot.spread))
        ft_determinants_announce();
    if (ft_unlikely(ft_life.boot.uncertain))
        decide_anew();
    *ft_entry(all, all->end++) = outcome;
    site_count(self->recorder, self->recorder->where == FT_WHERE_USER ? FT_RECORDER_LIBC : site);
}

void ft_entries_put(struct ft_rank *self, struct ft_determinant_order *order,
                    struct ft_determinant outcome)
{
    struct ft_determinants *all = ft_entries_of(self);

    if (ft_unlikely(all->passed != 0))
        ft_determinant_passed_keep(self);
    if (ft_unlikely(all->owed || ft_trail_owed(self)))
        must_be_loose(self);
    if (outcome.call != FT_CALL_ANY)
        outcome.call = (uint16_t)self->recorder->call;
    append(self, self->recorder->site, outcome);
    order->at = all->end;
    if (order == &all->order)
        all->open = 0;
}

void ft_entries_publish(struct ft_rank *self)
{
    __atomic_store_n(ft_entries_published(self), ft_entries_of(self)->end, __ATOMIC_RELEASE);
    ft_logged_count();
}

static void note(struct ft_rank *self, struct ft_determinant outcome)
{
    ft_entries_put(self, &ft_entries_of(self)->order, outcome);
    ft_entries_publish(self);
}

/* The entry that may be counted up, or NULL. */
static struct ft_determinant *open_entry(const struct ft_determinants *all)
{
    return all->open ? ft_entry(all, all->open - 1) : NULL;
}

void ft_determinant_passed_keep(struct ft_rank *self)
{
    struct ft_determinants *all = ft_entries_of(self);
    struct ft_determinant *last = open_entry(all);
    struct ft_determinant entry = {.kind = FT_DETERMINANT_PASSED,
                                   .call = FT_CALL_ANY,
                                   .number = all->passed,
                                   .a = (int32_t)(uint32_t)all->passed_at};

    all->passed = 0;
    if (!entry.number || all->passed_at != self->spbc->trail->at)
        return;
    if (last && last->kind == FT_DETERMINANT_PASSED && last->a == entry.a &&
        last->number <= UINT32_MAX - entry.number) {
        last->number += entry.number;
        ft_logged_count();
        return;
    }
    note(self, entry);
    all->open = all->owed ? 0 : all->end;
}

void ft_determinant_passed_end(struct ft_rank *self)
{
    struct ft_determinants *all = ft_entries_of(self);

    ft_determinant_passed_keep(self);
    if (all->open && open_entry(all)->kind == FT_DETERMINANT_PASSED)
        all->open = 0;
}

int ft_determinant_passed(struct ft_rank *self)
{
    struct ft_determinants *all = ft_entries_of(self);
    const struct ft_determinant *next;

    if (!all->owed || !ft_order_next(all, &all->order, FT_CLOCKS))
        return 0;
    next = ft_entry(all, all->order.at);
    if (next->kind != FT_DETERMINANT_PASSED || next->a != (int32_t)(uint32_t)self->spbc->trail->at)
        return 0;
    if (++all->order.used >= next->number)
        ft_entries_given(all, &all->order);
    return 1;
}

static _Noreturn void differs(const struct ft_rank *self)
{
    ft_differs(self, "another kind of poll, choice or clock was read here before");
}

static struct ft_determinant *expected(struct ft_rank *self)
{
    return ft_entries_expected(self, &ft_entries_of(self)->order, FT_CLOCKS);
}

/* Gives "nothing" again. The leader of a copy that follows may still count it up (follow.c). */
static int give_nothing(struct ft_determinants *all, const struct ft_determinant *next)
{
    if (++all->order.used >= next->number && !all->follows)
        ft_entries_given(all, &all->order);
    return 1;
}

void ft_determinant_nothing_begin(struct ft_rank *self)
{
    struct ft_determinants *all = ft_entries_of(self);

    note(self, (struct ft_determinant){.kind = FT_DETERMINANT_NOTHING, .number = 1});
    all->open = all->owed ? 0 : all->end;
}

int ft_determinant_poll(struct ft_rank *self, int *flag)
{
    struct ft_determinants *all = ft_entries_of(self);
    struct ft_determinant *next = expected(self);

    if (ft_likely(!next))
        return 0;
    *flag = next->kind == FT_DETERMINANT_FLAG;
    if (next->kind == FT_DETERMINANT_NOTHING)
        return give_nothing(all, next);
    if (!*flag)
        differs(self);
    ft_entries_given(all, &all->order);
    return 1;
}

void ft_determinant_poll_note(struct ft_rank *self, int flag)
{
    if (flag)
        note(self, (struct ft_determinant){.kind = FT_DETERMINANT_FLAG});
    else
        ft_determinant_nothing(self);
}

int ft_determinant_probe(struct ft_rank *self, int *flag, int *source, int *tag)
{
    struct ft_determinants *all = ft_entries_of(self);
    struct ft_determinant *next = expected(self);

    if (ft_likely(!next))
        return 0;
    *flag = next->kind == FT_DETERMINANT_PROBE;
    if (next->kind == FT_DETERMINANT_NOTHING)
        return give_nothing(all, next);
    if (!*flag)
        differs(self);
    *source = next->a;
    *tag = next->b;
    ft_entries_given(all, &all->order);
    return 1;
}

void ft_determinant_probe_note(struct ft_rank *self, int flag, int source, int tag)
{
    if (flag)
        note(self, (struct ft_determinant){.kind = FT_DETERMINANT_PROBE, .a = source, .b = tag});
    else
        ft_determinant_nothing(self);
}

int ft_determinant_choice(struct ft_rank *self, int *count, int *index, int room)
{
    struct ft_determinants *all = ft_entries_of(self);
    struct ft_determinant *next = expected(self);

    if (ft_likely(!next))
        return 0;
    *count = 0;
    if (next->kind == FT_DETERMINANT_NOTHING)
        return give_nothing(all, next);
    if (next->kind != FT_DETERMINANT_CHOICE || next->number > (uint32_t)room)
        differs(self);
    *count = (int)next->number;
    index[0] = next->a;
    for (int i = 1; i < *count; i++) {
        ft_entries_given(all, &all->order);
        index[i] = ft_entry(all, all->order.at)->a;
    }
    ft_entries_given(all, &all->order);
    return 1;
}

void ft_determinant_choice_note(struct ft_rank *self, int count, const int *index)
{
    struct ft_determinant_order *order = &ft_entries_of(self)->order;

    if (count <= 0) {
        ft_determinant_nothing(self);
        return;
    }
    ft_entries_put(self, order,
                   (struct ft_determinant){
                       .kind = FT_DETERMINANT_CHOICE, .number = (uint32_t)count, .a = index[0]});
    for (int i = 1; i < count; i++)
        ft_entries_put(self, order,
                       (struct ft_determinant){.kind = FT_DETERMINANT_INDEX, .a = index[i]});
    ft_entries_publish(self);
}

enum ft_determinant_post ft_determinant_receive(struct ft_rank *self, uint32_t *number, int *source,
                                                int *tag)
{
    *number = ft_determinant_receive_new(self);
    return ft_determinant_receive_again(self, *number, source, tag);
}

enum ft_determinant_post ft_determinant_receive_again(struct ft_rank *self, uint32_t number,
                                                      int *source, int *tag)
{
    struct ft_determinants *all = ft_entries_of(self);
    struct ft_determinant_known *known;
    enum ft_determinant_post how = FT_POST_NEVER;

    if (ft_likely(!all->known))
        return FT_POST_UNKNOWN;
    HASH_FIND(hh, all->known, &number, sizeof number, known);
    if (!known)
        return FT_POST_UNKNOWN;
    if (known->outcome.kind == FT_DETERMINANT_RECEIVE) {
        *source = known->outcome.a;
        *tag = known->outcome.b;
        how = FT_POST_NAMED;
    }
    HASH_DEL(all->known, known);
    ft_image_free(known);
    return how;
}

static void receive_note(struct ft_rank *self, uint64_t site, struct ft_determinant outcome)
{
    outcome.call = (uint16_t)self->recorder->call;
    append(self, site, outcome);
    ft_entries_of(self)->open = 0;
    ft_entries_publish(self);
}

void ft_determinant_receive_note(struct ft_rank *self, uint64_t site, uint32_t number, int source,
                                 int tag)
{
    receive_note(self, site,
                 (struct ft_determinant){
                     .kind = FT_DETERMINANT_RECEIVE, .number = number, .a = source, .b = tag});
}

void ft_determinant_cancel_note(struct ft_rank *self, uint64_t site, uint32_t number)
{
    receive_note(self, site,
                 (struct ft_determinant){.kind = FT_DETERMINANT_CANCELLED, .number = number});
}
