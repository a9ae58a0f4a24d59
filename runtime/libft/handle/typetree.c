/* Makes a datatype again from its envelope and contents: the inverse of MPI_Type_get_contents
 * (MPI 4.0, section 5.1.13). The parts have been made before, in order of birth. */
#include "handle/handles.h"

/* One part and no integers but its arguments: i, a and old are what get_contents tells. */
static int make_simple(int combiner, const int *i, const MPI_Aint *a, MPI_Datatype old,
                       MPI_Datatype *made)
{
    switch (combiner) {
    case MPI_COMBINER_DUP:
        return PMPI_Type_dup(old, made);
    case MPI_COMBINER_CONTIGUOUS:
        return PMPI_Type_contiguous(i[0], old, made);
    case MPI_COMBINER_VECTOR:
        return PMPI_Type_vector(i[0], i[1], i[2], old, made);
    case MPI_COMBINER_HVECTOR:
        return PMPI_Type_create_hvector(i[0], i[1], a[0], old, made);
    case MPI_COMBINER_RESIZED:
        return PMPI_Type_create_resized(old, a[0], a[1], made);
    case MPI_COMBINER_INDEXED:
        return PMPI_Type_indexed(i[0], i + 1, i + 1 + i[0], old, made);
    case MPI_COMBINER_HINDEXED:
        return PMPI_Type_create_hindexed(i[0], i + 1, a, old, made);
    case MPI_COMBINER_INDEXED_BLOCK:
        return PMPI_Type_create_indexed_block(i[0], i[1], i + 2, old, made);
    case MPI_COMBINER_HINDEXED_BLOCK:
        return PMPI_Type_create_hindexed_block(i[0], i[1], a, old, made);
    default:
        return MPI_ERR_TYPE;
    }
}

/* Arrays over dimensions: i[0] = n, then arrays of n each. */
static int make_array(int combiner, const int *i, MPI_Datatype old, MPI_Datatype *made)
{
    int n = combiner == MPI_COMBINER_SUBARRAY ? i[0] : i[2];

    if (combiner == MPI_COMBINER_SUBARRAY)
        return PMPI_Type_create_subarray(n, i + 1, i + 1 + n, i + 1 + 2 * n, i[1 + 3 * n], old,
                                         made);
    return PMPI_Type_create_darray(i[0], i[1], n, i + 3, i + 3 + n, i + 3 + 2 * n, i + 3 + 3 * n,
                                   i[3 + 4 * n], old, made);
}

static int make_struct(struct ft_rank *self, const struct ft_type *type, MPI_Datatype *made)
{
    MPI_Datatype *old = ft_image_alloc((size_t)(type->parts ? type->parts : 1) * sizeof(*old));
    int code;

    for (int i = 0; i < type->parts; i++)
        old[i] = ft_type_real(self, type->part[i]);
    code = PMPI_Type_create_struct(type->parts, type->integer + 1, type->address, old, made);
    ft_image_free(old);
    return code;
}

static int type_make(struct ft_rank *self, const struct ft_type *type, MPI_Datatype *made)
{
    const int *i = type->integer;
    MPI_Datatype old = type->parts ? ft_type_real(self, type->part[0]) : MPI_DATATYPE_NULL;

    switch (type->combiner) {
    case MPI_COMBINER_STRUCT:
        return make_struct(self, type, made);
    case MPI_COMBINER_SUBARRAY:
    case MPI_COMBINER_DARRAY:
        return make_array(type->combiner, i, old, made);
    case MPI_COMBINER_F90_REAL:
        return PMPI_Type_create_f90_real(i[0], i[1], made);
    case MPI_COMBINER_F90_COMPLEX:
        return PMPI_Type_create_f90_complex(i[0], i[1], made);
    case MPI_COMBINER_F90_INTEGER:
        return PMPI_Type_create_f90_integer(i[0], made);
    default:
        return make_simple(type->combiner, i, type->address, old, made);
    }
}

int ft_type_construct(struct ft_rank *self, struct ft_type *type)
{
    int code;

    if (!type->combiner)
        return MPI_SUCCESS;
    code = type_make(self, type, &type->real);
    if (code == MPI_SUCCESS && type->committed && !type->permanent)
        code = PMPI_Type_commit(&type->real);
    return code;
}
