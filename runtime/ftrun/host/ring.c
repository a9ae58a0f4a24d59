/* ring: holes are punched into the memfd. */
#include "host/ring.h"

#include <fcntl.h>

struct ring {
    off_t base;
    uint64_t size;  /* entries */
    uint64_t bytes; /* of each */
};

static const struct ring determinants = {FT_RECORDER_BYTES, FT_RECORDER_RING, FT_RECORDER_ENTRY};
static const struct ring marks = {FT_RECORDER_BYTES + FT_RECORDER_RING_BYTES, FT_RECORDER_TRAIL,
                                  sizeof(uint32_t)};

static void punch(int fd, const struct ring *ring, uint64_t at, uint64_t entries)
{
    fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              ring->base + (off_t)(at * ring->bytes), (off_t)(entries * ring->bytes));
}

static void drop(int fd, const struct ring *ring, uint64_t *counter, uint64_t before)
{
    uint64_t kept = *counter, from = kept % ring->size;
    uint64_t count = before - kept, first = count;

    if (before <= kept)
        return;
    if (from + count > ring->size)
        first = ring->size - from;
    punch(fd, ring, from, first);
    if (first < count)
        punch(fd, ring, 0, count - first);
    __atomic_store_n(counter, before, __ATOMIC_RELEASE);
}

void ft_host_ring_drop(int fd, uint64_t *counter, uint64_t before)
{
    drop(fd, &determinants, counter, before);
}

void ft_host_ring_drop_marks(int fd, uint64_t *counter, uint64_t before)
{
    drop(fd, &marks, counter, before);
}
