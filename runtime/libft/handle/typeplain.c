/* Whether a datatype is plain: an element's data are a run of bytes, in their order. Then bytes
 * can be received into it, and sent out of it, where they are. Its bounds tell that there are no
 * gaps, and how it was made that there is no other order. In doubt a type is not plain. */
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

/* Bytes of an element of a plain type. */
static MPI_Count bytes_of(struct ft_rank *self, MPI_Datatype handle)
{
    MPI_Count bytes;

    ft_must(PMPI_Type_size_x(ft_type_real(self, handle), &bytes), "PMPI_Type_size_x");
    return bytes;
}

/* Elements in block i. */
static MPI_Count length(const struct ft_type *type, int i)
{
    int same = type->combiner == MPI_COMBINER_INDEXED_BLOCK ||
               type->combiner == MPI_COMBINER_HINDEXED_BLOCK;

    return type->integer[same ? 1 : 1 + i];
}

/* Where block i begins, in bytes; `bytes` are those of its elements. */
static MPI_Count place(const struct ft_type *type, int i, MPI_Count bytes)
{
    if (type->combiner == MPI_COMBINER_INDEXED)
        return type->integer[1 + type->integer[0] + i] * bytes;
    if (type->combiner == MPI_COMBINER_INDEXED_BLOCK)
        return type->integer[2 + i] * bytes;
    return type->address[i];
}

/* Does each block begin where the one before it ends? One that is sent may have places twice. */
static int follow_each_other(struct ft_rank *self, const struct ft_type *type)
{
    MPI_Count end = 0;

    for (int i = 0; i < type->integer[0]; i++) {
        MPI_Count bytes = bytes_of(self, type->part[type->parts > 1 ? i : 0]);

        if (length(type, i) == 0)
            continue;
        if (place(type, i, bytes) != end)
            return 0;
        end += length(type, i) * bytes;
    }
    return 1;
}

static int is_in_order(struct ft_rank *self, const struct ft_type *type)
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
        return follow_each_other(self, type);
    default:
        return 0;
    }
}

/* Whether it is committed does not matter for what is made of it. */
static int part_is_plain(struct ft_rank *self, MPI_Datatype handle)
{
    const struct ft_type *type;

    if (ft_library_type_is_basic(handle))
        return 1;
    type = ft_type_of(self, handle);
    return type && type->plain;
}

int ft_type_decide_plain(struct ft_rank *self, const struct ft_type *type)
{
    for (int i = 0; i < type->parts; i++)
        if (!part_is_plain(self, type->part[i]))
            return 0;
    return is_tight(type->real) && is_in_order(self, type);
}

int ft_type_made_plain(struct ft_rank *self, MPI_Datatype handle)
{
    const struct ft_type *type = ft_type_of(self, handle);

    return type && type->plain && (type->committed || type->permanent);
}
