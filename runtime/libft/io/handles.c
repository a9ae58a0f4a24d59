/* The wrappers of MPI-IO that are no regular ones: handles made and gone, Fortran's, and error
 * handlers. */
#include "io/io.h"
#include "calls/calls.h"

static MPI_File handle_of(struct ft_file *file)
{
    return (MPI_File)file;
}

int ft_file_error(struct ft_rank *self, struct ft_file *file, int code, const char *call)
{
    MPI_File handle = handle_of(file);

    if (ft_likely(code == MPI_SUCCESS))
        return code;
    return ft_error_handle(self, file ? file->errhandler : ft_io_of(self)->errhandler, &handle,
                           code, call);
}

FT_EXPORT int MPI_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info,
                            MPI_File *fh)
{
    struct ft_rank *self = ft_self;
    struct ft_upcall upcall;
    struct ft_file *file = NULL;
    int code;

    if (ft_unlikely(!self || ft_depth))
        return PMPI_File_open(comm, filename, amode, info, fh);
    ft_enter(self, FT_CALL_MPI_File_open, __builtin_return_address(0));
    upcall = ft_upcall_begin(self);
    code = ft_file_open(comm, filename, amode, info, &file);
    ft_upcall_end(self, upcall);
    *fh = handle_of(file);
    return ft_leave(self, ft_file_error(self, NULL, code, "MPI_File_open"));
}

FT_EXPORT int MPI_File_close(MPI_File *fh)
{
    struct ft_rank *self = ft_self;
    struct ft_upcall upcall;
    struct ft_file *file;
    int code = MPI_ERR_FILE;

    if (ft_unlikely(!self || ft_depth))
        return PMPI_File_close(fh);
    ft_enter(self, FT_CALL_MPI_File_close, __builtin_return_address(0));
    upcall = ft_upcall_begin(self);
    file = ft_file_find(self, *fh);
    if (file != NULL) {
        code = ft_file_close(self, file);
        *fh = MPI_FILE_NULL;
    }
    ft_upcall_end(self, upcall);
    return ft_leave(self, ft_file_error(self, NULL, code, "MPI_File_close"));
}

FT_EXPORT int MPI_File_delete(const char *filename, MPI_Info info)
{
    struct ft_rank *self = ft_self;
    struct ft_upcall upcall;
    int code;

    if (ft_unlikely(!self || ft_depth))
        return PMPI_File_delete(filename, info);
    ft_enter(self, FT_CALL_MPI_File_delete, __builtin_return_address(0));
    upcall = ft_upcall_begin(self);
    code = ft_file_delete(filename);
    ft_upcall_end(self, upcall);
    return ft_leave(self, ft_file_error(self, NULL, code, "MPI_File_delete"));
}

static void number_give(struct ft_io *io, struct ft_file *file)
{
    io->numbered =
        ft_image_realloc(io->numbered, (size_t)(io->numbers + 1) * sizeof(*io->numbered));
    io->numbered[io->numbers++] = file;
    file->number = io->numbers;
}

FT_EXPORT MPI_Fint MPI_File_c2f(MPI_File fh)
{
    struct ft_rank *self = ft_self;
    struct ft_file *file;

    if (ft_unlikely(!self || ft_depth))
        return PMPI_File_c2f(fh);
    file = ft_file_find(self, fh);
    if (file == NULL)
        return 0;
    if (file->number == 0)
        number_give(ft_io_of(self), file);
    return file->number;
}

FT_EXPORT MPI_File MPI_File_f2c(MPI_Fint fh)
{
    struct ft_rank *self = ft_self;
    struct ft_io *io;

    if (ft_unlikely(!self || ft_depth))
        return PMPI_File_f2c(fh);
    io = ft_io_of(self);
    return fh > 0 && fh <= io->numbers ? handle_of(io->numbered[fh - 1]) : MPI_FILE_NULL;
}

/* NULL: no such file. */
static MPI_Errhandler *errhandler_at(struct ft_rank *self, MPI_File fh)
{
    struct ft_file *file = ft_file_find(self, fh);

    if (fh == MPI_FILE_NULL)
        return &ft_io_of(self)->errhandler;
    return file ? &file->errhandler : NULL;
}

FT_EXPORT int MPI_File_create_errhandler(MPI_File_errhandler_function *file_errhandler_fn,
                                         MPI_Errhandler *errhandler)
{
    struct ft_rank *self = ft_self;

    if (ft_unlikely(!self || ft_depth))
        return PMPI_File_create_errhandler(file_errhandler_fn, errhandler);
    ft_enter(self, FT_CALL_MPI_File_create_errhandler, __builtin_return_address(0));
    *errhandler =
        ft_errhandler_create(self, (MPI_Comm_errhandler_function *)(void *)file_errhandler_fn);
    return ft_leave(self, MPI_SUCCESS);
}

FT_EXPORT int MPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler)
{
    struct ft_rank *self = ft_self;
    MPI_Errhandler *at;
    int code = MPI_SUCCESS;

    if (ft_unlikely(!self || ft_depth))
        return PMPI_File_set_errhandler(file, errhandler);
    ft_enter(self, FT_CALL_MPI_File_set_errhandler, __builtin_return_address(0));
    at = errhandler_at(self, file);
    if (at == NULL || !ft_errhandler_known(self, errhandler)) {
        code = at == NULL ? MPI_ERR_FILE : MPI_ERR_ARG;
    } else {
        ft_errhandler_hold(self, errhandler);
        ft_errhandler_release(self, *at);
        *at = errhandler;
    }
    return ft_leave(self, ft_file_error(self, NULL, code, "MPI_File_set_errhandler"));
}

FT_EXPORT int MPI_File_get_errhandler(MPI_File file, MPI_Errhandler *errhandler)
{
    struct ft_rank *self = ft_self;
    MPI_Errhandler *at;

    if (ft_unlikely(!self || ft_depth))
        return PMPI_File_get_errhandler(file, errhandler);
    ft_enter(self, FT_CALL_MPI_File_get_errhandler, __builtin_return_address(0));
    at = errhandler_at(self, file);
    if (at != NULL) {
        *errhandler = *at;
        ft_errhandler_hold(self, *at);
    }
    return ft_leave(self, ft_file_error(self, NULL, at ? MPI_SUCCESS : MPI_ERR_FILE,
                                        "MPI_File_get_errhandler"));
}

FT_EXPORT int MPI_File_call_errhandler(MPI_File fh, int errorcode)
{
    struct ft_rank *self = ft_self;
    int code = MPI_SUCCESS;

    if (ft_unlikely(!self || ft_depth))
        return PMPI_File_call_errhandler(fh, errorcode);
    ft_enter(self, FT_CALL_MPI_File_call_errhandler, __builtin_return_address(0));
    if (errhandler_at(self, fh) == NULL)
        code = ft_file_error(self, NULL, MPI_ERR_FILE, "MPI_File_call_errhandler");
    else
        ft_file_error(self, ft_file_find(self, fh), errorcode, "MPI_File_call_errhandler");
    return ft_leave(self, code);
}
