/* births: the creating calls with --protocol spbc, made of the runtime's own messages, so that a
 * rank that goes back and calls again gets the same answers from the logs.
 *
 * The functions have the arguments of the MPI calls, with the communicator looked up as `on`. Each
 * of the first group ticks on's clock. Answers are MPI codes. A call that refuses one member has to
 * refuse all: others would wait for it for ever. Thread rule: as all wrappers, one thread at a
 * time. */
#ifndef FT_BIRTHS_H
#define FT_BIRTHS_H

#include "handle/handle.h"

int ft_birth_comm_dup(struct ft_rank *self, struct ft_comm *on, MPI_Comm *newcomm);
int ft_birth_comm_split(struct ft_rank *self, struct ft_comm *on, int color, int key,
                        MPI_Comm *newcomm);
int ft_birth_comm_split_type(struct ft_rank *self, struct ft_comm *on, int type, int key,
                             MPI_Info info, MPI_Comm *newcomm);
int ft_birth_comm_create(struct ft_rank *self, struct ft_comm *on, MPI_Group group,
                         MPI_Comm *newcomm);
int ft_birth_cart_create(struct ft_rank *self, struct ft_comm *on, int ndims, const int *dims,
                         const int *periods, int reorder, MPI_Comm *newcomm);
int ft_birth_cart_sub(struct ft_rank *self, struct ft_comm *on, const int *remain,
                      MPI_Comm *newcomm);
int ft_birth_graph_create(struct ft_rank *self, struct ft_comm *on, int nnodes, const int *index,
                          const int *edges, int reorder, MPI_Comm *newcomm);
int ft_birth_dist_graph_create(struct ft_rank *self, struct ft_comm *on, int n, const int *sources,
                               const int *degrees, const int *destinations, const int *weights,
                               MPI_Info info, int reorder, MPI_Comm *newcomm);
int ft_birth_dist_graph_create_adjacent(struct ft_rank *self, struct ft_comm *on, int in,
                                        const int *sources, const int *in_weights, int out,
                                        const int *destinations, const int *out_weights,
                                        MPI_Info info, int reorder, MPI_Comm *newcomm);
int ft_birth_intercomm_merge(struct ft_rank *self, struct ft_comm *on, int high, MPI_Comm *newcomm);

/* Non-blocking: the communicator is made in waits and polls, and is complete with the request.
 * *newcomm is a valid handle at once; *born is the unfinished communicator behind it. */
int ft_birth_comm_idup(struct ft_rank *self, struct ft_comm *on, MPI_Comm *newcomm,
                       struct ft_comm **born, MPI_Request *request);

/* MPI_Comm_create_group: only the group's members take part, and on's clock does not tick. The
 * first function serves both kinds of protocol and calls the second one for ranks with clusters. */
int ft_comm_create_group(struct ft_rank *self, struct ft_comm *on, MPI_Group group, int tag,
                         MPI_Comm *newcomm);
int ft_birth_comm_create_group(struct ft_rank *self, struct ft_comm *on, MPI_Group group,
                               MPI_Comm *newcomm);
/* Ticks on's clock. peer matters at the leader alone. */
int ft_birth_intercomm_create(struct ft_rank *self, struct ft_comm *on, int leader, MPI_Comm peer,
                              int remote_leader, MPI_Comm *newcomm);

/* Shared by the files of this room. Every member of `on` says a word; `here` are those of its
 * own group in the order of ranks, `there` those of the other group, or the same. */
struct ft_word {
    int number; /* proposed */
    int a, b;   /* by call */
};
struct ft_words {
    int number; /* the highest proposal */
    struct ft_word *here, *there;
};
int ft_words_gather(struct ft_rank *self, struct ft_comm *on, int a, int b, struct ft_words *words);
void ft_words_free(const struct ft_comm *on, struct ft_words *words);
/* Sets the number of the communicator that is born, and its lane (docs/glossary.md), which follows
 * from the number. Refuses the MPI call if MPI_TAG_UB is too small for that lane. Call it directly
 * before ft_birth_give. */
void ft_birth_number(struct ft_rank *self, struct ft_birth *birth, int number);
/* Refuses the MPI call if MPI_TAG_UB is too small for the lane. */
void ft_lane_check(struct ft_rank *self, int lane);
/* MPI_ERR_GROUP when the world ranks are not all of on's own group. */
int ft_group_inside(const struct ft_comm *on, const int *ranks, int size);
/* Makes the communicator together with the other members, and gives the program its handle. */
int ft_birth_give(struct ft_rank *self, const struct ft_comm *parent, struct ft_birth *birth,
                  MPI_Comm *newcomm);

/* With --ulfm: why the communicator that is being made never will be; MPI_SUCCESS: it may. */
int ft_birth_hopeless(struct ft_rank *self, const struct ft_comm *parent,
                      const struct ft_birth *birth, const struct ft_comm *comm);

/* Every member of `on` names a color and a key: those of one color form a communicator, in the
 * order of keys and then ranks. topology is owned; newcomm of MPI_UNDEFINED is MPI_COMM_NULL. */
int ft_birth_by_color(struct ft_rank *self, struct ft_comm *on, int color, int key,
                      struct ft_topology *topology, MPI_Comm *newcomm);

#endif
