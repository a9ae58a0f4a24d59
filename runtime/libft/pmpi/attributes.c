/* Attributes and keys of communicators and datatypes. The library is asked only what it alone
 * knows: the predefined attributes, and what to say about a key or handle that is no good. */
#include "handle/handle.h"
#include "calls/calls.h"
#include "ft.h"
#include "handle/failure.h"

static int keyval_create(struct ft_rank *self, int kind, void *copy, void *drop, int *keyval,
                         void *extra)
{
    if (!keyval)
        return MPI_ERR_ARG;
    *keyval = ft_keyval_create(self, kind, copy, drop, extra);
    return MPI_SUCCESS;
}

static int keyval_free(struct ft_rank *self, int kind, int *keyval)
{
    if (!keyval || !ft_keyval_is_valid(self, kind, *keyval))
        return MPI_ERR_KEYVAL;
    ft_keyval_free(self, *keyval);
    *keyval = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

static int comm_set(struct ft_rank *self, struct ft_comm *on, MPI_Comm comm, int keyval,
                    void *value)
{
    if (!on || !ft_keyval_is_valid(self, FT_COMM_BYTE, keyval))
        return PMPI_Comm_set_attr(ft_comm_real(self, comm), keyval, value);
    return ft_attribute_set(self, &on->attributes, comm, keyval, value);
}

static int comm_get(struct ft_rank *self, struct ft_comm *on, MPI_Comm comm, int keyval,
                    void *value, int *flag)
{
    if (!on || !value || !flag ||
        !(ft_library_key_is_predefined(keyval) || ft_keyval_is_valid(self, FT_COMM_BYTE, keyval)))
        return PMPI_Comm_get_attr(ft_comm_real(self, comm), keyval, value, flag);
    if (!ft_library_key_is_predefined(keyval)) {
        *flag = ft_attribute_get(on->attributes, keyval, value);
        return MPI_SUCCESS;
    }
    *flag = ft_attribute_predefined(self, keyval) != NULL;
    if (*flag)
        *(int **)value = ft_attribute_predefined(self, keyval);
    return MPI_SUCCESS;
}

static int comm_delete(struct ft_rank *self, struct ft_comm *on, MPI_Comm comm, int keyval)
{
    if (!on || !ft_keyval_is_valid(self, FT_COMM_BYTE, keyval))
        return PMPI_Comm_delete_attr(ft_comm_real(self, comm), keyval);
    return ft_attribute_delete(self, &on->attributes, comm, keyval);
}

/* A datatype's list, or NULL when the handle is no datatype. */
static struct ft_attributes **type_list(struct ft_rank *self, MPI_Datatype type)
{
    int size;

    if (PMPI_Type_size(ft_type_real(self, type), &size) != MPI_SUCCESS)
        return NULL;
    return ft_type_attributes(self, type, 1);
}

FT_EXPORT int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *comm_copy_attr_fn,
                                     MPI_Comm_delete_attr_function *comm_delete_attr_fn,
                                     int *comm_keyval, void *extra_state)
{
    struct ft_rank *self = ft_self;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Comm_create_keyval(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval,
                                       extra_state);
    ft_enter(self, FT_CALL_MPI_Comm_create_keyval, __builtin_return_address(0));
    code = keyval_create(self, FT_COMM_BYTE, (void *)comm_copy_attr_fn, (void *)comm_delete_attr_fn,
                         comm_keyval, extra_state);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Comm_create_keyval"));
}

FT_EXPORT int MPI_Keyval_create(MPI_Copy_function *copy_fn, MPI_Delete_function *delete_fn,
                                int *keyval, void *extra_state)
{
    struct ft_rank *self = ft_self;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Keyval_create(copy_fn, delete_fn, keyval, extra_state);
    ft_enter(self, FT_CALL_MPI_Keyval_create, __builtin_return_address(0));
    code =
        keyval_create(self, FT_COMM_BYTE, (void *)copy_fn, (void *)delete_fn, keyval, extra_state);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Keyval_create"));
}

FT_EXPORT int MPI_Type_create_keyval(MPI_Type_copy_attr_function *type_copy_attr_fn,
                                     MPI_Type_delete_attr_function *type_delete_attr_fn,
                                     int *type_keyval, void *extra_state)
{
    struct ft_rank *self = ft_self;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Type_create_keyval(type_copy_attr_fn, type_delete_attr_fn, type_keyval,
                                       extra_state);
    ft_enter(self, FT_CALL_MPI_Type_create_keyval, __builtin_return_address(0));
    code = keyval_create(self, FT_TYPE_BYTE, (void *)type_copy_attr_fn, (void *)type_delete_attr_fn,
                         type_keyval, extra_state);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Type_create_keyval"));
}

FT_EXPORT int MPI_Comm_free_keyval(int *comm_keyval)
{
    struct ft_rank *self = ft_self;

    if (ft_unlikely(!self))
        return PMPI_Comm_free_keyval(comm_keyval);
    ft_enter(self, FT_CALL_MPI_Comm_free_keyval, __builtin_return_address(0));
    return ft_leave(self, ft_error(self, NULL, keyval_free(self, FT_COMM_BYTE, comm_keyval),
                                   "MPI_Comm_free_keyval"));
}

FT_EXPORT int MPI_Keyval_free(int *keyval)
{
    struct ft_rank *self = ft_self;

    if (ft_unlikely(!self))
        return PMPI_Keyval_free(keyval);
    ft_enter(self, FT_CALL_MPI_Keyval_free, __builtin_return_address(0));
    return ft_leave(
        self, ft_error(self, NULL, keyval_free(self, FT_COMM_BYTE, keyval), "MPI_Keyval_free"));
}

FT_EXPORT int MPI_Type_free_keyval(int *type_keyval)
{
    struct ft_rank *self = ft_self;

    if (ft_unlikely(!self))
        return PMPI_Type_free_keyval(type_keyval);
    ft_enter(self, FT_CALL_MPI_Type_free_keyval, __builtin_return_address(0));
    return ft_leave(self, ft_error(self, NULL, keyval_free(self, FT_TYPE_BYTE, type_keyval),
                                   "MPI_Type_free_keyval"));
}

FT_EXPORT int MPI_Comm_set_attr(MPI_Comm comm, int comm_keyval, void *attribute_val)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;

    if (ft_unlikely(!self))
        return PMPI_Comm_set_attr(comm, comm_keyval, attribute_val);
    ft_enter(self, FT_CALL_MPI_Comm_set_attr, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    return ft_leave(self, ft_error(self, on, comm_set(self, on, comm, comm_keyval, attribute_val),
                                   "MPI_Comm_set_attr"));
}

FT_EXPORT int MPI_Attr_put(MPI_Comm comm, int keyval, void *attribute_val)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;

    if (ft_unlikely(!self))
        return PMPI_Attr_put(comm, keyval, attribute_val);
    ft_enter(self, FT_CALL_MPI_Attr_put, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    return ft_leave(
        self, ft_error(self, on, comm_set(self, on, comm, keyval, attribute_val), "MPI_Attr_put"));
}

static int tolerates_get(const struct ft_rank *self, void *value, int *flag)
{
    static int tolerates;

    tolerates = self && ft_ulfm_of(self);
    *(int **)value = &tolerates;
    *flag = 1;
    return MPI_SUCCESS;
}

FT_EXPORT int MPI_Comm_get_attr(MPI_Comm comm, int comm_keyval, void *attribute_val, int *flag)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;
    int code;

    if (ft_unlikely(!self) && comm_keyval == MPIX_FT)
        return tolerates_get(self, attribute_val, flag);
    if (ft_unlikely(!self))
        return PMPI_Comm_get_attr(comm, comm_keyval, attribute_val, flag);
    ft_enter(self, FT_CALL_MPI_Comm_get_attr, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    code = comm_keyval == MPIX_FT ? tolerates_get(self, attribute_val, flag)
                                  : comm_get(self, on, comm, comm_keyval, attribute_val, flag);
    return ft_leave(self, ft_error(self, on, code, "MPI_Comm_get_attr"));
}

FT_EXPORT int MPI_Attr_get(MPI_Comm comm, int keyval, void *attribute_val, int *flag)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Attr_get(comm, keyval, attribute_val, flag);
    ft_enter(self, FT_CALL_MPI_Attr_get, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    code = comm_get(self, on, comm, keyval, attribute_val, flag);
    return ft_leave(self, ft_error(self, on, code, "MPI_Attr_get"));
}

FT_EXPORT int MPI_Comm_delete_attr(MPI_Comm comm, int comm_keyval)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;

    if (ft_unlikely(!self))
        return PMPI_Comm_delete_attr(comm, comm_keyval);
    ft_enter(self, FT_CALL_MPI_Comm_delete_attr, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    return ft_leave(
        self, ft_error(self, on, comm_delete(self, on, comm, comm_keyval), "MPI_Comm_delete_attr"));
}

FT_EXPORT int MPI_Attr_delete(MPI_Comm comm, int keyval)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;

    if (ft_unlikely(!self))
        return PMPI_Attr_delete(comm, keyval);
    ft_enter(self, FT_CALL_MPI_Attr_delete, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    return ft_leave(self,
                    ft_error(self, on, comm_delete(self, on, comm, keyval), "MPI_Attr_delete"));
}

FT_EXPORT int MPI_Type_set_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val)
{
    struct ft_rank *self = ft_self;
    struct ft_attributes **list;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Type_set_attr(datatype, type_keyval, attribute_val);
    ft_enter(self, FT_CALL_MPI_Type_set_attr, __builtin_return_address(0));
    list = type_list(self, datatype);
    code = list && ft_keyval_is_valid(self, FT_TYPE_BYTE, type_keyval)
               ? ft_attribute_set(self, list, (MPI_Comm)datatype, type_keyval, attribute_val)
               : PMPI_Type_set_attr(ft_type_real(self, datatype), type_keyval, attribute_val);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Type_set_attr"));
}

FT_EXPORT int MPI_Type_get_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val,
                                int *flag)
{
    struct ft_rank *self = ft_self;
    struct ft_attributes **list;
    int code = MPI_SUCCESS;

    if (ft_unlikely(!self))
        return PMPI_Type_get_attr(datatype, type_keyval, attribute_val, flag);
    ft_enter(self, FT_CALL_MPI_Type_get_attr, __builtin_return_address(0));
    list = type_list(self, datatype);
    if (list && attribute_val && flag && ft_keyval_is_valid(self, FT_TYPE_BYTE, type_keyval))
        *flag = ft_attribute_get(*list, type_keyval, attribute_val);
    else
        code = PMPI_Type_get_attr(ft_type_real(self, datatype), type_keyval, attribute_val, flag);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Type_get_attr"));
}

FT_EXPORT int MPI_Type_delete_attr(MPI_Datatype datatype, int type_keyval)
{
    struct ft_rank *self = ft_self;
    struct ft_attributes **list;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Type_delete_attr(datatype, type_keyval);
    ft_enter(self, FT_CALL_MPI_Type_delete_attr, __builtin_return_address(0));
    list = type_list(self, datatype);
    code = list && ft_keyval_is_valid(self, FT_TYPE_BYTE, type_keyval)
               ? ft_attribute_delete(self, list, (MPI_Comm)datatype, type_keyval)
               : PMPI_Type_delete_attr(ft_type_real(self, datatype), type_keyval);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Type_delete_attr"));
}
