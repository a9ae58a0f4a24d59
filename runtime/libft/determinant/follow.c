/* A rank has two copies (ftrun --replicas). One leads: it asks the library, and writes outcomes
 * into the ring. The other one follows: it takes them from there, as a rank does that rolls back,
 * but the end of the ring still grows. While a copy follows, `owed` is one more than the number
 * of entries that it has not given again. So every check whether there is more to give again says
 * yes, also at the end of the ring.
 *
 * The leader counts some entries up in place: polls that found nothing, and rows of readings. So
 * the last one of them is never done with before another entry stands behind it that closes it, or
 * the leader leads no more.
 *
 * When ftrun gives the lead to this copy, the other one appends nothing any more
 * (recorder/pair.h): what is in the ring then is given again to its end, and behind that this
 * copy asks the library. */
#include "determinant/entries.h"

/* Which copy leads is read first: what the other one has published before it is seen, too. */
static int leads(void)
{
    return __atomic_load_n(&ft_life.pair->leads, __ATOMIC_ACQUIRE) == ft_life.boot.copy;
}

static int is_counted(const struct ft_determinant *entry)
{
    return entry->kind == FT_DETERMINANT_NOTHING || entry->kind == FT_DETERMINANT_READINGS;
}

/* Does an entry stand behind this one that keeps the leader from counting it up? */
static int is_closed(const struct ft_determinants *all, uint64_t at, unsigned clock)
{
    while (++at != all->end) {
        const struct ft_determinant *later = ft_entry(all, at);
        int reading =
            later->kind == FT_DETERMINANT_READINGS || later->kind == FT_DETERMINANT_MOMENT;

        if (clock == FT_CLOCKS ? !reading : ft_entry_is_of(later, clock))
            return 1;
    }
    return 0;
}

static struct ft_determinant_order *order_of(struct ft_determinants *all, unsigned clock)
{
    return clock == FT_CLOCKS ? &all->order : &all->clocks[clock].order;
}

/* Has this copy given the entry at order->at again as often as it counts now? */
static int is_used_up(const struct ft_determinants *all, const struct ft_determinant_order *order)
{
    const struct ft_determinant *entry = ft_entry(all, order->at);

    return is_counted(entry) && order->used >= __atomic_load_n(&entry->number, __ATOMIC_ACQUIRE);
}

/* No entry is counted up any more. */
static void lead(struct ft_determinants *all)
{
    for (unsigned clock = 0; clock <= FT_CLOCKS; clock++) {
        struct ft_determinant_order *order = order_of(all, clock);

        if (ft_order_next(all, order, clock) && is_used_up(all, order))
            ft_entries_given(all, order);
    }
    all->follows = 0;
    all->owed--;
    ft_log_debug("determinant", "this copy leads from outcome %llu on",
                 (unsigned long long)all->end);
}

int ft_follow_wanted(void)
{
    return ft_life.pair && !leads();
}

void ft_follow_begin(struct ft_determinants *all, int follows)
{
    if (follows && !all->follows)
        all->owed += all->follows = 1;
    else if (!follows && all->follows)
        lead(all);
}

int ft_determinants_follow(struct ft_rank *self)
{
    struct ft_determinants *all = ft_entries_of(self);
    int leading = leads();
    uint64_t end = __atomic_load_n(ft_entries_published(self), __ATOMIC_ACQUIRE);
    int more = end != all->end;

    ft_entries_take(all, end);
    if (leading)
        lead(all);
    return more || leading;
}

int ft_determinants_ready(struct ft_rank *self, unsigned clock)
{
    struct ft_determinants *all = ft_entries_of(self);
    struct ft_determinant_order *order = order_of(all, clock);

    if (!all->follows)
        return 1;
    while (ft_order_next(all, order, clock)) {
        if (!is_used_up(all, order))
            return 1;
        if (!is_closed(all, order->at, clock))
            return 0;
        if (is_used_up(all, order)) /* not counted up before it was closed */
            ft_entries_given(all, order);
    }
    return 0;
}
