#include "request/queue.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "os/os.h"

enum { SLOTS = 64, QUEUES = 8 };
enum { FLAG_OWNER = 1, FLAG_INLINE = 2, NO_HANDLER = 31 }; /* UCX has 32 handlers */

#define ARMED ((uint64_t)1 << 63) /* in the head: the receiver wants a signal */

struct slot {
    uint8_t flags, handler;
    uint16_t length;
    uint8_t segment[8];
    uint8_t segment_size[4], offset[4];
    uint8_t rest[108];
};

struct queue {
    uint64_t head; /* slots taken since the start */
    uint8_t address[120];
    uint64_t tail; /* slots of them that are free again */
    int32_t pid;   /* of the receiver */
    uint8_t pad[52];
    struct slot slot[SLOTS];
};

_Static_assert(sizeof(struct slot) == 128 && sizeof(struct queue) == 192 + SLOTS * 128, "UCX's");

static struct {
    struct queue *queue;
    uint64_t head; /* when it was noted */
} noted[QUEUES];
static int count;

static uint64_t head_of(const struct queue *queue)
{
    return __atomic_load_n(&queue->head, __ATOMIC_ACQUIRE) & ~ARMED;
}

/* The bit changes with each turn around the queue. */
static int owner_of(uint64_t at)
{
    return at & SLOTS ? FLAG_OWNER : 0;
}

static int is_filled(const struct queue *queue, uint64_t at)
{
    uint8_t flags = __atomic_load_n(&queue->slot[at % SLOTS].flags, __ATOMIC_ACQUIRE);

    return (flags & FLAG_OWNER) == owner_of(at);
}

/* Slots with room for long messages have it in segments of one size. */
static int is_queue(const struct queue *queue)
{
    static const uint8_t zero[4];
    const struct slot *slot = queue->slot;

    if (queue->pid != getpid() || head_of(queue) - queue->tail > SLOTS ||
        memcmp(slot[0].segment_size, zero, sizeof(zero)) == 0)
        return 0;
    for (int i = 1; i < SLOTS; i++)
        if (memcmp(slot[i].segment_size, slot[0].segment_size, sizeof(zero)) != 0)
            return 0;
    return 1;
}

static int has_gap(const struct queue *queue)
{
    uint64_t head = head_of(queue);

    for (uint64_t at = queue->tail; at < head; at++)
        if (!is_filled(queue, at))
            return 1;
    return 0;
}

static int look(void *closure, const struct ft_os_mapping *mapping)
{
    struct queue *queue = (struct queue *)mapping->begin;
    const uintptr_t most = 2 * sizeof(*queue);

    (void)closure;
    if (!mapping->shared || mapping->prot != (PROT_READ | PROT_WRITE) || count == QUEUES ||
        mapping->end - mapping->begin < sizeof(*queue) || mapping->end - mapping->begin > most)
        return 0;
    if (!is_queue(queue) || !has_gap(queue))
        return 0;
    noted[count].queue = queue;
    noted[count++].head = head_of(queue);
    return 0;
}

int ft_queue_note(void)
{
    count = 0;
    ft_os_mappings(0, UINTPTR_MAX, look, NULL);
    return count > 0;
}

static void fill(struct queue *queue, uint64_t at)
{
    struct slot *slot = &queue->slot[at % SLOTS];

    slot->handler = NO_HANDLER;
    slot->length = 0;
    __atomic_store_n(&slot->flags, FLAG_INLINE | owner_of(at), __ATOMIC_RELEASE);
}

void ft_queue_fill(void)
{
    for (int i = 0; i < count; i++)
        for (uint64_t at = noted[i].queue->tail; at < noted[i].head; at++)
            if (!is_filled(noted[i].queue, at))
                fill(noted[i].queue, at);
    count = 0;
}
