/* Invariant: what a rank has heard of by a message inside the node is counted in `made` of whoever
 * recorded it before the message was sent, so a look at all words of the node sees it. */
#include "determinant/logged.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint64_t unread;
uint64_t *ft_logged_made = &unread;

void ft_logged_start(struct ft_rank *self)
{
    self->spbc->noted &= ~(uint32_t)(FT_NOTED_LOGGED | FT_NOTED_DOUBTED);
    if (ft_life.boot.uncertain)
        self->spbc->noted |= FT_NOTED_DOUBTED;
    if (!ft_life.logged)
        return;
    ft_logged_made = &ft_life.logged->of[ft_life.boot.logged_place].made;
    if (!ft_life.boot.spread && !ft_life.boot.hasty)
        self->spbc->noted |= FT_NOTED_LOGGED;
}

/* Has ftrun the first `made` changes of the rank? */
static int is_safe(const struct ft_logged_rank *rank, uint64_t made)
{
    return __atomic_load_n(&rank->safe, __ATOMIC_ACQUIRE) >= made;
}

void ft_logged_ship(void)
{
    if (ft_wire_send(ft_life.control, FT_WIRE_SHIP, NULL, 0, NULL, 0, -1) != 0)
        ft_panic("ftrun is gone");
}

/* Asks the agent to send what is new, and waits. The agent ends with ftrun, and its ranks with it.
 */
static void wait_for(const struct ft_logged_rank *rank, uint64_t made)
{
    struct ft_logged *logged = ft_life.logged;
    const struct timespec patience = {.tv_nsec = 10000000};
    int ask = 1;

    while (!is_safe(rank, made)) {
        uint32_t turns = __atomic_load_n(&logged->turns, __ATOMIC_ACQUIRE);

        if (ask)
            ft_logged_ship();
        if (is_safe(rank, made))
            return;
        ask = syscall(SYS_futex, &logged->turns, FUTEX_WAIT, turns, &patience, NULL, 0) != 0 &&
              errno == ETIMEDOUT;
    }
}

int ft_logged_is_safe(uint32_t place, uint64_t made)
{
    return is_safe(&ft_life.logged->of[place], made);
}

void ft_logged_wait_for(uint32_t place, uint64_t made)
{
    wait_for(&ft_life.logged->of[place], made);
}

void ft_logged_wait(void)
{
    const struct ft_logged *logged = ft_life.logged;
    uint32_t count = __atomic_load_n(&logged->count, __ATOMIC_ACQUIRE);

    for (uint32_t i = 0; i < count; i++) {
        const struct ft_logged_rank *rank = &logged->of[i];
        uint64_t made = __atomic_load_n(&rank->made, __ATOMIC_ACQUIRE);

        if (ft_unlikely(!is_safe(rank, made)))
            wait_for(rank, made);
    }
}
