/* handles: the room's own structures. Nobody outside runtime/libft/handle includes this.
 *
 * All of it lies in the image. Everything that holds a real handle is listed here, and nowhere
 * else: rebuild.c walks these lists in a new epoch. Thread rule: single threaded, like the whole
 * runtime. */
#ifndef FT_HANDLES_H
#define FT_HANDLES_H

#include "handle/handle.h"

/* Slots of one kind of handle. bits = byte << 24 | age << 20 | index; the age of a slot changes
 * whenever it is freed, so that a stale handle is found out (15 times of 16). */
#define FT_TABLE_SLOTS (1u << 20)
/* Not null, and of no slot: the program cannot meet it. */
#define FT_LANES_HANDLE ft_handle_of(MPI_Comm, FT_COMM_BYTE << 24 | (FT_TABLE_SLOTS - 1))
struct ft_table {
    unsigned byte;   /* enum ft_handle_byte */
    uint32_t count;  /* slots ever used */
    uint32_t room;   /* slots allocated */
    uint32_t unused; /* first of the chain of free slots, FT_TABLE_SLOTS: none */
    struct ft_slot {
        void *object;  /* NULL: free */
        uint32_t next; /* in the chain of free slots */
        uint32_t age;
    } * slot;
};

/* bits: of a handle (ft_handle_bits). ft_table_replace, ft_table_remove: of a live one;
 * ft_table_add answers those of the new one; ft_table_find: NULL: no such handle. */
void ft_table_replace(struct ft_table *table, uint32_t bits, void *object);
uint32_t ft_table_add(struct ft_table *table, void *object);
void *ft_table_find(const struct ft_table *table, uint32_t bits);
void ft_table_remove(struct ft_table *table, uint32_t bits);

struct ft_group {
    MPI_Group real, handle;
    int size;
    int *world; /* [size] world ranks */
    struct ft_group *next, *prev;
};

struct ft_info {
    MPI_Info real, handle;
    int count;
    char **text; /* [2 * count] key, value, key, value, ... */
    struct ft_info *next, *prev;
};

struct ft_type {
    MPI_Datatype real, handle;
    int refs; /* the program's handles, types made of it, pending requests */
    int committed;
    int permanent; /* 1: MPI_Type_create_f90_*: the library's own, never freed */
    int plain;     /* 1: an element's data are a run of bytes, in their order */
    int combiner;  /* how it was made, as MPI_Type_get_envelope tells; 0: a predefined type that */
    int integers, addresses, parts; /* has a name or attributes */
    int *integer;                   /* [integers] */
    MPI_Aint *address;              /* [addresses] */
    MPI_Datatype *part;             /* [parts] virtual handles, each held */
    char *name;
    struct ft_attributes *attributes;
    struct ft_type *next, *prev; /* in order of birth: parts come before what is made of them */
};

/* Makes type->real from the rest. An MPI code. */
int ft_type_construct(struct ft_rank *self, struct ft_type *type);

/* Is it plain? As it was made; its parts are known. */
int ft_type_decide_plain(struct ft_rank *self, const struct ft_type *type);

struct ft_op {
    MPI_Op real, handle;
    int function; /* index of ft_handles.function */
    int commute, refs;
    struct ft_op *next, *prev;
};

/* Functions of live operations: each needs a C function of the runtime's own, see op.c. */
#define FT_FUNCTIONS 1024
struct ft_function {
    struct ft_op_function call;
    int ops; /* live operations that call it; 0: the entry is free */
};

/* MPICH calls the functions of a key of another language by these, which that language supplies
 * (MPII_Attr_copy_proxy, MPII_Attr_delete_proxy). `type`: how the value is meant; an integer here.
 */
typedef int ft_copy_proxy(void *copy, MPI_Comm handle, int keyval, void *extra, int type,
                          void *value, void **made, int *keep);
typedef int ft_drop_proxy(void *drop, MPI_Comm handle, int keyval, int type, void *value,
                          void *extra);
#define FT_PROXY_INTEGER 1 /* MPIR_ATTR_AINT */

struct ft_keyval {
    int handle, kind; /* FT_COMM_BYTE, FT_TYPE_BYTE */
    int refs;         /* the program's, and one for each attribute */
    int freed;        /* by the program */
    void *copy, *drop, *extra;
    ft_copy_proxy *copy_proxy; /* of Fortran: calls `copy`; NULL: it is C */
    ft_drop_proxy *drop_proxy; /* likewise */
};

struct ft_attributes { /* newest first */
    struct ft_keyval *key;
    void *value;
    struct ft_attributes *next;
};

struct ft_errhandler {
    MPI_Errhandler handle;
    MPI_Comm_errhandler_function *function;
    int refs; /* the program's handles and communicators */
};

struct ft_added { /* one MPI_Add_error_*, in order */
    enum ft_error_add what;
    int given, made;
    char *text;
    struct ft_added *next, *prev;
};

struct ft_topology {
    int kind;          /* MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH */
    int weighted;      /* MPI_DIST_GRAPH */
    int first, second; /* entries of a, b: see topology.c */
    int *a, *b, *c, *d;
};

/* The topology of a real communicator, or NULL. */
struct ft_topology *ft_topology_read(MPI_Comm real);
/* Makes `*made` from `plain` (same ranks, no topology) and the topology; collective over plain. */
int ft_topology_apply(const struct ft_topology *topology, MPI_Comm plain, MPI_Comm *made);

struct ft_tombstone { /* a freed communicator that other members may not have freed yet */
    uint64_t id, clock;
    struct ft_tombstone *next;
};

struct ft_meeting { /* how often exactly these ranks have made a communicator among themselves */
    uint64_t ranks; /* hash of their world ranks */
    uint64_t count;
    struct ft_meeting *next;
};

#define FT_PREDEFINED 8 /* predefined communicator attributes, two keys each (C, Fortran) */
struct ft_handles {
    struct ft_comm world; /* must be first: ft_comm_find */
    struct ft_comm alone; /* MPI_COMM_SELF */
    struct ft_comm *comm; /* live ones, in order of birth, the world first */
    struct ft_table comms, groups, types, infos, ops, keyvals, errhandlers;
    struct ft_group *group;
    struct ft_info *info;
    struct ft_type *type;
    struct ft_type *type_shown; /* the one ft_type_virtual found last */
    struct ft_op *op;
    struct ft_function function[FT_FUNCTIONS];
    struct ft_added *added;
    struct ft_sessions *sessions; /* NULL until somebody asks (session.h) */
    struct ft_tool *tools;        /* in the order of their making (tool.h) */
    int tool_starts;              /* of MPI_T, by the program */
    struct ft_tombstone *tombstone;
    struct ft_meeting *meeting;
    int predefined[FT_PREDEFINED];        /* values of the world's attributes */
    unsigned char present[FT_PREDEFINED]; /* 1: has it, 2: has it not, 0: not asked yet */
    MPI_Comm runtime;                     /* real, this epoch's */
    MPI_Comm cluster;                     /* likewise; with spbc alone */
    struct ft_comm lanes;                 /* in the list with spbc alone */
    struct ft_comm *past;                 /* with spbc: freed, or refused by the library */
    struct ft_comm *births;               /* with spbc: under way */
    struct ft_comm *ahead;                /* with spbc: not made before another epoch begins */
    uint32_t ghosts;                      /* with spbc: how many in `comm` are */
    int number_next;                      /* with spbc: what is proposed next */
    int lanes_drawn;                      /* with spbc: ft_lane_draw */
    MPI_Group world_group;                /* real, this epoch's */
};

/* In a new epoch: what the program has of the tool interface (tool.c). */
void ft_tools_rebuild(struct ft_handles *handles);

/* Panics unless code is MPI_SUCCESS: for calls that cannot fail in a sound program. */
void ft_must(int code, const char *what);
char *ft_image_string(const char *text); /* a copy, NULL of NULL */

/* Fills rank, size, peers, world, local and inter from ->real; the lowest world rank. */
void ft_comm_measure(struct ft_rank *self, struct ft_comm *comm);
void ft_comm_settle(MPI_Comm real); /* a new real communicator: error handler, group */
/* Groups have made none yet: all ranks forget it together. */
void ft_meetings_forget(struct ft_handles *handles);
/* Gives the identity: clock as in struct ft_birth. */
void ft_comm_identify(struct ft_rank *self, const struct ft_comm *parent, uint64_t clock,
                      struct ft_comm *comm);
/* Makes ->real from the rest; its members do so together. An MPI code. */
int ft_comm_make(struct ft_rank *self, struct ft_comm *comm);
/* The same in a fiber, as far as it goes: 1: it has ended with *code. Forgotten with the process.
 */
int ft_making_turn(struct ft_rank *self, struct ft_comm *comm, int *code);
int ft_making_runs(const struct ft_comm *comm);
/* A death has interrupted it: it is left in the middle, for good. */
void ft_making_forget(const struct ft_comm *comm);
/* In the fiber: 1 before, 0 after a call in which it agrees with other members of one group. */
void ft_making_agrees(int agrees);
/* In the fiber, before a call in which it is alone in its group: from here on it goes on only while
 * no other making of this process agrees with anybody. */
void ft_making_alone(void);
/* In the fiber, before and after MPI_Intercomm_create: until it leaves no other making of a
 * member enters. both: a communicator of all members. An MPI code; whatever it is, they leave. */
int ft_making_enter(MPI_Comm both);
void ft_making_leave(void);
void ft_comm_destroy(struct ft_rank *self, struct ft_comm *comm);
void ft_comm_discard(struct ft_comm *comm); /* frees the memory alone */
/* With spbc: what has left the list, and has no real one, becomes a tombstone. */
void ft_comm_bury(struct ft_rank *self, struct ft_comm *comm);
/* With spbc: shared communicators alone stand in lists that ranks tell each other; the runtime's
 * own and the predefined ones do not. */
int ft_comm_is_listed(const struct ft_rank *self, const struct ft_comm *comm);
int ft_comm_is_past(const struct ft_comm *comm); /* freed, and nothing pending holds it */
int ft_comm_members(const struct ft_comm *comm); /* of both groups */
/* With spbc, in a new epoch: agrees with all ranks on which communicators are to be made: brings
 * ghosts and tombstones that somebody needs into the list. Collective over all ranks. */
void ft_census_take(struct ft_rank *self);
void ft_handles_epoch(struct ft_rank *self); /* the runtime's own, error handlers */
void ft_group_world(struct ft_handles *handles, MPI_Group group, int size, int *world);

int ft_op_make(struct ft_op *op); /* the real one, an MPI code */
int ft_info_make(struct ft_info *info);
/* Sets all keys of `from` in `into`, which is virtual and no predefined one. */
void ft_info_merge(struct ft_rank *self, MPI_Info into, MPI_Info from);
int ft_group_make(struct ft_handles *handles, struct ft_group *group);
void ft_error_add_again(const struct ft_added *added);

#endif
