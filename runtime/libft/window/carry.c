/* Windows over checkpoints and epochs. All members go through their windows in one order, that of
 * the identities of the windows' communicators: so the collectives here meet, as those that make
 * communicators again do. */
#include <stdlib.h>
#include "window/window.h"
#include "window/make.h"

static void must(int code, const char *what)
{
    if (code != MPI_SUCCESS)
        ft_panic("%s failed while windows are carried over a checkpoint (code %d)", what, code);
}

static int order(const void *a, const void *b)
{
    uint64_t one = ft_comm_find(ft_self, (*(struct ft_win *const *)a)->comm)->id;
    uint64_t two = ft_comm_find(ft_self, (*(struct ft_win *const *)b)->comm)->id;

    return one < two ? -1 : one > two;
}

/* All windows, sorted; to be freed by ft_image_free. */
static struct ft_win **sorted(struct ft_rank *self, size_t *count)
{
    struct ft_win **all;

    *count = 0;
    for (struct ft_win *win = self->windows->first; win; win = win->next)
        ++*count;
    all = ft_image_alloc((*count + 1) * sizeof *all);
    *count = 0;
    for (struct ft_win *win = self->windows->first; win; win = win->next)
        all[(*count)++] = win;
    qsort(all, *count, sizeof *all, order);
    return all;
}

static void each(struct ft_rank *self, void (*what)(struct ft_rank *, struct ft_win *))
{
    struct ft_win **all;
    size_t count;

    if (!self->windows || !self->windows->first)
        return;
    all = sorted(self, &count);
    for (size_t i = 0; i < count; i++)
        what(self, all[i]);
    ft_image_free(all);
}

static MPI_Comm comm_of(struct ft_rank *self, const struct ft_win *win)
{
    return ft_comm_real(self, win->comm);
}

/* Does any member say yes? */
static int any(struct ft_rank *self, const struct ft_win *win, int mine)
{
    int one = 0;

    must(PMPI_Allreduce(&mine, &one, 1, MPI_INT, MPI_LOR, comm_of(self, win)), "MPI_Allreduce");
    return one;
}

static int is_locked(const struct ft_win *win)
{
    return win->all || win->locked > 0;
}

/* Operations of a fence's epoch, and those of locks, are complete at their targets behind it. */
static void drain(struct ft_rank *self, struct ft_win *win)
{
    if (win->all) {
        must(PMPI_Win_flush_all(win->real), "MPI_Win_flush_all");
    } else {
        for (int rank = 0; win->locked && rank < win->size; rank++)
            if (win->locks[rank])
                must(PMPI_Win_flush(rank, win->real), "MPI_Win_flush");
    }
    if (any(self, win, win->fenced && win->used && !is_locked(win)))
        must(PMPI_Win_fence(0, win->real), "MPI_Win_fence");
    win->used = 0;
    must(PMPI_Barrier(comm_of(self, win)), "MPI_Barrier");
    if (win->shared)
        ft_shared_save(win);
}

void ft_windows_drain(struct ft_rank *self)
{
    each(self, drain);
}

static void resume(struct ft_rank *self, struct ft_win *win)
{
    must(PMPI_Barrier(comm_of(self, win)), "MPI_Barrier");
}

void ft_windows_resume(struct ft_rank *self)
{
    each(self, resume);
}

/* Locks that were held together are compatible, so none of them waits. */
static void locks_take(const struct ft_win *win)
{
    if (win->all)
        must(PMPI_Win_lock_all(0, win->real), "MPI_Win_lock_all");
    for (int rank = 0; win->locked && rank < win->size; rank++)
        if (win->locks[rank])
            must(PMPI_Win_lock(win->locks[rank] - 1 + MPI_LOCK_EXCLUSIVE, rank, 0, win->real),
                 "MPI_Win_lock");
}

static void rebuild(struct ft_rank *self, struct ft_win *win)
{
    if (win->shared)
        ft_shared_restore(win);
    must(ft_win_make(self, win), "making a window again");
    for (struct ft_region *region = win->regions; region; region = region->next)
        must(PMPI_Win_attach(win->real, region->base, region->size), "MPI_Win_attach");
    if (win->name)
        must(PMPI_Win_set_name(win->real, win->name), "MPI_Win_set_name");
    if (any(self, win, win->fenced))
        must(PMPI_Win_fence(0, win->real), "MPI_Win_fence");
    locks_take(win);
    must(PMPI_Barrier(comm_of(self, win)), "MPI_Barrier");
}

void ft_windows_rebuild(struct ft_rank *self)
{
    each(self, rebuild);
}
