/* Files as a whole (MPI 4.0, section 14.2): opened and closed by all processes of a communicator.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "io/io.h"

struct ft_io *ft_io_of(struct ft_rank *self)
{
    if (self->io == NULL) {
        self->io = ft_image_alloc(sizeof(*self->io));
        self->io->errhandler = MPI_ERRORS_RETURN;
    }
    return self->io;
}

struct ft_file *ft_file_find(struct ft_rank *self, MPI_File handle)
{
    struct ft_file *file = self->io != NULL ? self->io->open : NULL;

    while (file != NULL && file != (struct ft_file *)handle)
        file = file->next;
    return file;
}

int ft_file_class(int error)
{
    switch (error) {
    case EACCES:
        return MPI_ERR_ACCESS;
    case ENAMETOOLONG:
    case EISDIR:
    case ENOTDIR:
    case ELOOP:
        return MPI_ERR_BAD_FILE;
    case ENOENT:
        return MPI_ERR_NO_SUCH_FILE;
    case EROFS:
        return MPI_ERR_READ_ONLY;
    case EEXIST:
        return MPI_ERR_FILE_EXISTS;
    case ENOSPC:
        return MPI_ERR_NO_SPACE;
    case EDQUOT:
        return MPI_ERR_QUOTA;
    default:
        return MPI_ERR_IO;
    }
}

const char *ft_file_path(const char *name)
{
    const char *colon = strchr(name, ':');

    return colon > name + 1 ? colon + 1 : name;
}

static int amode_check(int amode)
{
    int ways =
        !!(amode & MPI_MODE_RDONLY) + !!(amode & MPI_MODE_RDWR) + !!(amode & MPI_MODE_WRONLY);

    if (ways != 1 || (amode & MPI_MODE_RDONLY && amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) ||
        (amode & MPI_MODE_RDWR && amode & MPI_MODE_SEQUENTIAL))
        return MPI_ERR_AMODE;
    return MPI_SUCCESS;
}

static int flags_of(int amode)
{
    if (amode & MPI_MODE_RDONLY)
        return O_RDONLY;
    return amode & MPI_MODE_WRONLY ? O_WRONLY : O_RDWR;
}

/* Are all ranks' modes the same? */
static int amode_agree(const struct ft_file *file)
{
    int mine[2] = {file->amode, -file->amode}, most[2];

    MPI_Allreduce(mine, most, 2, MPI_INT, MPI_MAX, file->comm);
    return most[0] == -most[1] ? MPI_SUCCESS : MPI_ERR_NOT_SAME;
}

/* One process creates, then all open. */
static int file_create(struct ft_file *file)
{
    int flags = flags_of(file->amode) | O_CREAT | (file->amode & MPI_MODE_EXCL ? O_EXCL : 0);
    int code = MPI_SUCCESS, fd;

    if (file->rank == 0) {
        fd = open(file->name, flags, 0666);
        if (fd < 0)
            code = ft_file_class(errno);
        else
            close(fd);
    }
    MPI_Bcast(&code, 1, MPI_INT, 0, file->comm);
    return code;
}

/* Opens, and answers the same on all ranks: those that could answer MPI_ERR_IO if another could
 * not. */
static int file_open(struct ft_file *file)
{
    int code = MPI_SUCCESS, worst;

    file->fd = open(file->name, flags_of(file->amode));
    if (file->fd < 0)
        code = ft_file_class(errno);
    MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, file->comm);
    if (worst != MPI_SUCCESS && code == MPI_SUCCESS) {
        close(file->fd);
        code = MPI_ERR_IO;
    }
    return code;
}

/* The file of the shared pointer: no other job, and no other open file of this one, has its name.
 */
static void shared_name(struct ft_file *file)
{
    const char *slash = strrchr(file->name, '/'), *base = slash ? slash + 1 : file->name;
    size_t room = strlen(file->name) + 64;
    long long number = 0;

    if (file->rank == 0) /* a clock of MPI: its reading is given again to a rank that rolls back */
        number = (long long)(MPI_Wtime() * 1e9);
    MPI_Bcast(&number, 1, MPI_LONG_LONG, 0, file->comm);
    file->shared_name = malloc(room);
    snprintf(file->shared_name, room, "%.*s.%s.shfp.%llx", (int)(base - file->name), file->name,
             base, (unsigned long long)number);
}

static void pointers_start(struct ft_file *file)
{
    struct stat status;
    int code = MPI_SUCCESS;

    if (!(file->amode & MPI_MODE_APPEND))
        return;
    if (fstat(file->fd, &status) == 0)
        file->position = status.st_size;
    if (file->rank == 0)
        code = ft_shared_set(file, file->position);
    MPI_Bcast(&code, 1, MPI_INT, 0, file->comm);
}

static struct ft_file *file_make(MPI_Comm comm, const char *name, int amode)
{
    struct ft_file *file = calloc(1, sizeof *file);

    MPI_Comm_dup(comm, &file->comm);
    MPI_Comm_set_errhandler(file->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(file->comm, &file->rank);
    file->amode = amode;
    file->name = strdup(ft_file_path(name));
    file->fd = file->shared_fd = -1;
    file->hints = MPI_INFO_NULL;
    ft_view_reset(ft_self, file);
    return file;
}

static void file_free(struct ft_file *file)
{
    ft_view_free(file);
    if (file->hints != MPI_INFO_NULL)
        MPI_Info_free(&file->hints);
    MPI_Comm_free(&file->comm);
    free(file->shared_name);
    free(file->name);
    free(file);
}

static int file_try(struct ft_file *file, MPI_Info info)
{
    int code = amode_agree(file);

    if (code == MPI_SUCCESS)
        code = ft_file_set_info(ft_self, file, info);
    if (code == MPI_SUCCESS && file->amode & MPI_MODE_CREATE)
        code = file_create(file);
    if (code == MPI_SUCCESS)
        code = file_open(file);
    if (code != MPI_SUCCESS)
        return code;
    shared_name(file);
    pointers_start(file);
    return MPI_SUCCESS;
}

int ft_file_open(MPI_Comm comm, const char *name, int amode, MPI_Info info, struct ft_file **file)
{
    struct ft_io *io = ft_io_of(ft_self);
    struct ft_file *made;
    int inter, code;

    if (ft_comm_find(ft_self, comm) == NULL)
        return MPI_ERR_COMM;
    MPI_Comm_test_inter(comm, &inter);
    if (inter)
        return MPI_ERR_COMM;
    code = amode_check(amode);
    if (code != MPI_SUCCESS)
        return code;
    made = file_make(comm, name, amode);
    code = file_try(made, info);
    if (code != MPI_SUCCESS) {
        file_free(made);
        return code;
    }
    made->errhandler = io->errhandler;
    ft_errhandler_hold(ft_self, made->errhandler);
    made->next = io->open;
    io->open = *file = made;
    return MPI_SUCCESS;
}

int ft_file_close(struct ft_rank *self, struct ft_file *file)
{
    struct ft_file **at = &self->io->open;
    int code = MPI_SUCCESS;

    ft_shared_close(file);
    if (close(file->fd) != 0)
        code = ft_file_class(errno);
    if (file->amode & MPI_MODE_DELETE_ON_CLOSE) {
        MPI_Barrier(file->comm);
        if (file->rank == 0 && unlink(file->name) != 0)
            code = ft_file_class(errno);
    }
    while (*at != file)
        at = &(*at)->next;
    *at = file->next;
    if (file->number > 0)
        self->io->numbered[file->number - 1] = NULL;
    ft_errhandler_release(self, file->errhandler);
    file_free(file);
    return code;
}

int ft_file_delete(const char *name)
{
    return unlink(ft_file_path(name)) == 0 ? MPI_SUCCESS : ft_file_class(errno);
}
