/* Most operations are not delayed, some for about as long as a message takes, a few for longer than
 * whole exchanges: only these let another rank run a round ahead. */
#include "trace/perturb.h"

#include <time.h>

#include "os/os.h"

#define POLLS_SKIPPED 3u
#define SHORT 80u /* microseconds that are spun away: sleeping takes longer than that */
#define GRACE 0.3 /* seconds of waiting that are always allowed */

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* The victims are the same on all ranks. In one run of four there is no slow rank, in another one
 * no slow channel. */
void ft_perturb_start(struct ft_perturb *perturb, uint64_t seed, int rank, int size)
{
    uint64_t bits = mix(seed);

    *perturb = (struct ft_perturb){.seed = seed, .rank = rank, .size = size};
    perturb->victim = bits & 3 ? (int)(mix(bits) % (unsigned)size) : -1;
    perturb->from = bits >> 2 & 3 ? (int)(mix(bits + 1) % (unsigned)size) : -1;
    perturb->to = (int)(mix(bits + 2) % (unsigned)size);
}

uint64_t ft_perturb_choose(struct ft_perturb *perturb, enum ft_perturb_kind kind)
{
    uint64_t number = perturb->count[kind]++;

    if (!perturb->seed)
        return 0;
    return mix(mix(mix(perturb->seed + (unsigned)perturb->rank) + kind) + number);
}

static int is_slow_channel(const struct ft_perturb *perturb, enum ft_perturb_kind kind, int peer)
{
    if (kind == FT_PERTURB_SEND)
        return perturb->from == perturb->rank && perturb->to == peer;
    return kind == FT_PERTURB_RECV && peer >= 0 && perturb->from == peer &&
           perturb->to == perturb->rank;
}

unsigned ft_perturb_delay(struct ft_perturb *perturb, enum ft_perturb_kind kind, int peer)
{
    uint64_t bits = ft_perturb_choose(perturb, kind);
    unsigned percent = (unsigned)(bits % 100), amount = (unsigned)(bits >> 32 & 0xffff);
    int slow = perturb->victim == perturb->rank || is_slow_channel(perturb, kind, peer);

    if (!perturb->seed || kind == FT_PERTURB_POLL)
        return percent < 98 || !perturb->seed ? 0 : amount % 200;
    if (percent < (slow ? 20u : 2u))
        return 500 + amount % 3500;
    if (percent < (slow ? 40u : 10u))
        return 50 + amount % 400;
    return percent < 30 ? amount % 40 : 0;
}

int ft_perturb_pick(struct ft_perturb *perturb, int count)
{
    return (int)(ft_perturb_choose(perturb, FT_PERTURB_PICK) % (unsigned)count);
}

int ft_perturb_skips(struct ft_perturb *perturb)
{
    uint64_t bits = ft_perturb_choose(perturb, FT_PERTURB_POLL);

    if (!perturb->seed || bits % 8 != 0 || perturb->skipped >= POLLS_SKIPPED) {
        perturb->skipped = 0;
        return 0;
    }
    perturb->skipped++;
    return 1;
}

/* Seconds that may have been waited after `progress` calls. */
static double allowance(const struct ft_perturb *perturb, uint64_t progress)
{
    if (progress >= perturb->expected)
        return GRACE + perturb->budget;
    return GRACE + perturb->budget * (double)progress / (double)perturb->expected;
}

void ft_perturb_wait(struct ft_perturb *perturb, unsigned microseconds, uint64_t progress)
{
    struct timespec time = {.tv_nsec = (long)microseconds * 1000};
    double now;

    if (microseconds == 0 || perturb->waited > allowance(perturb, progress))
        return;
    now = ft_os_now();
    if (microseconds > SHORT)
        nanosleep(&time, NULL);
    while (ft_os_now() < now + 1e-6 * microseconds)
        ;
    perturb->waited += ft_os_now() - now;
}
