/* The part beyond the prefix is short: the messages that overtook a longer one. So it is an
 * array, searched and moved from its end. Invariant: prefix + 1 < beyond[0] < beyond[1] < ... */
#include "stream/numbers.h"

#include <errno.h>
#include <string.h>

#include "process.h"

#define FIRST_ROOM 8u

/* Where `number` is in beyond, or would be. */
static uint32_t place(const struct ft_numbers *numbers, uint64_t number)
{
    uint32_t at = numbers->count;

    while (at > 0 && numbers->beyond[at - 1] >= number)
        at--;
    return at;
}

int ft_numbers_search(const struct ft_numbers *numbers, uint64_t number)
{
    uint32_t at = place(numbers, number);

    return at < numbers->count && numbers->beyond[at] == number;
}

/* Takes the beginning of beyond into the prefix, as far as it continues it. */
static void join(struct ft_numbers *numbers)
{
    uint32_t joined = 0;

    while (joined < numbers->count && numbers->beyond[joined] == numbers->prefix + 1) {
        numbers->prefix++;
        joined++;
    }
    numbers->count -= joined;
    if (joined > 0 && numbers->count > 0)
        memmove(numbers->beyond, numbers->beyond + joined,
                numbers->count * sizeof *numbers->beyond);
}

static void make_room(struct ft_numbers *numbers, uint32_t count)
{
    if (count <= numbers->room)
        return;
    numbers->room = count < FIRST_ROOM ? FIRST_ROOM : 2 * count;
    numbers->beyond = ft_image_realloc(numbers->beyond, numbers->room * sizeof *numbers->beyond);
}

int ft_numbers_insert(struct ft_numbers *numbers, uint64_t number)
{
    uint32_t at;

    if (number == numbers->prefix + 1) {
        numbers->prefix++;
        join(numbers);
        return 0;
    }
    if (ft_numbers_have(numbers, number))
        return -EEXIST;
    make_room(numbers, numbers->count + 1);
    at = place(numbers, number);
    memmove(numbers->beyond + at + 1, numbers->beyond + at,
            (numbers->count - at) * sizeof *numbers->beyond);
    numbers->beyond[at] = number;
    numbers->count++;
    return 0;
}

void ft_numbers_close(struct ft_numbers *numbers, uint64_t number)
{
    for (uint32_t at = place(numbers, number); at < numbers->count; at++)
        numbers->beyond[at]--;
    join(numbers);
}

void ft_numbers_lower(struct ft_numbers *numbers, uint64_t by)
{
    numbers->prefix -= by;
    for (uint32_t i = 0; i < numbers->count; i++)
        numbers->beyond[i] -= by;
}

uint64_t ft_numbers_last(const struct ft_numbers *numbers)
{
    return numbers->count > 0 ? numbers->beyond[numbers->count - 1] : numbers->prefix;
}

uint64_t ft_numbers_until(const struct ft_numbers *numbers, uint64_t limit)
{
    if (limit <= numbers->prefix)
        return limit;
    return numbers->prefix + place(numbers, limit + 1);
}

void ft_numbers_set(struct ft_numbers *numbers, uint64_t prefix, const uint64_t *beyond,
                    uint32_t count)
{
    numbers->prefix = prefix;
    numbers->count = 0;
    make_room(numbers, count);
    if (count > 0)
        memcpy(numbers->beyond, beyond, count * sizeof *beyond);
    numbers->count = count;
}
