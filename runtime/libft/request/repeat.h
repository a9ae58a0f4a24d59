/* repeat: probes, tests and choices at sites where it is proved that no message depends on their
 * outcome (ftrun --trust, pattern/pattern.h), with --protocol spbc.
 *
 * How often they find nothing is not recorded. A mark of the trail, of 4 bytes, says what they
 * find. A rank that repeats asks for each message or request that it could find whether the next
 * mark is its; if so it waits for it, and otherwise finds nothing. So it finds the same as before,
 * at the same place among its sends and receives. Nothing less would do: messages from logs are
 * there before those of ranks that rolled back, too, and a loop that ends by a message might end
 * before it has taken the others.
 *
 *     first life    Iprobe -  Iprobe -  Iprobe 3   Recv 3   Isend 3   Iprobe -  Iprobe 1   Recv 1
 *     trail                                  m1       m2        m3                   m4       m5
 *     repeats       Iprobe 3   Recv 3   Isend 3   Iprobe 1   Recv 1
 *
 * Between its polls a loop may read a clock, or call for what is recorded otherwise. Those must
 * come as often as before, so then the polls are counted (ft_determinant_pass).
 *
 * In an iteration of a trusted pattern the order is open, and marks say nothing: there probes and
 * tests are recorded. So they are from the first poll on that is at no such site.
 *
 * Thread rule: the thread that calls MPI. */
#ifndef FT_REPEAT_H
#define FT_REPEAT_H

#include "determinant/determinant.h"
#include "request/virtual.h"

enum ft_belief {
    FT_BELIEF_NONE,  /* the outcome is recorded */
    FT_BELIEF_TRAIL, /* it is repeated by the trail */
    FT_BELIEF_ANEW   /* the site is proved, and the order is open */
};

/* The belief about the call that was entered last, a probe, test or choice. */
enum ft_belief ft_repeat_belief_of(struct ft_rank *self);
static inline enum ft_belief ft_repeat_belief(struct ft_rank *self)
{
    return ft_likely(!(self->spbc->noted & FT_NOTED_PLACE)) ? FT_BELIEF_NONE
                                                            : ft_repeat_belief_of(self);
}

enum ft_repeat {
    FT_REPEAT_ASK,     /* nothing is given again: the library is to be asked */
    FT_REPEAT_NOTHING, /* it found nothing */
    FT_REPEAT_MARK     /* the next mark says what it found, if it found anything */
};

/* While the belief is TRAIL: */
enum ft_repeat ft_repeat_look(struct ft_rank *self);
/* After MARK: the call finds nothing, because the mark is of something else. Ends the run when that
 * goes on for ever. */
void ft_repeat_nothing(struct ft_rank *self);

/* A number that is the same in each life, and tells this request from others that a call of one
 * site may be about: a receive's own; 0: none. Sends are alike, because some are complete at once
 * and have no request of their own. */
static inline uint64_t ft_repeat_name(const struct ft_request *request)
{
    if (!request)
        return 0;
    return request->kind == FT_REQUEST_RECV ? (uint64_t)request->outcome << 8 | 1
                                            : 2 + (request->kind == FT_REQUEST_COLLECTIVE);
}

/* Is the next mark of this outcome? name: of the communicator or request; a, b: what was found. */
int ft_repeat_is_next(const struct ft_rank *self, uint64_t name, int a, int b);
/* Makes the mark. */
void ft_repeat_found(struct ft_rank *self, uint64_t name, int a, int b);

/* A test: answers 1 and the outcome when it is given again, and then ft_repeat_found is due where
 * the request is complete. */
int ft_repeat_flag(struct ft_rank *self, uint64_t name, int *flag);
/* A test that was not given again. */
static inline void ft_repeat_flag_note(struct ft_rank *self, uint64_t name, int flag)
{
    if (flag)
        ft_repeat_found(self, name, 0, 0);
    else
        ft_determinant_pass(self);
}

#endif
