/* reading: what clocks have answered, recorded and given again.
 *
 * A program may read a clock 30 million times a second, and each answer may decide what it sends.
 * So an entry (READINGS) holds a whole row of readings of one clock: what the first one is later
 * than the reading before (a), the step from each to the next (b), and their number. The program
 * gets what the entry says, which is at most `tolerance` earlier than the machine's clock, and
 * never later: 1 us, as long as less than half of the ring is in use. A loop that only reads a
 * clock makes an entry for some hundred readings; where a reading fits no step it has an entry of
 * its own, and is exact. MOMENT is an entry of one reading that is too far from the one before.
 *
 * Beyond half of the ring the tolerance doubles with each 32nd of it, up to 65 ms at its end, steps
 * are 0, a row may go on in other calls of MPI (FT_CALL_ANY), and a checkpoint is asked for. So
 * clocks alone fill no ring: from half to the end they need hours.
 *
 * A clock that would go back, because its process is a new one or the machine was started again,
 * goes on from where it was. Only the clocks of the day go back when somebody sets them.
 *
 * Thread rule: the thread that calls MPI. */
#ifndef FT_READING_H
#define FT_READING_H

#include "determinant/determinant.h"

/* Answers 1 and the reading, nanoseconds, when it is given again. Otherwise the caller must ask the
 * clock, and note what it said. */
int ft_reading_again(struct ft_rank *self, enum ft_clock clock, int64_t *moment);

/* ft_reading_note where the reading fits no open entry. */
int64_t ft_reading_begin(struct ft_rank *self, enum ft_clock clock, int64_t live);

/* The lead of the clock over the machine's in this process, nanoseconds. */
extern int64_t ft_reading_ahead[FT_CLOCKS];

/* The clock says `live`, nanoseconds. Records, and returns, what the program is told. */
FT_INLINE int64_t ft_reading_note(struct ft_rank *self, enum ft_clock clock, int64_t live)
{
    const struct ft_determinants *all = self->spbc->determinants;
    struct ft_readings *readings = &self->spbc->determinants->clocks[clock];
    int64_t now = readings->given + readings->step;
    uint64_t late = (uint64_t)(live + ft_reading_ahead[clock] - now);

    if (ft_unlikely(all->passed != 0))
        ft_determinant_passed_keep(self);
    if (ft_unlikely(!readings->open || late > (uint64_t)all->tolerance ||
                    readings->call != self->recorder->call || readings->count == UINT32_MAX))
        return ft_reading_begin(self, clock, live);
    all->ring[(readings->open - 1) & (all->capacity - 1)].number = ++readings->count;
    ft_logged_count();
    return readings->given = now;
}

#endif
