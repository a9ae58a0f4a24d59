/* The room's door: start, save and restore of all families, in their order (libc.h). */
#include "libc/state.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "libc/libc.h"

struct ft_libc *ft_libc_state;

/* A child that the program forked is no rank: its MPI calls are native (and errors), its death is
 * not a rank's. */
static void child_begins(void)
{
    if (ft_self == NULL)
        return;
    ft_self = NULL;
    close(ft_life.control);
    ft_life.control = -1;
}

/* Begins a life, the first or a later one. */
static void life_begin(struct ft_libc *libc)
{
    ft_libc_state = libc;
    libc_exit_arm();
    libc_exec_start();
    libc_foreign_start();
    pthread_atfork(NULL, NULL, child_begins);
}

/* libc keeps the time zone's strings in memory that it allocates at the first use. */
static void time_zone_read(void)
{
    int depth = ft_depth;

    ft_depth = 0;
    tzset();
    ft_depth = depth;
}

void ft_libc_start(struct ft_rank *self)
{
    struct ft_libc *libc = ft_image_alloc(sizeof *libc);

    self->libc = libc;
    libc_stdio_start(libc);
    libc_environment_start(libc);
    libc_random_start(libc);
    libc_keys_start(libc);
    time_zone_read();
    life_begin(libc);
}

const char *ft_libc_obstacle(struct ft_rank *self)
{
    const char *reason = libc_thread_obstacle();

    (void)self;
    if (!reason)
        reason = libc_foreign_obstacle();
    return reason ? reason : libc_allocator_obstacle();
}

int ft_libc_moves(void)
{
    return strcmp(setlocale(LC_ALL, NULL), "C") != 0;
}

void ft_libc_save(struct ft_rank *self, int leaving)
{
    struct ft_libc *libc = self->libc;

    libc_signals_save(libc, leaving);
    libc_stdio_save(libc);
    libc_environment_save(libc);
    libc_process_save(libc);
    libc_keys_save(libc);
}

int ft_libc_restore(struct ft_rank *self)
{
    struct ft_libc *libc = self->libc;
    int code;

    libc_environment_restore(libc);
    time_zone_read();
    libc_stdio_restore(libc);
    code = libc_process_restore(libc);
    if (code == 0)
        code = libc_keys_restore(libc);
    if (code == 0)
        life_begin(libc);
    return code;
}

int ft_libc_resume(struct ft_rank *self)
{
    return libc_signals_restore(self->libc);
}
