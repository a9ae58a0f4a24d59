/* schedule: what one rank does in one collective: rounds of sends, receives, reductions and copies
 * (Hoefler, Lumsdaine, Rehm: "Implementation and Performance Analysis of Non-Blocking Collective
 * Operations for MPI", SC'07).
 *
 * The whole schedule is written before it starts; so arrays of the program are read once. Steps of
 * a round begin together; reductions and copies are done at once, so they stand in a round behind
 * the receives they need. All of it lies in the image, with the program's handles of datatypes and
 * operations, which it holds: it goes on in another process where it was.
 *
 * Messages travel on the lanes between world ranks. Their tag says the communicator and the number
 * of the collective on it, modulo FT_LANE_TAGS: of two that have the same tag the later one begins
 * when the earlier one is complete, on every rank, so each stream has its messages in order.
 *
 * Thread rule: as all wrappers, one thread at a time. */
#ifndef FT_COLL_SCHEDULE_H
#define FT_COLL_SCHEDULE_H

#include "request/virtual.h"

#define FT_LANE_TAGS (1u << FT_LANE_BITS)
/* A small collective needs one allocation. */
#define FT_STEPS_FEW 8
#define FT_BYTES_LITTLE 128

enum ft_step_kind { FT_STEP_SEND, FT_STEP_RECEIVE, FT_STEP_REDUCE, FT_STEP_COPY, FT_STEP_ROUND };

struct ft_step {
    enum ft_step_kind kind;
    int count, count_to;        /* elements; count_to of a COPY */
    MPI_Datatype type, type_to; /* the program's, held */
    MPI_Op op;                  /* of a REDUCE: to = from op to; the program's, held */
    int world;                  /* of messages: the other's world rank */
    const void *from;           /* the program's or the schedule's memory */
    void *to;
    struct ft_request *request; /* of messages, while it runs; owned */
    char *packed;               /* of a RECEIVE while it runs: what comes in, or NULL; owned */
};

struct ft_schedule {
    struct ft_comm *on;       /* held by the request, or the program is inside the call */
    int tag;                  /* on the lanes */
    int code;                 /* the first error, an MPI code */
    int waits;                /* 1: another with the same tag may be running */
    int count, room;          /* steps */
    int at, open;             /* next step; first message that is not complete */
    struct ft_step *step;     /* [count]; `few`, or from the image */
    struct ft_memory *memory; /* buffers, freed at the end */
    int used;                 /* bytes of `little` */
    struct ft_step few[FT_STEPS_FEW];
    _Alignas(16) char little[FT_BYTES_LITTLE]; /* small buffers */
};

/* The group that an algorithm runs in. */
struct ft_group_view {
    int rank, size;
    const int *world; /* [size] world ranks */
};

/* The tag of the collective on->clock. */
static inline int ft_schedule_tag(const struct ft_comm *on)
{
    return (int)((unsigned)on->lane * FT_LANE_TAGS + on->clock % FT_LANE_TAGS);
}

/* A new, empty schedule for the collective on->clock. Never NULL. */
struct ft_schedule *ft_schedule_create(struct ft_comm *on);

/* Steps. Peers are world ranks. A copy may change the datatype. */
void ft_schedule_send(struct ft_rank *self, struct ft_schedule *schedule, const void *buffer,
                      int count, MPI_Datatype type, int world);
void ft_schedule_receive(struct ft_rank *self, struct ft_schedule *schedule, void *buffer,
                         int count, MPI_Datatype type, int world);
void ft_schedule_reduce(struct ft_rank *self, struct ft_schedule *schedule, const void *in,
                        void *inout, int count, MPI_Datatype type, MPI_Op op);
void ft_schedule_copy(struct ft_rank *self, struct ft_schedule *schedule, const void *from,
                      int count, MPI_Datatype type, void *to, int count_to, MPI_Datatype type_to);
/* Later steps begin when all earlier ones are complete. */
void ft_schedule_round(struct ft_rank *self, struct ft_schedule *schedule);

/* Memory for `count` elements, to be used like a buffer of the program: an operation may access the
 * gaps, and elements may begin below their addresses, or go down. Freed at the end of the schedule.
 */
void *ft_schedule_buffer(struct ft_rank *self, struct ft_schedule *schedule, int count,
                         MPI_Datatype type);

/* Starts it, and owns it from here on. request NULL: waits for its end, passing the gate where
 * asked; otherwise *request is the virtual request. Answers an MPI code. */
int ft_schedule_start(struct ft_rank *self, struct ft_schedule *schedule, MPI_Request *request);

#endif
