/* entry: an outcome that time has decided, in the ring behind a recorder (libft/determinant). A
 * rank writes entries, and agents send them to ftrun.
 *
 * An entry does not change any more, but for the newest one of an order that can be counted up:
 * polls that find nothing, and readings of one clock. */
#ifndef FT_RECORDER_ENTRY_H
#define FT_RECORDER_ENTRY_H

#include <stdint.h>

enum ft_determinant_kind {
    FT_DETERMINANT_RECEIVE = 1, /* number: of the receive; a: source, b: tag */
    FT_DETERMINANT_CANCELLED,   /* number: of the receive, which has got no message */
    FT_DETERMINANT_NOTHING,     /* number: polls in a row that found nothing */
    FT_DETERMINANT_FLAG,        /* a poll that found what it asked for */
    FT_DETERMINANT_PROBE,       /* a: source, b: tag of what a probe found */
    FT_DETERMINANT_CHOICE,      /* number: how many requests; a: the first one's index */
    FT_DETERMINANT_INDEX,       /* follows a CHOICE: a: the next index */
    FT_DETERMINANT_VALUE,       /* random, or times; number: its kind and length; a, b: data */
    FT_DETERMINANT_MORE,        /* follows a VALUE, whose data goes on */
    FT_DETERMINANT_READINGS,    /* of a clock, in equal steps (reading.h) */
    FT_DETERMINANT_MOMENT,      /* one reading of a clock, as it is (reading.h) */
    FT_DETERMINANT_PASSED       /* number: polls of proved sites that found nothing behind mark
                                   number a of the trail, before something else was recorded */
};

/* Clocks whose readings are told apart. */
enum ft_clock {
    FT_CLOCK_FIRST,      /* and those behind it: clock_gettime, by the number of its clock */
    FT_CLOCK_OTHER = 12, /* clock_gettime with a greater number, or a negative one */
    FT_CLOCK_WTIME,      /* MPI_Wtime */
    FT_CLOCK_DAY,        /* gettimeofday */
    FT_CLOCK_TIME,       /* time */
    FT_CLOCK_CPU,        /* clock */
    FT_CLOCKS
};

struct ft_determinant {
    uint8_t kind;    /* enum ft_determinant_kind */
    uint8_t clock;   /* enum ft_clock, of readings */
    uint16_t call;   /* enum ft_call, to see that re-execution asks the same; or FT_CALL_ANY */
    uint32_t number; /* see kind */
    int32_t a, b;    /* likewise */
};

/* The order in which the entry may be counted up: FT_CLOCKS: that of polls; a clock: its own; -1:
 * it never is. */
static inline int ft_determinant_order(const struct ft_determinant *entry)
{
    if (entry->kind == FT_DETERMINANT_NOTHING || entry->kind == FT_DETERMINANT_PASSED)
        return FT_CLOCKS;
    return entry->kind == FT_DETERMINANT_READINGS && entry->clock < FT_CLOCKS ? entry->clock : -1;
}

#endif
