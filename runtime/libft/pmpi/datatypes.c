/* Datatypes: what is no regular wrapper, namely those made of several types or of none, the
 * decoding, names, and the end. */
#include <string.h>
#include "handle/handle.h"
#include "calls/calls.h"

/* MPI_Type_create_struct and its old name. An MPI code. */
static int struct_make(struct ft_rank *self, int count, const int *lengths, const MPI_Aint *offsets,
                       const MPI_Datatype *types, MPI_Datatype *newtype)
{
    MPI_Datatype *real;
    int code;

    if (count < 0 || (count && !types))
        return PMPI_Type_create_struct(count, lengths, offsets, types, newtype);
    real = ft_image_alloc((size_t)(count + 1) * sizeof(*real));
    for (int i = 0; i < count; i++)
        real[i] = ft_type_real(self, types[i]);
    code = PMPI_Type_create_struct(count, lengths, offsets, real, newtype);
    ft_image_free(real);
    if (code == MPI_SUCCESS)
        *newtype = ft_type_made(self, *newtype, count, types);
    return code;
}

FT_EXPORT int MPI_Type_create_struct(int count, const int array_of_blocklengths[],
                                     const MPI_Aint array_of_displacements[],
                                     const MPI_Datatype array_of_types[], MPI_Datatype *newtype)
{
    struct ft_rank *self = ft_self;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements,
                                       array_of_types, newtype);
    ft_enter(self, FT_CALL_MPI_Type_create_struct, __builtin_return_address(0));
    code = struct_make(self, count, array_of_blocklengths, array_of_displacements, array_of_types,
                       newtype);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Type_create_struct"));
}

FT_EXPORT int MPI_Type_struct(int count, int array_of_blocklengths[],
                              MPI_Aint array_of_displacements[], MPI_Datatype array_of_types[],
                              MPI_Datatype *newtype)
{
    struct ft_rank *self = ft_self;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Type_struct(count, array_of_blocklengths, array_of_displacements,
                                array_of_types, newtype);
    ft_enter(self, FT_CALL_MPI_Type_struct, __builtin_return_address(0));
    code = struct_make(self, count, array_of_blocklengths, array_of_displacements, array_of_types,
                       newtype);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Type_struct"));
}

/* The copy functions run before the type exists, as in MPICH; the new type gets what they keep. */
static int type_dup(struct ft_rank *self, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct ft_attributes **list = ft_type_attributes(self, oldtype, 0), *copy = NULL;
    int code = PMPI_Type_dup(ft_type_real(self, oldtype), newtype);

    if (code != MPI_SUCCESS)
        return code;
    *newtype = ft_type_made(self, *newtype, 1, &oldtype);
    if (list)
        code = ft_attributes_copy(self, *list, (MPI_Comm)oldtype, &copy);
    *ft_type_attributes(self, *newtype, 1) = copy;
    if (code != MPI_SUCCESS) {
        ft_type_free(self, *newtype);
        *newtype = MPI_DATATYPE_NULL;
    }
    return code;
}

FT_EXPORT int MPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct ft_rank *self = ft_self;

    if (ft_unlikely(!self))
        return PMPI_Type_dup(oldtype, newtype);
    ft_enter(self, FT_CALL_MPI_Type_dup, __builtin_return_address(0));
    return ft_leave(self, ft_error(self, NULL, type_dup(self, oldtype, newtype), "MPI_Type_dup"));
}

FT_EXPORT int MPI_Type_create_f90_integer(int r, MPI_Datatype *newtype)
{
    struct ft_rank *self = ft_self;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Type_create_f90_integer(r, newtype);
    ft_enter(self, FT_CALL_MPI_Type_create_f90_integer, __builtin_return_address(0));
    code = PMPI_Type_create_f90_integer(r, newtype);
    if (code == MPI_SUCCESS)
        *newtype = ft_type_named(self, *newtype);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Type_create_f90_integer"));
}

FT_EXPORT int MPI_Type_create_f90_real(int p, int r, MPI_Datatype *newtype)
{
    struct ft_rank *self = ft_self;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Type_create_f90_real(p, r, newtype);
    ft_enter(self, FT_CALL_MPI_Type_create_f90_real, __builtin_return_address(0));
    code = PMPI_Type_create_f90_real(p, r, newtype);
    if (code == MPI_SUCCESS)
        *newtype = ft_type_named(self, *newtype);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Type_create_f90_real"));
}

FT_EXPORT int MPI_Type_create_f90_complex(int p, int r, MPI_Datatype *newtype)
{
    struct ft_rank *self = ft_self;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Type_create_f90_complex(p, r, newtype);
    ft_enter(self, FT_CALL_MPI_Type_create_f90_complex, __builtin_return_address(0));
    code = PMPI_Type_create_f90_complex(p, r, newtype);
    if (code == MPI_SUCCESS)
        *newtype = ft_type_named(self, *newtype);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Type_create_f90_complex"));
}

FT_EXPORT int MPI_Type_commit(MPI_Datatype *datatype)
{
    struct ft_rank *self = ft_self;
    struct ft_type *type;
    MPI_Datatype real;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Type_commit(datatype);
    ft_enter(self, FT_CALL_MPI_Type_commit, __builtin_return_address(0));
    type = datatype ? ft_type_of(self, *datatype) : NULL;
    real = type ? ft_type_real(self, *datatype) : MPI_DATATYPE_NULL;
    code = PMPI_Type_commit(type ? &real : datatype);
    if (type && code == MPI_SUCCESS)
        ft_type_committed(type);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Type_commit"));
}

FT_EXPORT int MPI_Type_free(MPI_Datatype *datatype)
{
    struct ft_rank *self = ft_self;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Type_free(datatype);
    ft_enter(self, FT_CALL_MPI_Type_free, __builtin_return_address(0));
    if (datatype && ft_type_of(self, *datatype)) {
        code = ft_type_free(self, *datatype);
        if (code == MPI_SUCCESS)
            *datatype = MPI_DATATYPE_NULL;
    } else {
        code = PMPI_Type_free(datatype);
    }
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Type_free"));
}

FT_EXPORT int MPI_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses,
                                    int max_datatypes, int array_of_integers[],
                                    MPI_Aint array_of_addresses[],
                                    MPI_Datatype array_of_datatypes[])
{
    struct ft_rank *self = ft_self;
    struct ft_type *type;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Type_get_contents(datatype, max_integers, max_addresses, max_datatypes,
                                      array_of_integers, array_of_addresses, array_of_datatypes);
    ft_enter(self, FT_CALL_MPI_Type_get_contents, __builtin_return_address(0));
    type = ft_type_of(self, datatype);
    code = PMPI_Type_get_contents(ft_type_real(self, datatype), max_integers, max_addresses,
                                  max_datatypes, array_of_integers, array_of_addresses,
                                  array_of_datatypes);
    if (type && code == MPI_SUCCESS)
        ft_type_parts(self, type, array_of_datatypes);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Type_get_contents"));
}

FT_EXPORT int MPI_Type_set_name(MPI_Datatype datatype, const char *type_name)
{
    struct ft_rank *self = ft_self;
    char name[MPI_MAX_OBJECT_NAME];
    int code, length;

    if (ft_unlikely(!self))
        return PMPI_Type_set_name(datatype, type_name);
    ft_enter(self, FT_CALL_MPI_Type_set_name, __builtin_return_address(0));
    code = PMPI_Type_set_name(ft_type_real(self, datatype), type_name);
    if (code == MPI_SUCCESS &&
        PMPI_Type_get_name(ft_type_real(self, datatype), name, &length) == MPI_SUCCESS)
        ft_type_name(self, datatype, name);
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Type_set_name"));
}

FT_EXPORT int MPI_Type_get_name(MPI_Datatype datatype, char *type_name, int *resultlen)
{
    struct ft_rank *self = ft_self;
    const char *name;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Type_get_name(datatype, type_name, resultlen);
    ft_enter(self, FT_CALL_MPI_Type_get_name, __builtin_return_address(0));
    code = PMPI_Type_get_name(ft_type_real(self, datatype), type_name, resultlen);
    name = code == MPI_SUCCESS ? ft_type_name_of(self, datatype) : NULL;
    if (name) {
        strcpy(type_name, name);
        *resultlen = (int)strlen(name);
    }
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Type_get_name"));
}
