/* Init, finalize, abort, and the environment (MPI 4.0, chapters 9 and 11).
 *
 * self->mpi_state says what the program may know: the library itself may be up long before (in a
 * later life) or never go down (after MPI_Finalize). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "determinant/reading.h"
#include "determinant/trail.h"
#include "handle/handle.h"
#include "handle/session.h"
#include "calls/calls.h"
#include "request/again.h"
#include "start/native.h"
#include "start/start.h"
#include "stream/contents.h"

enum { STATE_BEFORE, STATE_RUNNING, STATE_FINALIZED }; /* of mpi_state */

#define SECOND 1e9 /* nanoseconds */

/* A session may have started the library. A second MPI_Init is the library's to refuse. */
static int library_start(struct ft_rank *self, int required, int *provided, const char *call)
{
    if (self->mpi_state == STATE_RUNNING && ft_sessions_of(self)->bare &&
        !ft_sessions_of(self)->world) {
        ft_sessions_of(self)->world = 1;
        *provided = self->thread_level;
        return MPI_SUCCESS;
    }
    if (self->mpi_state != STATE_BEFORE)
        return ft_error(self, NULL, PMPI_Init_thread(NULL, NULL, required, provided), call);
    return ft_error(self, NULL, ft_start_library(self, required, provided), call);
}

static void init_enter(struct ft_rank *self, uint32_t call, const void *site)
{
    ft_depth++;
    self->recorder->call = call;
    self->recorder->site = (uint64_t)(uintptr_t)site;
    if (self->fault_call == 0)
        ft_fault_call(self);
}

FT_EXPORT int MPI_Init(int *argc, char ***argv)
{
    struct ft_rank *self = ft_self;
    int provided, code;

    if (!self)
        return ft_native_begun(PMPI_Init(argc, argv));
    init_enter(self, FT_CALL_MPI_Init, __builtin_return_address(0));
    code = library_start(self, MPI_THREAD_SINGLE, &provided, "MPI_Init");
    return ft_leave(self, code);
}

FT_EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    struct ft_rank *self = ft_self;
    int code;

    if (!self)
        return ft_native_begun(PMPI_Init_thread(argc, argv, required, provided));
    init_enter(self, FT_CALL_MPI_Init_thread, __builtin_return_address(0));
    code = library_start(self, required, provided, "MPI_Init_thread");
    return ft_leave(self, code);
}

static void finalize_mark(struct ft_rank *self)
{
    ft_trail_call(self, 0, 0, 0, 0, 0);
    ft_contents_settle(self);
}

FT_EXPORT int MPI_Finalize(void)
{
    struct ft_rank *self = ft_self;
    int code;

    if (!self)
        return ft_native_ended(PMPI_Finalize());
    ft_enter(self, FT_CALL_MPI_Finalize, __builtin_return_address(0));
    if (ft_unlikely(self->spbc != NULL))
        finalize_mark(self);
    ft_handles_finish(self);
    code = ft_finish_library(self);
    if (code == MPI_SUCCESS)
        self->mpi_state = STATE_FINALIZED;
    return ft_leave(self, ft_error(self, NULL, code, "MPI_Finalize"));
}

/* Was it MPI_Init that started the library, or a session? */
static int is_world(struct ft_rank *self)
{
    return !ft_sessions_of(self)->bare || ft_sessions_of(self)->world;
}

FT_EXPORT int MPI_Initialized(int *flag)
{
    if (!ft_self)
        return PMPI_Initialized(flag);
    *flag = ft_self->mpi_state != STATE_BEFORE && is_world(ft_self);
    return MPI_SUCCESS;
}

FT_EXPORT int MPI_Finalized(int *flag)
{
    if (!ft_self)
        return PMPI_Finalized(flag);
    *flag = ft_self->mpi_state == STATE_FINALIZED && is_world(ft_self);
    return MPI_SUCCESS;
}

FT_EXPORT int MPI_Query_thread(int *provided)
{
    struct ft_rank *self = ft_self;

    if (!self)
        return PMPI_Query_thread(provided);
    ft_enter(self, FT_CALL_MPI_Query_thread, __builtin_return_address(0));
    *provided = self->thread_level;
    return ft_leave(self, MPI_SUCCESS);
}

/* MPICH's words. rank: in the communicator of that name. */
static _Noreturn void abort_say(int rank, const char *name, int code)
{
    fprintf(stderr,
            "Abort(%d) on node %d (rank %d in comm 0): application called MPI_Abort(%s, %d) - "
            "process %d\n",
            code, ft_life.boot.rank, rank, name, code, rank);
    ft_abort(ft_self, code);
}

/* With --protocol none: by ftrun, which the library does not know. */
static _Noreturn void abort_natively(MPI_Comm comm, int code)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length, rank = 0;

    PMPI_Comm_rank(comm, &rank);
    if (PMPI_Comm_get_name(comm, name, &length) != MPI_SUCCESS || !name[0])
        snprintf(name, sizeof(name), "comm=0x%X", ft_handle_bits(comm));
    abort_say(rank, name, code);
}

/* Likewise its answer to a communicator that is none. */
FT_EXPORT int MPI_Abort(MPI_Comm comm, int errorcode)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length;

    if (!self && !ft_native_abort())
        return PMPI_Abort(comm, errorcode);
    if (!self)
        abort_natively(comm, errorcode);
    ft_depth++;
    self->recorder->call = FT_CALL_MPI_Abort;
    on = self->mpi_state == STATE_RUNNING ? ft_comm_find(self, comm) : NULL;
    if (on && on->name)
        snprintf(name, sizeof(name), "%s", on->name);
    else if (!on || PMPI_Comm_get_name(on->real, name, &length) != MPI_SUCCESS || !name[0])
        snprintf(name, sizeof(name), "comm=0x%X", ft_handle_bits(comm));
    abort_say(on ? on->rank : 0, name, errorcode);
}

/* With --protocol spbc a time is an outcome like any other, but not in an operation, which the
 * library calls when it likes. The clock goes on from the last one that was given again. */
static double time_recorded(struct ft_rank *self)
{
    int64_t moment;

    if (self->in_callback)
        return PMPI_Wtime() + self->wtime_offset;
    if (ft_clock_again(self, FT_CLOCK_WTIME, &moment)) {
        self->wtime_offset = (double)moment / SECOND - PMPI_Wtime();
        return (double)moment / SECOND;
    }
    moment = (int64_t)((PMPI_Wtime() + self->wtime_offset) * SECOND);
    return (double)ft_reading_note(self, FT_CLOCK_WTIME, moment) / SECOND;
}

/* The clock never goes back: the offset makes up for what a rollback took away. */
FT_EXPORT double MPI_Wtime(void)
{
    struct ft_rank *self = ft_self;
    double now;

    if (!self || self->mpi_state != STATE_RUNNING)
        return PMPI_Wtime() + (self ? self->wtime_offset : 0);
    ft_enter_poll(self, FT_CALL_MPI_Wtime, __builtin_return_address(0));
    now = ft_unlikely(self->spbc != NULL) ? time_recorded(self) : PMPI_Wtime() + self->wtime_offset;
    ft_leave(self, MPI_SUCCESS);
    return now;
}

FT_EXPORT int MPI_Pcontrol(const int level, ...)
{
    return PMPI_Pcontrol(level);
}

/* The alignment that the info asks for, as MPICH reads it; 0: that of malloc is enough, or it is
 * none. */
static size_t alignment_wanted(struct ft_rank *self, MPI_Info info)
{
    char value[MPI_MAX_INFO_VAL + 1];
    int found = 0, wanted;

    if (info == MPI_INFO_NULL)
        return 0;
    ft_depth++;
    if (PMPI_Info_get(ft_info_real(self, info), "mpi_minimum_memory_alignment", MPI_MAX_INFO_VAL,
                      value, &found) != MPI_SUCCESS)
        found = 0;
    ft_depth--;
    wanted = found ? atoi(value) : 0;
    return wanted > 16 && !(wanted & (wanted - 1)) ? (size_t)wanted : 0;
}

/* The program's heap. */
FT_EXPORT int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
    struct ft_rank *self = ft_self;
    size_t alignment;

    if (!self)
        return PMPI_Alloc_mem(size, info, baseptr);
    if (size < 0 || !baseptr)
        return ft_error(self, NULL, PMPI_Alloc_mem(size, MPI_INFO_NULL, baseptr), "MPI_Alloc_mem");
    alignment = alignment_wanted(self, info);
    if (!alignment)
        *(void **)baseptr = malloc(size ? (size_t)size : 1);
    else if (posix_memalign(baseptr, alignment, size ? (size_t)size : 1) != 0)
        *(void **)baseptr = NULL;
    return *(void **)baseptr ? MPI_SUCCESS : ft_error(self, NULL, MPI_ERR_NO_MEM, "MPI_Alloc_mem");
}

FT_EXPORT int MPI_Free_mem(void *base)
{
    if (!ft_self)
        return PMPI_Free_mem(base);
    free(base);
    return MPI_SUCCESS;
}
