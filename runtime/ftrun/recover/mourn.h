/* mourn: --ulfm: a rank that dies stays dead, the others are told, and the program goes on.
 * Revocations and agreements of the ranks pass here, too (agree.c).
 * Thread rule: one thread. */
#ifndef FT_MOURN_H
#define FT_MOURN_H

#include "run/run.h"

/* A rank's process has ended with `status`, and that is a failure. */
void ft_mourn(struct ft_member *member, int status);
/* REVOKE of a communicator. */
void ft_mourn_revoke(struct ft_run *run, uint64_t comm);
/* Effect: all living ranks come to their gate. */
void ft_mourn_call(struct ft_run *run);
/* Have all ranks died? */
int ft_mourn_nobody_lives(const struct ft_run *run);

/* gap.c: GAP. The rank is told when each other one has been outside of its library since. */
void ft_gap_ask(struct ft_member *member, uint32_t number);

/* replace.c: all living ranks are in ft_replace. */
void ft_replace_begin(struct ft_run *run);
/* All of them have left: the dead are to be replaced. 0, or -1: the run ends. */
int ft_replace_take(struct ft_run *run);

/* agree.c: AGREE, with the world ranks of all members. */
void ft_agree_take(struct ft_member *member, const struct ft_wire_agree *word,
                   const int32_t *members);
/* A rank has died: agreements that waited for it alone are decided. */
void ft_agree_look(struct ft_run *run);
void ft_agree_free(struct ft_run *run);

#endif
