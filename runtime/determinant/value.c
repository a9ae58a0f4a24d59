/* Values: clocks and random bytes. A value is an entry with its first eight bytes, and entries MORE
 * with eight bytes each.
 *
 * A program may read a clock a million times a second. So after FT_VALUES_MOST entries between two
 * MPI calls, and while half of the ring is in use, values are not recorded; an entry says so, and
 * another one when they are again. For a ring that is half full a checkpoint is asked for. What is
 * not recorded is not given again: it is what it is then, and the trail (trail.h) ends the run
 * where that makes a difference to others. */
#include <string.h>

#include "determinant/entries.h"
#include "determinant/trail.h"

#define FT_VALUES_MOST 4096u
#define PIECE sizeof(uint64_t) /* bytes in an entry */

static uint32_t label(enum ft_value_kind kind, size_t bytes)
{
    return (uint32_t)kind << 24 | (uint32_t)bytes;
}

int ft_determinant_value(struct ft_rank *self, enum ft_value_kind kind, void *data, size_t bytes)
{
    struct ft_determinants *all = ft_entries_of(self);
    struct ft_determinant *next;

    if (ft_likely(all->at == all->end) || all->blind)
        return 0;
    next = ft_entries_expected(self);
    if (next->kind != FT_DETERMINANT_VALUE || next->number != label(kind, bytes))
        ft_differs(self, "another poll, choice, clock or random number was read here before");
    for (size_t done = 0;; next = ft_entry(all, ++all->at)) {
        size_t left = bytes - done < PIECE ? bytes - done : PIECE;

        memcpy((char *)data + done, &next->a, left);
        done += left;
        if (done >= bytes)
            break;
    }
    ft_entries_given(all);
    return 1;
}

static int is_half_full(const struct ft_rank *self)
{
    return ft_entries_used(self) >= ft_entries_of(self)->capacity / 2;
}

/* Is this value one too many? */
static int is_too_much(struct ft_rank *self, size_t bytes)
{
    struct ft_determinants *all = ft_entries_of(self);

    if (all->stretch != self->calls) {
        all->stretch = self->calls;
        all->values = 0;
    }
    all->values += (uint32_t)((bytes + PIECE - 1) / PIECE);
    return all->values > FT_VALUES_MOST || is_half_full(self);
}

/* From here on values are recorded, or not. */
static void turn(struct ft_rank *self, int blind)
{
    ft_entries_put(
        self, (struct ft_determinant){.kind = FT_DETERMINANT_BLIND, .number = (uint32_t)blind});
    ft_entries_publish(self);
    ft_entries_of(self)->blind = (uint32_t)blind;
    if (blind && is_half_full(self))
        ft_entries_ask();
}

void ft_determinant_value_note(struct ft_rank *self, enum ft_value_kind kind, const void *data,
                               size_t bytes)
{
    struct ft_determinants *all = ft_entries_of(self);
    int blind;

    if (ft_unlikely(all->at != all->end)) /* others are given again, and values are not recorded */
        return;
    blind = is_too_much(self, bytes) || (all->blind && ft_trail_owed(self));
    if (ft_unlikely(blind != (int)all->blind))
        turn(self, blind);
    if (ft_unlikely(blind))
        return;
    for (size_t done = 0; done == 0 || done < bytes; done += PIECE) {
        struct ft_determinant entry = {.kind = done ? FT_DETERMINANT_MORE : FT_DETERMINANT_VALUE,
                                       .number = label(kind, bytes)};

        memcpy(&entry.a, (const char *)data + done, bytes - done < PIECE ? bytes - done : PIECE);
        ft_entries_put(self, entry);
    }
    ft_entries_publish(self);
}
