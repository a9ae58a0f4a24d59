/* MPICH 4.0.2 refuses MPI_BOTTOM in MPI_Pack and MPI_Unpack as a null pointer. The same places
 * counted from an address that is not null are the type moved down by this address. */
#include <stddef.h>
#include <string.h>

#include "handle/pack.h"
#include "process.h"

static char anchor[1];

/* A committed type whose places, counted from `anchor`, are those of `real` counted from 0. */
static int moved_create(MPI_Datatype real, MPI_Datatype *moved)
{
    MPI_Aint place = -(MPI_Aint)anchor;
    int code = PMPI_Type_create_hindexed_block(1, 1, &place, real, moved);

    return code == MPI_SUCCESS ? PMPI_Type_commit(moved) : code;
}

int ft_pack(const void *buffer, MPI_Count count, MPI_Datatype real, void *data, MPI_Count room,
            MPI_Count *used, MPI_Comm comm)
{
    MPI_Datatype moved;
    int code;

    *used = 0;
    if (buffer != MPI_BOTTOM || count <= 0)
        return PMPI_Pack_c(buffer, count, real, data, room, used, comm);
    code = moved_create(real, &moved);
    if (code != MPI_SUCCESS)
        return code;
    code = PMPI_Pack_c(anchor, count, moved, data, room, used, comm);
    PMPI_Type_free(&moved);
    return code;
}

int ft_unpack(const void *data, MPI_Count bytes, void *buffer, MPI_Count count, MPI_Datatype real,
              MPI_Comm comm)
{
    MPI_Count at = 0;
    MPI_Datatype moved;
    int code;

    if (buffer != MPI_BOTTOM || count <= 0)
        return PMPI_Unpack_c(data, bytes, &at, buffer, count, real, comm);
    code = moved_create(real, &moved);
    if (code != MPI_SUCCESS)
        return code;
    code = PMPI_Unpack_c(data, bytes, &at, anchor, count, moved, comm);
    PMPI_Type_free(&moved);
    return code;
}

/* Puts the first `bytes` of one element into it; the rest of it stays as it is. */
static int element_begin(const char *data, MPI_Count bytes, MPI_Count size, void *element,
                         MPI_Datatype real, MPI_Comm comm)
{
    char *packed = ft_image_alloc((size_t)size);
    MPI_Count used;
    int code = ft_pack(element, 1, real, packed, size, &used, comm);

    if (code == MPI_SUCCESS) {
        memcpy(packed, data, (size_t)bytes);
        code = ft_unpack(packed, used, element, 1, real, comm);
    }
    ft_image_free(packed);
    return code;
}

int ft_unpack_bytes(const char *data, MPI_Count bytes, char *buffer, MPI_Datatype real,
                    MPI_Comm comm)
{
    MPI_Count size = 0, lower, extent, whole, rest;
    int code = PMPI_Type_size_x(real, &size);

    if (code != MPI_SUCCESS || bytes == 0 || size <= 0)
        return code;
    whole = bytes / size;
    rest = bytes % size;
    code = ft_unpack(data, bytes - rest, buffer, whole, real, comm);
    if (code != MPI_SUCCESS || rest == 0)
        return code;
    PMPI_Type_get_extent_x(real, &lower, &extent);
    return element_begin(data + (bytes - rest), rest, size, buffer + whole * extent, real, comm);
}

int ft_elements_span(MPI_Datatype real, int count, MPI_Count *low, MPI_Count *room)
{
    MPI_Count bound = 0, extent = 0, bytes = 0, last;
    int code = PMPI_Type_get_extent_x(real, &bound, &extent);

    *low = *room = 0;
    if (code == MPI_SUCCESS && count > 0)
        code = PMPI_Type_get_true_extent_x(real, low, &bytes);
    if (code != MPI_SUCCESS || count == 0)
        return code;
    last = extent * (count - 1);
    *low += last < 0 ? last : 0;
    *room = bytes + (last < 0 ? -last : last);
    return MPI_SUCCESS;
}

int ft_elements_copy(const void *buffer, int count, MPI_Datatype real, int plain, void *to,
                     MPI_Comm comm)
{
    MPI_Count bytes = 0, used = 0;
    void *packed;
    int code = PMPI_Type_size_x(real, &bytes);

    bytes *= count;
    if (code != MPI_SUCCESS || bytes == 0)
        return code;
    if (plain) {
        memcpy(to, buffer, (size_t)bytes);
        return MPI_SUCCESS;
    }
    packed = ft_image_alloc((size_t)bytes);
    code = ft_pack(buffer, count, real, packed, bytes, &used, comm);
    if (code == MPI_SUCCESS)
        code = ft_unpack(packed, used, to, count, real, comm);
    ft_image_free(packed);
    return code;
}
