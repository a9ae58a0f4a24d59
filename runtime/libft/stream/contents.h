/* contents: a hash of the data of each message to another cluster, with --trust. A rank that has
 * rolled back repeats what it did; a message that the receiver has already is not sent a second
 * time, and its data must be what that was. They are not if a receive that --trust leaves
 * unrecorded met another message than before, and its verdict is wrong. Then the run ends.
 *
 * The hashes lie in a ring that is shared with ftrun, behind the marks of the trail, so they
 * survive SIGKILL: each is there before the library is given the message. They are compared stream
 * by stream, in the order of sending, because the order over streams is open in a trusted pattern.
 *
 * Data may differ that no receiver looks at: padding, or the rest of a buffer. So a difference
 * counts only where something was believed: by this rank since the checkpoint, or by another
 * rank of its cluster ever. And it counts only for messages that the receiver has: of any other
 * one there is no other version. Files of runtime/libft/stream and runtime/libft/request include
 * this. Thread rule: single threaded. */
#ifndef FT_CONTENTS_H
#define FT_CONTENTS_H

#include "determinant/trail.h"
#include "process.h"

struct ft_stream;

struct ft_content {   /* an entry of the ring */
    uint64_t stream;  /* a hash of the stream's key */
    uint32_t content; /* of the data and their length */
    uint32_t site;    /* believed last before it (ft_contents_believe) */
};
_Static_assert(sizeof(struct ft_content) == FT_RECORDER_CONTENT, "recorder.h");

struct ft_contents_owed; /* what a stream sent before, and has not resent */

struct ft_contents {         /* in the image */
    struct ft_content *ring; /* at the same address in every life, not in the image */
    uint64_t capacity;       /* entries of the ring, a power of two */
    uint64_t at;             /* entries that were written since the start of the job */
    uint64_t closed;         /* of them, those before the latest checkpoint */
    uint64_t lost;           /* of them, those before this one are overwritten and not known */
    uint32_t site;           /* believed last since the latest checkpoint: FT_SITE's number,
                                FT_CONTENTS_SOME, or 0: none */
    struct ft_contents_owed *owed; /* NULL: nothing is compared */
};

enum { FT_CONTENTS_SOME = 1 }; /* a receive was posted before the checkpoint, and ended behind it */

/* Effect: begins in a life that starts with main, with a ring of `capacity` entries at `ring`. */
void ft_contents_start(struct ft_rank *self, struct ft_content *ring, uint64_t capacity);
/* Effect: in a life that begins with an image, what was sent behind it will be compared. */
void ft_contents_restore(struct ft_rank *self);
/* Ends the run when a message that its receiver has is not resent by a rank that has done again
 * what it did. */
void ft_contents_settle(struct ft_rank *self);
/* Effect: ft_contents_settle, right before the image of a checkpoint is taken. */
void ft_contents_close(struct ft_rank *self);

/* The outcome of a call at this site (FT_SITE's number) is not recorded. */
static inline void ft_contents_believe(struct ft_rank *self, uint32_t site)
{
    self->spbc->contents->site = self->recorder->believed = site;
}

/* Around a send to another cluster: first ft_contents_note, before the library is given the
 * message, then ft_contents_check when it has accepted it, or ft_contents_withdraw when it has not.
 * `bytes` of `data`; NULL: the library will refuse it. */
uint64_t ft_contents_hash(const void *data, uint64_t bytes);

static inline uint64_t ft_contents_key(uint64_t comm, int world, int tag)
{
    return ft_trail_fold(comm ^ 0xa0761d6478bd642fu,
                         ((uint64_t)(uint32_t)world << 32 | (uint32_t)tag) ^ 0x9e3779b97f4a7c15u);
}

/* Does the stream owe a message? */
int ft_contents_owes(const struct ft_contents *all, uint64_t key);
/* Asks ftrun for a checkpoint: room comes with it. */
void ft_contents_ask(void);

static inline void ft_contents_note(struct ft_rank *self, uint64_t key, uint64_t hash)
{
    struct ft_contents *all = self->spbc->contents;

    if (ft_unlikely(all->owed != NULL) && ft_contents_owes(all, key))
        return;
    all->ring[all->at & (all->capacity - 1)] =
        (struct ft_content){key, (uint32_t)(hash >> 32), all->site};
    __atomic_store_n(&self->recorder->contents, ++all->at, __ATOMIC_RELEASE);
    if (ft_unlikely(all->at - all->closed > all->capacity / 5 * 4) &&
        all->at % (all->capacity / 64) == 0)
        ft_contents_ask();
}

/* known: the receiver has it. Ends the run when the data are other ones. */
void ft_contents_check_again(struct ft_rank *self, const struct ft_stream *stream, uint64_t key,
                             uint64_t hash, int known);

static inline void ft_contents_check(struct ft_rank *self, const struct ft_stream *stream,
                                     uint64_t key, uint64_t hash, int known)
{
    if (ft_unlikely(known) || ft_unlikely(self->spbc->contents->owed != NULL))
        ft_contents_check_again(self, stream, key, hash, known);
}

static inline void ft_contents_withdraw(struct ft_rank *self, uint64_t key)
{
    struct ft_contents *all = self->spbc->contents;

    if (!all->owed || !ft_contents_owes(all, key))
        __atomic_store_n(&self->recorder->contents, --all->at, __ATOMIC_RELEASE);
}

#endif
