/* The shared pointer (MPI 4.0, section 14.4.4): a number in a file beside the program's, changed
 * under a lock.
 *
 * The rank holds the lock in no call where it might be held at a gate, so nobody waits for a rank
 * that waits. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "calls/calls.h"
#include "files/once.h"
#include "io/io.h"

static int lock_set(int fd, short kind, MPI_Offset at, MPI_Offset bytes)
{
    struct flock lock = {.l_type = kind, .l_whence = SEEK_SET, .l_start = at, .l_len = bytes};
    int code;

    if (ft_life.pair != NULL && ft_depth == 0)
        ft_refuse(ft_call_name(ft_self->recorder->call),
                  (const void *)(uintptr_t)ft_self->recorder->site,
                  "atomic mode needs locks, which are not carried with two copies of each rank "
                  "(--replicas): leave it out for this program");
    do {
        code = fcntl(fd, F_SETLKW, &lock);
    } while (code != 0 && errno == EINTR);
    return code == 0 ? MPI_SUCCESS : ft_file_class(errno);
}

int ft_lock(int fd, MPI_Offset at, MPI_Offset bytes)
{
    int readable = (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY;

    return lock_set(fd, readable ? F_RDLCK : F_WRLCK, at, bytes);
}

void ft_unlock(int fd, MPI_Offset at, MPI_Offset bytes)
{
    lock_set(fd, F_UNLCK, at, bytes);
}

static int shared_open(struct ft_file *file)
{
    if (file->shared_fd < 0)
        file->shared_fd = open(file->shared_name, O_RDWR | O_CREAT, 0600);
    return file->shared_fd < 0 ? ft_file_class(errno) : MPI_SUCCESS;
}

static int pointer_write(const struct ft_file *file, MPI_Offset position)
{
    ssize_t bytes = pwrite(file->shared_fd, &position, sizeof position, 0);

    return bytes == (ssize_t)sizeof position ? MPI_SUCCESS : ft_file_class(errno);
}

/* An empty file says 0. */
static int pointer_read(const struct ft_file *file, MPI_Offset *position)
{
    *position = 0;
    return pread(file->shared_fd, position, sizeof *position, 0) < 0 ? ft_file_class(errno)
                                                                     : MPI_SUCCESS;
}

static int take(const struct ft_file *file, MPI_Offset etypes, MPI_Offset *position)
{
    int code = ft_lock(file->shared_fd, 0, sizeof *position);

    if (code != MPI_SUCCESS)
        return code;
    code = pointer_read(file, position);
    if (code == MPI_SUCCESS && etypes != 0)
        code = pointer_write(file, *position + etypes);
    ft_unlock(file->shared_fd, 0, sizeof *position);
    return code;
}

/* The first copy of the rank holds the lock, and not while it waits for the second one. */
static MPI_Offset take_inside(const struct ft_file *file, MPI_Offset etypes)
{
    MPI_Offset position = -1;
    int code;

    ft_depth++;
    code = take(file, etypes, &position);
    ft_depth--;
    return code == MPI_SUCCESS ? position : -code;
}

static int take_once(const struct ft_file *file, MPI_Offset etypes, MPI_Offset *position)
{
    *position = FILES_ONCE(
        FILES_ONCE_TAKE, file->shared_fd, NULL, ft_call_name(ft_self->recorder->call),
        (const void *)(uintptr_t)ft_self->recorder->site, NULL, 0, take_inside(file, etypes));
    return *position >= 0 ? MPI_SUCCESS : (int)-*position;
}

int ft_shared_take(struct ft_file *file, MPI_Offset etypes, MPI_Offset *position)
{
    int code = shared_open(file);

    if (code != MPI_SUCCESS)
        return code;
    return files_is_paired() ? take_once(file, etypes, position) : take(file, etypes, position);
}

int ft_shared_get(struct ft_file *file, MPI_Offset *position)
{
    return ft_shared_take(file, 0, position);
}

static int set(const struct ft_file *file, MPI_Offset position)
{
    int code = ft_lock(file->shared_fd, 0, sizeof position);

    if (code != MPI_SUCCESS)
        return code;
    code = pointer_write(file, position);
    ft_unlock(file->shared_fd, 0, sizeof position);
    return code;
}

static int set_inside(const struct ft_file *file, MPI_Offset position)
{
    int code;

    ft_depth++;
    code = set(file, position);
    ft_depth--;
    return code;
}

int ft_shared_set(struct ft_file *file, MPI_Offset position)
{
    int code = shared_open(file);

    if (code != MPI_SUCCESS)
        return code;
    return files_is_paired()
               ? FILES_ONCE(FILES_ONCE_WRITE, file->shared_fd, NULL, "MPI_File_seek_shared",
                            (const void *)(uintptr_t)ft_self->recorder->site, NULL, 0,
                            set_inside(file, position))
               : set(file, position);
}

int ft_shared_take_ordered(struct ft_file *file, MPI_Offset etypes, MPI_Offset *position)
{
    MPI_Offset before = 0, answer[2] = {0};
    long long mine = etypes, all = 0;

    MPI_Exscan(&mine, &before, 1, MPI_LONG_LONG, MPI_SUM, file->comm);
    MPI_Allreduce(&mine, &all, 1, MPI_LONG_LONG, MPI_SUM, file->comm);
    if (file->rank == 0)
        answer[1] = ft_shared_take(file, all, &answer[0]);
    MPI_Bcast(answer, 2, MPI_OFFSET, 0, file->comm);
    *position = answer[0] + (file->rank == 0 ? 0 : before);
    return (int)answer[1];
}

void ft_shared_close(struct ft_file *file)
{
    MPI_Barrier(file->comm);
    if (file->shared_fd >= 0)
        close(file->shared_fd);
    MPI_Barrier(file->comm);
    if (file->rank == 0 && access(file->shared_name, F_OK) == 0)
        unlink(file->shared_name);
}
