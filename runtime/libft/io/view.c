/* The view (MPI 4.0, section 14.3): which bytes of a file the program sees, and where the pointers
 * stand.
 *
 * Data byte number p of a view lies in element p / map.bytes of the filetype. In it, the run that
 * holds byte p % map.bytes is the last one with run.before <= p % map.bytes. */
#include <string.h>
#include <sys/stat.h>
#include "io/io.h"

static int is_predefined(MPI_Datatype type)
{
    int integers, addresses, types, combiner = MPI_COMBINER_NAMED;

    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

/* A handle to the same type, which the program does not free. */
static MPI_Datatype type_keep(MPI_Datatype type)
{
    MPI_Datatype kept = type;

    if (!is_predefined(type)) {
        MPI_Type_dup(type, &kept);
        MPI_Type_commit(&kept);
    }
    return kept;
}

static void type_drop(MPI_Datatype *type)
{
    if (!is_predefined(*type))
        MPI_Type_free(type);
}

static void view_set(struct ft_rank *self, struct ft_file *file, MPI_Offset displacement,
                     MPI_Datatype etype, MPI_Datatype filetype)
{
    MPI_Count unit = 0;

    file->displacement = displacement;
    file->etype = type_keep(etype);
    file->filetype = type_keep(filetype);
    MPI_Type_size_x(etype, &unit);
    file->unit = unit > 0 ? (MPI_Offset)unit : 1;
    ft_typemap_make(self, filetype, &file->map);
    file->position = 0;
}

void ft_view_reset(struct ft_rank *self, struct ft_file *file)
{
    view_set(self, file, 0, MPI_BYTE, MPI_BYTE);
}

void ft_view_free(struct ft_file *file)
{
    type_drop(&file->etype);
    type_drop(&file->filetype);
    ft_typemap_free(&file->map);
}

/* The run of the filetype that holds its data byte `inside`. */
static int64_t run_find(const struct ft_typemap *map, int64_t inside)
{
    int64_t low = 0, high = map->count - 1;

    while (low < high) {
        int64_t middle = (low + high + 1) / 2;

        if (map->run[middle].before <= inside)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

MPI_Offset ft_view_byte(const struct ft_file *file, MPI_Offset etypes)
{
    const struct ft_typemap *map = &file->map;
    int64_t data = etypes * file->unit, inside;
    const struct ft_run *run;

    if (map->bytes == 0)
        return file->displacement;
    inside = data % map->bytes;
    run = &map->run[run_find(map, inside)];
    return file->displacement + data / map->bytes * map->extent + run->at + inside - run->before;
}

/* Runs are in ascending order, and those of an element lie in front of those of the next. */
int64_t ft_view_data(const struct ft_file *file, MPI_Offset at)
{
    const struct ft_typemap *map = &file->map;
    int64_t low = 0, high = map->count - 1, visible, inside;

    visible = map->bytes ? at - file->displacement - map->run[0].at : 0;
    if (visible <= 0)
        return 0;
    if (map->extent <= 0)
        return map->bytes;
    inside = visible % map->extent + map->run[0].at;
    while (low < high) { /* the last run that begins in front of it */
        int64_t middle = (low + high + 1) / 2;

        if (map->run[middle].at < inside)
            low = middle;
        else
            high = middle - 1;
    }
    inside -= map->run[low].at;
    inside = inside > map->run[low].bytes ? map->run[low].bytes : inside;
    return visible / map->extent * map->bytes + map->run[low].before + inside;
}

MPI_Offset ft_view_end(const struct ft_file *file, MPI_Offset size)
{
    return (ft_view_data(file, size) + file->unit - 1) / file->unit;
}

int ft_view_walk(const struct ft_file *file, int64_t from, int64_t bytes, ft_view_visit *visit,
                 void *context)
{
    const struct ft_typemap *map = &file->map;
    int64_t element, r, skip, done = 0, at = 0, length = 0;
    int code;

    if (map->bytes == 0 || bytes == 0)
        return 0;
    element = from / map->bytes;
    r = run_find(map, from % map->bytes);
    skip = from % map->bytes - map->run[r].before;
    while (done + length < bytes) {
        int64_t start = file->displacement + element * map->extent + map->run[r].at + skip;
        int64_t part = map->run[r].bytes - skip;

        if (map->count == 1 && map->bytes == map->extent)
            part = bytes; /* all elements are one run */
        if (part > bytes - done - length)
            part = bytes - done - length;
        if (length && start == at + length) {
            length += part;
        } else {
            if (length && (code = visit(context, at, length, done)) != 0)
                return code;
            done += length;
            at = start;
            length = part;
        }
        skip = 0;
        if (++r == map->count) {
            r = 0;
            element++;
        }
    }
    return visit(context, at, length, done);
}

static int is_committed(MPI_Datatype type)
{
    MPI_Count size;
    int bytes;

    return MPI_Type_size_x(type, &size) == MPI_SUCCESS &&
           MPI_Pack_size(0, type, MPI_COMM_SELF, &bytes) == MPI_SUCCESS;
}

static int datarep_is(const char *datarep, const char *small, const char *large)
{
    return strcmp(datarep, small) == 0 || strcmp(datarep, large) == 0;
}

/* Are the runs such as a file's view may have: in ascending order, and apart where the file is
 * written? */
static int is_viewable(struct ft_rank *self, MPI_Datatype type, int write)
{
    struct ft_typemap map;
    int64_t end = 0;
    int good = 1;

    ft_typemap_make(self, type, &map);
    for (int64_t r = 0; good && r < map.count; r++) {
        good = map.run[r].at >= 0 && (r == 0 || map.run[r].at >= map.run[r - 1].at) &&
               (!write || map.run[r].at >= end);
        end = map.run[r].at + map.run[r].bytes;
    }
    ft_typemap_free(&map);
    return good;
}

static int view_check(const struct ft_file *file, MPI_Offset disp, MPI_Datatype etype,
                      MPI_Datatype filetype, const char *datarep)
{
    MPI_Count size, unit;

    if (disp < 0 && disp != MPI_DISPLACEMENT_CURRENT)
        return MPI_ERR_ARG;
    if (etype == MPI_DATATYPE_NULL || filetype == MPI_DATATYPE_NULL)
        return MPI_ERR_ARG;
    if (!is_committed(etype) || !is_committed(filetype))
        return MPI_ERR_TYPE;
    if (((file->amode & MPI_MODE_SEQUENTIAL) != 0) != (disp == MPI_DISPLACEMENT_CURRENT))
        return MPI_ERR_ARG;
    MPI_Type_size_x(filetype, &size);
    MPI_Type_size_x(etype, &unit);
    if (unit != 0 && size % unit != 0)
        return MPI_ERR_ARG;
    if (datarep == NULL ||
        !(datarep_is(datarep, "native", "NATIVE") || datarep_is(datarep, "internal", "INTERNAL") ||
          datarep_is(datarep, "external32", "EXTERNAL32")))
        return MPI_ERR_UNSUPPORTED_DATAREP;
    return MPI_SUCCESS;
}

int ft_file_set_view(struct ft_rank *self, struct ft_file *file, MPI_Offset disp,
                     MPI_Datatype etype, MPI_Datatype filetype, const char *datarep, MPI_Info info)
{
    int code = view_check(file, disp, etype, filetype, datarep);
    int write = !(file->amode & MPI_MODE_RDONLY);
    MPI_Offset current;

    if (code == MPI_SUCCESS)
        code = ft_file_set_info(self, file, info);
    if (code == MPI_SUCCESS &&
        (!is_viewable(self, etype, write) || !is_viewable(self, filetype, write)))
        code = MPI_ERR_IO;
    if (code != MPI_SUCCESS)
        return code;
    if (disp == MPI_DISPLACEMENT_CURRENT) {
        MPI_Barrier(file->comm);
        code = ft_shared_get(file, &current);
        if (code != MPI_SUCCESS)
            return code;
        MPI_Barrier(file->comm);
        disp = ft_view_byte(file, current);
    }
    ft_view_free(file);
    view_set(self, file, disp, etype, filetype);
    file->external32 = datarep_is(datarep, "external32", "EXTERNAL32");
    if (file->shared_fd >= 0)
        code = ft_shared_set(file, 0);
    MPI_Barrier(file->comm);
    return code;
}

/* The datatype that MPI_File_get_view tells, made as ROMIO makes it. */
static MPI_Datatype type_show(MPI_Datatype type)
{
    MPI_Datatype shown = type;

    if (!is_predefined(type)) {
        MPI_Type_contiguous(1, type, &shown);
        MPI_Type_commit(&shown);
    }
    return shown;
}

int ft_file_get_view(struct ft_rank *self, struct ft_file *file, MPI_Offset *disp,
                     MPI_Datatype *etype, MPI_Datatype *filetype, char *datarep)
{
    (void)self;
    if (datarep == NULL)
        return MPI_ERR_ARG;
    strcpy(datarep, file->external32 ? "external32" : "native");
    *disp = file->displacement;
    *etype = type_show(file->etype);
    *filetype = type_show(file->filetype);
    return MPI_SUCCESS;
}

/* The position that (offset, whence) means, for a pointer at `current`. */
static int position_find(const struct ft_file *file, MPI_Offset offset, int whence,
                         MPI_Offset current, MPI_Offset *position)
{
    struct stat status;

    switch (whence) {
    case MPI_SEEK_SET:
        *position = offset;
        break;
    case MPI_SEEK_CUR:
        *position = current + offset;
        break;
    case MPI_SEEK_END:
        if (fstat(file->fd, &status) != 0)
            return MPI_ERR_IO;
        *position = ft_view_end(file, status.st_size) + offset;
        break;
    default:
        return MPI_ERR_ARG;
    }
    return *position < 0 ? MPI_ERR_ARG : MPI_SUCCESS;
}

int ft_file_seek(struct ft_rank *self, struct ft_file *file, MPI_Offset offset, int whence)
{
    MPI_Offset position;
    int code;

    (void)self;
    if (file->amode & MPI_MODE_SEQUENTIAL)
        return MPI_ERR_UNSUPPORTED_OPERATION;
    code = position_find(file, offset, whence, file->position, &position);
    if (code == MPI_SUCCESS)
        file->position = position;
    return code;
}

int ft_file_seek_shared(struct ft_rank *self, struct ft_file *file, MPI_Offset offset, int whence)
{
    MPI_Offset given[2] = {offset, whence}, current = 0, position;
    int code = MPI_SUCCESS;

    (void)self;
    if (file->amode & MPI_MODE_SEQUENTIAL)
        return MPI_ERR_UNSUPPORTED_OPERATION;
    MPI_Bcast(given, 2, MPI_OFFSET, 0, file->comm);
    if (given[0] != offset || given[1] != whence)
        return MPI_ERR_ARG;
    if (file->rank == 0) {
        if (whence == MPI_SEEK_CUR)
            code = ft_shared_get(file, &current);
        if (code == MPI_SUCCESS)
            code = position_find(file, offset, whence, current, &position);
        if (code == MPI_SUCCESS)
            code = ft_shared_set(file, position);
    }
    MPI_Bcast(&code, 1, MPI_INT, 0, file->comm);
    return code;
}

int ft_file_get_position(struct ft_rank *self, struct ft_file *file, MPI_Offset *offset)
{
    (void)self;
    if (file->amode & MPI_MODE_SEQUENTIAL)
        return MPI_ERR_UNSUPPORTED_OPERATION;
    *offset = file->position;
    return MPI_SUCCESS;
}

int ft_file_get_position_shared(struct ft_rank *self, struct ft_file *file, MPI_Offset *offset)
{
    (void)self;
    return ft_shared_get(file, offset);
}

int ft_file_get_byte_offset(struct ft_rank *self, struct ft_file *file, MPI_Offset offset,
                            MPI_Offset *disp)
{
    (void)self;
    if (offset < 0)
        return MPI_ERR_ARG;
    if (file->amode & MPI_MODE_SEQUENTIAL)
        return MPI_ERR_UNSUPPORTED_OPERATION;
    *disp = ft_view_byte(file, offset);
    return MPI_SUCCESS;
}
