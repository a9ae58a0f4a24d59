/* marks: both copies of a record are written one after the other, and the first one that is whole
 * counts. */
#include <errno.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "console/marks.h"

static uint64_t checksum_of(const struct ft_mark *mark, int number)
{
    return XXH3_64bits_withSeed(mark, sizeof(*mark), (XXH64_hash_t)number);
}

void ft_mark_write(struct ft_mark_record *record, int number, const struct ft_mark *mark)
{
    struct ft_mark_copy copy = {*mark, checksum_of(mark, number)};

    for (int i = 0; i < 2; i++) {
        record->copy[i] = copy;
        __atomic_signal_fence(__ATOMIC_SEQ_CST); /* SIGKILL may come between the two */
    }
}

int ft_mark_read(const struct ft_mark_record *record, int number, struct ft_mark *mark)
{
    for (int i = 0; i < 2; i++) {
        const struct ft_mark_copy *copy = &record->copy[i];

        if (copy->checksum != checksum_of(&copy->mark, number))
            continue;
        *mark = copy->mark;
        return 0;
    }
    return -EBADMSG;
}

int ft_mark_precedes(const struct ft_mark *a, const struct ft_mark *b)
{
    return a->lines < b->lines || (a->lines == b->lines && a->partial < b->partial);
}
