/* The memory of MPI_Win_allocate_shared: a file in memory that all ranks of the window map at
 * addresses of their own, the same in every life. The image does not reach it, so each rank keeps a
 * copy of its part there from a freeze on. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "image/layout.h"
#include "window/window.h"

#define PAGE 4096

struct part {
    MPI_Aint at, bytes; /* in the segment */
    int unit;
};

struct ft_shared {
    size_t bytes; /* of the segment */
    char *segment;
    void *copy;         /* of this rank's part, at a checkpoint; else NULL */
    int rank, size;     /* of this process in the window */
    struct part part[]; /* [size] */
};

static MPI_Comm real_of(const struct ft_win *win)
{
    return ft_comm_real(ft_self, win->comm);
}

/* The first free address: windows that live lie one behind the other. */
static char *place_find(size_t bytes)
{
    char *place = (char *)FT_WINDOWS_AT;

    for (const struct ft_win *win = ft_self->windows ? ft_self->windows->first : NULL; win;
         win = win->next)
        if (win->shared && win->shared->segment + win->shared->bytes > place)
            place = win->shared->segment + win->shared->bytes;
    (void)bytes;
    return place;
}

/* The first rank makes the file; the others open it by the number of its descriptor there. */
static int segment_open(const struct ft_win *win)
{
    struct {
        long pid;
        long fd;
    } first = {getpid(), -1};
    char path[64];
    int fd = -1;

    if (win->shared->rank == 0) {
        fd = (int)syscall(SYS_memfd_create, "ft-window", MFD_CLOEXEC);
        if (fd >= 0 && ftruncate(fd, (off_t)win->shared->bytes) == 0)
            first.fd = fd;
    }
    PMPI_Bcast(&first, 2, MPI_LONG, 0, real_of(win));
    snprintf(path, sizeof path, "/proc/%ld/fd/%ld", first.pid, first.fd);
    if (win->shared->rank != 0 && first.fd >= 0)
        fd = open(path, O_RDWR | O_CLOEXEC);
    return fd;
}

/* Maps a new segment at win->shared->segment. 0 or an MPI code, the same on all ranks. */
static int segment_map(struct ft_win *win)
{
    struct ft_shared *shared = win->shared;
    int fd = segment_open(win), good = fd >= 0, all;

    if (good)
        good = (char *)(uintptr_t)syscall(SYS_mmap, shared->segment, shared->bytes,
                                          PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
                                          fd, 0) == shared->segment;
    PMPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, real_of(win));
    if (fd >= 0)
        close(fd);
    return all ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int ft_shared_make(struct ft_win *win, MPI_Aint bytes, int unit)
{
    struct ft_shared *shared =
        ft_image_alloc(sizeof(*shared) + (size_t)win->size * sizeof(struct part));
    struct part mine = {0, bytes, unit};
    MPI_Aint total = 0;

    win->shared = shared;
    shared->size = win->size;
    PMPI_Comm_rank(real_of(win), &shared->rank);
    PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, shared->part, sizeof mine, MPI_BYTE, real_of(win));
    for (int r = 0; r < shared->size; r++) {
        shared->part[r].at = total;
        total += shared->part[r].bytes;
    }
    shared->bytes = ((size_t)total + PAGE) & ~(size_t)(PAGE - 1);
    shared->segment = place_find(shared->bytes);
    win->base = shared->segment + shared->part[shared->rank].at;
    return segment_map(win);
}

void ft_shared_save(struct ft_win *win)
{
    struct ft_shared *shared = win->shared;

    if (!shared->copy)
        shared->copy = ft_image_room((size_t)win->bytes + 1);
    memcpy(shared->copy, win->base, (size_t)win->bytes);
}

void ft_shared_restore(struct ft_win *win)
{
    if (segment_map(win) != MPI_SUCCESS)
        ft_panic("the memory of a shared window cannot be mapped at its old address");
    memcpy(win->base, win->shared->copy, (size_t)win->bytes);
}

void ft_shared_free(struct ft_win *win)
{
    syscall(SYS_munmap, win->shared->segment, win->shared->bytes);
    ft_image_free(win->shared->copy);
    ft_image_free(win->shared);
    win->shared = NULL;
}

void ft_shared_query(const struct ft_win *win, int rank, MPI_Aint *bytes, int *unit, void **base)
{
    const struct ft_shared *shared = win->shared;

    for (int r = 0; rank == MPI_PROC_NULL && r < shared->size; r++)
        if (shared->part[r].bytes > 0)
            rank = r;
    if (rank == MPI_PROC_NULL) {
        *bytes = 0;
        *unit = 0;
        *base = NULL;
        return;
    }
    *bytes = shared->part[rank].bytes;
    *unit = shared->part[rank].unit;
    *base = shared->segment + shared->part[rank].at;
}
