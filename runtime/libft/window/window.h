/* window: one-sided communication (MPI 4.0, chapter 12), by the library's own, over memory of the
 * image.
 *
 * A window's memory lies in the image, whatever kind it is: that of MPI_Win_allocate is the
 * runtime's, and that of MPI_Win_allocate_shared is a segment whose part of this rank is copied
 * into the image. So in a new epoch the real window is made again over the same addresses, and what
 * was open on it is opened again.
 *
 * At a freeze all members have the same clock on the window's communicator, so each is between the
 * same two of its collective calls. Then every operation is completed (ft_windows_drain): by a
 * flush where locks are held, by one more fence where somebody has used the fence's epoch. No rank
 * goes on before all members have cloned their writers, or its operations would change memory that
 * an image is still taken of. A rank is not held between MPI_Win_start and MPI_Win_complete, nor
 * between MPI_Win_post and MPI_Win_wait.
 *
 * Functions that answer `int` answer an MPI code. */
#ifndef FT_WINDOW_H
#define FT_WINDOW_H

#include "handle/handle.h"

struct ft_region { /* of a dynamic window */
    void *base;
    MPI_Aint size;
    struct ft_region *next;
};

struct ft_win {
    MPI_Win real;
    MPI_Win handle;
    MPI_Comm comm; /* a copy of the program's communicator, owned: its clock counts the window's
                      collectives */
    int size;      /* of its group */
    int flavor;    /* MPI_WIN_FLAVOR_* */
    int model;     /* what MPI_WIN_MODEL tells */
    void *base;
    MPI_Aint bytes;
    int unit;                 /* bytes of a displacement */
    struct ft_shared *shared; /* of MPI_WIN_FLAVOR_SHARED */
    struct ft_region *regions;
    MPI_Info info; /* the program's hints, owned, or MPI_INFO_NULL */
    char *name;
    MPI_Errhandler errhandler;
    struct ft_attributes *attributes;

    int fenced;           /* 1: the last fence has opened an epoch */
    int used;             /* 1: operations since the last fence */
    int all;              /* 1: MPI_Win_lock_all */
    unsigned char *locks; /* [size] type of the lock held on each rank, less MPI_LOCK_EXCLUSIVE,
                             plus 1; 0: none */
    int locked;           /* how many are held */
    int started, posted;  /* 1: between the calls */
    struct ft_win *next;  /* newest first */
};

struct ft_windows { /* in the image */
    struct ft_win *first;
    uint32_t numbers; /* of handles given */
    int busy;         /* windows that are started or posted: the rank may not be held */
};

/* NULL: no window. */
struct ft_win *ft_win_find(struct ft_rank *self, MPI_Win handle);
/* The real handle; what is no window answers itself. Notes that the window is used. */
static inline MPI_Win ft_win_use(struct ft_win *win, MPI_Win handle)
{
    if (ft_unlikely(!win))
        return handle;
    win->used = 1;
    return win->real;
}
/* See ft_error_meet. */
int ft_win_error(struct ft_rank *self, struct ft_win *win, int code, const char *call);

/* May the rank be held at a gate? */
int ft_windows_may_stop(const struct ft_rank *self);
/* At a freeze, on all members, in front of ft_drain. */
void ft_windows_drain(struct ft_rank *self);
/* Behind the clone of the writer: goes on when all members are there. */
void ft_windows_resume(struct ft_rank *self);
/* In a new epoch, behind ft_handles_rebuild. */
void ft_windows_rebuild(struct ft_rank *self);

/* The memory of a shared window: one segment, in which the ranks' parts lie one behind the other.
 * Collective over win->comm. 0 or an MPI code. */
int ft_shared_make(struct ft_win *win, MPI_Aint bytes, int unit);
/* Copies this rank's part into the image; back out of it, into a new segment at the same addresses.
 */
void ft_shared_save(struct ft_win *win);
void ft_shared_restore(struct ft_win *win);
void ft_shared_free(struct ft_win *win);
/* rank: MPI_PROC_NULL: the first that has any memory. */
void ft_shared_query(const struct ft_win *win, int rank, MPI_Aint *bytes, int *unit, void **base);

/* The calls of the same names. */
int ft_win_attach(struct ft_rank *self, struct ft_win *win, void *base, MPI_Aint size);
int ft_win_call_errhandler(struct ft_rank *self, struct ft_win *win, int errorcode);
int ft_win_complete(struct ft_rank *self, struct ft_win *win);
int ft_win_delete_attr(struct ft_rank *self, struct ft_win *win, int keyval);
int ft_win_detach(struct ft_rank *self, struct ft_win *win, const void *base);
int ft_win_fence(struct ft_rank *self, struct ft_win *win, int assert);
int ft_win_flush(struct ft_rank *self, struct ft_win *win, int rank);
int ft_win_flush_all(struct ft_rank *self, struct ft_win *win);
int ft_win_flush_local(struct ft_rank *self, struct ft_win *win, int rank);
int ft_win_flush_local_all(struct ft_rank *self, struct ft_win *win);
int ft_win_get_attr(struct ft_rank *self, struct ft_win *win, int keyval, void *value, int *flag);
int ft_win_get_errhandler(struct ft_rank *self, struct ft_win *win, MPI_Errhandler *errhandler);
int ft_win_get_group(struct ft_rank *self, struct ft_win *win, MPI_Group *group);
int ft_win_get_info(struct ft_rank *self, struct ft_win *win, MPI_Info *info);
int ft_win_get_name(struct ft_rank *self, struct ft_win *win, char *name, int *length);
int ft_win_lock(struct ft_rank *self, struct ft_win *win, int type, int rank, int assert);
int ft_win_lock_all(struct ft_rank *self, struct ft_win *win, int assert);
int ft_win_post(struct ft_rank *self, struct ft_win *win, MPI_Group group, int assert);
int ft_win_set_attr(struct ft_rank *self, struct ft_win *win, int keyval, void *value);
int ft_win_set_errhandler(struct ft_rank *self, struct ft_win *win, MPI_Errhandler errhandler);
int ft_win_set_info(struct ft_rank *self, struct ft_win *win, MPI_Info info);
int ft_win_set_name(struct ft_rank *self, struct ft_win *win, const char *name);
int ft_win_shared_query(struct ft_rank *self, struct ft_win *win, int rank, MPI_Aint *size,
                        int *disp_unit, void *baseptr);
int ft_win_shared_query_c(struct ft_rank *self, struct ft_win *win, int rank, MPI_Aint *size,
                          MPI_Aint *disp_unit, void *baseptr);
int ft_win_start(struct ft_rank *self, struct ft_win *win, MPI_Group group, int assert);
int ft_win_sync(struct ft_rank *self, struct ft_win *win);
int ft_win_test(struct ft_rank *self, struct ft_win *win, int *flag);
int ft_win_unlock(struct ft_rank *self, struct ft_win *win, int rank);
int ft_win_unlock_all(struct ft_rank *self, struct ft_win *win);
int ft_win_wait(struct ft_rank *self, struct ft_win *win);

#endif
