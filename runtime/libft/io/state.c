/* Inquiries and settings of an open file, besides its view (MPI 4.0, sections 14.2.4 to 14.2.8
 * and 14.6). */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "io/io.h"

int ft_file_get_amode(struct ft_rank *self, struct ft_file *file, int *amode)
{
    (void)self;
    *amode = file->amode;
    return MPI_SUCCESS;
}

int ft_file_get_atomicity(struct ft_rank *self, struct ft_file *file, int *flag)
{
    (void)self;
    *flag = file->atomic;
    return MPI_SUCCESS;
}

int ft_file_get_group(struct ft_rank *self, struct ft_file *file, MPI_Group *group)
{
    (void)self;
    return MPI_Comm_group(file->comm, group);
}

int ft_file_get_size(struct ft_rank *self, struct ft_file *file, MPI_Offset *size)
{
    struct stat status;

    (void)self;
    if (fstat(file->fd, &status) != 0)
        return ft_file_class(errno);
    *size = status.st_size;
    return MPI_SUCCESS;
}

int ft_file_get_type_extent(struct ft_rank *self, struct ft_file *file, MPI_Datatype type,
                            MPI_Aint *extent)
{
    MPI_Aint low;

    (void)self;
    (void)file;
    return type == MPI_DATATYPE_NULL ? MPI_ERR_TYPE : MPI_Type_get_extent(type, &low, extent);
}

int ft_file_get_type_extent_c(struct ft_rank *self, struct ft_file *file, MPI_Datatype type,
                              MPI_Count *extent)
{
    MPI_Aint narrow = 0;
    int code = ft_file_get_type_extent(self, file, type, &narrow);

    *extent = narrow;
    return code;
}

int ft_file_set_atomicity(struct ft_rank *self, struct ft_file *file, int flag)
{
    int mine = !!flag, first = mine;

    (void)self;
    MPI_Bcast(&first, 1, MPI_INT, 0, file->comm);
    if (first != mine)
        return MPI_ERR_ARG;
    file->atomic = mine;
    return MPI_SUCCESS;
}

/* Do all ranks give the same size? */
static int size_check(const struct ft_file *file, MPI_Offset size)
{
    long long mine[2] = {size, -size}, most[2];

    MPI_Allreduce(mine, most, 2, MPI_LONG_LONG, MPI_MAX, file->comm);
    return most[0] == -most[1] ? MPI_SUCCESS : MPI_ERR_ARG;
}

/* Rank 0 changes the size, and all have its answer. */
static int size_change(const struct ft_file *file, MPI_Offset size, int only_larger)
{
    struct stat status = {0};
    int code = MPI_SUCCESS;

    if (file->rank == 0 &&
        !(only_larger && fstat(file->fd, &status) == 0 && status.st_size >= size) &&
        ftruncate(file->fd, size) != 0)
        code = ft_file_class(errno);
    MPI_Bcast(&code, 1, MPI_INT, 0, file->comm);
    return code;
}

int ft_file_set_size(struct ft_rank *self, struct ft_file *file, MPI_Offset size)
{
    int code;

    (void)self;
    if (file->amode & MPI_MODE_SEQUENTIAL)
        return MPI_ERR_UNSUPPORTED_OPERATION;
    if (size < 0)
        return MPI_ERR_ARG;
    if (file->amode & MPI_MODE_RDONLY)
        return MPI_ERR_READ_ONLY;
    code = size_check(file, size);
    return code == MPI_SUCCESS ? size_change(file, size, 0) : code;
}

/* The size alone: what the file system keeps ready for it, no program can read. */
int ft_file_preallocate(struct ft_rank *self, struct ft_file *file, MPI_Offset size)
{
    int code;

    (void)self;
    if (size < 0)
        return MPI_ERR_ARG;
    code = size_check(file, size);
    return code == MPI_SUCCESS && size > 0 ? size_change(file, size, 1) : code;
}

int ft_file_sync(struct ft_rank *self, struct ft_file *file)
{
    int code = MPI_SUCCESS, worst;

    (void)self;
    if (!(file->amode & MPI_MODE_RDONLY) && fsync(file->fd) != 0)
        code = ft_file_class(errno);
    MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, file->comm);
    return worst;
}

/* Adds the hints of `info` to those that the program has given before. */
int ft_file_set_info(struct ft_rank *self, struct ft_file *file, MPI_Info info)
{
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    int keys = 0, found, code = MPI_SUCCESS, worst;

    (void)self;
    if (info != MPI_INFO_NULL)
        code = MPI_Info_get_nkeys(info, &keys);
    MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, file->comm);
    if (worst != MPI_SUCCESS)
        return MPI_ERR_OTHER;
    if (keys > 0 && file->hints == MPI_INFO_NULL)
        MPI_Info_create(&file->hints);
    for (int i = 0; i < keys; i++) {
        MPI_Info_get_nthkey(info, i, key);
        MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
        MPI_Info_set(file->hints, key, value);
    }
    return MPI_SUCCESS;
}

/* Only the library knows what becomes of hints, and which ones there are besides: it opens a file
 * of this process with them. */
int ft_file_get_info(struct ft_rank *self, struct ft_file *file, MPI_Info *info)
{
    MPI_Info real = MPI_INFO_NULL;
    MPI_File probe;
    int code;

    ft_depth++;
    code = PMPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDONLY,
                          ft_info_real(self, file->hints), &probe);
    if (code == MPI_SUCCESS) {
        code = PMPI_File_get_info(probe, &real);
        PMPI_File_close(&probe);
    }
    if (code == MPI_SUCCESS)
        *info = ft_info_made(self, real);
    ft_depth--;
    return code;
}
