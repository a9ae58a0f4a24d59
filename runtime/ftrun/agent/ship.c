/* ship: what ranks record of non-deterministic outcomes goes to ftrun, which has it when this node
 * is lost (libft/determinant/logged.h).
 *
 * A look at a rank is a cut (recorder/cut.h).
 *
 * With two copies of each rank (pair.c) the one that follows has no outcomes to send, but its
 * words, and both send all their marks.
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
#include "host/shared.h"
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
    agent->logged = ft_shared_create("ftrun-logged", bytes, bytes, &agent->logged_fd);
    return agent->logs && agent->logged ? 0 : -ENOMEM;
}

/* The number of outcomes that the ring has. */
static const uint64_t *end_of(const struct ft_agent_rank *rank)
{
    const struct ft_pair *words = ft_paired_words(rank);

    return words ? &words->determinants : &rank->recorder->determinants;
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
                                     .determinants = end_of(rank),
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

/* A cut, and with two copies the words of that moment. 0: the rank records without a pause; then
 * the next look is awaited. */
static int take_cut(const struct ft_agent_rank *rank, struct ft_cut_moment *cut,
                    struct ft_pair *words)
{
    struct ft_cut_of of = rank->shipper->of;

    if (!rank->paired)
        return ft_cut_take(&of, &rank->shipper->last, cut);
    *cut = rank->shipper->last;
    for (int i = 0; i < FT_CUT_TRIES; i++) {
        uint64_t made = __atomic_load_n(of.made, __ATOMIC_ACQUIRE);

        *words = *ft_paired_words(rank);
        of.determinants =
            ft_paired_leads(rank) ? rank->shipper->of.determinants : &rank->shipper->last.end;
        ft_cut_look(&of, cut);
        if (__atomic_load_n(of.made, __ATOMIC_RELAXED) == made)
            return 1;
    }
    return 0;
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

/* Two copies compare them at any time, so they are of no cut. Those of an image of the other copy
 * are not there. */
static void send_all_marks(struct ft_agent_rank *rank)
{
    uint64_t end = __atomic_load_n(&rank->recorder->trail, __ATOMIC_ACQUIRE);
    uint64_t from = __atomic_load_n(&rank->recorder->trail_from, __ATOMIC_ACQUIRE);

    if (rank->shipper->marked < from)
        rank->shipper->marked = from;
    send_marks(rank, end);
}

/* The cut is complete: how far it goes, and what was counted up. */
static void send_made(struct ft_agent_rank *rank, const struct ft_cut_moment *cut,
                      const struct ft_pair *words)
{
    const struct ft_shipper *shipper = rank->shipper;
    struct ft_agent_made made = {.end = cut->end,
                                 .marks = cut->believed && !rank->paired ? cut->marks : 0,
                                 .leads = rank->paired && ft_paired_leads(rank),
                                 .came = rank->paired ? words->came[rank->agent->job.copy] : 0,
                                 .begun = words->begun,
                                 .acted = words->made,
                                 .there = words->there,
                                 .size = words->size};

    made.count = ft_cut_changes(&shipper->of, &shipper->last, cut, made.entry);
    ft_agent_tell(rank->agent, FT_AGENT_MADE, rank, (int64_t)cut->made, &made,
                  offsetof(struct ft_agent_made, entry) + made.count * sizeof(made.entry[0]));
}

static void ship(struct ft_agent_rank *rank)
{
    struct ft_shipper *shipper = rank->shipper;
    struct ft_cut_moment cut;
    struct ft_pair words = {0};

    if (rank->paired)
        send_all_marks(rank);
    if (__atomic_load_n(made_of(rank), __ATOMIC_ACQUIRE) == shipper->last.made ||
        !take_cut(rank, &cut, &words))
        return;
    send_entries(rank, cut.end);
    if (cut.believed && !rank->paired)
        send_marks(rank, cut.marks);
    else if (!rank->paired)
        shipper->marked = cut.marks;
    send_made(rank, &cut, &words);
    shipper->last = cut;
}

/* Behind the end of the ring nothing is open. */
static void begin_behind(struct ft_agent_rank *rank)
{
    struct ft_shipper *shipper = rank->shipper;

    shipper->sent = *end_of(rank);
    shipper->last = (struct ft_cut_moment){.made = shipper->last.made, .end = shipper->sent};
}

/* The process may have died before it counted its last change, so that is sent now; no process of
 * the rank lives, and `made` is the agent's. */
static void ship_uncounted(struct ft_agent_rank *rank)
{
    __atomic_store_n(made_of(rank), *made_of(rank) + 1, __ATOMIC_RELEASE);
    ship(rank);
}

/* The other copy is about to lead. Without one this is done when the next life begins. */
void ft_ship_end(struct ft_agent_rank *rank)
{
    if (rank->paired)
        ship_uncounted(rank);
}

/* The entries of the old leader are ftrun's already, and are not counted up any more. */
void ft_ship_lead(struct ft_agent_rank *rank)
{
    begin_behind(rank);
}

/* Entries of earlier lives are not counted up any more. */
void ft_ship_begin(struct ft_agent_rank *rank)
{
    struct ft_shipper *shipper = rank->shipper;

    if (!shipper)
        return;
    if (shipper->begun && !rank->paired && rank->recorder->determinants >= shipper->sent)
        ship_uncounted(rank);
    shipper->begun = 1;
    shipper->marked = rank->recorder->trail;
    begin_behind(rank);
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
