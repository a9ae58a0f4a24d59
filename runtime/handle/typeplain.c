/* Whether a datatype is plain: an element's data are a run of bytes, in their order. Then bytes can
 * be received into it where they are. Its bounds tell that there are no gaps, and how it was made
 * that there is no other order. What is not certain is not plain. */
#include "handle/handles.h"

static int is_tight(MPI_Datatype real)
{
    MPI_Count size, lower, extent, true_lower, true_extent;

    ft_must(PMPI_Type_size_x(real, &size), "PMPI_Type_size_x");
    ft_must(PMPI_Type_get_extent_x(real, &lower, &extent), "PMPI_Type_get_extent_x");
    ft_must(PMPI_Type_get_true_extent_x(real, &true_lower, &true_extent),
            "PMPI_Type_get_true_extent_x");
    return lower == 0 && true_lower == 0 && extent == size && true_extent == size;
}

/* Where block i begins, in the combiner's own unit. */
static MPI_Aint place(const struct ft_type *type, int i)
{
    if (type->combiner == MPI_COMBINER_INDEXED)
        return type->integer[1 + type->integer[0] + i];
    if (type->combiner == MPI_COMBINER_INDEXED_BLOCK)
        return type->integer[2 + i];
    return type->address[i];
}

static int is_ascending(const struct ft_type *type)
{
    for (int i = 1; i < type->integer[0]; i++)
        if (place(type, i) <= place(type, i - 1))
            return 0;
    return 1;
}

static int is_in_order(const struct ft_type *type)
{
    switch (type->combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_CONTIGUOUS:
    case MPI_COMBINER_RESIZED:
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX:
    case MPI_COMBINER_F90_INTEGER:
        return 1;
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
    case MPI_COMBINER_STRUCT:
        return is_ascending(type);
    default:
        return 0;
    }
}

int ft_type_decide_plain(struct ft_rank *self, const struct ft_type *type)
{
    for (int i = 0; i < type->parts; i++)
        if (!ft_type_is_plain(self, type->part[i]))
            return 0;
    return is_tight(type->real) && is_in_order(type);
}

int ft_type_made_plain(struct ft_rank *self, MPI_Datatype handle)
{
    const struct ft_type *type = ft_type_of(self, handle);

    return type && type->committed && type->plain;
}
