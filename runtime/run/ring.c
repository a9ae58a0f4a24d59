/* ring: what lies behind each rank's recorder (--protocol spbc). The rank writes it; here is
 * decided which determinants are needed no more. */
#include <fcntl.h>
#include "run/run.h"

off_t ft_ring_bytes(const struct ft_run *run)
{
    return ft_run_contains(run) ? (off_t)(FT_RECORDER_RING_BYTES + FT_RECORDER_TRAIL_BYTES +
                                          FT_RECORDER_CONTENTS_BYTES)
                                : 0;
}

uint32_t ft_ring_believed(const struct ft_member *member, int others)
{
    const struct ft_cluster *cluster = member->cluster;

    for (int i = 0; i < cluster->count; i++) {
        uint32_t believed = cluster->members[i]->recorder->believed;

        if (believed && !(others && cluster->members[i] == member))
            return believed;
    }
    return 0;
}

static void punch(int fd, uint64_t at, uint64_t entries)
{
    fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              (off_t)(FT_RECORDER_BYTES + at * FT_RECORDER_ENTRY),
              (off_t)(entries * FT_RECORDER_ENTRY));
}

/* The memory goes first: as soon as the rank hears of the room it writes there. A system that does
 * not give the memory back has only more of it in use. */
void ft_ring_drop(struct ft_member *member, uint64_t before)
{
    uint64_t kept = member->recorder->determinants_kept, from = kept % FT_RECORDER_RING;
    uint64_t count = before - kept, first = count;

    if (before <= kept)
        return;
    if (from + count > FT_RECORDER_RING)
        first = FT_RECORDER_RING - from;
    punch(member->recorder_fd, from, first);
    if (first < count)
        punch(member->recorder_fd, 0, count - first);
    __atomic_store_n(&member->recorder->determinants_kept, before, __ATOMIC_RELEASE);
}
