/* Windows made and freed (MPI 4.0, section 12.2). The real one is always made over memory that is
 * there: so the library never chooses an address, and the next life has the same. */
#include <limits.h>
#include <string.h>
#include "calls/calls.h"
#include "window/make.h"

#define PAGE 4096

static struct ft_windows *windows_of(struct ft_rank *self)
{
    if (!self->windows)
        self->windows = ft_image_alloc(sizeof(*self->windows));
    return self->windows;
}

/* The parts that need other calls of MPI are the program's. */
static void dress(struct ft_rank *self, struct ft_win *win, MPI_Comm comm, MPI_Info info)
{
    struct ft_upcall upcall = ft_upcall_begin(self);

    MPI_Comm_dup(comm, &win->comm);
    MPI_Comm_set_errhandler(win->comm, MPI_ERRORS_RETURN);
    MPI_Comm_size(win->comm, &win->size);
    win->info = MPI_INFO_NULL;
    if (info != MPI_INFO_NULL)
        MPI_Info_dup(info, &win->info);
    ft_upcall_end(self, upcall);
}

static void undress(struct ft_rank *self, struct ft_win *win)
{
    struct ft_upcall upcall = ft_upcall_begin(self);

    if (win->info != MPI_INFO_NULL)
        MPI_Info_free(&win->info);
    MPI_Comm_free(&win->comm);
    ft_upcall_end(self, upcall);
}

static size_t pages_of(MPI_Aint bytes)
{
    return ((size_t)bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static void memory_free(struct ft_win *win)
{
    if (win->flavor == MPI_WIN_FLAVOR_ALLOCATE && win->bytes > 0)
        ft_image_pages_free(win->base, pages_of(win->bytes));
    if (win->shared)
        ft_shared_free(win);
}

static int memory_make(struct ft_win *win, MPI_Aint bytes, int unit)
{
    if (win->flavor == MPI_WIN_FLAVOR_ALLOCATE && bytes > 0)
        win->base = ft_image_pages(pages_of(bytes));
    if (win->flavor == MPI_WIN_FLAVOR_SHARED)
        return ft_shared_make(win, bytes, unit);
    return MPI_SUCCESS;
}

static void destroy(struct ft_rank *self, struct ft_win *win)
{
    memory_free(win);
    undress(self, win);
    ft_errhandler_release(self, win->errhandler);
    ft_image_free(win->locks);
    ft_image_free(win->name);
    while (win->regions) {
        struct ft_region *next = win->regions->next;

        ft_image_free(win->regions);
        win->regions = next;
    }
    ft_image_free(win);
}

/* The library's own answer where an argument is no good; else the window. */
static int make(struct ft_rank *self, struct ft_win *win, MPI_Aint bytes, int unit)
{
    struct ft_comm *on = ft_comm_find(self, win->comm);
    int code;

    ft_block_begin(self, on->id, ft_comm_tick(on));
    code = memory_make(win, bytes, unit);
    if (code == MPI_SUCCESS)
        code = ft_win_make(self, win);
    ft_block_end(self);
    return code;
}

static void add(struct ft_rank *self, struct ft_win *win)
{
    struct ft_windows *windows = windows_of(self);

    win->handle =
        ft_handle_of(MPI_Win, (uint32_t)FT_WIN_BYTE << 24 | (++windows->numbers & 0xffffffu));
    win->locks = ft_image_alloc((size_t)win->size);
    win->errhandler = MPI_ERRORS_ARE_FATAL;
    win->model = MPI_WIN_UNIFIED;
    win->next = windows->first;
    windows->first = win;
}

struct wanted { /* what a constructor was given */
    enum ft_call call;
    int flavor;
    void *base;
    MPI_Aint bytes;
    MPI_Aint unit;
    MPI_Info info;
    MPI_Comm comm;
};

/* In the library's words: it refuses what it is asked, without any other rank. */
static int refuse(struct ft_rank *self, const struct wanted *wanted)
{
    MPI_Win none;

    return PMPI_Win_create(wanted->base, wanted->bytes, (int)wanted->unit,
                           ft_info_real(self, wanted->info), ft_comm_real(self, wanted->comm),
                           &none);
}

static int is_bad(struct ft_rank *self, const struct wanted *wanted)
{
    const struct ft_comm *on = ft_comm_find(self, wanted->comm);

    return !on || on->inter || wanted->bytes < 0 || wanted->unit <= 0 || wanted->unit > INT_MAX;
}

static int construct(struct ft_rank *self, const struct wanted *wanted, MPI_Win *handle)
{
    struct ft_win *win;
    int code;

    if (is_bad(self, wanted))
        return refuse(self, wanted);
    win = ft_image_alloc(sizeof(*win));
    win->flavor = wanted->flavor;
    win->base = wanted->base;
    win->bytes = wanted->bytes;
    win->unit = (int)wanted->unit;
    win->errhandler = MPI_ERRORS_RETURN;
    dress(self, win, wanted->comm, wanted->info);
    code = make(self, win, wanted->bytes, (int)wanted->unit);
    if (code != MPI_SUCCESS) {
        destroy(self, win);
        return code;
    }
    add(self, win);
    *handle = win->handle;
    return MPI_SUCCESS;
}

/* With clusters a rank may roll back alone, and what it had put into another one's memory stays
 * there. */
static void require_one_cluster(const struct ft_rank *self, enum ft_call call, const void *site)
{
    if (self->spbc)
        ft_refuse(
            ft_call_name(call), site,
            "one-sided communication is not carried with --protocol spbc: run the program with "
            "--protocol coordinated");
}

static int win_new(struct ft_rank *self, const struct wanted *wanted, MPI_Win *handle,
                   const void *site)
{
    int code;

    ft_enter(self, wanted->call, site);
    require_one_cluster(self, wanted->call, site);
    code = construct(self, wanted, handle);
    return ft_leave(
        self, ft_error(self, ft_comm_find(self, wanted->comm), code, ft_call_name(wanted->call)));
}

#define NEW(call, kind, memory, size, disp_unit, given)                                            \
    win_new(self,                                                                                  \
            &(struct wanted){FT_CALL_##call, MPI_WIN_FLAVOR_##kind, memory, size, disp_unit,       \
                             given, comm},                                                         \
            win, __builtin_return_address(0))

FT_EXPORT int MPI_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                             MPI_Win *win)
{
    struct ft_rank *self = ft_self;

    if (ft_unlikely(!self || ft_depth))
        return PMPI_Win_create(base, size, disp_unit, info, comm, win);
    return NEW(MPI_Win_create, CREATE, base, size, disp_unit, info);
}

FT_EXPORT int MPI_Win_create_c(void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info,
                               MPI_Comm comm, MPI_Win *win)
{
    struct ft_rank *self = ft_self;

    if (ft_unlikely(!self || ft_depth))
        return PMPI_Win_create_c(base, size, disp_unit, info, comm, win);
    return NEW(MPI_Win_create_c, CREATE, base, size, disp_unit, info);
}

FT_EXPORT int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    struct ft_rank *self = ft_self;

    if (ft_unlikely(!self || ft_depth))
        return PMPI_Win_create_dynamic(info, comm, win);
    return NEW(MPI_Win_create_dynamic, DYNAMIC, MPI_BOTTOM, 0, 1, info);
}

/* The base of the memory goes where the program has said. */
static int allocated(struct ft_rank *self, int code, const MPI_Win *win, void *base)
{
    if (code == MPI_SUCCESS)
        *(void **)base = ft_win_find(self, *win)->base;
    return code;
}

FT_EXPORT int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                               void *baseptr, MPI_Win *win)
{
    struct ft_rank *self = ft_self;

    if (ft_unlikely(!self || ft_depth))
        return PMPI_Win_allocate(size, disp_unit, info, comm, baseptr, win);
    return allocated(self, NEW(MPI_Win_allocate, ALLOCATE, NULL, size, disp_unit, info), win,
                     baseptr);
}

FT_EXPORT int MPI_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                                 void *baseptr, MPI_Win *win)
{
    struct ft_rank *self = ft_self;

    if (ft_unlikely(!self || ft_depth))
        return PMPI_Win_allocate_c(size, disp_unit, info, comm, baseptr, win);
    return allocated(self, NEW(MPI_Win_allocate_c, ALLOCATE, NULL, size, disp_unit, info), win,
                     baseptr);
}

FT_EXPORT int MPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                                      void *baseptr, MPI_Win *win)
{
    struct ft_rank *self = ft_self;

    if (ft_unlikely(!self || ft_depth))
        return PMPI_Win_allocate_shared(size, disp_unit, info, comm, baseptr, win);
    return allocated(self, NEW(MPI_Win_allocate_shared, SHARED, NULL, size, disp_unit, info), win,
                     baseptr);
}

FT_EXPORT int MPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info,
                                        MPI_Comm comm, void *baseptr, MPI_Win *win)
{
    struct ft_rank *self = ft_self;

    if (ft_unlikely(!self || ft_depth))
        return PMPI_Win_allocate_shared_c(size, disp_unit, info, comm, baseptr, win);
    return allocated(self, NEW(MPI_Win_allocate_shared_c, SHARED, NULL, size, disp_unit, info), win,
                     baseptr);
}

static int win_free(struct ft_rank *self, struct ft_win *win)
{
    struct ft_comm *on = ft_comm_find(self, win->comm);
    struct ft_win **at = &self->windows->first;
    int code = ft_attributes_delete(self, &win->attributes, (MPI_Comm)win->handle);

    if (code != MPI_SUCCESS)
        return code;
    ft_block_begin(self, on->id, ft_comm_tick(on));
    code = PMPI_Win_free(&win->real);
    ft_block_end(self);
    if (code != MPI_SUCCESS) {
        ft_comm_untick(on, code);
        return code;
    }
    while (*at != win)
        at = &(*at)->next;
    *at = win->next;
    destroy(self, win);
    return MPI_SUCCESS;
}

FT_EXPORT int MPI_Win_free(MPI_Win *win)
{
    struct ft_rank *self = ft_self;
    struct ft_win *found;
    int code;

    if (ft_unlikely(!self || ft_depth))
        return PMPI_Win_free(win);
    ft_enter(self, FT_CALL_MPI_Win_free, __builtin_return_address(0));
    found = win ? ft_win_find(self, *win) : NULL;
    if (!found)
        return ft_leave(self, ft_error(self, NULL, PMPI_Win_free(win), "MPI_Win_free"));
    code = win_free(self, found);
    if (code == MPI_SUCCESS)
        *win = MPI_WIN_NULL;
    return ft_leave(self, ft_win_error(self, code ? found : NULL, code, "MPI_Win_free"));
}
