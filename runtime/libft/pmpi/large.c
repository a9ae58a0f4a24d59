/* Calls with large counts that are no regular wrappers, and the datatypes that stand for such
 * counts.
 *
 * A datatype made by one of the constructors here is the one that the constructor with ints makes:
 * that is what MPI_Type_get_envelope_c and MPI_Type_get_contents_c tell of it. Block lengths and
 * displacements that fit no int end the run by name, those in bytes excepted. */
#include "pmpi/large.h"
#include <limits.h>
#include "process.h"

static _Noreturn void refuse(const char *call, const void *site)
{
    ft_refuse(call, site,
              "this count fits no int, which is not carried here: use a derived datatype, or "
              "--protocol none");
}

/* Makes a datatype of `count` elements, which fit no int. An MPI code. */
static int many_make(MPI_Count count, MPI_Datatype type, MPI_Datatype *made)
{
    MPI_Count chunks = count / INT_MAX, rest = count % INT_MAX;
    int lengths[2] = {(int)chunks, (int)rest}, code;
    MPI_Datatype parts[2] = {MPI_DATATYPE_NULL, type};
    MPI_Aint low, places[2] = {0, 0};

    code = MPI_Type_contiguous(INT_MAX, type, &parts[0]);
    if (code != MPI_SUCCESS)
        return code;
    MPI_Type_get_extent(parts[0], &low, &places[1]);
    places[1] *= chunks;
    code = MPI_Type_create_struct(rest ? 2 : 1, lengths, places, parts, made);
    MPI_Type_free(&parts[0]);
    return code;
}

struct ft_large ft_large_begin(const char *call, MPI_Count count, MPI_Datatype type,
                               const void *site)
{
    struct ft_large large = {(int)count, type, 0};

    if (ft_likely(count <= INT_MAX))
        return large;
    if (ft_self->spbc)
        refuse(call, site);
    large.count = 1;
    large.made = many_make(count, type, &large.type) == MPI_SUCCESS;
    if (large.made)
        MPI_Type_commit(&large.type);
    return large;
}

void ft_large_end(struct ft_large *large)
{
    if (ft_unlikely(large->made))
        MPI_Type_free(&large->type);
}

static int int_of(const char *call, MPI_Count value, const void *site)
{
    if (value > INT_MAX || value < INT_MIN)
        refuse(call, site);
    return (int)value;
}

/* To be freed by ft_image_free. */
static int *ints_of(const char *call, MPI_Count count, const MPI_Count *values, const void *site)
{
    int *ints = ft_image_alloc((size_t)(count > 0 ? count : 1) * sizeof(int));

    for (MPI_Count i = 0; i < count; i++)
        ints[i] = int_of(call, values[i], site);
    return ints;
}

#define SITE __builtin_return_address(0)
#define INT(value) int_of(__func__, value, SITE)
#define NATIVELY(...)                                                                              \
    if (ft_unlikely(!ft_self || ft_depth))                                                         \
    return __VA_ARGS__

FT_EXPORT int MPI_Buffer_attach_c(void *buffer, MPI_Count size)
{
    NATIVELY(PMPI_Buffer_attach_c(buffer, size));
    return MPI_Buffer_attach(buffer, INT(size));
}

FT_EXPORT int MPI_Buffer_detach_c(void *buffer_addr, MPI_Count *size)
{
    int code, bytes = 0;

    NATIVELY(PMPI_Buffer_detach_c(buffer_addr, size));
    code = MPI_Buffer_detach(buffer_addr, &bytes);
    *size = bytes;
    return code;
}

FT_EXPORT int MPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    NATIVELY(PMPI_Type_contiguous_c(count, oldtype, newtype));
    return count > INT_MAX ? many_make(count, oldtype, newtype)
                           : MPI_Type_contiguous((int)count, oldtype, newtype);
}

FT_EXPORT int MPI_Type_vector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                                MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    NATIVELY(PMPI_Type_vector_c(count, blocklength, stride, oldtype, newtype));
    return MPI_Type_vector(INT(count), INT(blocklength), INT(stride), oldtype, newtype);
}

FT_EXPORT int MPI_Type_create_hvector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                                        MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    NATIVELY(PMPI_Type_create_hvector_c(count, blocklength, stride, oldtype, newtype));
    return MPI_Type_create_hvector(INT(count), INT(blocklength), (MPI_Aint)stride, oldtype,
                                   newtype);
}

FT_EXPORT int MPI_Type_create_resized_c(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent,
                                        MPI_Datatype *newtype)
{
    NATIVELY(PMPI_Type_create_resized_c(oldtype, lb, extent, newtype));
    return MPI_Type_create_resized(oldtype, (MPI_Aint)lb, (MPI_Aint)extent, newtype);
}

FT_EXPORT int MPI_Type_indexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                 const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                 MPI_Datatype *newtype)
{
    int *lengths, *places, code;

    NATIVELY(PMPI_Type_indexed_c(count, array_of_blocklengths, array_of_displacements, oldtype,
                                 newtype));
    lengths = ints_of(__func__, count, array_of_blocklengths, SITE);
    places = ints_of(__func__, count, array_of_displacements, SITE);
    code = MPI_Type_indexed(INT(count), lengths, places, oldtype, newtype);
    ft_image_free(lengths);
    ft_image_free(places);
    return code;
}

/* MPI_Count and MPI_Aint are the same on this platform. */
_Static_assert(sizeof(MPI_Count) == sizeof(MPI_Aint), "displacements in bytes");

FT_EXPORT int MPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                         const MPI_Count array_of_displacements[],
                                         MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    int *lengths, code;

    NATIVELY(PMPI_Type_create_hindexed_c(count, array_of_blocklengths, array_of_displacements,
                                         oldtype, newtype));
    lengths = ints_of(__func__, count, array_of_blocklengths, SITE);
    code = MPI_Type_create_hindexed(INT(count), lengths, (const MPI_Aint *)array_of_displacements,
                                    oldtype, newtype);
    ft_image_free(lengths);
    return code;
}

FT_EXPORT int MPI_Type_create_indexed_block_c(MPI_Count count, MPI_Count blocklength,
                                              const MPI_Count array_of_displacements[],
                                              MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    int *places, code;

    NATIVELY(PMPI_Type_create_indexed_block_c(count, blocklength, array_of_displacements, oldtype,
                                              newtype));
    places = ints_of(__func__, count, array_of_displacements, SITE);
    code = MPI_Type_create_indexed_block(INT(count), INT(blocklength), places, oldtype, newtype);
    ft_image_free(places);
    return code;
}

FT_EXPORT int MPI_Type_create_hindexed_block_c(MPI_Count count, MPI_Count blocklength,
                                               const MPI_Count array_of_displacements[],
                                               MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    NATIVELY(PMPI_Type_create_hindexed_block_c(count, blocklength, array_of_displacements, oldtype,
                                               newtype));
    return MPI_Type_create_hindexed_block(
        INT(count), INT(blocklength), (const MPI_Aint *)array_of_displacements, oldtype, newtype);
}

FT_EXPORT int MPI_Type_create_struct_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                       const MPI_Count array_of_displacements[],
                                       const MPI_Datatype array_of_types[], MPI_Datatype *newtype)
{
    int *lengths, code;

    NATIVELY(PMPI_Type_create_struct_c(count, array_of_blocklengths, array_of_displacements,
                                       array_of_types, newtype));
    lengths = ints_of(__func__, count, array_of_blocklengths, SITE);
    code = MPI_Type_create_struct(INT(count), lengths, (const MPI_Aint *)array_of_displacements,
                                  array_of_types, newtype);
    ft_image_free(lengths);
    return code;
}

FT_EXPORT int MPI_Type_create_subarray_c(int ndims, const MPI_Count array_of_sizes[],
                                         const MPI_Count array_of_subsizes[],
                                         const MPI_Count array_of_starts[], int order,
                                         MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    int *sizes, *parts, *starts, code;

    NATIVELY(PMPI_Type_create_subarray_c(ndims, array_of_sizes, array_of_subsizes, array_of_starts,
                                         order, oldtype, newtype));
    sizes = ints_of(__func__, ndims, array_of_sizes, SITE);
    parts = ints_of(__func__, ndims, array_of_subsizes, SITE);
    starts = ints_of(__func__, ndims, array_of_starts, SITE);
    code = MPI_Type_create_subarray(ndims, sizes, parts, starts, order, oldtype, newtype);
    ft_image_free(sizes);
    ft_image_free(parts);
    ft_image_free(starts);
    return code;
}

FT_EXPORT int MPI_Type_create_darray_c(int size, int rank, int ndims,
                                       const MPI_Count array_of_gsizes[],
                                       const int array_of_distribs[], const int array_of_dargs[],
                                       const int array_of_psizes[], int order, MPI_Datatype oldtype,
                                       MPI_Datatype *newtype)
{
    int *sizes, code;

    NATIVELY(PMPI_Type_create_darray_c(size, rank, ndims, array_of_gsizes, array_of_distribs,
                                       array_of_dargs, array_of_psizes, order, oldtype, newtype));
    sizes = ints_of(__func__, ndims, array_of_gsizes, SITE);
    code = MPI_Type_create_darray(size, rank, ndims, sizes, array_of_distribs, array_of_dargs,
                                  array_of_psizes, order, oldtype, newtype);
    ft_image_free(sizes);
    return code;
}

FT_EXPORT int MPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count *num_integers,
                                      MPI_Count *num_addresses, MPI_Count *num_large_counts,
                                      MPI_Count *num_datatypes, int *combiner)
{
    int integers = 0, addresses = 0, types = 0, code;

    NATIVELY(PMPI_Type_get_envelope_c(datatype, num_integers, num_addresses, num_large_counts,
                                      num_datatypes, combiner));
    code = MPI_Type_get_envelope(datatype, &integers, &addresses, &types, combiner);
    *num_integers = integers;
    *num_addresses = addresses;
    *num_large_counts = 0;
    *num_datatypes = types;
    return code;
}

FT_EXPORT int MPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers,
                                      MPI_Count max_addresses, MPI_Count max_large_counts,
                                      MPI_Count max_datatypes, int array_of_integers[],
                                      MPI_Aint array_of_addresses[],
                                      MPI_Count array_of_large_counts[],
                                      MPI_Datatype array_of_datatypes[])
{
    NATIVELY(PMPI_Type_get_contents_c(datatype, max_integers, max_addresses, max_large_counts,
                                      max_datatypes, array_of_integers, array_of_addresses,
                                      array_of_large_counts, array_of_datatypes));
    return MPI_Type_get_contents(datatype, INT(max_integers), INT(max_addresses),
                                 INT(max_datatypes), array_of_integers, array_of_addresses,
                                 array_of_datatypes);
}
