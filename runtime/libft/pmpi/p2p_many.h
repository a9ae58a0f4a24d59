/* p2p_many: what the completion calls on many requests share. All of them look at virtual requests
 * only; one poll of the library before brings these up to date. */
#ifndef FT_P2P_MANY_H
#define FT_P2P_MANY_H

#include "pmpi/p2p.h"

/* MPI_SUCCESS, or the native call's code when the count or a handle is not valid. */
int p2p_many_check(struct ft_rank *self, int count, const MPI_Request handles[]);

/* Waits until one of the requests can be taken, or none of them is active. A request that an
 * earlier poll has completed needs no other one: n calls for n requests cost few polls of n. */
void p2p_many_wait(struct ft_rank *self, int count, const MPI_Request handles[]);

/* Asks the library once about all that are active. */
void p2p_many_poll(struct ft_rank *self, int count, const MPI_Request handles[]);

/* Can one of them be taken? */
int p2p_many_ready(struct ft_rank *self, int count, const MPI_Request handles[]);

/* Is none of them pending? */
int p2p_many_ended(struct ft_rank *self, int count, const MPI_Request handles[]);

/* The end of Waitany and Testany: takes the first that is ready; MPI_UNDEFINED and an empty status
 * when none is. Answers the request's result. */
int p2p_any_take(struct ft_rank *self, int count, MPI_Request handles[], int *index,
                 MPI_Status *status);

/* Waitany (waits: 1) and Testany, Waitsome and Testsome of a rank with self->spbc: which requests
 * are taken is recorded, or given again. */
int p2p_any_started(struct ft_rank *self, int count, const MPI_Request handles[]);
int p2p_any_recorded(struct ft_rank *self, int waits, int count, MPI_Request handles[], int *index,
                     MPI_Status *status);
int p2p_some_recorded(struct ft_rank *self, int waits, int count, MPI_Request handles[], int *found,
                      int indices[], MPI_Status statuses[]);

/* The end of Waitsome and Testsome: takes all that are ready; MPI_UNDEFINED when no request is
 * active. Answers MPI_SUCCESS or MPI_ERR_IN_STATUS. */
int p2p_some_take(struct ft_rank *self, int count, MPI_Request handles[], int *found, int indices[],
                  MPI_Status statuses[]);

static inline MPI_Status *p2p_status_at(MPI_Status *statuses, int i)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/* Takes request (NULL: a null handle) into statuses[at]. MPI_ERROR is written from the first
 * failure on, with which all before it become successes. */
static inline void p2p_many_take(struct ft_rank *self, struct ft_request *request,
                                 MPI_Request *handle, MPI_Status *statuses, int at, int *failed)
{
    MPI_Status *status = p2p_status_at(statuses, at);
    int code = request ? ft_request_take(self, request, handle, status) : MPI_SUCCESS;

    if (ft_likely(code == MPI_SUCCESS && !*failed))
        return;
    for (int i = 0; !*failed && status != MPI_STATUS_IGNORE && i < at; i++)
        statuses[i].MPI_ERROR = MPI_SUCCESS;
    *failed = 1;
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = code;
}

#endif
