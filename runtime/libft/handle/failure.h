/* failure: with `ftrun --ulfm`, which ranks are dead, and which communicators are revoked.
 *
 * The words are those of ULFM (Bland et al., "Post-failure recovery of MPI communication
 * capability", IJHPCA 27, 2013). A rank learns of failures where it passes its gate; until then it
 * knows of none. Ranks know deaths in one order: what one acknowledges is a prefix of it. */
#ifndef FT_FAILURE_H
#define FT_FAILURE_H

#include "handle/handle.h"
#include "recorder/deaths.h"

struct ft_agreement; /* libft/ulfm */

struct ft_ulfm {
    struct ft_deaths *told;    /* shared with ftrun */
    uint32_t deaths, revokes;  /* entries of it that the rank knows */
    uint32_t searched;         /* deaths after which the rank has looked for gaps */
    uint32_t asked;            /* questions about them (request/queue.h) that it has asked */
    uint32_t *when;            /* [size] 1 + place of the rank's death; 0: it lives */
    struct ft_comm *blamed;    /* of the request that returned an error last, */
    int blamed_code;           /* and this error */
    uint32_t abandoned;        /* communicators whose making a death has interrupted */
    const int *meeting;        /* world ranks that make a communicator among themselves now, */
    int meeting_size;          /* so many */
    struct ft_agreement *open; /* agreements whose result is not known */
};

static inline struct ft_ulfm *ft_ulfm_of(const struct ft_rank *self)
{
    return self->spbc ? self->spbc->ulfm : NULL;
}

/* Effect: at the end of MPI_Init: nobody is dead. */
void ft_failure_start(struct ft_rank *self);
/* Effect: in a new life behind ft_replace: nobody is dead, MPI_COMM_WORLD is whole and as good as
 * new, and all others that have other members are revoked for ever. */
void ft_failure_renew(struct ft_rank *self);
/* Effect: all communicators of this rank are revoked, for it alone. */
void ft_failure_revoke_all(struct ft_rank *self);
/* Effect: takes in what ftrun has told. Answers whether there was anything. */
int ft_failure_learn(struct ft_rank *self);
/* The same, and waits `seconds` for it. */
int ft_failure_await(struct ft_rank *self, double seconds);
/* Effect: this communicator is revoked, here and soon everywhere. */
void ft_failure_revoke(struct ft_rank *self, struct ft_comm *comm);
/* Effect: fills comm->barred and comm->revoked of a communicator that is new here. */
void ft_failure_mark(struct ft_rank *self, struct ft_comm *comm);

static inline int ft_is_dead(const struct ft_rank *self, int world)
{
    return self->spbc->ulfm->when[world] != 0;
}
/* Is one of these dead? */
int ft_any_dead(const struct ft_rank *self, const int *world, int count);
/* Is one of its members dead whose failure the rank has not acknowledged on it? Members are those
 * of both groups. */
int ft_comm_unacknowledged(const struct ft_rank *self, const struct ft_comm *comm);

/* The code that ft_error makes of one of the library: MPIX_ERR_PROC_FAILED where it met a
 * process that is gone. */
int ft_failure_code(struct ft_rank *self, const struct ft_comm *comm, int code);
/* The text of an error class of ULFM, or NULL. */
const char *ft_failure_text(int code);

#endif
