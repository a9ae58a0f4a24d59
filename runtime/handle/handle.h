/* handle: what the program holds in place of MPI's handles, and how to make the real ones again.
 *
 * The program only ever sees virtual handles; predefined ones (MPI_COMM_WORLD, MPI_INT, MPI_SUM,
 * MPI_INFO_ENV, ..., and every *_NULL) keep their values. A virtual handle is an int whose top byte
 * no MPICH handle has, so a stale or foreign handle is detected. All structures lie in the image
 * (ft_image_alloc). Real handles belong to one epoch and are never stored outside these structures.
 *
 * A communicator's identity is a hash of (identity of the parent, number of the creating collective
 * on it, lowest world rank of the new group): equal on all members without a message. The world's
 * is 1, MPI_COMM_SELF's 2 (design, section 6). */
#ifndef FT_HANDLE_H
#define FT_HANDLE_H

#include <mpi.h>
#include "process.h"

struct ft_attributes; /* key -> value, own to this room */
struct ft_topology;

struct ft_comm {
    MPI_Comm real;     /* this epoch's communicator */
    MPI_Comm handle;   /* what the program holds */
    uint64_t id;       /* job-wide identity */
    uint64_t clock;    /* collectives entered or posted on it, creations and the free included */
    int rank, size;    /* of this process, in the (local) group */
    int peers;         /* ranks that point-to-point addresses: size, or the remote group's size */
    int *world;        /* [peers] rank of the communicator -> world rank */
    int *local;        /* [size] the local group's world ranks; == world for an intracommunicator */
    int inter;         /* 1: intercommunicator */
    struct ft_comm *next, *prev; /* live communicators, in order of birth */
    struct ft_attributes *attributes;
    struct ft_topology *topology;
    MPI_Errhandler errhandler; /* the program's (virtual or predefined); real ones are
                                  MPI_ERRORS_RETURN always */
    char *name;
};

/* Looks a communicator up. NULL: no such communicator (null or freed handle): the caller then calls
 * the native function with the same value, which reports MPI_ERR_COMM in its own words. */
struct ft_comm *ft_comm_find(struct ft_rank *self, MPI_Comm handle);

/* The real handle. A predefined or invalid handle answers itself. */
MPI_Comm ft_comm_real(struct ft_rank *self, MPI_Comm handle);
MPI_Group ft_group_real(struct ft_rank *self, MPI_Group handle);
MPI_Op ft_op_real(struct ft_rank *self, MPI_Op handle);
MPI_Info ft_info_real(struct ft_rank *self, MPI_Info handle);
MPI_Datatype ft_type_find(struct ft_rank *self, MPI_Datatype handle);

/* Inline front of ft_type_find: builtin types (top two bits 01, top byte 0x4c or 0x8c pair types as
 * MPICH defines them) are themselves. */
#define FT_TYPE_VIRTUAL_BYTE 0x2f /* top byte of a virtual datatype; see handle.c for the others */
static inline MPI_Datatype ft_type_real(struct ft_rank *self, MPI_Datatype handle)
{
    if (ft_likely(((unsigned)handle >> 24) != FT_TYPE_VIRTUAL_BYTE))
        return handle;
    return ft_type_find(self, handle);
}

/* A datatype stays alive (though freed by the program) while pending requests use it. */
void ft_type_hold(struct ft_rank *self, MPI_Datatype handle);
void ft_type_release(struct ft_rank *self, MPI_Datatype handle);
void ft_comm_hold(struct ft_rank *self, struct ft_comm *comm); /* likewise */
void ft_comm_release(struct ft_rank *self, struct ft_comm *comm);

/* Entering or posting one collective on comm: counts and returns its clock. */
static inline uint64_t ft_comm_tick(struct ft_comm *comm)
{
    return ++comm->clock;
}

/* The live communicators' and tombstones' clocks, for the gate: at most `room` into out, from the
 * index `from` on; returns how many were written. Only communicators with two or more members. */
uint32_t ft_comm_clocks(struct ft_rank *self, uint32_t from, struct ft_wire_clock *out,
                        uint32_t room);
/* All members have the same clocks now (a checkpoint was frozen): tombstones may go. */
void ft_comm_forget(struct ft_rank *self);

/* First live communicator; walk with ->next. */
struct ft_comm *ft_comm_first(struct ft_rank *self);

/* The runtime's own communicator of this epoch, over all ranks; never the program's traffic. */
MPI_Comm ft_comm_runtime(struct ft_rank *self);

/* Called once at the end of the program's MPI_Init (PMPI_Init has returned). */
void ft_handles_start(struct ft_rank *self);
/* Called in a new epoch, after PMPI_Init, when the image is in: makes every real handle again, in
 * the order of identities. Collective over all ranks. Panics on failure. */
void ft_handles_rebuild(struct ft_rank *self);
/* MPI_Finalize: attribute callbacks of MPI_COMM_SELF and so on. */
void ft_handles_finish(struct ft_rank *self);

/* What a wrapper does with a native result: MPI_SUCCESS passes; anything else meets the error
 * handler of comm (NULL: of MPI_COMM_WORLD) as the standard says: ends the job by MPI_Abort with
 * MPICH's text, calls the program's function at depth 0, or returns the code. */
int ft_error(struct ft_rank *self, struct ft_comm *comm, int code, const char *call);

#endif
