/* mpich: MPICH 4.0, whose handles are ints (library.h). */
#ifndef FT_LIBRARY_MPICH_H
#define FT_LIBRARY_MPICH_H

#define ft_handle_bits(handle) ((uint32_t)(handle))
#define ft_handle_of(type, bits) ((type)(bits))
/* A number that stands for a handle in hashes. */
#define ft_handle_number(handle) ((uint32_t)(handle))
/* A virtual handle that nobody has goes to the library, which finds out itself. */
#define ft_handle_unknown(handle, null) (handle)

/* The top byte of MPICH's basic datatypes, which have no gaps, and the bytes of data in an element:
 * the handles say them, which mpi.h compiles into each program. */
static inline int ft_library_type_is_basic(MPI_Datatype type)
{
    return (uint32_t)type >> 24 == 0x4cu;
}
static inline uint32_t ft_library_type_basic_size(MPI_Datatype type)
{
    return (uint32_t)type >> 8 & 0xff;
}
/* Builtin (top bits 01), or one of the pair types of mpi.h. */
static inline int ft_library_type_is_predefined(MPI_Datatype type)
{
    return (uint32_t)type >> 30 == 1 || ((uint32_t)type >= (uint32_t)MPI_FLOAT_INT &&
                                         (uint32_t)type <= (uint32_t)MPI_LONG_DOUBLE_INT);
}

/* Predefined attributes of communicators: C's keys are odd, Fortran's the even one behind. */
static inline int ft_library_key_is_predefined(int keyval)
{
    return ((uint32_t)keyval & ~15u) == 0x64400000 && keyval & 1;
}
/* Its number, below 8. */
static inline int ft_library_key_index(int keyval)
{
    return (keyval & 15) / 2;
}
static inline int ft_library_key_is_last_code(int keyval)
{
    return (keyval | 1) == (MPI_LASTUSEDCODE | 1);
}

/* Copies a status, except MPI_ERROR, which belongs to the calls with many statuses. */
static inline void ft_status_copy(MPI_Status *to, const MPI_Status *from)
{
    to->count_lo = from->count_lo;
    to->count_hi_and_cancelled = from->count_hi_and_cancelled;
    to->MPI_SOURCE = from->MPI_SOURCE;
    to->MPI_TAG = from->MPI_TAG;
}

/* The empty status of MPI-4.0, section 3.7.3. MPI_ERROR is left alone. */
static inline void ft_status_empty(MPI_Status *status)
{
    status->count_lo = 0;
    status->count_hi_and_cancelled = 0;
    status->MPI_SOURCE = MPI_ANY_SOURCE;
    status->MPI_TAG = MPI_ANY_TAG;
}

#endif
