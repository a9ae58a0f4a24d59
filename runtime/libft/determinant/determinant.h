/* determinant: outcomes that time has decided, recorded while the rank lives, and given again to
 * the rank that is restored from an older image, until it is where the first life ended.
 *
 * They lie in a ring that is shared with ftrun, behind the recorder, so they survive SIGKILL. A
 * record is a store of 16 bytes and of the new end; a poll that finds nothing once more only counts
 * up the last record. The image holds the position, so a checkpoint knows which determinants follow
 * it, and ftrun says which are needed no more (recorder.h).
 *
 * Outcomes of polls, probes, choices and random numbers are given again in the order of the calls.
 * Each clock has an order of its own (reading.h), so that a loop that polls and reads a clock costs
 * no entry in each turn. Outcomes of receives are given again by the number of the receive, because
 * receives complete in another order than they were posted. A receive has an outcome when it is
 * anonymous, or could be cancelled. An anonymous one of the first life that never completed is held
 * back until all that did complete have been posted again, and one that was cancelled until it is:
 * it must not take a message of theirs.
 *
 * The recorder counts determinants by the place of their calls, so that a user sees which of them
 * are worth a proof; a receive belongs to the call that posted it.
 *
 * Source: Elnozahy et al., "A survey of rollback-recovery protocols in message-passing systems"
 * (ACM Computing Surveys 34, 2002), section 4. Thread rule: the thread that calls MPI. */
#ifndef FT_DETERMINANT_H
#define FT_DETERMINANT_H

#include "determinant/logged.h"
#include "determinant/trail.h"
#include "process.h"
#include "recorder/entry.h"

/* Where a value comes from. */
enum ft_value_kind {
    FT_VALUE_TIMES = 1, /* times, getrusage */
    FT_VALUE_LENGTH,    /* of the random bytes that follow, or -errno */
    FT_VALUE_RANDOM,
    FT_VALUE_ACT /* outcome of a change of files (request/act.c) */
};

enum { FT_CALL_ANY = UINT16_MAX }; /* readings of several calls */

struct ft_determinant_known; /* an outcome of an anonymous receive that is still to be posted */

struct ft_determinant_order { /* entries that are given again one after the other */
    uint64_t at;              /* while something is owed: the next one is here, or behind */
    uint32_t used;            /* outcomes of the entry at `at` that have been given again */
};

struct ft_readings { /* of one clock */
    struct ft_determinant_order order;
    int64_t given;  /* what the program has been told last, nanoseconds */
    int64_t first;  /* what it was told before the steps of the open entry */
    uint64_t open;  /* 1 + number of the entry whose steps go on; 0: none */
    uint32_t count; /* readings in it */
    int32_t step;   /* nanoseconds */
    uint32_t call;  /* of the open entry */
};

struct ft_determinants {         /* in the image */
    struct ft_determinant *ring; /* at the same address in every life, not in the image */
    uint64_t capacity;           /* entries of the ring, a power of two */
    uint64_t end;                /* entries that there are */
    uint64_t owed;               /* of them, those that are still to be given again, but receives */
    uint64_t open;               /* 1 + number of a NOTHING or PASSED that may be counted up; 0:
                                    none */
    uint64_t passed_at;          /* marks of the trail before the polls that */
    uint32_t passed;             /* found nothing at proved sites, so many since the last entry */
    uint32_t mixed;              /* 1: a poll of another site was made: all are recorded now */
    uint32_t posted;             /* receives with an outcome posted */
    uint32_t call;               /* the recorder's, when the image was taken */
    uint32_t follows;  /* 1: the rank's other copy decides (follow.c); then `owed` is 1 more,
                          so something is always still to be given again */
    uint64_t spared;   /* outcomes of receives that were not recorded (recorder.h) */
    int64_t tolerance; /* of readings, nanoseconds (reading.h) */
    struct ft_determinant_order order; /* of all entries but readings and receives */
    struct ft_readings clocks[FT_CLOCKS];
    struct ft_determinant_known *known; /* by number */
};

/* Effect: begins in a life that starts with main, with a ring of `capacity` entries at `ring`.
 * The outcomes that an earlier such life recorded will be given again. */
void ft_determinants_start(struct ft_rank *self, struct ft_determinant *ring, uint64_t capacity);
/* Effect: in a life that begins with an image: what the recorder counts behind the image's position
 * will be given again. */
void ft_determinants_restore(struct ft_rank *self);
/* Effect: right before an image is taken: what follows belongs behind it. */
void ft_determinants_close(struct ft_rank *self);
/* Those before this one are not needed by an image that is taken now. */
uint64_t ft_determinants_position(const struct ft_rank *self);

/* The copies of a rank (ftrun --replicas). The one that follows repeats what the other one does
 * while that does it, with the ring whose end still grows (determinant/follow.c).
 *
 * Takes what the leader has published. Answers 1 where there was anything, or the rank leads from
 * now on. */
int ft_determinants_follow(struct ft_rank *self);
/* May the next outcome of this clock (FT_CLOCKS: of no clock) be asked for: is there one, or does
 * the rank lead? */
int ft_determinants_ready(struct ft_rank *self, unsigned clock);
static inline int ft_determinants_follows(const struct ft_rank *self)
{
    return self->spbc->determinants->follows;
}

/* Polls at sites where it is proved that no message depends on their outcome (request/repeat.h).
 * That they found nothing is recorded only when something else is recorded before the next mark of
 * the trail: how often a loop polls need not be repeated, how often it reads a clock must be.
 *
 * Such a poll has found nothing. */
static inline void ft_determinant_pass(struct ft_rank *self)
{
    struct ft_determinants *all = self->spbc->determinants;

    if (all->passed_at != self->spbc->trail->at) {
        all->passed_at = self->spbc->trail->at;
        all->passed = 0;
    }
    all->passed += all->passed < UINT32_MAX;
}
/* Something else is about to be recorded. */
void ft_determinant_passed_keep(struct ft_rank *self);
/* The same of a poll at another site. */
void ft_determinant_passed_end(struct ft_rank *self);
/* Answers 1 when it is given again that such a poll has found nothing. */
int ft_determinant_passed(struct ft_rank *self);

/* Asks ftrun for a checkpoint, because room comes with the oldest that is dropped. */
void ft_determinants_ask(void);
/* Between nodes: outcomes of this rank are on its node alone, or left no trace but there. Tells
 * ftrun once in each life, before anybody can depend on one. */
void ft_determinants_announce(void);

/* Is anything to be given again? While it is, anonymous receives may be held back. */
static inline int ft_determinants_replay(const struct ft_determinants *all)
{
    return all->owed || all->known;
}

/* Each of these answers 1 and the outcome when it is given again, 0 when the caller must ask the
 * library, and then note what it said. Re-execution that asks for something else than was recorded
 * ends the run (ft_differs). */
int ft_determinant_poll(struct ft_rank *self, int *flag);
int ft_determinant_probe(struct ft_rank *self, int *flag, int *source, int *tag);
/* At most `room` indices; *count 0: none was complete. */
int ft_determinant_choice(struct ft_rank *self, int *count, int *index, int room);
/* `bytes` of data, less than 16 MB, the same as in the life before. */
int ft_determinant_value(struct ft_rank *self, enum ft_value_kind kind, void *data, size_t bytes);

/* A poll, probe or choice has found nothing: counted up where it follows another such. */
void ft_determinant_nothing_begin(struct ft_rank *self);
static inline void ft_determinant_nothing(struct ft_rank *self)
{
    const struct ft_determinants *all = self->spbc->determinants;
    struct ft_determinant *last = &all->ring[(all->open - 1) & (all->capacity - 1)];

    if (ft_likely(all->open && last->number != UINT32_MAX))
        last->number++;
    else
        ft_determinant_nothing_begin(self);
    ft_logged_count();
}

void ft_determinant_poll_note(struct ft_rank *self, int flag);
void ft_determinant_probe_note(struct ft_rank *self, int flag, int source, int tag);
void ft_determinant_choice_note(struct ft_rank *self, int count, const int *index);
void ft_determinant_value_note(struct ft_rank *self, enum ft_value_kind kind, const void *data,
                               size_t bytes);

/* The knowledge about a receive that is being posted. */
enum ft_determinant_post {
    FT_POST_UNKNOWN, /* nothing: its outcome is to be noted. An anonymous one is to be held back
                        until ft_determinants_replay answers 0 */
    FT_POST_NAMED,   /* the source and tag of its message, written to *source and *tag */
    FT_POST_NEVER    /* it was cancelled: it is to be held back until it is */
};
/* Numbers the receive (*number) and answers what to do. */
enum ft_determinant_post ft_determinant_receive(struct ft_rank *self, uint32_t *number, int *source,
                                                int *tag);
/* The same where nothing is given again: the receive's number, which is not 0. */
static inline uint32_t ft_determinant_receive_new(struct ft_rank *self)
{
    struct ft_determinants *all = self->spbc->determinants;

    return all->posted += 1 + (all->posted == UINT32_MAX);
}
/* The same for a receive that was pending, with nothing known, when the image was taken. */
enum ft_determinant_post ft_determinant_receive_again(struct ft_rank *self, uint32_t number,
                                                      int *source, int *tag);
/* These may come while something is given again: nothing was known of the receive. site: the return
 * address of the call that posted it. */
void ft_determinant_receive_note(struct ft_rank *self, uint64_t site, uint32_t number, int source,
                                 int tag);
void ft_determinant_cancel_note(struct ft_rank *self, uint64_t site, uint32_t number);

#endif
