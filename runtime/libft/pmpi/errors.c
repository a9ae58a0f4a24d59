/* Error handlers and error codes (MPI 4.0, chapter 9). */
#include "handle/handle.h"
#include "calls/calls.h"

/* A null pointer is left to the library, which has the words for it. */
static int errhandler_create(struct ft_rank *self, MPI_Comm_errhandler_function *function,
                             MPI_Errhandler *errhandler)
{
    if (!function || !errhandler)
        return PMPI_Comm_create_errhandler(function, errhandler);
    *errhandler = ft_errhandler_create(self, function);
    return MPI_SUCCESS;
}

static int errhandler_set(struct ft_rank *self, struct ft_comm *on, MPI_Comm comm,
                          MPI_Errhandler errhandler)
{
    if (!on || !ft_errhandler_known(self, errhandler))
        return PMPI_Comm_set_errhandler(ft_comm_real(self, comm), errhandler);
    ft_errhandler_hold(self, errhandler);
    ft_errhandler_release(self, on->errhandler);
    on->errhandler = errhandler;
    return MPI_SUCCESS;
}

/* Where none was ever set, MPICH names the one that the world begins with, whatever it has now. */
static int errhandler_get(struct ft_rank *self, struct ft_comm *on, MPI_Comm comm,
                          MPI_Errhandler *errhandler)
{
    if (!on || !errhandler)
        return PMPI_Comm_get_errhandler(ft_comm_real(self, comm), errhandler);
    *errhandler = on->errhandler == MPI_ERRHANDLER_NULL ? MPI_ERRORS_ARE_FATAL : on->errhandler;
    ft_errhandler_hold(self, on->errhandler);
    return MPI_SUCCESS;
}

FT_EXPORT int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *comm_errhandler_fn,
                                         MPI_Errhandler *errhandler)
{
    struct ft_rank *self = ft_self;

    if (ft_unlikely(!self))
        return PMPI_Comm_create_errhandler(comm_errhandler_fn, errhandler);
    ft_enter(self, FT_CALL_MPI_Comm_create_errhandler, __builtin_return_address(0));
    return ft_leave(self,
                    ft_error(self, NULL, errhandler_create(self, comm_errhandler_fn, errhandler),
                             "MPI_Comm_create_errhandler"));
}

FT_EXPORT int MPI_Errhandler_create(MPI_Comm_errhandler_function *comm_errhandler_fn,
                                    MPI_Errhandler *errhandler)
{
    struct ft_rank *self = ft_self;

    if (ft_unlikely(!self))
        return PMPI_Errhandler_create(comm_errhandler_fn, errhandler);
    ft_enter(self, FT_CALL_MPI_Errhandler_create, __builtin_return_address(0));
    return ft_leave(self,
                    ft_error(self, NULL, errhandler_create(self, comm_errhandler_fn, errhandler),
                             "MPI_Errhandler_create"));
}

FT_EXPORT int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;

    if (ft_unlikely(!self))
        return PMPI_Comm_set_errhandler(comm, errhandler);
    ft_enter(self, FT_CALL_MPI_Comm_set_errhandler, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    return ft_leave(self, ft_error(self, on, errhandler_set(self, on, comm, errhandler),
                                   "MPI_Comm_set_errhandler"));
}

FT_EXPORT int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;

    if (ft_unlikely(!self))
        return PMPI_Errhandler_set(comm, errhandler);
    ft_enter(self, FT_CALL_MPI_Errhandler_set, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    return ft_leave(
        self, ft_error(self, on, errhandler_set(self, on, comm, errhandler), "MPI_Errhandler_set"));
}

FT_EXPORT int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *errhandler)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;

    if (ft_unlikely(!self))
        return PMPI_Comm_get_errhandler(comm, errhandler);
    ft_enter(self, FT_CALL_MPI_Comm_get_errhandler, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    return ft_leave(self, ft_error(self, on, errhandler_get(self, on, comm, errhandler),
                                   "MPI_Comm_get_errhandler"));
}

FT_EXPORT int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;

    if (ft_unlikely(!self))
        return PMPI_Errhandler_get(comm, errhandler);
    ft_enter(self, FT_CALL_MPI_Errhandler_get, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    return ft_leave(
        self, ft_error(self, on, errhandler_get(self, on, comm, errhandler), "MPI_Errhandler_get"));
}

FT_EXPORT int MPI_Errhandler_free(MPI_Errhandler *errhandler)
{
    struct ft_rank *self = ft_self;
    int code = MPI_SUCCESS;

    if (ft_unlikely(!self))
        return PMPI_Errhandler_free(errhandler);
    ft_enter(self, FT_CALL_MPI_Errhandler_free, __builtin_return_address(0));
    if (errhandler && ft_errhandler_known(self, *errhandler)) {
        ft_errhandler_release(self, *errhandler);
        *errhandler = MPI_ERRHANDLER_NULL;
    } else {
        code = PMPI_Errhandler_free(errhandler);
    }
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Errhandler_free"));
}

FT_EXPORT int MPI_Comm_call_errhandler(MPI_Comm comm, int errorcode)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;
    int code = MPI_SUCCESS;

    if (ft_unlikely(!self))
        return PMPI_Comm_call_errhandler(comm, errorcode);
    ft_enter(self, FT_CALL_MPI_Comm_call_errhandler, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    if (on && on->errhandler == MPI_ERRHANDLER_NULL)
        on->errhandler =
            MPI_ERRORS_ARE_FATAL; /* MPICH does not ask the world here: it is the end */
    if (on)
        ft_error_meet(self, on, errorcode, "MPI_Comm_call_errhandler");
    else
        code = PMPI_Comm_call_errhandler(comm, errorcode);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Comm_call_errhandler"));
}

FT_EXPORT int MPI_Add_error_class(int *errorclass)
{
    struct ft_rank *self = ft_self;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Add_error_class(errorclass);
    ft_enter(self, FT_CALL_MPI_Add_error_class, __builtin_return_address(0));
    code = PMPI_Add_error_class(errorclass);
    if (code == MPI_SUCCESS)
        ft_error_added(self, FT_ERROR_CLASS, 0, *errorclass, NULL);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Add_error_class"));
}

FT_EXPORT int MPI_Add_error_code(int errorclass, int *errorcode)
{
    struct ft_rank *self = ft_self;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Add_error_code(errorclass, errorcode);
    ft_enter(self, FT_CALL_MPI_Add_error_code, __builtin_return_address(0));
    code = PMPI_Add_error_code(errorclass, errorcode);
    if (code == MPI_SUCCESS)
        ft_error_added(self, FT_ERROR_CODE, errorclass, *errorcode, NULL);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Add_error_code"));
}

FT_EXPORT int MPI_Add_error_string(int errorcode, const char *string)
{
    struct ft_rank *self = ft_self;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Add_error_string(errorcode, string);
    ft_enter(self, FT_CALL_MPI_Add_error_string, __builtin_return_address(0));
    code = PMPI_Add_error_string(errorcode, string);
    if (code == MPI_SUCCESS)
        ft_error_added(self, FT_ERROR_STRING, errorcode, 0, string);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Add_error_string"));
}

/* Deletions are noted like additions: the library may give a number again. */
static int error_delete(struct ft_rank *self, enum ft_error_add what, int number,
                        int (*call)(int number))
{
    int code = call(number);

    if (code == MPI_SUCCESS)
        ft_error_added(self, what, number, 0, NULL);
    return code;
}

FT_EXPORT int MPIX_Delete_error_class(int errorclass)
{
    struct ft_rank *self = ft_self;
    int code;

    if (ft_unlikely(!self))
        return PMPIX_Delete_error_class(errorclass);
    ft_enter(self, FT_CALL_MPIX_Delete_error_class, __builtin_return_address(0));
    code = error_delete(self, FT_ERROR_NO_CLASS, errorclass, PMPIX_Delete_error_class);
    return ft_leave(self, ft_error(self, NULL, code, "MPIX_Delete_error_class"));
}

FT_EXPORT int MPIX_Delete_error_code(int errorcode)
{
    struct ft_rank *self = ft_self;
    int code;

    if (ft_unlikely(!self))
        return PMPIX_Delete_error_code(errorcode);
    ft_enter(self, FT_CALL_MPIX_Delete_error_code, __builtin_return_address(0));
    code = error_delete(self, FT_ERROR_NO_CODE, errorcode, PMPIX_Delete_error_code);
    return ft_leave(self, ft_error(self, NULL, code, "MPIX_Delete_error_code"));
}

FT_EXPORT int MPIX_Delete_error_string(int errorcode)
{
    struct ft_rank *self = ft_self;
    int code;

    if (ft_unlikely(!self))
        return PMPIX_Delete_error_string(errorcode);
    ft_enter(self, FT_CALL_MPIX_Delete_error_string, __builtin_return_address(0));
    code = error_delete(self, FT_ERROR_NO_STRING, errorcode, PMPIX_Delete_error_string);
    return ft_leave(self, ft_error(self, NULL, code, "MPIX_Delete_error_string"));
}
