/* logged: on several nodes, outcomes are on another machine before anybody there can depend on them
 * (MPICH-V2: Bouteiller et al., SC'03, section 4.1: a send waits for the event logger).
 *
 * The agent of the node sends what its ranks have recorded to ftrun, now and then, and at once when
 * a rank asks. A send to another cluster waits until ftrun has all that any rank of the node had
 * recorded before: a rank may depend on outcomes of others of its node, by messages that did not
 * wait. A rank whose cluster is on several nodes does not wait, but says that ftrun has not got all
 * (ft_determinants_announce).
 *
 * Thread rule: the thread that calls MPI. */
#ifndef FT_DETERMINANT_LOGGED_H
#define FT_DETERMINANT_LOGGED_H

#include "process.h"
#include "protocol/logged.h"

/* The word in which the rank counts changes of its ring. On one machine nobody reads it: counting
 * costs less than a branch. */
extern uint64_t *ft_logged_made;

/* The ring has a new end, or an entry was counted up. */
static inline void ft_logged_count(void)
{
    __atomic_store_n(ft_logged_made, *ft_logged_made + 1, __ATOMIC_RELEASE);
}

/* A life begins, with main or with an image: ft_life.logged is mapped, or NULL. */
void ft_logged_start(struct ft_rank *self);
/* Asks the agent of the node to send what is new. */
void ft_logged_ship(void);
/* A message is about to be sent to another cluster, by a rank with FT_NOTED_LOGGED. Returns when
 * ftrun has all outcomes that it can depend on. */
void ft_logged_wait(void);
/* The same of the first `made` changes of the rank at this place of ft_life.logged. */
int ft_logged_is_safe(uint32_t place, uint64_t made);
void ft_logged_wait_for(uint32_t place, uint64_t made);

#endif
