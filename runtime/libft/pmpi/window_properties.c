/* Inquiries and settings of a window: attributes, hints, name, error handler, attached memory. */
#include <string.h>
#include "calls/calls.h"
#include "window/window.h"

int ft_win_attach(struct ft_rank *self, struct ft_win *win, void *base, MPI_Aint size)
{
    int code = PMPI_Win_attach(win->real, base, size);
    struct ft_region *region;

    (void)self;
    if (code != MPI_SUCCESS)
        return code;
    region = ft_image_alloc(sizeof(*region));
    *region = (struct ft_region){base, size, win->regions};
    win->regions = region;
    return MPI_SUCCESS;
}

int ft_win_detach(struct ft_rank *self, struct ft_win *win, const void *base)
{
    int code = PMPI_Win_detach(win->real, base);
    struct ft_region **at = &win->regions, *region;

    (void)self;
    while (*at && (*at)->base != base)
        at = &(*at)->next;
    region = *at;
    if (code == MPI_SUCCESS && region) {
        *at = region->next;
        ft_image_free(region);
    }
    return code;
}

static int is_predefined(int keyval)
{
    return keyval == MPI_WIN_BASE || keyval == MPI_WIN_SIZE || keyval == MPI_WIN_DISP_UNIT ||
           keyval == MPI_WIN_CREATE_FLAVOR || keyval == MPI_WIN_MODEL;
}

static void *predefined(struct ft_win *win, int keyval)
{
    switch (keyval) {
    case MPI_WIN_BASE:
        return win->base;
    case MPI_WIN_SIZE:
        return &win->bytes;
    case MPI_WIN_DISP_UNIT:
        return &win->unit;
    case MPI_WIN_CREATE_FLAVOR:
        return &win->flavor;
    default:
        return &win->model;
    }
}

int ft_win_get_attr(struct ft_rank *self, struct ft_win *win, int keyval, void *value, int *flag)
{
    if (is_predefined(keyval)) {
        *flag = 1;
        *(void **)value = predefined(win, keyval);
        return MPI_SUCCESS;
    }
    if (!ft_keyval_is_valid(self, FT_WIN_BYTE, keyval))
        return PMPI_Win_get_attr(win->real, keyval, value, flag);
    *flag = ft_attribute_get(win->attributes, keyval, value);
    return MPI_SUCCESS;
}

int ft_win_set_attr(struct ft_rank *self, struct ft_win *win, int keyval, void *value)
{
    if (!ft_keyval_is_valid(self, FT_WIN_BYTE, keyval))
        return PMPI_Win_set_attr(win->real, keyval, value);
    return ft_attribute_set(self, &win->attributes, (MPI_Comm)win->handle, keyval, value);
}

int ft_win_delete_attr(struct ft_rank *self, struct ft_win *win, int keyval)
{
    if (!ft_keyval_is_valid(self, FT_WIN_BYTE, keyval))
        return PMPI_Win_delete_attr(win->real, keyval);
    return ft_attribute_delete(self, &win->attributes, (MPI_Comm)win->handle, keyval);
}

FT_EXPORT int MPI_Win_create_keyval(MPI_Win_copy_attr_function *win_copy_attr_fn,
                                    MPI_Win_delete_attr_function *win_delete_attr_fn,
                                    int *win_keyval, void *extra_state)
{
    struct ft_rank *self = ft_self;

    if (ft_unlikely(!self))
        return PMPI_Win_create_keyval(win_copy_attr_fn, win_delete_attr_fn, win_keyval,
                                      extra_state);
    ft_enter(self, FT_CALL_MPI_Win_create_keyval, __builtin_return_address(0));
    *win_keyval = ft_keyval_create(self, FT_WIN_BYTE, (void *)win_copy_attr_fn,
                                   (void *)win_delete_attr_fn, extra_state);
    return ft_leave(self, MPI_SUCCESS);
}

FT_EXPORT int MPI_Win_free_keyval(int *win_keyval)
{
    struct ft_rank *self = ft_self;
    int code = MPI_SUCCESS;

    if (ft_unlikely(!self))
        return PMPI_Win_free_keyval(win_keyval);
    ft_enter(self, FT_CALL_MPI_Win_free_keyval, __builtin_return_address(0));
    if (win_keyval && ft_keyval_is_valid(self, FT_WIN_BYTE, *win_keyval)) {
        ft_keyval_free(self, *win_keyval);
        *win_keyval = MPI_KEYVAL_INVALID;
    } else {
        code = MPI_ERR_KEYVAL;
    }
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Win_free_keyval"));
}

FT_EXPORT int MPI_Win_create_errhandler(MPI_Win_errhandler_function *win_errhandler_fn,
                                        MPI_Errhandler *errhandler)
{
    struct ft_rank *self = ft_self;

    if (ft_unlikely(!self))
        return PMPI_Win_create_errhandler(win_errhandler_fn, errhandler);
    ft_enter(self, FT_CALL_MPI_Win_create_errhandler, __builtin_return_address(0));
    *errhandler =
        ft_errhandler_create(self, (MPI_Comm_errhandler_function *)(void *)win_errhandler_fn);
    return ft_leave(self, MPI_SUCCESS);
}

int ft_win_set_errhandler(struct ft_rank *self, struct ft_win *win, MPI_Errhandler errhandler)
{
    if (!ft_errhandler_known(self, errhandler))
        return PMPI_Win_set_errhandler(win->real, errhandler);
    ft_errhandler_hold(self, errhandler);
    ft_errhandler_release(self, win->errhandler);
    win->errhandler = errhandler;
    return MPI_SUCCESS;
}

int ft_win_get_errhandler(struct ft_rank *self, struct ft_win *win, MPI_Errhandler *errhandler)
{
    *errhandler = win->errhandler;
    ft_errhandler_hold(self, win->errhandler);
    return MPI_SUCCESS;
}

int ft_win_call_errhandler(struct ft_rank *self, struct ft_win *win, int errorcode)
{
    ft_win_error(self, win, errorcode, "MPI_Win_call_errhandler");
    return MPI_SUCCESS;
}

int ft_win_get_group(struct ft_rank *self, struct ft_win *win, MPI_Group *group)
{
    int code = PMPI_Win_get_group(win->real, group);

    if (code == MPI_SUCCESS)
        *group = ft_group_made(self, *group);
    return code;
}

int ft_win_get_info(struct ft_rank *self, struct ft_win *win, MPI_Info *info)
{
    int code = PMPI_Win_get_info(win->real, info);

    if (code == MPI_SUCCESS)
        *info = ft_info_made(self, *info);
    return code;
}

/* Keeps the hints for the next epoch, too. */
int ft_win_set_info(struct ft_rank *self, struct ft_win *win, MPI_Info info)
{
    int code = PMPI_Win_set_info(win->real, ft_info_real(self, info));
    struct ft_upcall upcall;

    if (code != MPI_SUCCESS || info == MPI_INFO_NULL)
        return code;
    upcall = ft_upcall_begin(self);
    if (win->info != MPI_INFO_NULL)
        MPI_Info_free(&win->info);
    MPI_Info_dup(info, &win->info);
    ft_upcall_end(self, upcall);
    return MPI_SUCCESS;
}

int ft_win_get_name(struct ft_rank *self, struct ft_win *win, char *name, int *length)
{
    (void)self;
    return PMPI_Win_get_name(win->real, name, length);
}

int ft_win_set_name(struct ft_rank *self, struct ft_win *win, const char *name)
{
    int code = PMPI_Win_set_name(win->real, name);

    (void)self;
    if (code != MPI_SUCCESS)
        return code;
    ft_image_free(win->name);
    win->name = strcpy(ft_image_alloc(strlen(name) + 1), name);
    return MPI_SUCCESS;
}

int ft_win_shared_query(struct ft_rank *self, struct ft_win *win, int rank, MPI_Aint *size,
                        int *disp_unit, void *baseptr)
{
    (void)self;
    if (!win->shared || (rank != MPI_PROC_NULL && (rank < 0 || rank >= win->size)))
        return PMPI_Win_shared_query(win->real, rank, size, disp_unit, baseptr);
    ft_shared_query(win, rank, size, disp_unit, baseptr);
    return MPI_SUCCESS;
}

int ft_win_shared_query_c(struct ft_rank *self, struct ft_win *win, int rank, MPI_Aint *size,
                          MPI_Aint *disp_unit, void *baseptr)
{
    int unit = 0, code = ft_win_shared_query(self, win, rank, size, &unit, baseptr);

    *disp_unit = unit;
    return code;
}
