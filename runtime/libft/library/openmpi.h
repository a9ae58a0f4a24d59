/* openmpi: Open MPI 4.1, whose handles are addresses (library.h). It knows MPI 3.1. */
#ifndef FT_LIBRARY_OPENMPI_H
#define FT_LIBRARY_OPENMPI_H

#include <limits.h>
#include <stddef.h>

/* Virtual handles have these bits at the top, which no address of a process has: who follows one
 * without asking the runtime ends by SIGSEGV. */
#define FT_LIBRARY_TAG 0x0f7cUL
#define ft_handle_of(type, bits) ((type)(FT_LIBRARY_TAG << 48 | (uint32_t)(bits)))
#define ft_handle_bits(handle) ft_library_bits((uintptr_t)(handle))
static inline uint32_t ft_library_bits(uintptr_t handle)
{
    return handle >> 48 == FT_LIBRARY_TAG ? (uint32_t)handle : 0;
}
#define ft_handle_number(handle) ((uint32_t)((uintptr_t)(handle)*0x9e3779b97f4a7c15u >> 32))
#define ft_handle_unknown(handle, null)                                                            \
    ((uintptr_t)(handle) >> 48 == FT_LIBRARY_TAG ? (null) : (handle))

/* Every predefined type but those of pairs has no gaps. */
static inline int ft_library_type_is_basic(MPI_Datatype type)
{
    return (uintptr_t)type >> 48 == 0 && type != MPI_DATATYPE_NULL && type != MPI_FLOAT_INT &&
           type != MPI_DOUBLE_INT && type != MPI_LONG_INT && type != MPI_SHORT_INT &&
           type != MPI_LONG_DOUBLE_INT;
}
static inline uint32_t ft_library_type_basic_size(MPI_Datatype type)
{
    int size = 0;

    PMPI_Type_size(type, &size);
    return (uint32_t)size;
}
static inline int ft_library_type_is_predefined(MPI_Datatype type)
{
    int integers, addresses, types, combiner;

    return type == MPI_DATATYPE_NULL ||
           (PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
            combiner == MPI_COMBINER_NAMED);
}

/* Predefined attributes of communicators are the first in mpi.h. */
static inline int ft_library_key_is_predefined(int keyval)
{
    return keyval >= MPI_TAG_UB && keyval <= MPI_UNIVERSE_SIZE;
}
static inline int ft_library_key_index(int keyval)
{
    return keyval - MPI_TAG_UB;
}
static inline int ft_library_key_is_last_code(int keyval)
{
    return keyval == MPI_LASTUSEDCODE;
}

static inline void ft_status_copy(MPI_Status *to, const MPI_Status *from)
{
    to->_cancelled = from->_cancelled;
    to->_ucount = from->_ucount;
    to->MPI_SOURCE = from->MPI_SOURCE;
    to->MPI_TAG = from->MPI_TAG;
}
static inline void ft_status_empty(MPI_Status *status)
{
    status->_cancelled = 0;
    status->_ucount = 0;
    status->MPI_SOURCE = MPI_ANY_SOURCE;
    status->MPI_TAG = MPI_ANY_TAG;
}

/* MPI 4.0 and MPICH have these besides. --ulfm is refused with this library, so nobody gets these
 * codes. */
#define MPI_ERRORS_ABORT MPI_ERRORS_ARE_FATAL
#define MPIX_ERR_PROC_FAILED (MPI_ERR_LASTCODE + 101)
#define MPIX_ERR_PROC_FAILED_PENDING (MPI_ERR_LASTCODE + 102)
#define MPIX_ERR_REVOKED (MPI_ERR_LASTCODE + 103)

#define MPI_COMM_TYPE_HW_GUIDED (-101) /* values that no type of Open MPI has */
#define MPI_COMM_TYPE_HW_UNGUIDED (-102)
#define MPIX_COMM_TYPE_NEIGHBORHOOD (-103)

/* Types that it lacks; no program has one. */
typedef int MPI_Session;
typedef void MPI_User_function_c(void *in, void *inout, MPI_Count *count, MPI_Datatype *type);

/* Calls that it lacks and the runtime has, for programs under ftrun; natively they fail. */
#define FT_LIBRARY_LACKS(name, types)                                                              \
    int MPI##name types;                                                                           \
    static inline int PMPI##name types                                                             \
    {                                                                                              \
        return MPI_ERR_UNSUPPORTED_OPERATION;                                                      \
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
FT_LIBRARY_LACKS(_Isendrecv, (const void *out, int sent, MPI_Datatype out_type, int dest, int tag,
                              void *in, int received, MPI_Datatype in_type, int source, int in_tag,
                              MPI_Comm comm, MPI_Request *request))
FT_LIBRARY_LACKS(_Isendrecv_replace, (void *buffer, int count, MPI_Datatype type, int dest, int tag,
                                      int source, int in_tag, MPI_Comm comm, MPI_Request *request))
FT_LIBRARY_LACKS(_Comm_idup_with_info,
                 (MPI_Comm comm, MPI_Info info, MPI_Comm *made, MPI_Request *request))
FT_LIBRARY_LACKS(_Win_create_c, (void *base, MPI_Aint size, MPI_Aint unit, MPI_Info info,
                                 MPI_Comm comm, MPI_Win *win))
FT_LIBRARY_LACKS(_Win_allocate_c, (MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm,
                                   void *base, MPI_Win *win))
FT_LIBRARY_LACKS(_Win_allocate_shared_c, (MPI_Aint size, MPI_Aint unit, MPI_Info info,
                                          MPI_Comm comm, void *base, MPI_Win *win))
FT_LIBRARY_LACKS(_Alltoallw_c,
                 (const void *out, const MPI_Count *sent, const MPI_Aint *out_places,
                  const MPI_Datatype *out_types, void *in, const MPI_Count *received,
                  const MPI_Aint *in_places, const MPI_Datatype *in_types, MPI_Comm comm))
FT_LIBRARY_LACKS(_Ialltoallw_c, (const void *out, const MPI_Count *sent, const MPI_Aint *out_places,
                                 const MPI_Datatype *out_types, void *in, const MPI_Count *received,
                                 const MPI_Aint *in_places, const MPI_Datatype *in_types,
                                 MPI_Comm comm, MPI_Request *request))
FT_LIBRARY_LACKS(_Neighbor_alltoallw_c,
                 (const void *out, const MPI_Count *sent, const MPI_Aint *out_places,
                  const MPI_Datatype *out_types, void *in, const MPI_Count *received,
                  const MPI_Aint *in_places, const MPI_Datatype *in_types, MPI_Comm comm))
FT_LIBRARY_LACKS(_Ineighbor_alltoallw_c,
                 (const void *out, const MPI_Count *sent, const MPI_Aint *out_places,
                  const MPI_Datatype *out_types, void *in, const MPI_Count *received,
                  const MPI_Aint *in_places, const MPI_Datatype *in_types, MPI_Comm comm,
                  MPI_Request *request))
FT_LIBRARY_LACKS(_Op_create_c, (MPI_User_function_c * function, int commute, MPI_Op *op))
FT_LIBRARY_LACKS(X_Delete_error_class, (int number))
FT_LIBRARY_LACKS(X_Delete_error_code, (int number))
FT_LIBRARY_LACKS(X_Delete_error_string, (int number))
FT_LIBRARY_LACKS(X_Comm_revoke, (MPI_Comm comm))
FT_LIBRARY_LACKS(X_Comm_shrink, (MPI_Comm comm, MPI_Comm *made))
FT_LIBRARY_LACKS(X_Comm_agree, (MPI_Comm comm, int *flag))
FT_LIBRARY_LACKS(X_Comm_failure_ack, (MPI_Comm comm))
FT_LIBRARY_LACKS(X_Comm_failure_get_acked, (MPI_Comm comm, MPI_Group *group))
#pragma GCC diagnostic pop

/* The large counts that the runtime itself uses, as far as an int goes. */
#define FT_LIBRARY_NARROW(count)                                                                   \
    do {                                                                                           \
        if ((count) < 0 || (count) > INT_MAX)                                                      \
            return MPI_ERR_COUNT;                                                                  \
    } while (0)
static inline int PMPI_Get_count_c(const MPI_Status *status, MPI_Datatype type, MPI_Count *count)
{
    MPI_Count size;
    int code = PMPI_Type_size_x(type, &size);

    if (code == MPI_SUCCESS && size > 0 && status->_ucount % (size_t)size == 0)
        *count = (MPI_Count)(status->_ucount / (size_t)size);
    else
        *count = status->_ucount == 0 ? 0 : MPI_UNDEFINED;
    return code;
}
static inline int PMPI_Isend_c(const void *buffer, MPI_Count count, MPI_Datatype type, int dest,
                               int tag, MPI_Comm comm, MPI_Request *request)
{
    FT_LIBRARY_NARROW(count);
    return PMPI_Isend(buffer, (int)count, type, dest, tag, comm, request);
}
static inline int PMPI_Issend_c(const void *buffer, MPI_Count count, MPI_Datatype type, int dest,
                                int tag, MPI_Comm comm, MPI_Request *request)
{
    FT_LIBRARY_NARROW(count);
    return PMPI_Issend(buffer, (int)count, type, dest, tag, comm, request);
}
static inline int PMPI_Irecv_c(void *buffer, MPI_Count count, MPI_Datatype type, int source,
                               int tag, MPI_Comm comm, MPI_Request *request)
{
    FT_LIBRARY_NARROW(count);
    return PMPI_Irecv(buffer, (int)count, type, source, tag, comm, request);
}
static inline int PMPI_Mrecv_c(void *buffer, MPI_Count count, MPI_Datatype type,
                               MPI_Message *message, MPI_Status *status)
{
    FT_LIBRARY_NARROW(count);
    return PMPI_Mrecv(buffer, (int)count, type, message, status);
}
static inline int PMPI_Sendrecv_c(const void *out, MPI_Count sent, MPI_Datatype out_type, int dest,
                                  int tag, void *in, MPI_Count received, MPI_Datatype in_type,
                                  int source, int in_tag, MPI_Comm comm, MPI_Status *status)
{
    FT_LIBRARY_NARROW(sent);
    FT_LIBRARY_NARROW(received);
    return PMPI_Sendrecv(out, (int)sent, out_type, dest, tag, in, (int)received, in_type, source,
                         in_tag, comm, status);
}
static inline int PMPI_Pack_size_c(MPI_Count count, MPI_Datatype type, MPI_Comm comm,
                                   MPI_Count *size)
{
    int bytes = 0, code;

    FT_LIBRARY_NARROW(count);
    code = PMPI_Pack_size((int)count, type, comm, &bytes);
    *size = bytes;
    return code;
}
static inline int PMPI_Pack_c(const void *in, MPI_Count count, MPI_Datatype type, void *out,
                              MPI_Count room, MPI_Count *place, MPI_Comm comm)
{
    int at = (int)*place, code;

    FT_LIBRARY_NARROW(count);
    FT_LIBRARY_NARROW(*place);
    code = PMPI_Pack(in, (int)count, type, out, room > INT_MAX ? INT_MAX : (int)room, &at, comm);
    *place = at;
    return code;
}
static inline int PMPI_Unpack_c(const void *in, MPI_Count room, MPI_Count *place, void *out,
                                MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
    int at = (int)*place, code;

    FT_LIBRARY_NARROW(count);
    FT_LIBRARY_NARROW(*place);
    code = PMPI_Unpack(in, room > INT_MAX ? INT_MAX : (int)room, &at, out, (int)count, type, comm);
    *place = at;
    return code;
}

static inline int MPI_Pack_c(const void *in, MPI_Count count, MPI_Datatype type, void *out,
                             MPI_Count room, MPI_Count *place, MPI_Comm comm)
{
    int at = (int)*place, code;

    FT_LIBRARY_NARROW(count);
    FT_LIBRARY_NARROW(room);
    code = MPI_Pack(in, (int)count, type, out, (int)room, &at, comm);
    *place = at;
    return code;
}
static inline int MPI_Unpack_c(const void *in, MPI_Count room, MPI_Count *place, void *out,
                               MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
    int at = (int)*place, code;

    FT_LIBRARY_NARROW(count);
    FT_LIBRARY_NARROW(room);
    code = MPI_Unpack(in, (int)room, &at, out, (int)count, type, comm);
    *place = at;
    return code;
}

#endif
