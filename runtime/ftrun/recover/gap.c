/* gap: a rank that died while it handed a message to another one may have left a gap in that one's
 * queue (libft/request/queue.h). A living rank may be in the middle of the same; once it has been
 * outside of its library it is not. */
#include <stddef.h>
#include <unistd.h>
#include "recorder/deaths.h"
#include "recover/mourn.h"

static const double look_interval = 0.001; /* seconds */

static off_t place_of(size_t at)
{
    return (off_t)(FT_RECORDER_BYTES + at);
}

/* Has the rank been outside of its library since the order? */
static int is_outside(const struct ft_member *member, uint32_t order)
{
    uint32_t met;

    return member->ended || member->mourned ||
           __atomic_load_n(&member->recorder->where, __ATOMIC_ACQUIRE) == FT_WHERE_USER ||
           (pread(member->recorder_fd, &met, sizeof(met),
                  place_of(offsetof(struct ft_deaths, met))) == sizeof(met) &&
            (int32_t)(met - order) >= 0);
}

static void answer(struct ft_member *member)
{
    if (pwrite(member->recorder_fd, &member->gap_now, sizeof(member->gap_now),
               place_of(offsetof(struct ft_deaths, cleared))) < 0)
        ft_say("rank %d: no memory to tell it that its queue has a gap", member->rank);
    member->gap_now = 0;
}

static void on_look(void *context);

/* Looks into all questions that were asked since the last look began. */
static void begin(struct ft_run *run)
{
    int asked = 0;

    for (int i = 0; i < run->size; i++) {
        run->members[i].gap_now = run->members[i].gap;
        run->members[i].gap = 0;
        asked |= run->members[i].gap_now != 0;
    }
    run->deaths.gap_order = 0;
    if (!asked)
        return;
    ft_mourn_call(run);
    run->deaths.gap_order = run->generation;
    ft_loop_after(run->loop, &run->deaths.gap_look, look_interval, on_look, run);
}

static void on_look(void *context)
{
    struct ft_run *run = context;

    if (run->state >= FT_RUN_CLEARING)
        return;
    for (int i = 0; i < run->size; i++) {
        if (!is_outside(&run->members[i], run->deaths.gap_order)) {
            ft_loop_after(run->loop, &run->deaths.gap_look, look_interval, on_look, run);
            return;
        }
    }
    for (int i = 0; i < run->size; i++)
        if (run->members[i].gap_now)
            answer(&run->members[i]);
    ft_mourn_call(run);
    begin(run);
}

void ft_gap_ask(struct ft_member *member, uint32_t number)
{
    member->gap = number;
    if (!member->run->deaths.gap_order)
        begin(member->run);
}
