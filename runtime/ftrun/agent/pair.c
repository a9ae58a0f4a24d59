/* pair: two copies of each rank on different nodes (ftrun --replicas --hosts). On one machine they
 * share a page of words and a ring of determinants (recorder/pair.h). Here each has a page and a
 * ring of its own, and what one copy writes goes by its agent (ship.c) and ftrun to the other one's
 * agent, which writes it down here. A rank does not notice the difference, but for the time.
 *
 * The order of the messages is that in which the leader wrote: an entry is there before it counts,
 * the last value of an entry that is counted up before the one behind it counts, and all that a
 * leader has written before this copy hears that it leads. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "host/shared.h"
#include "agent/agent.h"
#include "host/ring.h"

struct ft_paired {
    struct ft_pair *words;
    struct ft_determinant *ring; /* [FT_RECORDER_RING] the rank's own */
    struct ft_recorder *other;   /* the other copy's, of which marks alone are here */
    int words_fd, other_fd;
    uint64_t next; /* the last mark that has arrived, and 1 */
};

static const uint64_t other_bytes =
    FT_RECORDER_BYTES + FT_RECORDER_RING_BYTES + FT_RECORDER_TRAIL_BYTES;

struct ft_pair *ft_paired_words(const struct ft_agent_rank *rank)
{
    return rank->paired ? rank->paired->words : NULL;
}

int ft_paired_leads(const struct ft_agent_rank *rank)
{
    const struct ft_pair *words = ft_paired_words(rank);

    return !words || words->leads == (uint32_t)rank->agent->job.copy;
}

int ft_paired_rank(struct ft_agent_rank *rank)
{
    struct ft_paired *paired;
    void *ring = MAP_FAILED;

    if (rank->agent->job.copy < 0)
        return 0;
    paired = calloc(1, sizeof(*paired));
    if (!paired)
        return -ENOMEM;
    paired->words = ft_shared_create("ftrun-pair", FT_PAIR_BYTES, FT_PAIR_BYTES, &paired->words_fd);
    if (paired->words)
        paired->other =
            ft_shared_create("ftrun-other", other_bytes, FT_RECORDER_BYTES, &paired->other_fd);
    if (paired->other)
        ring = mmap(NULL, FT_RECORDER_RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                    rank->recorder_fd, FT_RECORDER_BYTES);
    if (ring == MAP_FAILED)
        return -errno;
    paired->ring = ring;
    rank->paired = paired;
    return 0;
}

void ft_paired_begin(struct ft_agent_rank *rank, const struct ft_pair *pair)
{
    if (rank->paired)
        *rank->paired->words = *pair;
}

void ft_paired_boot(const struct ft_agent_rank *rank, struct ft_wire_boot *boot)
{
    if (!rank->paired)
        return;
    snprintf(boot->pair, sizeof(boot->pair), "/proc/%d/fd/%d", (int)getpid(),
             rank->paired->words_fd);
    snprintf(boot->other, sizeof(boot->other), "/proc/%d/fd/%d", (int)getpid(),
             rank->paired->other_fd);
}

/* The old leader's last words are there before this copy hears that it leads. */
void ft_paired_take(struct ft_agent_rank *rank, const void *body, size_t length)
{
    struct ft_pair *words = ft_paired_words(rank), told;
    int copy = rank->agent->job.copy, leads = ft_paired_leads(rank);

    if (!words || length != sizeof(told))
        return;
    memcpy(&told, body, sizeof(told));
    __atomic_store_n(&words->came[!copy], told.came[!copy], __ATOMIC_RELEASE);
    if (!leads) {
        words->there = told.there;
        words->size = told.size;
        words->made = told.made;
        __atomic_store_n(&words->begun, told.begun, __ATOMIC_RELEASE);
        if (told.leads == (uint32_t)copy)
            ft_ship_lead(rank);
    }
    words->changes = told.changes;
    __atomic_store_n(&words->alone, told.alone, __ATOMIC_RELEASE);
    __atomic_store_n(&words->leads, told.leads, __ATOMIC_RELEASE);
}

/* This copy may be reading the entry, which is counted up alone. */
static void count_up(struct ft_determinant *entry, const struct ft_determinant *as)
{
    if (entry->kind == as->kind && entry->a == as->a && entry->b == as->b)
        __atomic_store_n(&entry->number, as->number, __ATOMIC_RELEASE);
    else
        *entry = *as;
}

void ft_paired_made(struct ft_agent_rank *rank, const void *body, size_t length)
{
    const struct ft_agent_made *made = body;
    const size_t least = offsetof(struct ft_agent_made, entry);
    struct ft_pair *words = ft_paired_words(rank);

    if (!words || ft_paired_leads(rank) || length < least ||
        (length - least) / sizeof(made->entry[0]) < made->count)
        return;
    for (uint64_t i = 0; i < made->count; i++)
        count_up(&rank->paired->ring[made->entry[i].number % FT_RECORDER_RING], &made->entry[i].as);
    __atomic_store_n(&words->determinants, made->end, __ATOMIC_RELEASE);
}

void ft_paired_marks(struct ft_agent_rank *rank, uint64_t first, const void *body, size_t length)
{
    struct ft_paired *paired = rank->paired;

    if (length > (FT_RECORDER_TRAIL - first % FT_RECORDER_TRAIL) * sizeof(uint32_t) ||
        pwrite(paired->other_fd, body, length, ft_host_ring_mark(first)) != (ssize_t)length)
        return; /* what is not there is not compared */
    if (first != paired->next)
        __atomic_store_n(&paired->other->trail_from, first, __ATOMIC_RELEASE);
    paired->next = first + length / sizeof(uint32_t);
    __atomic_store_n(&paired->other->trail, paired->next, __ATOMIC_RELEASE);
}

void ft_paired_drop(struct ft_agent_rank *rank, uint64_t before)
{
    if (rank->paired)
        ft_host_ring_drop(rank->recorder_fd, &rank->paired->words->kept, before);
}
