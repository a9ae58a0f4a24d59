/* The real window of this epoch, and errors on it. It is always made over memory that is there: so
 * the library never chooses an address, and the next life has the same. */
#include "window/make.h"

struct ft_win *ft_win_find(struct ft_rank *self, MPI_Win handle)
{
    struct ft_win *win = self->windows ? self->windows->first : NULL;

    while (win && win->handle != handle)
        win = win->next;
    return win;
}

int ft_win_error(struct ft_rank *self, struct ft_win *win, int code, const char *call)
{
    MPI_Win handle;

    if (ft_likely(code == MPI_SUCCESS))
        return code;
    if (!win)
        return ft_error(self, NULL, code, call);
    handle = win->handle;
    return ft_error_handle(self, win->errhandler, &handle, code, call);
}

int ft_win_make(struct ft_rank *self, struct ft_win *win)
{
    MPI_Comm comm = ft_comm_real(self, win->comm);
    MPI_Info info = ft_info_real(self, win->info);
    int code;

    if (win->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        code = PMPI_Win_create_dynamic(info, comm, &win->real);
    else
        code = PMPI_Win_create(win->base, win->bytes, win->unit, info, comm, &win->real);
    if (code == MPI_SUCCESS)
        code = PMPI_Win_set_errhandler(win->real, MPI_ERRORS_RETURN);
    return code;
}
