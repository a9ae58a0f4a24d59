/* ship: what ranks record of non-deterministic outcomes goes to ftrun, which has it when this node
 * is lost (libft/determinant/logged.h).
 *
 * A look at a rank is a cut: one moment, of which ftrun gets the outcomes, those counts of open
 * entries (recorder/entry.h), and the marks of the trail, if there is an outcome that only a mark
 * tells of (--trust). So a life that begins with them is like one behind a death at that moment.
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
#include "host/shared.h"
#include "agent/agent.h"
#include "console/say.h"
#include "protocol/logged.h"
#include "recorder/entry.h"

enum {
    MOST = 65536, /* entries in one message */
    TRIES = 10000 /* looks until one meets a moment in which the rank records nothing */
};

struct open_entry {
    uint64_t behind;          /* 1 + number of the newest entry of its order; 0: there is none */
    struct ft_determinant as; /* ftrun has it */
};

struct ft_shipper {
    const struct ft_determinant *ring;     /* [FT_RECORDER_RING] */
    const uint32_t *trail;                 /* [FT_RECORDER_TRAIL] */
    uint32_t place;                        /* in the shared words */
    uint64_t looked;                       /* `made` of the last cut */
    uint64_t sent, marked;                 /* its entries and marks */
    int begun;                             /* the rank has had a life here */
    struct open_entry open[FT_CLOCKS + 1]; /* at the last cut */
};

struct cut {
    uint64_t made, end, marks;
    struct ft_pair words; /* with two copies */
    uint32_t believed;    /* 0: nobody needs the marks */
    struct open_entry open[FT_CLOCKS + 1];
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
    shipper->ring = (const void *)rings;
    shipper->trail = (const void *)(rings + FT_RECORDER_RING_BYTES);
    shipper->place = logged->count;
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

static const struct ft_determinant *entry_at(const struct ft_shipper *shipper, uint64_t number)
{
    return &shipper->ring[number % FT_RECORDER_RING];
}

/* Entries before number `from` are known to the cut. */
static void find_open(const struct ft_shipper *shipper, struct cut *cut, uint64_t from)
{
    for (uint64_t at = from; at < cut->end; at++) {
        int order = ft_determinant_order(entry_at(shipper, at));

        if (order >= 0)
            cut->open[order].behind = at + 1;
    }
}

/* How many outcomes the ring has. */
static uint64_t end_of(const struct ft_agent_rank *rank)
{
    const struct ft_pair *words = ft_paired_words(rank);

    return __atomic_load_n(words ? &words->determinants : &rank->recorder->determinants,
                           __ATOMIC_ACQUIRE);
}

static void look_at_words(const struct ft_agent_rank *rank, struct cut *cut)
{
    if (rank->paired)
        cut->words = *ft_paired_words(rank);
}

static void look(const struct ft_agent_rank *rank, struct cut *cut)
{
    const struct ft_recorder *recorder = rank->recorder;
    uint64_t from = cut->end;

    cut->made = __atomic_load_n(made_of(rank), __ATOMIC_ACQUIRE);
    look_at_words(rank, cut);
    cut->end = ft_paired_leads(rank) ? end_of(rank) : from;
    find_open(rank->shipper, cut, from);
    cut->marks = __atomic_load_n(&recorder->trail, __ATOMIC_ACQUIRE);
    cut->believed = __atomic_load_n(&recorder->believed, __ATOMIC_ACQUIRE);
    for (int i = 0; i <= FT_CLOCKS; i++) {
        if (cut->open[i].behind)
            cut->open[i].as = *entry_at(rank->shipper, cut->open[i].behind - 1);
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

/* The moment is one in which the rank has recorded nothing: `made` is the same before and behind.
 * 0: there was none, because the rank records without a pause; then the next look is awaited. */
static int take_cut(const struct ft_agent_rank *rank, struct cut *cut)
{
    cut->end = rank->shipper->sent;
    memcpy(cut->open, rank->shipper->open, sizeof(cut->open));
    for (int i = 0; i < TRIES; i++) {
        look(rank, cut);
        if (__atomic_load_n(made_of(rank), __ATOMIC_RELAXED) == cut->made)
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

        ft_agent_tell(rank->agent, FT_AGENT_OUTCOMES, rank, (int64_t)from, entry_at(shipper, from),
                      count * sizeof(struct ft_determinant));
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
                      &shipper->trail[from % FT_RECORDER_TRAIL], count * sizeof(uint32_t));
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

static void add_changed(struct ft_agent_made *made, uint64_t number,
                        const struct ft_determinant *entry)
{
    made->entry[made->count].number = number;
    made->entry[made->count++].as = *entry;
}

/* The cut is complete: how far it goes, what was counted up in the last open entry of an order
 * before it was closed, and what the open ones are like. */
static void send_made(struct ft_agent_rank *rank, const struct cut *cut)
{
    struct ft_shipper *shipper = rank->shipper;
    struct ft_agent_made made = {.end = cut->end,
                                 .marks = cut->believed && !rank->paired ? cut->marks : 0,
                                 .leads = rank->paired && ft_paired_leads(rank),
                                 .came = rank->paired ? cut->words.came[rank->agent->job.copy] : 0,
                                 .begun = cut->words.begun,
                                 .acted = cut->words.made,
                                 .there = cut->words.there,
                                 .size = cut->words.size};

    for (int i = 0; i <= FT_CLOCKS; i++) {
        const struct open_entry *old = &shipper->open[i], *now = &cut->open[i];

        if (old->behind && old->behind != now->behind)
            add_changed(&made, old->behind - 1, entry_at(shipper, old->behind - 1));
        if (now->behind &&
            (old->behind != now->behind || memcmp(&old->as, &now->as, sizeof(now->as)) != 0))
            add_changed(&made, now->behind - 1, &now->as);
    }
    memcpy(shipper->open, cut->open, sizeof(shipper->open));
    ft_agent_tell(rank->agent, FT_AGENT_MADE, rank, (int64_t)cut->made, &made,
                  offsetof(struct ft_agent_made, entry) + made.count * sizeof(made.entry[0]));
}

static void ship(struct ft_agent_rank *rank)
{
    struct ft_shipper *shipper = rank->shipper;
    struct cut cut = {0};

    if (rank->paired)
        send_all_marks(rank);
    if (__atomic_load_n(made_of(rank), __ATOMIC_ACQUIRE) == shipper->looked ||
        !take_cut(rank, &cut))
        return;
    shipper->looked = cut.made;
    send_entries(rank, cut.end);
    if (cut.believed && !rank->paired)
        send_marks(rank, cut.marks);
    else if (!rank->paired)
        shipper->marked = cut.marks;
    send_made(rank, &cut);
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
    rank->shipper->sent = end_of(rank);
    memset(rank->shipper->open, 0, sizeof(rank->shipper->open));
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
    shipper->sent = end_of(rank);
    shipper->marked = rank->recorder->trail;
    memset(shipper->open, 0, sizeof(shipper->open));
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
