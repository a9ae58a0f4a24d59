/* Communicators: duplication (which copies attributes), those made without a collective on the
 * parent, names, hints, and the end. */
#include <string.h>
#include "handle/handle.h"
#include "pmpi/births.h"
#include "calls/calls.h"
#include "request/virtual.h"
#include "trace/trace.h"

/* Duplicates on's attributes for a communicator to be. An MPI code. */
static int attributes_dup(struct ft_rank *self, const struct ft_comm *on,
                          struct ft_attributes **copy)
{
    *copy = NULL;
    return ft_attributes_copy(self, on->attributes, on->handle, copy);
}

/* The library's own. Its hints are the caller's to remember. */
static int real_dup(struct ft_rank *self, struct ft_comm *on, int with, MPI_Info info,
                    MPI_Comm *newcomm)
{
    uint64_t clock = ft_comm_tick(on);
    int code;

    ft_block_begin(self, on->id, clock);
    code = with ? PMPI_Comm_dup_with_info(on->real, ft_info_real(self, info), newcomm)
                : PMPI_Comm_dup(on->real, newcomm);
    ft_block_end(self);
    if (code == MPI_SUCCESS)
        *newcomm = ft_comm_born(self, on, clock, *newcomm);
    else
        ft_comm_untick(on, code);
    return code;
}

/* with: 1 to use `info` (virtual) as the hints, 0 for none (MPI 4.0, section 7.4.2). */
static int comm_dup(struct ft_rank *self, struct ft_comm *on, int with, MPI_Info info,
                    MPI_Comm *newcomm)
{
    struct ft_attributes *attributes;
    struct ft_comm *born;
    int code = attributes_dup(self, on, &attributes);

    ft_trace_collective(self, on, -1, NULL, 0, MPI_BYTE);
    *newcomm = MPI_COMM_NULL;
    if (code != MPI_SUCCESS)
        return code;
    code =
        self->spbc ? ft_birth_comm_dup(self, on, newcomm) : real_dup(self, on, with, info, newcomm);
    if (code != MPI_SUCCESS)
        return code;
    born = ft_comm_find(self, *newcomm);
    born->attributes = attributes;
    ft_comm_hint(self, born, with ? info : MPI_INFO_NULL);
    if (self->spbc)
        ft_comm_hint_real(self, born);
    return MPI_SUCCESS;
}

FT_EXPORT int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Comm_dup(comm, newcomm);
    ft_enter(self, FT_CALL_MPI_Comm_dup, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    code = on && newcomm ? comm_dup(self, on, 0, MPI_INFO_NULL, newcomm)
                         : PMPI_Comm_dup(ft_comm_real(self, comm), newcomm);
    return ft_leave(self, ft_error(self, on, code, "MPI_Comm_dup"));
}

FT_EXPORT int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Comm_dup_with_info(comm, info, newcomm);
    ft_enter(self, FT_CALL_MPI_Comm_dup_with_info, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    code = on && newcomm ? comm_dup(self, on, 1, info, newcomm)
                         : PMPI_Comm_dup_with_info(ft_comm_real(self, comm), info, newcomm);
    return ft_leave(self, ft_error(self, on, code, "MPI_Comm_dup_with_info"));
}

static void idup_done(struct ft_rank *self, void *born)
{
    ft_comm_filled(self, born);
    ft_comm_release(self, born);
}

static int comm_idup_later(struct ft_rank *self, struct ft_comm *on, int with, MPI_Info info,
                           MPI_Comm *newcomm, MPI_Request *request)
{
    struct ft_attributes *attributes;
    struct ft_comm *born;
    int code = attributes_dup(self, on, &attributes);

    *newcomm = MPI_COMM_NULL;
    if (code == MPI_SUCCESS)
        code = ft_birth_comm_idup(self, on, newcomm, &born, request);
    if (code != MPI_SUCCESS)
        return code;
    born->attributes = attributes;
    ft_comm_hint(self, born, with ? info : MPI_INFO_NULL);
    return MPI_SUCCESS;
}

static int comm_idup(struct ft_rank *self, struct ft_comm *on, int with, MPI_Info info,
                     MPI_Comm *newcomm, MPI_Request *request)
{
    struct ft_attributes *attributes;
    struct ft_comm *born;
    MPI_Request posted;
    int code;

    if (self->spbc)
        return comm_idup_later(self, on, with, info, newcomm, request);
    code = attributes_dup(self, on, &attributes);
    ft_trace_collective(self, on, -1, NULL, 0, MPI_BYTE);
    *newcomm = MPI_COMM_NULL;
    if (code != MPI_SUCCESS)
        return code;
    born = ft_comm_expect(self, on, ft_comm_tick(on));
    code = with ? PMPI_Comm_idup_with_info(on->real, ft_info_real(self, info), &born->real, &posted)
                : PMPI_Comm_idup(on->real, &born->real, &posted);
    if (code != MPI_SUCCESS) {
        ft_comm_free(self, born);
        on->clock--; /* it was not posted */
        return code;
    }
    born->attributes = attributes;
    ft_comm_hint(self, born, with ? info : MPI_INFO_NULL);
    ft_comm_hold(self, born);
    *newcomm = born->handle;
    *request = ft_request_collective(self, posted, on, NULL, idup_done, born);
    return MPI_SUCCESS;
}

FT_EXPORT int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Comm_idup(comm, newcomm, request);
    ft_enter(self, FT_CALL_MPI_Comm_idup, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    code = on && newcomm && request ? comm_idup(self, on, 0, MPI_INFO_NULL, newcomm, request)
                                    : PMPI_Comm_idup(ft_comm_real(self, comm), newcomm, request);
    return ft_leave(self, ft_error(self, on, code, "MPI_Comm_idup"));
}

FT_EXPORT int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm,
                                      MPI_Request *request)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Comm_idup_with_info(comm, info, newcomm, request);
    ft_enter(self, FT_CALL_MPI_Comm_idup_with_info, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    code = on && newcomm && request
               ? comm_idup(self, on, 1, info, newcomm, request)
               : PMPI_Comm_idup_with_info(ft_comm_real(self, comm), info, newcomm, request);
    return ft_leave(self, ft_error(self, on, code, "MPI_Comm_idup_with_info"));
}

/* Only the group takes part: the parent's clock stands still. */
static int real_create_group(struct ft_rank *self, struct ft_comm *on, MPI_Group group, int tag,
                             MPI_Comm *newcomm)
{
    int code;

    ft_block_begin(self, on->id, on->clock);
    code = PMPI_Comm_create_group(on->real, ft_group_real(self, group), tag, newcomm);
    ft_block_end(self);
    if (code == MPI_SUCCESS)
        *newcomm = ft_comm_met(self, on, *newcomm);
    return code;
}

int ft_comm_create_group(struct ft_rank *self, struct ft_comm *on, MPI_Group group, int tag,
                         MPI_Comm *newcomm)
{
    if (self->spbc)
        return ft_birth_comm_create_group(self, on, group, newcomm);
    return real_create_group(self, on, group, tag, newcomm);
}

FT_EXPORT int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Comm_create_group(comm, group, tag, newcomm);
    ft_enter(self, FT_CALL_MPI_Comm_create_group, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    code = on ? ft_comm_create_group(self, on, group, tag, newcomm)
              : PMPI_Comm_create_group(comm, ft_group_real(self, group), tag, newcomm);
    return ft_leave(self, ft_error(self, on, code, "MPI_Comm_create_group"));
}

static int real_intercomm_create(struct ft_rank *self, struct ft_comm *on, int local_leader,
                                 MPI_Comm peer, int remote_leader, int tag, MPI_Comm *newcomm)
{
    int code;

    ft_block_begin(self, on->id, ft_comm_tick(on));
    code = PMPI_Intercomm_create(on->real, local_leader, ft_comm_real(self, peer), remote_leader,
                                 tag, newcomm);
    ft_block_end(self);
    if (code == MPI_SUCCESS)
        *newcomm = ft_comm_met(self, on, *newcomm);
    else
        ft_comm_untick(on, code);
    return code;
}

/* The peer communicator matters at the leader only; elsewhere it may be anything. */
FT_EXPORT int MPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                                   int remote_leader, int tag, MPI_Comm *newintercomm)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag,
                                     newintercomm);
    ft_enter(self, FT_CALL_MPI_Intercomm_create, __builtin_return_address(0));
    on = ft_comm_find(self, local_comm);
    if (on)
        ft_trace_collective(self, on, -1, NULL, 0, MPI_BYTE);
    if (!on)
        code = PMPI_Intercomm_create(local_comm, local_leader, ft_comm_real(self, peer_comm),
                                     remote_leader, tag, newintercomm);
    else if (self->spbc)
        code = ft_birth_intercomm_create(self, on, local_leader, peer_comm, remote_leader,
                                         newintercomm);
    else
        code = real_intercomm_create(self, on, local_leader, peer_comm, remote_leader, tag,
                                     newintercomm);
    return ft_leave(self, ft_error(self, on, code, "MPI_Intercomm_create"));
}

/* An MPI code. A delete function that fails leaves the communicator alive. */
static int comm_free(struct ft_rank *self, struct ft_comm *on, MPI_Comm *comm)
{
    int code = ft_attributes_delete(self, &on->attributes, on->handle);

    ft_trace_collective(self, on, -1, NULL, 0, MPI_BYTE);
    if (code != MPI_SUCCESS)
        return code;
    ft_block_begin(self, on->id, ft_comm_tick(on));
    ft_comm_free(self, on);
    ft_block_end(self);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

/* The communicator to free, or NULL: then the library answers, with its own words. */
static struct ft_comm *comm_to_free(struct ft_rank *self, const MPI_Comm *comm)
{
    if (!comm || *comm == MPI_COMM_WORLD || *comm == MPI_COMM_SELF)
        return NULL;
    return ft_comm_find(self, *comm);
}

FT_EXPORT int MPI_Comm_free(MPI_Comm *comm)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Comm_free(comm);
    ft_enter(self, FT_CALL_MPI_Comm_free, __builtin_return_address(0));
    on = comm_to_free(self, comm);
    code = on ? comm_free(self, on, comm) : PMPI_Comm_free(comm);
    return ft_leave(self, ft_error(self, on, code, "MPI_Comm_free"));
}

/* The same: the program must have completed all its communication (MPI 4.0, section 11.10.4), and
 * no process ever leaves the job. */
FT_EXPORT int MPI_Comm_disconnect(MPI_Comm *comm)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Comm_disconnect(comm);
    ft_enter(self, FT_CALL_MPI_Comm_disconnect, __builtin_return_address(0));
    on = comm_to_free(self, comm);
    code = on ? comm_free(self, on, comm) : PMPI_Comm_disconnect(comm);
    return ft_leave(self, ft_error(self, on, code, "MPI_Comm_disconnect"));
}

FT_EXPORT int MPI_Comm_set_name(MPI_Comm comm, const char *comm_name)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;
    char name[MPI_MAX_OBJECT_NAME];
    int code, length;

    if (ft_unlikely(!self))
        return PMPI_Comm_set_name(comm, comm_name);
    ft_enter(self, FT_CALL_MPI_Comm_set_name, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    code = PMPI_Comm_set_name(ft_comm_real(self, comm), comm_name);
    if (on && code == MPI_SUCCESS && PMPI_Comm_get_name(on->real, name, &length) == MPI_SUCCESS)
        ft_comm_name(on, name);
    return ft_leave(self, ft_error(self, on, code, "MPI_Comm_set_name"));
}

FT_EXPORT int MPI_Comm_get_name(MPI_Comm comm, char *comm_name, int *resultlen)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Comm_get_name(comm, comm_name, resultlen);
    ft_enter(self, FT_CALL_MPI_Comm_get_name, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    code = PMPI_Comm_get_name(ft_comm_real(self, comm), comm_name, resultlen);
    if (on && on->name && code == MPI_SUCCESS) {
        strcpy(comm_name, on->name);
        *resultlen = (int)strlen(on->name);
    }
    return ft_leave(self, ft_error(self, on, code, "MPI_Comm_get_name"));
}

FT_EXPORT int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Comm_set_info(comm, info);
    ft_enter(self, FT_CALL_MPI_Comm_set_info, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    code = PMPI_Comm_set_info(ft_comm_real(self, comm), ft_info_real(self, info));
    if (on && code == MPI_SUCCESS)
        ft_comm_hint_more(self, on, info);
    return ft_leave(self, ft_error(self, on, code, "MPI_Comm_set_info"));
}
