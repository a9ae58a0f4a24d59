/* Operations, groups and infos: what is no regular wrapper. */
#include "handle/handle.h"
#include "calls/calls.h"

FT_EXPORT int MPI_Op_create(MPI_User_function *user_fn, int commute, MPI_Op *op)
{
    struct ft_rank *self = ft_self;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Op_create(user_fn, commute, op);
    ft_enter(self, FT_CALL_MPI_Op_create, __builtin_return_address(0));
    code = user_fn && op
               ? ft_op_create(self, &(struct ft_op_function){.plain = user_fn}, commute, op)
               : PMPI_Op_create(user_fn, commute, op);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Op_create"));
}

/* The library calls it with counts that fit an int: those of large ones are taken in parts there.
 */
FT_EXPORT int MPI_Op_create_c(MPI_User_function_c *user_fn, int commute, MPI_Op *op)
{
    struct ft_rank *self = ft_self;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Op_create_c(user_fn, commute, op);
    ft_enter(self, FT_CALL_MPI_Op_create_c, __builtin_return_address(0));
    code = user_fn && op
               ? ft_op_create(self, &(struct ft_op_function){.large = user_fn}, commute, op)
               : PMPI_Op_create_c(user_fn, commute, op);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Op_create_c"));
}

FT_EXPORT int MPI_Op_free(MPI_Op *op)
{
    struct ft_rank *self = ft_self;
    int code = MPI_SUCCESS;

    if (ft_unlikely(!self))
        return PMPI_Op_free(op);
    ft_enter(self, FT_CALL_MPI_Op_free, __builtin_return_address(0));
    if (op && ft_op_real(self, *op) != *op) {
        ft_op_release(self, *op);
        *op = MPI_OP_NULL;
    } else {
        code = PMPI_Op_free(op);
    }
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Op_free"));
}

FT_EXPORT int MPI_Group_free(MPI_Group *group)
{
    struct ft_rank *self = ft_self;
    int code = MPI_SUCCESS;

    if (ft_unlikely(!self))
        return PMPI_Group_free(group);
    ft_enter(self, FT_CALL_MPI_Group_free, __builtin_return_address(0));
    if (group && ft_group_real(self, *group) != *group) {
        ft_group_free(self, *group);
        *group = MPI_GROUP_NULL;
    } else {
        code = PMPI_Group_free(group);
    }
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Group_free"));
}

FT_EXPORT int MPI_Info_set(MPI_Info info, const char *key, const char *value)
{
    struct ft_rank *self = ft_self;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Info_set(info, key, value);
    ft_enter(self, FT_CALL_MPI_Info_set, __builtin_return_address(0));
    code = PMPI_Info_set(ft_info_real(self, info), key, value);
    ft_info_changed(self, info);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Info_set"));
}

FT_EXPORT int MPI_Info_delete(MPI_Info info, const char *key)
{
    struct ft_rank *self = ft_self;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Info_delete(info, key);
    ft_enter(self, FT_CALL_MPI_Info_delete, __builtin_return_address(0));
    code = PMPI_Info_delete(ft_info_real(self, info), key);
    ft_info_changed(self, info);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Info_delete"));
}

FT_EXPORT int MPI_Info_free(MPI_Info *info)
{
    struct ft_rank *self = ft_self;
    int code = MPI_SUCCESS;

    if (ft_unlikely(!self))
        return PMPI_Info_free(info);
    ft_enter(self, FT_CALL_MPI_Info_free, __builtin_return_address(0));
    if (info && ft_info_real(self, *info) != *info) {
        ft_info_free(self, *info);
        *info = MPI_INFO_NULL;
    } else {
        code = PMPI_Info_free(info);
    }
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Info_free"));
}
