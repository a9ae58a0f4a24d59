/* A datatype without gaps is hashed where it lies, any other is packed first. */
#include "trace/content.h"

#include <limits.h>
#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "handle/pack.h"

static uint32_t hash_of(const void *bytes, size_t length)
{
    uint64_t hash = XXH3_64bits(bytes, length);
    uint32_t folded = (uint32_t)(hash ^ hash >> 32);

    return folded ? folded : 1;
}

static int is_dense(MPI_Datatype real, MPI_Count size)
{
    MPI_Count low, extent, true_low, true_extent;

    return PMPI_Type_get_extent_x(real, &low, &extent) == MPI_SUCCESS &&
           PMPI_Type_get_true_extent_x(real, &true_low, &true_extent) == MPI_SUCCESS && low == 0 &&
           true_low == 0 && extent == size && true_extent == size;
}

static uint32_t packed_hash(const struct ft_comm *comm, const void *buffer, int count,
                            MPI_Datatype real)
{
    MPI_Count room = 0, length = 0;
    uint32_t hash = 0;
    char *copy;

    if (PMPI_Pack_size_c(count, real, comm->real, &room) != MPI_SUCCESS)
        return 0;
    copy = malloc((size_t)room + 1);
    if (copy && ft_pack(buffer, count, real, copy, room, &length, comm->real) == MPI_SUCCESS)
        hash = hash_of(copy, (size_t)length);
    free(copy);
    return hash;
}

void ft_content(struct ft_rank *self, const struct ft_comm *comm, const void *buffer, int64_t count,
                MPI_Datatype type, uint64_t *size, uint32_t *hash)
{
    MPI_Datatype real = count > 0 ? ft_type_real(self, type) : MPI_DATATYPE_NULL;
    MPI_Count one = 0;

    *size = 0;
    *hash = 0;
    if (real == MPI_DATATYPE_NULL || PMPI_Type_size_x(real, &one) != MPI_SUCCESS || one <= 0)
        return;
    *size = (uint64_t)count * (uint64_t)one;
    if (buffer == MPI_IN_PLACE)
        return;
    if (is_dense(real, one))
        *hash = buffer ? hash_of(buffer, *size) : 0;
    else if (count <= INT_MAX && *size <= INT_MAX / 2)
        *hash = packed_hash(comm, buffer, (int)count, real);
}
