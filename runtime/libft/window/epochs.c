/* Synchronization of windows (MPI 4.0, section 12.5): the library's calls, and what is open
 * afterwards.
 *
 * A call that may wait for another rank tells ftrun that it blocks, as a blocking collective does;
 * without a clock where it is none. */
#include "window/window.h"

static void block(struct ft_rank *self)
{
    ft_block_begin(self, 0, 0);
}

static void open_set(struct ft_rank *self, int *which, int open)
{
    self->windows->busy += open - *which;
    *which = open;
}

int ft_win_fence(struct ft_rank *self, struct ft_win *win, int assert)
{
    struct ft_comm *on = ft_comm_find(self, win->comm);
    int code;

    ft_block_begin(self, on->id, ft_comm_tick(on));
    code = PMPI_Win_fence(assert, win->real);
    ft_block_end(self);
    if (code != MPI_SUCCESS) {
        ft_comm_untick(on, code);
        return code;
    }
    win->fenced = !(assert &MPI_MODE_NOSUCCEED);
    win->used = 0;
    return MPI_SUCCESS;
}

static void lock_note(struct ft_win *win, int rank, int type)
{
    if (rank < 0 || rank >= win->size)
        return;
    win->locked += (type != 0) - (win->locks[rank] != 0);
    win->locks[rank] = (unsigned char)(type ? type - MPI_LOCK_EXCLUSIVE + 1 : 0);
}

int ft_win_lock(struct ft_rank *self, struct ft_win *win, int type, int rank, int assert)
{
    int code;

    block(self);
    code = PMPI_Win_lock(type, rank, assert, win->real);
    ft_block_end(self);
    if (code == MPI_SUCCESS)
        lock_note(win, rank, type);
    return code;
}

int ft_win_unlock(struct ft_rank *self, struct ft_win *win, int rank)
{
    int code;

    block(self);
    code = PMPI_Win_unlock(rank, win->real);
    ft_block_end(self);
    if (code == MPI_SUCCESS)
        lock_note(win, rank, 0);
    return code;
}

int ft_win_lock_all(struct ft_rank *self, struct ft_win *win, int assert)
{
    int code;

    block(self);
    code = PMPI_Win_lock_all(assert, win->real);
    ft_block_end(self);
    if (code == MPI_SUCCESS)
        win->all = 1;
    return code;
}

int ft_win_unlock_all(struct ft_rank *self, struct ft_win *win)
{
    int code;

    block(self);
    code = PMPI_Win_unlock_all(win->real);
    ft_block_end(self);
    if (code == MPI_SUCCESS)
        win->all = 0;
    return code;
}

int ft_win_flush(struct ft_rank *self, struct ft_win *win, int rank)
{
    int code;

    block(self);
    code = PMPI_Win_flush(rank, win->real);
    ft_block_end(self);
    return code;
}

int ft_win_flush_local(struct ft_rank *self, struct ft_win *win, int rank)
{
    int code;

    block(self);
    code = PMPI_Win_flush_local(rank, win->real);
    ft_block_end(self);
    return code;
}

int ft_win_flush_all(struct ft_rank *self, struct ft_win *win)
{
    int code;

    block(self);
    code = PMPI_Win_flush_all(win->real);
    ft_block_end(self);
    return code;
}

int ft_win_flush_local_all(struct ft_rank *self, struct ft_win *win)
{
    int code;

    block(self);
    code = PMPI_Win_flush_local_all(win->real);
    ft_block_end(self);
    return code;
}

int ft_win_sync(struct ft_rank *self, struct ft_win *win)
{
    (void)self;
    return PMPI_Win_sync(win->real);
}

int ft_win_start(struct ft_rank *self, struct ft_win *win, MPI_Group group, int assert)
{
    int code;

    block(self);
    code = PMPI_Win_start(ft_group_real(self, group), assert, win->real);
    ft_block_end(self);
    if (code == MPI_SUCCESS)
        open_set(self, &win->started, 1);
    return code;
}

int ft_win_complete(struct ft_rank *self, struct ft_win *win)
{
    int code;

    block(self);
    code = PMPI_Win_complete(win->real);
    ft_block_end(self);
    if (code == MPI_SUCCESS) {
        open_set(self, &win->started, 0);
        win->used = 0;
    }
    return code;
}

int ft_win_post(struct ft_rank *self, struct ft_win *win, MPI_Group group, int assert)
{
    int code = PMPI_Win_post(ft_group_real(self, group), assert, win->real);

    if (code == MPI_SUCCESS)
        open_set(self, &win->posted, 1);
    return code;
}

int ft_win_wait(struct ft_rank *self, struct ft_win *win)
{
    int code;

    block(self);
    code = PMPI_Win_wait(win->real);
    ft_block_end(self);
    if (code == MPI_SUCCESS)
        open_set(self, &win->posted, 0);
    return code;
}

int ft_win_test(struct ft_rank *self, struct ft_win *win, int *flag)
{
    int code = PMPI_Win_test(win->real, flag);

    if (code == MPI_SUCCESS && *flag)
        open_set(self, &win->posted, 0);
    return code;
}

int ft_windows_may_stop(const struct ft_rank *self)
{
    return !self->windows || !self->windows->busy;
}
