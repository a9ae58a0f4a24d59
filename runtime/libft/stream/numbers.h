/* numbers: a set of message numbers of one stream, nearly always 1 to n: a prefix, and what lies
 * beyond it. */
#ifndef FT_NUMBERS_H
#define FT_NUMBERS_H

#include <stdint.h>
#include "base/base.h"

struct ft_numbers {
    uint64_t prefix;      /* 1 to prefix are in the set */
    uint64_t *beyond;     /* [count] the others, ascending; in the image, owned */
    uint32_t count, room; /* used, allocated */
};

int ft_numbers_search(const struct ft_numbers *numbers, uint64_t number); /* beyond the prefix */
static inline int ft_numbers_have(const struct ft_numbers *numbers, uint64_t number)
{
    if (number <= numbers->prefix)
        return 1;
    return ft_unlikely(numbers->count > 0) && ft_numbers_search(numbers, number);
}
/* 0, or -EEXIST. */
int ft_numbers_insert(struct ft_numbers *numbers, uint64_t number); /* any */
static inline int ft_numbers_add(struct ft_numbers *numbers, uint64_t number)
{
    if (ft_unlikely(numbers->count > 0) || ft_unlikely(number != numbers->prefix + 1))
        return ft_numbers_insert(numbers, number);
    numbers->prefix++;
    return 0;
}
/* `number`, which is not in the set, falls out of the count: all above it move down by one. */
void ft_numbers_close(struct ft_numbers *numbers, uint64_t number);
/* All move down by `by`, which is at most the prefix. */
void ft_numbers_lower(struct ft_numbers *numbers, uint64_t by);
/* The highest, 0 when there is none. */
uint64_t ft_numbers_last(const struct ft_numbers *numbers);
/* How many are at most `limit`. */
uint64_t ft_numbers_until(const struct ft_numbers *numbers, uint64_t limit);
/* Becomes {1 to prefix, beyond[0] to beyond[count - 1]}; copies. */
void ft_numbers_set(struct ft_numbers *numbers, uint64_t prefix, const uint64_t *beyond,
                    uint32_t count);

#endif
