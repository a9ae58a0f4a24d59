/* ship: what ranks record of non-deterministic outcomes goes to ftrun, which has it when this node
 * is lost (libft/determinant/logged.h).
 *
 * A look at a rank is a cut (recorder/cut.h).
 *
 * Invariant: ftrun has all of the last cut as soon as MADE has arrived, and nothing of it before.
 * Messages on the link keep their order, so what is told later finds the outcomes there. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "agent/agent.h"
#include "console/say.h"
#include "protocol/logged.h"
#include "recorder/cut.h"

enum { MOST = 65536 }; /* entries in one message */

struct ft_shipper {
    struct ft_cut_of of;
    uint32_t place;            /* in the shared words */
    uint64_t sent, marked;     /* entries and marks that were sent */
    int begun;                 /* the rank has had a life here */
    struct ft_cut_moment last; /* the last cut; its end is `sent` */
};

int ft_ship_open(struct ft_agent *agent)
{
    size_t bytes = FT_LOGGED_BYTES(agent->job.size);

    agent->logged_fd = -1;
    if (!agent->job.ring)
        return 0;
    agent->logs = calloc((size_t)agent->job.size, sizeof(*agent->logs));
    agent->logged_fd = memfd_create("ftrun-logged", MFD_CLOEXEC);
    if (!agent->logs || agent->logged_fd < 0 || ftruncate(agent->logged_fd, (off_t)bytes))
        return -errno;
    agent->logged = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, agent->logged_fd, 0);
    if (agent->logged != MAP_FAILED)
        return 0;
    agent->logged = NULL;
    return -errno;
}

int ft_ship_rank(struct ft_agent_rank *rank)
{
    struct ft_logged *logged = rank->agent->logged;
    struct ft_shipper *shipper = logged ? calloc(1, sizeof(*shipper)) : NULL;
    char *rings;

    if (!logged)
        return 0;
    rings = mmap(NULL, FT_RECORDER_RING_BYTES + FT_RECORDER_TRAIL_BYTES, PROT_READ, MAP_SHARED,
                 rank->recorder_fd, FT_RECORDER_BYTES);
    if (!shipper || rings == MAP_FAILED) {
        free(shipper);
        return -ENOMEM;
    }
    shipper->place = logged->count;
    shipper->of = (struct ft_cut_of){.recorder = rank->recorder,
                                     .ring = (const void *)rings,
                                     .trail = (const void *)(rings + FT_RECORDER_RING_BYTES),
                                     .made = &logged->of[shipper->place].made};
    logged->agent = getpid();
    logged->of[shipper->place].rank = rank->rank;
    logged->of[shipper->place].recorder = rank->recorder_fd;
    rank->shipper = shipper;
    rank->agent->logs[shipper->place] = rank;
    __atomic_store_n(&logged->count, logged->count + 1, __ATOMIC_RELEASE);
    return 0;
}

void ft_ship_boot(const struct ft_agent_rank *rank, struct ft_wire_boot *boot)
{
    if (!rank->shipper)
        return;
    boot->logged_place = rank->shipper->place;
    snprintf(boot->logged, sizeof(boot->logged), "/proc/%d/fd/%d", (int)getpid(),
             rank->agent->logged_fd);
}

static uint64_t *made_of(const struct ft_agent_rank *rank)
{
    return &rank->agent->logged->of[rank->shipper->place].made;
}

/* As many as lie behind each other in a ring of `size`, and fit a message. */
static uint64_t count_in_message(uint64_t from, uint64_t end, uint64_t size)
{
    uint64_t count = end - from, left = size - from % size;

    if (count > left)
        count = left;
    return count < MOST ? count : MOST;
}

static void send_entries(struct ft_agent_rank *rank, uint64_t end)
{
    struct ft_shipper *shipper = rank->shipper;

    while (shipper->sent < end) {
        uint64_t from = shipper->sent, count = count_in_message(from, end, FT_RECORDER_RING);

        ft_agent_tell(rank->agent, FT_AGENT_OUTCOMES, rank, (int64_t)from,
                      ft_cut_entry(&shipper->of, from), count * sizeof(struct ft_determinant));
        shipper->sent += count;
    }
}

/* Older ones than the ring holds are of no use. */
static void send_marks(struct ft_agent_rank *rank, uint64_t end)
{
    struct ft_shipper *shipper = rank->shipper;

    if (end > shipper->marked + FT_RECORDER_TRAIL)
        shipper->marked = end - FT_RECORDER_TRAIL;
    while (shipper->marked < end) {
        uint64_t from = shipper->marked, count = count_in_message(from, end, FT_RECORDER_TRAIL);

        ft_agent_tell(rank->agent, FT_AGENT_MARKS, rank, (int64_t)from,
                      &shipper->of.trail[from % FT_RECORDER_TRAIL], count * sizeof(uint32_t));
        shipper->marked += count;
    }
}

/* The cut is complete: how far it goes, and what was counted up. */
static void send_made(struct ft_agent_rank *rank, const struct ft_cut_moment *cut)
{
    const struct ft_shipper *shipper = rank->shipper;
    struct ft_agent_made made = {.end = cut->end, .marks = cut->believed ? cut->marks : 0};

    made.count = ft_cut_changes(&shipper->of, &shipper->last, cut, made.entry);
    ft_agent_tell(rank->agent, FT_AGENT_MADE, rank, (int64_t)cut->made, &made,
                  offsetof(struct ft_agent_made, entry) + made.count * sizeof(made.entry[0]));
}

static void ship(struct ft_agent_rank *rank)
{
    struct ft_shipper *shipper = rank->shipper;
    struct ft_cut_moment cut;

    if (__atomic_load_n(made_of(rank), __ATOMIC_ACQUIRE) == shipper->last.made ||
        !ft_cut_take(&shipper->of, &shipper->last, &cut))
        return;
    send_entries(rank, cut.end);
    if (cut.believed)
        send_marks(rank, cut.marks);
    else
        shipper->marked = cut.marks;
    send_made(rank, &cut);
    shipper->last = cut;
}

/* Entries of earlier lives are not counted up any more. The process of the last one may have died
 * before it counted its last change, so that is sent now; no process of the rank lives, and `made`
 * is the agent's. */
void ft_ship_begin(struct ft_agent_rank *rank)
{
    struct ft_shipper *shipper = rank->shipper;

    if (!shipper)
        return;
    if (shipper->begun && rank->recorder->determinants >= shipper->sent) {
        __atomic_store_n(made_of(rank), *made_of(rank) + 1, __ATOMIC_RELEASE);
        ship(rank);
    }
    shipper->begun = 1;
    shipper->sent = rank->recorder->determinants;
    shipper->marked = rank->recorder->trail;
    shipper->last = (struct ft_cut_moment){.made = shipper->last.made, .end = shipper->sent};
}

void ft_ship_all(struct ft_agent *agent)
{
    for (uint32_t i = 0; agent->logged && i < agent->logged->count; i++)
        ship(agent->logs[i]);
}

void ft_ship_safe(struct ft_agent_rank *rank, uint64_t made)
{
    struct ft_logged *logged = rank->agent->logged;

    if (!rank->shipper)
        return;
    __atomic_store_n(&logged->of[rank->shipper->place].safe, made, __ATOMIC_RELEASE);
    __atomic_store_n(&logged->turns, logged->turns + 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &logged->turns, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void ft_ship_take(struct ft_agent_rank *rank, off_t at, const void *body, size_t length)
{
    if (!rank->shipper || pwrite(rank->recorder_fd, body, length, at) == (ssize_t)length)
        return;
    ft_say("node %d has no memory for the outcomes of rank %d", rank->agent->node, rank->rank);
    _exit(1); /* which is the loss of this node */
}
