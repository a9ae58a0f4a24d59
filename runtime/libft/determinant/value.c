/* Values: random bytes, and times of processes. A value is an entry with its first eight bytes, and
 * entries MORE with eight bytes each. */
#include <string.h>

#include "determinant/entries.h"

#define PIECE sizeof(uint64_t) /* bytes in an entry */

static uint32_t label(enum ft_value_kind kind, size_t bytes)
{
    return (uint32_t)kind << 24 | (uint32_t)bytes;
}

int ft_determinant_value(struct ft_rank *self, enum ft_value_kind kind, void *data, size_t bytes)
{
    struct ft_determinants *all = ft_entries_of(self);
    struct ft_determinant *next = ft_entries_expected(self, &all->order, FT_CLOCKS);

    if (ft_likely(!next))
        return 0;
    if (next->kind != FT_DETERMINANT_VALUE || next->number != label(kind, bytes))
        ft_differs(self, "another poll, choice or random number was read here before");
    for (size_t done = 0;; next = ft_entry(all, all->order.at)) {
        size_t left = bytes - done < PIECE ? bytes - done : PIECE;

        memcpy((char *)data + done, &next->a, left);
        ft_entries_given(all, &all->order);
        done += left;
        if (done >= bytes)
            return 1;
    }
}

void ft_determinant_value_note(struct ft_rank *self, enum ft_value_kind kind, const void *data,
                               size_t bytes)
{
    for (size_t done = 0; done == 0 || done < bytes; done += PIECE) {
        struct ft_determinant entry = {.kind = done ? FT_DETERMINANT_MORE : FT_DETERMINANT_VALUE,
                                       .number = label(kind, bytes)};

        memcpy(&entry.a, (const char *)data + done, bytes - done < PIECE ? bytes - done : PIECE);
        ft_entries_put(self, &ft_entries_of(self)->order, entry);
    }
    ft_entries_publish(self);
}
