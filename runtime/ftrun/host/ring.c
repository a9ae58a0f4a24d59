/* ring: holes are punched into the memfd. */
#include "host/ring.h"

#include <fcntl.h>

static void punch(int fd, uint64_t at, uint64_t entries)
{
    fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              (off_t)(FT_RECORDER_BYTES + at * FT_RECORDER_ENTRY),
              (off_t)(entries * FT_RECORDER_ENTRY));
}

void ft_host_ring_drop(int fd, uint64_t *counter, uint64_t before)
{
    uint64_t kept = *counter, from = kept % FT_RECORDER_RING;
    uint64_t count = before - kept, first = count;

    if (before <= kept)
        return;
    if (from + count > FT_RECORDER_RING)
        first = FT_RECORDER_RING - from;
    punch(fd, from, first);
    if (first < count)
        punch(fd, 0, count - first);
    __atomic_store_n(counter, before, __ATOMIC_RELEASE);
}
