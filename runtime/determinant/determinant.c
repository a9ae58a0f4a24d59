/* Entries of receives stand between the others where they completed; they are found by number, and
 * the reader of the others passes over them. So they may be written at the end while others are
 * still read at `at`; all others are written only when the two are equal. */
#include "determinant/determinant.h"

#include <string.h>
#define uthash_malloc(size) ft_image_alloc(size)
#define uthash_free(block, size) ft_image_free(block)
#include <uthash.h>

#define FT_ASKS 64 /* in one turn of the ring */

_Static_assert(sizeof(struct ft_determinant) == FT_RECORDER_ENTRY, "recorder.h");

struct ft_determinant_known { /* in the image, because the table is */
    uint32_t number;
    struct ft_determinant outcome;
    UT_hash_handle hh;
};

static struct ft_determinants *all_of(struct ft_rank *self)
{
    return self->spbc->determinants;
}

static struct ft_determinant *entry(const struct ft_determinants *all, uint64_t at)
{
    return &all->ring[at & (all->capacity - 1)];
}

void ft_determinants_start(struct ft_rank *self, struct ft_determinant *ring, uint64_t capacity)
{
    struct ft_determinants *all = ft_image_alloc(sizeof *all);

    all->ring = ring;
    all->capacity = capacity;
    all->closed = 1;
    self->spbc->determinants = all;
    ft_determinants_restore(self);
}

static int is_receive(const struct ft_determinant *outcome)
{
    return outcome->kind == FT_DETERMINANT_RECEIVE || outcome->kind == FT_DETERMINANT_CANCELLED;
}

/* Passes over receives, which are given again by their numbers. */
static void skip_receives(struct ft_determinants *all)
{
    while (all->at != all->end && is_receive(entry(all, all->at)))
        all->at++;
}

static void known_add(struct ft_determinants *all, const struct ft_determinant *outcome)
{
    struct ft_determinant_known *known = ft_image_alloc(sizeof *known);

    known->number = outcome->number;
    known->outcome = *outcome;
    HASH_ADD(hh, all->known, number, sizeof known->number, known);
}

void ft_determinants_restore(struct ft_rank *self)
{
    struct ft_determinants *all = all_of(self);
    uint64_t end = self->recorder->determinants;

    if (end < all->end || end - all->at > all->capacity)
        ft_panic("the recorder counts %llu determinants, the image %llu", (unsigned long long)end,
                 (unsigned long long)all->end);
    for (uint64_t at = all->end; at != end; at++)
        if (is_receive(entry(all, at)))
            known_add(all, entry(all, at));
    all->end = end;
    if (all->at != end)
        ft_log_debug("determinant", "outcomes %llu to %llu are given again",
                     (unsigned long long)all->at, (unsigned long long)end);
    skip_receives(all);
    self->recorder->call = all->call;
}

void ft_determinants_close(struct ft_rank *self)
{
    all_of(self)->closed = 1;
    all_of(self)->call = self->recorder->call;
}

/* The next outcome to give again, or NULL. It must be of this call. */
static struct ft_determinant *expected(struct ft_rank *self)
{
    struct ft_determinants *all = all_of(self);
    struct ft_determinant *next;

    if (ft_likely(all->at == all->end))
        return NULL;
    next = entry(all, all->at);
    if (next->kind != FT_DETERMINANT_NOTHING && next->call != self->recorder->call)
        ft_panic("re-execution differs: outcome %llu was of MPI call %u, now call %u asks for it",
                 (unsigned long long)all->at, next->call, self->recorder->call);
    return next;
}

static void given(struct ft_determinants *all)
{
    all->at++;
    all->used = 0;
    skip_receives(all);
    all->closed = 1;
}

static _Noreturn void differs(const struct ft_determinant *found, const char *asked)
{
    ft_panic("re-execution differs: an outcome of kind %u was recorded where %s is asked for",
             found->kind, asked);
}

/* The ring is nearly full: asks for a checkpoint, again and again, because room comes with the
 * oldest that is dropped. */
static void ask_for_room(struct ft_rank *self)
{
    struct ft_wire_number asked = {FT_REQUEST_ROOM};

    if (all_of(self)->end % (all_of(self)->capacity / FT_ASKS) == 0 &&
        ft_wire_send(ft_life.control, FT_WIRE_REQUEST, &asked, sizeof asked, NULL, 0, -1) != 0)
        ft_panic("ftrun is gone");
}

/* Writes an outcome at the end. */
static void append(struct ft_rank *self, struct ft_determinant outcome)
{
    struct ft_determinants *all = all_of(self);
    uint64_t used = all->end - self->recorder->determinants_kept;

    if (used >= all->capacity)
        ft_panic("%llu outcomes of non-deterministic calls since the oldest checkpoint that is "
                 "kept: take checkpoints more often (--checkpoint-interval)",
                 (unsigned long long)all->capacity);
    outcome.call = (uint16_t)self->recorder->call;
    *entry(all, all->end++) = outcome;
    if (ft_unlikely(used >= all->capacity / 5 * 4))
        ask_for_room(self);
}

/* Writes one that does not count yet. */
static void put(struct ft_rank *self, struct ft_determinant outcome)
{
    struct ft_determinants *all = all_of(self);

    if (all->at != all->end)
        ft_panic("re-execution differs: MPI call %u has an outcome that was not recorded",
                 self->recorder->call);
    append(self, outcome);
    all->at = all->end;
    all->closed = 0;
}

/* From here on what was put survives this process. */
static void publish(struct ft_rank *self)
{
    __atomic_store_n(&self->recorder->determinants, all_of(self)->end, __ATOMIC_RELEASE);
}

static void note(struct ft_rank *self, struct ft_determinant outcome)
{
    put(self, outcome);
    publish(self);
}

/* Gives "nothing" again. */
static int give_nothing(struct ft_determinants *all, const struct ft_determinant *next)
{
    if (++all->used >= next->number)
        given(all);
    return 1;
}

static void note_nothing(struct ft_rank *self)
{
    struct ft_determinants *all = all_of(self);
    struct ft_determinant *last = all->at ? entry(all, all->at - 1) : NULL;

    if (ft_likely(!all->closed && last->kind == FT_DETERMINANT_NOTHING &&
                  last->number != UINT32_MAX)) {
        last->number++;
        return;
    }
    note(self, (struct ft_determinant){.kind = FT_DETERMINANT_NOTHING, .number = 1});
}

int ft_determinant_poll(struct ft_rank *self, int *flag)
{
    struct ft_determinant *next = expected(self);

    if (ft_likely(!next))
        return 0;
    *flag = next->kind == FT_DETERMINANT_FLAG;
    if (next->kind == FT_DETERMINANT_NOTHING)
        return give_nothing(all_of(self), next);
    if (!*flag)
        differs(next, "the answer of a test");
    given(all_of(self));
    return 1;
}

void ft_determinant_poll_note(struct ft_rank *self, int flag)
{
    if (flag)
        note(self, (struct ft_determinant){.kind = FT_DETERMINANT_FLAG});
    else
        note_nothing(self);
}

int ft_determinant_probe(struct ft_rank *self, int *flag, int *source, int *tag)
{
    struct ft_determinant *next = expected(self);

    if (ft_likely(!next))
        return 0;
    *flag = next->kind == FT_DETERMINANT_PROBE;
    if (next->kind == FT_DETERMINANT_NOTHING)
        return give_nothing(all_of(self), next);
    if (!*flag)
        differs(next, "the answer of a probe");
    *source = next->a;
    *tag = next->b;
    given(all_of(self));
    return 1;
}

void ft_determinant_probe_note(struct ft_rank *self, int flag, int source, int tag)
{
    if (flag)
        note(self, (struct ft_determinant){.kind = FT_DETERMINANT_PROBE, .a = source, .b = tag});
    else
        note_nothing(self);
}

int ft_determinant_choice(struct ft_rank *self, int *count, int *index, int room)
{
    struct ft_determinants *all = all_of(self);
    struct ft_determinant *next = expected(self);

    if (ft_likely(!next))
        return 0;
    *count = 0;
    if (next->kind == FT_DETERMINANT_NOTHING)
        return give_nothing(all, next);
    if (next->kind != FT_DETERMINANT_CHOICE || next->number > (uint32_t)room)
        differs(next, "a choice among requests");
    *count = (int)next->number;
    index[0] = next->a;
    for (int i = 1; i < *count; i++)
        index[i] = entry(all, ++all->at)->a;
    given(all);
    return 1;
}

void ft_determinant_choice_note(struct ft_rank *self, int count, const int *index)
{
    if (count <= 0) {
        note_nothing(self);
        return;
    }
    put(self, (struct ft_determinant){
                  .kind = FT_DETERMINANT_CHOICE, .number = (uint32_t)count, .a = index[0]});
    for (int i = 1; i < count; i++)
        put(self, (struct ft_determinant){.kind = FT_DETERMINANT_INDEX, .a = index[i]});
    publish(self);
}

int ft_determinant_clock(struct ft_rank *self, double *seconds)
{
    struct ft_determinant *next = expected(self);

    if (ft_likely(!next))
        return 0;
    if (next->kind != FT_DETERMINANT_CLOCK)
        differs(next, "a clock");
    memcpy(seconds, &next->a, sizeof *seconds);
    given(all_of(self));
    return 1;
}

void ft_determinant_clock_note(struct ft_rank *self, double seconds)
{
    struct ft_determinant outcome = {.kind = FT_DETERMINANT_CLOCK};

    memcpy(&outcome.a, &seconds, sizeof seconds);
    note(self, outcome);
}

enum ft_determinant_post ft_determinant_receive(struct ft_rank *self, uint32_t *number, int *source,
                                                int *tag)
{
    *number = ++all_of(self)->posted;
    return ft_determinant_receive_again(self, *number, source, tag);
}

enum ft_determinant_post ft_determinant_receive_again(struct ft_rank *self, uint32_t number,
                                                      int *source, int *tag)
{
    struct ft_determinants *all = all_of(self);
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

static void receive_note(struct ft_rank *self, struct ft_determinant outcome)
{
    struct ft_determinants *all = all_of(self);

    if (ft_likely(all->at == all->end))
        put(self, outcome);
    else
        append(self, outcome);
    publish(self);
}

void ft_determinant_receive_note(struct ft_rank *self, uint32_t number, int source, int tag)
{
    receive_note(self,
                 (struct ft_determinant){
                     .kind = FT_DETERMINANT_RECEIVE, .number = number, .a = source, .b = tag});
}

void ft_determinant_cancel_note(struct ft_rank *self, uint32_t number)
{
    receive_note(self, (struct ft_determinant){.kind = FT_DETERMINANT_CANCELLED, .number = number});
}
