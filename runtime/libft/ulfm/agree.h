/* agree: all living members of a communicator decide something together, through ftrun (--ulfm).
 *
 * ftrun sees each death of a job and tells of them in one order. It gathers what the members
 * contribute, and when each member has contributed or is dead it sends all of them one answer. So
 * no member decides anything, and none of them is a leader that could die. Two messages a member,
 * whatever their number.
 *
 * Rank's calls of one communicator have numbers, so calls that follow each other do not mix. */
#ifndef FT_ULFM_AGREE_H
#define FT_ULFM_AGREE_H

#include "handle/failure.h"

struct ft_agreement {
    uint64_t comm;   /* identity of the communicator */
    uint32_t number; /* of the call on it, from 1 */
    int done;        /* 1: `answer` is there */
    struct ft_wire_agreed answer;
    struct ft_agreement *next;
};

/* A new agreement on `on`, under way, with this rank's contribution: `flag` (the bits that all have
 * set are the result) and a proposal for a number (the highest is the result). ftrun ends the run
 * where members are in calls of different kinds. Lies in the image; never NULL. */
struct ft_agreement *ft_agreement_begin(struct ft_rank *self, struct ft_comm *on,
                                        enum ft_agreement_kind kind, int flag, int proposal);
/* The same in the making of a communicator from `on`, by its collective `clock`: an agreement of
 * its own, because a member that knows of a revocation may never come. Nobody has acknowledged
 * anything. */
struct ft_agreement *ft_agreement_of_birth(struct ft_rank *self, struct ft_comm *on, uint64_t clock,
                                           int flag);
/* Looks for its answer, without waiting. 1: it is there, and the rank knows all deaths that it
 * counts. */
int ft_agreement_look(struct ft_rank *self, struct ft_agreement *agreement);
/* Its answer may never have come. */
void ft_agreement_free(struct ft_rank *self, struct ft_agreement *agreement);
/* MPI_SUCCESS when all members of `on` have come to this birth with MPI_SUCCESS and live: then, and
 * only then, all go on with it. `code`: how far this rank has come. Without --ulfm: `code`. */
int ft_birth_agreed(struct ft_rank *self, struct ft_comm *on, uint64_t clock, int code);
/* Ends the run when the library cannot make a communicator any more; begun: ft_os_now then. */
void ft_making_doubt(struct ft_rank *self, double begun);
/* MPIX_ERR_PROC_FAILED where a member was dead and not all contributors had acknowledged that: the
 * same for all. MPI_SUCCESS otherwise. */
int ft_agreement_code(const struct ft_rank *self, const struct ft_comm *on,
                      const struct ft_agreement *agreement);
/* One turn of a loop that waits for ftrun. */
void ft_agreement_pause(struct ft_rank *self, unsigned *polls);

/* MPIX_Comm_agree and MPIX_Comm_iagree. An MPI code. */
int ft_agree(struct ft_rank *self, struct ft_comm *on, int *flag);
int ft_iagree(struct ft_rank *self, struct ft_comm *on, int *flag, MPI_Request *request);

/* ft_replace: all living ranks of the job; MPI_COMM_WORLD has all ranks again, the dead ones by new
 * processes. Requests that are pending have ended with MPIX_ERR_REVOKED. */
void ft_world_renew(struct ft_rank *self);

/* MPIX_Comm_shrink and MPIX_Comm_ishrink: the members of *newcomm are those of `on` that were alive
 * when all had come, in their order. A death in the middle makes all of them begin again. An MPI
 * code. */
int ft_shrink(struct ft_rank *self, struct ft_comm *on, MPI_Comm *newcomm);
int ft_ishrink(struct ft_rank *self, struct ft_comm *on, MPI_Comm *newcomm, MPI_Request *request);

#endif
