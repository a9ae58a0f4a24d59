/* handle: what the program holds in place of MPI's handles, and how to make the real ones again.
 *
 * The program only ever sees virtual handles; predefined ones (MPI_COMM_WORLD, MPI_INT, MPI_SUM,
 * MPI_INFO_ENV, ..., and every *_NULL) keep their values. A virtual handle is an int whose top byte
 * no MPICH handle has, so a stale or foreign handle is detected. All structures lie in the image
 * (ft_image_alloc). Real handles belong to one epoch and are never stored outside these structures.
 *
 * A communicator's identity is a hash of (identity of the parent, number of the creating collective
 * on it, lowest world rank of the new group): equal on all members without a message. The world's
 * is 1, MPI_COMM_SELF's 2. */
#ifndef FT_HANDLE_H
#define FT_HANDLE_H

#include "library/library.h"
#include "process.h"

struct ft_attributes; /* key -> value, own to this room */
struct ft_topology;   /* likewise */

struct ft_comm {
    MPI_Comm real;   /* this epoch's communicator */
    MPI_Comm handle; /* what the program holds; MPI_COMM_NULL once it has freed it */
    uint64_t id;     /* job-wide identity */
    uint64_t clock;  /* collectives entered or posted on it, creations and the free included */
    int rank, size;  /* of this process, in the (local) group */
    int peers;       /* ranks that point-to-point addresses: size, or the remote group's size */
    int *world;      /* [peers] rank of the communicator -> world rank */
    int *local;      /* [size] the local group's world ranks; == world for an intracommunicator */
    int inter;       /* 1: intercommunicator */
    int held;        /* pending requests that use it */
    int expected;    /* 1: a non-blocking duplication is still making `real` */
    int lane;        /* with --protocol spbc: see below */
    int number;      /* likewise: of its birth */
    int ghost;       /* likewise: 1: the program has yet to make it, another member has already */
    int heard;       /* likewise: freed: members that are known to have freed it for good */
    int ahead;   /* likewise: 1: freed here or not made yet, and not made in this epoch, although
                    a member that has rolled back will come to its birth */
    int refused; /* likewise: the MPI code with which the library refused to make it, or 0 */
    struct ft_comm *next, *prev; /* live communicators, in order of birth */
    struct ft_attributes *attributes;
    struct ft_topology *topology;
    MPI_Errhandler errhandler; /* the program's (virtual or predefined; MPI_ERRHANDLER_NULL: never
                                  set, the world's); real ones are MPI_ERRORS_RETURN always */
    MPI_Info hints;            /* virtual: what the program gave, by MPI_Comm_set_info and others,
                                  or MPI_INFO_NULL */
    char *name;                /* what MPI_Comm_set_name gave, or NULL */
    int barred;                /* with --ulfm: what a collective on it fails with, or MPI_SUCCESS */
    int revoked;               /* likewise: 1: it is */
    uint32_t acknowledged;     /* likewise: so many deaths the program has acknowledged on it */
    uint32_t agreements;       /* likewise: entered on it */
};

/* Looks a communicator up. NULL: no such communicator (null or freed handle): the caller then calls
 * the native function with the same value, which reports MPI_ERR_COMM in its own words. */
struct ft_comm *ft_comm_find_other(struct ft_rank *self, MPI_Comm handle);
static inline struct ft_comm *ft_comm_find(struct ft_rank *self, MPI_Comm handle)
{
    if (ft_likely(handle == MPI_COMM_WORLD))
        return (struct ft_comm *)self->handles; /* the world is its first member */
    return ft_comm_find_other(self, handle);
}

/* The real handle. A predefined or invalid handle answers itself. */
MPI_Comm ft_comm_real(struct ft_rank *self, MPI_Comm handle);
MPI_Group ft_group_real(struct ft_rank *self, MPI_Group handle);
MPI_Info ft_info_real(struct ft_rank *self, MPI_Info handle);
/* The world ranks of a group; NULL: empty or no group. */
const int *ft_group_members(struct ft_rank *self, MPI_Group handle, int *size);
MPI_Datatype ft_type_find(struct ft_rank *self, MPI_Datatype handle);
MPI_Op ft_op_find(struct ft_rank *self, MPI_Op handle);

/* The top bytes of virtual handles. MPICH's null handles have the same byte with the two low bits
 * clear; with any of them set, its top two bits say "invalid", so the library refuses a stale one.
 */
enum ft_handle_byte {
    FT_COMM_BYTE = 0x07,
    FT_GROUP_BYTE = 0x0b,
    FT_TYPE_BYTE = 0x0f,
    FT_ERRHANDLER_BYTE = 0x17,
    FT_OP_BYTE = 0x1b,
    FT_INFO_BYTE = 0x1f,
    FT_WIN_BYTE = 0x23,
    FT_KEYVAL_BYTE = 0x27
};

/* Inline fronts: predefined datatypes and operations are themselves. */
static inline MPI_Datatype ft_type_real(struct ft_rank *self, MPI_Datatype handle)
{
    if (ft_likely(ft_handle_bits(handle) >> 24 != FT_TYPE_BYTE))
        return handle;
    return ft_type_find(self, handle);
}

/* Are an element's data a run of bytes, without gaps and in their order? Decided when the type is
 * made; 0 also where it is not certain, and before it is committed. */
int ft_type_made_plain(struct ft_rank *self, MPI_Datatype handle); /* one that is not basic */
static inline int ft_type_is_plain(struct ft_rank *self, MPI_Datatype handle)
{
    return ft_likely(ft_library_type_is_basic(handle)) || ft_type_made_plain(self, handle);
}

static inline MPI_Op ft_op_real(struct ft_rank *self, MPI_Op handle)
{
    if (ft_likely(ft_handle_bits(handle) >> 24 != FT_OP_BYTE))
        return handle;
    return ft_op_find(self, handle);
}

/* A datatype or operation stays alive (though freed by the program) while pending requests use it.
 * Predefined ones are let pass. */
void ft_type_hold(struct ft_rank *self, MPI_Datatype handle);
void ft_type_release(struct ft_rank *self, MPI_Datatype handle);
void ft_op_hold(struct ft_rank *self, MPI_Op handle);
void ft_op_release(struct ft_rank *self, MPI_Op handle);
void ft_comm_hold(struct ft_rank *self, struct ft_comm *comm);
void ft_comm_release(struct ft_rank *self, struct ft_comm *comm);

/* Entering or posting one collective on comm: counts and returns its clock. */
static inline uint64_t ft_comm_tick(struct ft_comm *comm)
{
    return ++comm->clock;
}

/* A blocking collective on comm ended with the error `code`. If no other rank can have met this one
 * in it, it does not count: so with errors of arguments, which MPICH finds before it communicates.
 */
void ft_comm_untick(struct ft_comm *comm, int code);

/* The live communicators' and tombstones' clocks, for the gate: at most `room` into out, from the
 * index `from` on; returns how many were written. Only communicators with two or more members. None
 * with --protocol spbc: there nobody is blocked by a collective but while one is being made. */
uint32_t ft_comm_clocks(struct ft_rank *self, uint32_t from, struct ft_wire_clock *out,
                        uint32_t room);
/* All members have the same clocks now (a checkpoint was frozen): tombstones may go. */
void ft_comm_forget(struct ft_rank *self);

/* First live communicator (MPI_COMM_WORLD), walk with ->next. Those that the program has freed but
 * that pending requests hold are in the list. */
struct ft_comm *ft_comm_first(struct ft_rank *self);
/* The first of those that are being made (--protocol spbc), linked by next; NULL: none. */
struct ft_comm *ft_comm_unborn(struct ft_rank *self);
/* Carries on their native making. */
void ft_makings_turn(struct ft_rank *self);
/* Has the library made it, and this rank only not seen it? Then comm->real is good. */
int ft_making_made(const struct ft_comm *comm);

/* The runtime's own communicator of this epoch, over all ranks; never the program's traffic. */
MPI_Comm ft_comm_runtime(struct ft_rank *self);

/* With --protocol spbc alone. The communicator of this epoch over this rank's cluster, in the order
 * of world ranks; never the program's traffic. */
MPI_Comm ft_comm_cluster(struct ft_rank *self);
/* Likewise: the messages that the runtime's own collectives are made of travel here, between world
 * ranks, as messages of the program do: counted, logged, drained, replayed. */
#define FT_LANES_ID 3 /* its identity */
struct ft_comm *ft_comm_lanes(struct ft_rank *self);
static inline int ft_comm_is_lanes(const struct ft_comm *comm)
{
    return comm->id == FT_LANES_ID;
}

/* Births with --protocol spbc. The members tell each other what they must
 * (runtime/libft/pmpi/births.c), so that each can say alone who belongs to the new communicator;
 * here it is made, or, where another member had made it before this rank rolled back, its ghost of
 * this epoch adopted.
 *
 * Births are numbered: each member proposes its next number when it comes to one, and the highest
 * proposal is the birth's. So a member's next number is higher than the birth's exactly when it has
 * been through it. A birth whose end the program has not seen (MPI_Comm_idup) is in its list of
 * births, and counts at the free.
 *
 * The lane is a number that all members know, and no other communicator that any of them has
 * ever had; its collectives travel on tags of their own by it. Groups that one call makes of
 * disjoint ranks may share it. Even ones are twice the number of a birth that a member waits
 * for, of which it has one at a time; odd ones are drawn by the lowest rank of a non-blocking
 * one. */
enum ft_lane { FT_LANE_WORLD, FT_LANE_MEETING, FT_LANE_SELF, FT_LANE_RETIRED, FT_LANE_FIRST };
#define FT_LANE_BITS 6 /* of a tag are left to what happens on one lane */

struct ft_birth {           /* the arrays come from ft_image_alloc and go to the communicator */
    uint64_t clock;         /* of the creating collective on the parent; 0: made by groups alone */
    int number;             /* 0: not known yet */
    int lane;               /* likewise */
    int inter, size, peers; /* as in struct ft_comm */
    int *local, *world;     /* world ranks; world == local unless inter */
    struct ft_topology *topology; /* or NULL; owned */
};

/* The communicator to be: identified, and known to be under way; this rank is a member. */
struct ft_comm *ft_comm_conceive(struct ft_rank *self, const struct ft_comm *parent,
                                 struct ft_birth *birth);
/* Makes or adopts it, as far as it goes without waiting: to be called again until it answers 1,
 * with the number and lane set. Then *comm, which may be another structure now, is in the list, and
 * *code MPI_SUCCESS; or it is gone, *comm is NULL, and *code says why. */
int ft_comm_bear(struct ft_rank *self, struct ft_comm **comm, int *code);
/* With --ulfm: it cannot be made, because a member is dead or will not come. It is gone. */
void ft_comm_abandon(struct ft_rank *self, struct ft_comm *comm);
/* Gives it the program's handle, and the parent's error handler. */
void ft_comm_present(struct ft_rank *self, const struct ft_comm *parent, struct ft_comm *comm);
/* The number that this rank proposes for a birth; and the note that there was one of this
 * number. */
int ft_number_propose(const struct ft_rank *self);
void ft_number_take(struct ft_rank *self, int number);
/* A lane that no other rank draws, and this one never again. */
int ft_lane_draw(struct ft_rank *self);

/* Tombstones. The clone that writes an image also writes which communicators the rank has not freed
 * (docs/formats/received.md): fills words with ft_census_words(self) of them, raw memory alone. */
uint64_t ft_census_words(const struct ft_rank *self);
void ft_census_write(const struct ft_rank *self, void (*put)(void *to, uint64_t word), void *to);
/* words[count], what `world` wrote at the oldest checkpoint that it may go to: what it has freed by
 * then. When this was called for all ranks, ft_tombs_drop forgets what all members have freed, and
 * tells `gone` of each; ft_tombs_begin first. 0, or -EBADMSG. */
void ft_tombs_begin(struct ft_rank *self);
int ft_tombs_hear(struct ft_rank *self, int world, const uint64_t *words, uint64_t count);
void ft_tombs_drop(struct ft_rank *self, void (*gone)(struct ft_rank *, const struct ft_comm *));

/* Any communicator that a log may speak of, by its identity: live ones, ghosts, those ahead, and
 * freed ones as long as a member may roll back to before their end (`real` is MPI_COMM_NULL when
 * nobody in this epoch needs it, or `ahead`). NULL: unknown. */
struct ft_comm *ft_comm_known(struct ft_rank *self, uint64_t id);

/* Topologies, from the arguments of MPI's constructors; NULL weights: MPI_UNWEIGHTED. With
 * --protocol spbc the library knows of none: the answers come from here. */
struct ft_topology *ft_topology_cart(int dimensions, const int *sizes, const int *periods);
struct ft_topology *ft_topology_graph(int nodes, const int *index, const int *edges);
struct ft_topology *ft_topology_dist(int in, const int *sources, const int *in_weights, int out,
                                     const int *destinations, const int *out_weights, int weighted);
struct ft_topology *ft_topology_copy(const struct ft_topology *topology); /* NULL of NULL */
void ft_topology_free(struct ft_topology *topology);
/* MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH or MPI_UNDEFINED. */
int ft_topology_kind(const struct ft_comm *comm);
/* The peers of neighbourhood collectives in MPI's order, MPI_PROC_NULL included: writes the ranks
 * to sources[in] and destinations[out] (each may be NULL: then it only counts). No topology: 0. */
void ft_topology_neighbours(const struct ft_comm *comm, int *in, int *sources, int *out,
                            int *destinations);
/* The calls of the same names, arguments and codes. */
int ft_topo_test(const struct ft_comm *on, int *status);
int ft_cartdim_get(const struct ft_comm *on, int *ndims);
int ft_cart_get(const struct ft_comm *on, int maxdims, int *dims, int *periods, int *coords);
int ft_cart_rank(const struct ft_comm *on, const int *coords, int *rank);
int ft_cart_coords(const struct ft_comm *on, int rank, int maxdims, int *coords);
int ft_cart_shift(const struct ft_comm *on, int direction, int disp, int *source, int *dest);
int ft_graphdims_get(const struct ft_comm *on, int *nodes, int *edges);
int ft_graph_get(const struct ft_comm *on, int maxindex, int maxedges, int *index, int *edges);
int ft_graph_neighbors_count(const struct ft_comm *on, int rank, int *count);
int ft_graph_neighbors(const struct ft_comm *on, int rank, int most, int *neighbours);
int ft_dist_graph_neighbors_count(const struct ft_comm *on, int *in, int *out, int *weighted);
int ft_dist_graph_neighbors(const struct ft_comm *on, int maxin, int *sources, int *in_weights,
                            int maxout, int *destinations, int *out_weights);

/* For the wrappers: takes a real object that the library has just made under the care of the
 * runtime and returns the handle for the program. Null and predefined objects are themselves.
 *
 * ft_comm_born: made by the collective `clock` of `parent` (error handler inherited).
 * ft_comm_born_hinted: the same with the hints of `info` (virtual).
 * ft_comm_met: made by a group alone; all members make the groups' communicators in one order.
 * ft_type_made: made of the `count` datatypes `parts` (virtual handles).
 * ft_type_named: one of the library's permanent, parametrized types (MPI_Type_create_f90_*). */
MPI_Comm ft_comm_born(struct ft_rank *self, const struct ft_comm *parent, uint64_t clock,
                      MPI_Comm real);
MPI_Comm ft_comm_born_hinted(struct ft_rank *self, const struct ft_comm *parent, uint64_t clock,
                             MPI_Comm real, MPI_Info info);
MPI_Comm ft_comm_met(struct ft_rank *self, const struct ft_comm *parent, MPI_Comm real);
MPI_Group ft_group_made(struct ft_rank *self, MPI_Group real);
MPI_Info ft_info_made(struct ft_rank *self, MPI_Info real);
MPI_Datatype ft_type_made(struct ft_rank *self, MPI_Datatype real, int count,
                          const MPI_Datatype *parts);
MPI_Datatype ft_type_named(struct ft_rank *self, MPI_Datatype real);

/* A communicator that a non-blocking duplication is making: the library stores the real one into
 * ->real when its request completes; ft_comm_filled is called then. */
struct ft_comm *ft_comm_expect(struct ft_rank *self, const struct ft_comm *parent, uint64_t clock);
void ft_comm_filled(struct ft_rank *self, struct ft_comm *comm);

/* The program gives its handle back. The real object goes when nothing holds it any more. The
 * attributes' delete functions have been called by ft_attributes_delete. */
void ft_comm_free(struct ft_rank *self, struct ft_comm *comm);
int ft_type_free(struct ft_rank *self, MPI_Datatype handle);
void ft_group_free(struct ft_rank *self, MPI_Group handle);
void ft_info_free(struct ft_rank *self, MPI_Info handle);

/* Reads an info's keys and values again after the program has changed the real one. */
void ft_info_changed(struct ft_rank *self, MPI_Info handle);
/* Replaces comm's remembered hints by a copy of `info` (virtual, or MPI_INFO_NULL). */
void ft_comm_hint(struct ft_rank *self, struct ft_comm *comm, MPI_Info info);
/* Adds those of `info` to them. */
void ft_comm_hint_more(struct ft_rank *self, struct ft_comm *comm, MPI_Info info);
/* Gives the remembered hints to the real communicator, if there is one already. */
void ft_comm_hint_real(struct ft_rank *self, const struct ft_comm *comm);
/* Remembers a name (NULL forgets it). */
void ft_comm_name(struct ft_comm *comm, const char *name);

/* Datatypes: what the wrappers ask beyond the real handle. NULL or 0 for predefined ones. */
struct ft_type;
struct ft_type *ft_type_of(struct ft_rank *self, MPI_Datatype handle);
void ft_type_committed(struct ft_type *type);
void ft_type_name(struct ft_rank *self, MPI_Datatype handle, const char *name);
const char *ft_type_name_of(struct ft_rank *self, MPI_Datatype handle);
/* The attribute list of a datatype, predefined ones included; `make` creates its record. */
struct ft_attributes **ft_type_attributes(struct ft_rank *self, MPI_Datatype handle, int make);
/* Replaces what PMPI_Type_get_contents gave in parts[] by virtual handles, held for the program. */
void ft_type_parts(struct ft_rank *self, const struct ft_type *type, MPI_Datatype *parts);
/* The program's handle of a real datatype that the library shows to a callback. */
MPI_Datatype ft_type_virtual(struct ft_rank *self, MPI_Datatype real);

struct ft_op_function { /* of the program; one of the two */
    MPI_User_function *plain;
    MPI_User_function_c *large;
};

/* Operations. Returns an MPI code of PMPI_Op_create. */
int ft_op_create(struct ft_rank *self, const struct ft_op_function *function, int commute,
                 MPI_Op *handle);

/* Attributes. Keys are the runtime's alone; callbacks run at depth 0 with virtual handles. kind is
 * FT_COMM_BYTE or FT_TYPE_BYTE. `handle` is the object's, of whatever kind. The functions return an
 * MPI code, that of the callback included. */
int ft_keyval_create(struct ft_rank *self, int kind, void *copy, void *drop, void *extra);
/* Effect: the functions of a key are called by these (handles.h); of a key that is not there,
 * nothing. */
void ft_keyval_set_proxy(struct ft_rank *self, int keyval, void *copy, void *drop);
int ft_keyval_is_valid(struct ft_rank *self, int kind, int keyval);
void ft_keyval_free(struct ft_rank *self, int keyval);
int ft_attribute_set(struct ft_rank *self, struct ft_attributes **list, MPI_Comm handle, int keyval,
                     void *value);
int ft_attribute_get(struct ft_attributes *list, int keyval, void **value); /* 1: found */
int ft_attribute_delete(struct ft_rank *self, struct ft_attributes **list, MPI_Comm handle,
                        int keyval);
int ft_attributes_copy(struct ft_rank *self, struct ft_attributes *from, MPI_Comm handle,
                       struct ft_attributes **to);
int ft_attributes_delete(struct ft_rank *self, struct ft_attributes **list, MPI_Comm handle);
/* A predefined attribute of the world (MPI_TAG_UB, ...): a copy in the image, or NULL. */
int *ft_attribute_predefined(struct ft_rank *self, int keyval);

/* Error handlers. ft_errhandler_known: a predefined one, or a live virtual one. */
MPI_Errhandler ft_errhandler_create(struct ft_rank *self, MPI_Comm_errhandler_function *function);
int ft_errhandler_known(struct ft_rank *self, MPI_Errhandler handle);
void ft_errhandler_hold(struct ft_rank *self, MPI_Errhandler handle);
void ft_errhandler_release(struct ft_rank *self, MPI_Errhandler handle);

/* Error classes, codes and strings that the program added, to be added again in this order. */
enum ft_error_add {
    FT_ERROR_CLASS,
    FT_ERROR_CODE,
    FT_ERROR_STRING,
    FT_ERROR_NO_CLASS, /* those that are deleted: `given` */
    FT_ERROR_NO_CODE,
    FT_ERROR_NO_STRING
};
void ft_error_added(struct ft_rank *self, enum ft_error_add what, int given, int made,
                    const char *text);

/* Called once, when the rank's state is made: what MPI allows before MPI_Init (infos, error
 * handlers) needs the tables. Asks nothing of the library. */
void ft_handles_prepare(struct ft_rank *self);
/* Called once at the end of the program's MPI_Init (PMPI_Init has returned). */
void ft_handles_start(struct ft_rank *self);
/* Called in a new epoch, after PMPI_Init, when the image is in: makes every real handle again, in
 * the order of identities. Collective over all ranks. Panics on failure. */
void ft_handles_rebuild(struct ft_rank *self);
/* The first fault in tables and lists of handles, in a few words; NULL: none. At a safe point. */
const char *ft_handles_wrong(const struct ft_rank *self);
/* MPI_Finalize: attribute callbacks of MPI_COMM_SELF, then of MPI_COMM_WORLD. */
void ft_handles_finish(struct ft_rank *self);

/* Effect: handles a native result: MPI_SUCCESS passes; anything else meets the error handler of
 * comm (NULL, or it has none: of MPI_COMM_WORLD) as MPICH does it: ends the job by MPI_Abort
 * with MPICH's text, returns the code, or calls the program's function at depth 0 and returns
 * what that leaves in its argument. */
int ft_error_meet(struct ft_rank *self, struct ft_comm *comm, int code, const char *call);
static inline int ft_error(struct ft_rank *self, struct ft_comm *comm, int code, const char *call)
{
    if (ft_likely(code == MPI_SUCCESS))
        return code;
    return ft_error_meet(self, comm, code, call);
}

/* The same with the error handler of a file or a window; object: the program's handle, which the
 * function gets. */
int ft_error_handle(struct ft_rank *self, MPI_Errhandler errhandler, void *object, int code,
                    const char *call);

/* The same for a call that is not entered, with a code that is an error: as it is where there are
 * no error handlers (before MPI_Init, ...), or inside of the library. */
int ft_error_pass(int code, const char *call);
/* On several nodes: returns when ftrun knows that no rank has died, which could be the cause of an
 * error of this class. If one has, this process is ended meanwhile. */
void ft_error_await(int code);

/* Ends the job: tells ftrun the code and waits for the end. */
_Noreturn void ft_abort(struct ft_rank *self, int code);

#endif
