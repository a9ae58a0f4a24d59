#include "determinant/reading.h"

#include <string.h>
#include <time.h>

#include "determinant/entries.h"

#define TOLERANCE 1000 /* nanoseconds */
#define DOUBLINGS 16   /* of it, from half of the ring to its end */

int64_t ft_reading_ahead[FT_CLOCKS];

static int64_t moment_of(const struct ft_determinant *entry)
{
    int64_t moment;

    memcpy(&moment, &entry->a, sizeof moment);
    return moment;
}

int ft_reading_again(struct ft_rank *self, enum ft_clock clock, int64_t *moment)
{
    struct ft_determinants *all = ft_entries_of(self);
    struct ft_readings *readings = &all->clocks[clock];
    struct ft_determinant_order *order = &readings->order;
    const struct ft_determinant *next;

    if (ft_likely(!all->owed))
        return 0;
    next = ft_entries_expected(self, order, clock);
    if (next == NULL)
        return 0;
    if (next->kind == FT_DETERMINANT_MOMENT)
        readings->given = moment_of(next);
    else
        readings->given += order->used ? next->b : next->a;
    if (next->kind == FT_DETERMINANT_MOMENT || (++order->used >= next->number && !all->follows))
        ft_entries_given(all, order);
    *moment = readings->given;
    return 1;
}

/* Is it a clock of the day, which somebody may set? */
static int is_set(enum ft_clock clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ||
           clock == CLOCK_REALTIME_ALARM || clock == CLOCK_TAI || clock == FT_CLOCK_OTHER ||
           clock == FT_CLOCK_DAY || clock == FT_CLOCK_TIME;
}

/* The clock's moment, which does not go back. */
static int64_t steady(const struct ft_readings *readings, enum ft_clock clock, int64_t live)
{
    int64_t *ahead = &ft_reading_ahead[clock];

    if (live + *ahead < readings->given && !is_set(clock))
        *ahead = readings->given - live;
    return live + *ahead;
}

/* How much of the ring is in use beyond its half, in DOUBLINGS of that. */
static unsigned doublings(const struct ft_rank *self)
{
    uint64_t half = ft_entries_of(self)->capacity / 2, used = ft_entries_used(self);

    return used <= half ? 0 : (unsigned)((used - half) * DOUBLINGS / half) + 1;
}

/* Asks for a checkpoint each time that the tolerance grows. */
static void tolerance_set(struct ft_rank *self)
{
    struct ft_determinants *all = ft_entries_of(self);
    int64_t tolerance = (int64_t)TOLERANCE << doublings(self);

    if (ft_unlikely(tolerance > all->tolerance && tolerance > TOLERANCE))
        ft_determinants_ask();
    all->tolerance = tolerance;
}

/* The step of the next row: that of the last one on average, if it ended because the step did not
 * fit; less, if the row was faster than the clock. */
static int32_t step_of(const struct ft_readings *readings, int64_t moment, int64_t tolerance)
{
    int64_t late = moment - readings->given - readings->step;
    int64_t average = readings->count ? (moment - readings->first) / readings->count : 0;

    if (late < 0)
        return readings->step - readings->step / 16 - (readings->step > 0);
    if (average > 100 * TOLERANCE || (late > 4 * tolerance && readings->count > 1))
        return readings->step;
    return (int32_t)average;
}

/* May more readings belong to this entry? Clocks that are not told apart go on from each other. */
static int may_go_on(const struct ft_determinants *all, enum ft_clock clock,
                     const struct ft_determinant *entry)
{
    return entry->kind == FT_DETERMINANT_READINGS && clock != FT_CLOCK_OTHER && !all->owed;
}

/* In the second half of the ring: goes on with a row that any call may have begun. */
static int row_goes_on(struct ft_determinants *all, struct ft_readings *readings, int64_t moment)
{
    if (!readings->open || readings->call != FT_CALL_ANY || readings->count == UINT32_MAX ||
        moment < readings->given || moment - readings->given > all->tolerance)
        return 0;
    ft_entry(all, readings->open - 1)->number = ++readings->count;
    ft_logged_count();
    return 1;
}

int64_t ft_reading_begin(struct ft_rank *self, enum ft_clock clock, int64_t live)
{
    struct ft_determinants *all = ft_entries_of(self);
    struct ft_readings *readings = &all->clocks[clock];
    struct ft_determinant entry = {.kind = FT_DETERMINANT_READINGS, .clock = clock, .number = 1};
    int64_t moment = steady(readings, clock, live), later = moment - readings->given;
    int crowded;

    tolerance_set(self);
    crowded = all->tolerance > TOLERANCE;
    if (crowded && row_goes_on(all, readings, moment))
        return readings->given;
    entry.call = crowded ? FT_CALL_ANY : 0;
    readings->step = crowded ? 0 : step_of(readings, moment, all->tolerance);
    if (later >= INT32_MIN && later <= INT32_MAX) {
        entry.a = (int32_t)later;
        entry.b = readings->step;
    } else {
        entry.kind = FT_DETERMINANT_MOMENT;
        memcpy(&entry.a, &moment, sizeof moment);
    }
    ft_entries_put(self, &readings->order, entry);
    ft_entries_publish(self);
    readings->open = may_go_on(all, clock, &entry) ? all->end : 0;
    readings->count = 1;
    readings->call = crowded ? FT_CALL_ANY : self->recorder->call;
    return readings->given = readings->first = moment;
}
